"""Networks: one module each, with ``build(inputs, classes, *, ...)`` returning a torch module.

inputs: (channels, height, width) of images, (2, length, size of the vocabulary) of texts with classes, or (length, size
of the vocabulary) of a corpus. The keyword-only arguments are what the configuration may set; where ``heads`` need not
divide ``dim``, there is a ``head_dim``. DATA: what it is for, a kind of problem or "masked texts". OBSERVABLE: what a
run's ``observe`` may name. CLASSES: how many there must be, if that is fixed.
"""
