"""What the stages of the workflow share: configuration, code fingerprints, the job harness. No Snakemake."""
