"""Data sets: ``load_images`` and ``load_texts``, from the official source, a mirror folder, or without a network."""
