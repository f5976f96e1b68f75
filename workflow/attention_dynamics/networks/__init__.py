"""Networks: one module each, with ``build(inputs, classes, *, ...)`` returning a torch module.

inputs: (channels, height, width) of images, or (words, size of the vocabulary) of texts. The keyword-only arguments are
what the configuration may set. DATA: what kind of problem it is for. OBSERVABLE: what a run's ``observe`` may name.
"""
