"""Networks on images: one module each, with ``build(image, classes, *, ...)`` returning a torch module.

image: (channels, height, width). The keyword-only arguments are what the configuration may set. OBSERVABLE: what of
``vision.observed.OBSERVERS`` can be observed of the network.
"""
