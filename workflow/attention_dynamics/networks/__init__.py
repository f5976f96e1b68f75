"""Networks: one module each, with ``build(inputs, classes, *, ...)`` returning a torch module.

inputs: shape of an input, (channels, height, width) of an image or (segment,) of a text. The keyword-only arguments are
what the configuration may set. DATA: what kind of problem it is for. OBSERVABLE: for images, what of
``vision.observed.OBSERVERS`` can be observed.
"""
