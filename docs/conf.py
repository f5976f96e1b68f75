"""Settings of the documentation: ``make docs`` builds it into docs/_build/html."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent / "workflow")]
# For the notebooks, which run in processes of their own: the library, and no settings of the user's IPython.
os.environ["PYTHONPATH"] = str(DOCS.parent / "workflow")
os.environ["IPYTHONDIR"] = str(DOCS / "_ipython")

from attention_dynamics import __version__  # noqa: E402

project = "attention-dynamics"
author = copyright = "The attention-dynamics authors"
version = release = __version__

extensions = [
    "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated_pages", "mathml", "plain_docstrings",
    "repository_links", "written_signatures",
]  # fmt: skip
exclude_patterns = ["_build", "_ext", "_ipython", "requirements.lock"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_excludepatterns = ["*.ipynb"]
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True

html_theme = "furo"
pygments_style, pygments_dark_style = "default", "github-dark"
html_title = f"attention-dynamics {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
templates_path: list[str] = []
