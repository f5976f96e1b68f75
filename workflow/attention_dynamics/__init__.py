"""Training dynamics of attention: problems, dynamics, max-margin solutions and the claims about them.

The package needs no Snakemake: every stage of the workflow is a call that also works in a notebook.
"""

import os
from contextlib import suppress
from importlib.util import find_spec

__version__ = "0.1.0"


def _replace_missing_backend() -> None:
    """Set MPLBACKEND to "agg", unless it names a module that is there or is not set.

    Matplotlib cannot be imported with a backend that is not installed, such as the one that Jupyter exports to
    commands. Figures here are drawn without any; a notebook in whose process this runs keeps its own.
    """
    if backend := os.environ.get("MPLBACKEND"):
        with suppress(ImportError, ValueError):  # of the package that it is in, and of an invalid name
            if backend.startswith("module://") and find_spec(backend.removeprefix("module://")):
                return
        os.environ["MPLBACKEND"] = "agg"


_replace_missing_backend()
