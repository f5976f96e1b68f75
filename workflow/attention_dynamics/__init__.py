"""Training dynamics of attention: problems, training runs, max-margin solutions, and checks of the papers' claims.

The package needs no Snakemake: every stage of the workflow is a call that also works in a notebook.
"""

import os
from contextlib import suppress
from importlib.util import find_spec

__version__ = "0.1.0"


def _replace_missing_backend() -> None:
    """Replace the value of the environment variable MPLBACKEND, if set, by "agg".

    Matplotlib cannot be imported with a backend that is not installed, such as the one that Jupyter exports to
    commands. Figures of this package need no backend. A value "module://<name>" with an installed module, as in a
    notebook that imports this package, is kept.
    """
    if backend := os.environ.get("MPLBACKEND"):
        with suppress(ImportError, ValueError):  # find_spec raises them for a missing package and an invalid name
            if backend.startswith("module://") and find_spec(backend.removeprefix("module://")):
                return
        os.environ["MPLBACKEND"] = "agg"


_replace_missing_backend()
