"""Networks that attend to patches of images, and what is measured of their attention."""
