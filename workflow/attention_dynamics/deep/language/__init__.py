"""Networks that read text, and what is observed of their attention."""
