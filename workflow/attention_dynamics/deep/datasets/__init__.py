"""Real images through one door: ``load.load_images``, from the official source, a mirror folder, or with no network."""
