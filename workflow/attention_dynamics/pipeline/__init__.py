"""Jobs of the workflow: specifications, fingerprints of code, logging and errors. Does not import Snakemake."""
