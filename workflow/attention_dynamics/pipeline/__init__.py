"""Jobs of the workflow: specifications, fingerprints of code, checks, variants, logging and errors."""
