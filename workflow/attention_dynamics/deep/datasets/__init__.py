"""Data sets (``images.load_images``, ``texts.load_texts``): official, from a local mirror, or embedded stand-ins."""
