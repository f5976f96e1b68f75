"""Networks that attend to patches of images, and observations of their attention."""
