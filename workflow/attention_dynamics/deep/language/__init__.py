"""Networks that read text, and what is measured of their attention."""
