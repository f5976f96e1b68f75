"""Training dynamics of attention: problems, dynamics, max-margin solutions and the claims about them.

The package needs no Snakemake: every stage of the workflow is a call that also works in a notebook.
"""

import os
from contextlib import suppress
from importlib.util import find_spec

__version__ = "0.1.0"


def _replace_missing_backend() -> None:
    """Set MPLBACKEND to "agg" if it is set, unless it is "module://<name>" with an installed module.

    Matplotlib cannot be imported with a backend that is not installed, such as the one that Jupyter exports to
    commands. Figures of this package need no backend. A notebook that imports the package keeps its own.
    """
    if backend := os.environ.get("MPLBACKEND"):
        with suppress(ImportError, ValueError):  # find_spec raises them for a missing package and an invalid name
            if backend.startswith("module://") and find_spec(backend.removeprefix("module://")):
                return
        os.environ["MPLBACKEND"] = "agg"


_replace_missing_backend()
