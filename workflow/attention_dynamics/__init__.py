"""Training dynamics of attention: problems, dynamics, max-margin solutions and the claims about them.

The package needs no Snakemake: every stage of the workflow is a call that also works in a notebook.
"""

__version__ = "0.1.0"
