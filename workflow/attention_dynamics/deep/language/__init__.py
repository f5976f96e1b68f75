"""Networks that read text, and observations of their attention."""
