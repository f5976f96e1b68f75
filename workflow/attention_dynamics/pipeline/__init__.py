"""Jobs of the workflow: specifications, fingerprints of code, the frame around each. Imports no Snakemake."""
