"""Networks that attend to patches of images, and what is observed of their attention."""
