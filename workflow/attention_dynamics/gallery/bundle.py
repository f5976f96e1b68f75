"""All figures as one archive for a paper's supplement, with what they were made from."""

import io
import json
import platform
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

# A fixed date makes archives of equal content bit-identical.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
README_TEXT = """Figures and claims of attention-dynamics.

figures/            every figure as PDF for print, PNG and SVG for the web, its caption, and its numbers as CSV; tables
                    also as Markdown; captions.tex: all captions for LaTeX; claims.csv: what the papers say, what was
                    measured, and whether it holds; certificates.csv: the errors of all max-margin solutions;
                    manifest.csv: every file of a figure with its SHA-256 and fidelity
config/             the configuration they were computed from
configuration.json  scale, source of the data, and what the command line changed
commit.txt          the commit of the code, "-dirty" where files differed from it
versions.txt        Python and its packages

To check the figures: python -m attention_dynamics.claims.manifest figures
To compute them again: check out the commit, and give Snakemake with --config config_folder=<the folder config/ here>
and what configuration.json lists.
"""


def bundle(files: Mapping[str, Path], spec: Mapping[str, Any], commit: str) -> bytes:
    """Return a zip archive. files: name in the archive -> file. spec: settings and overrides, see ``Jobs._bundle``."""
    content = {name: path.read_bytes() for name, path in files.items()}
    configuration = {name: spec[name] for name in ("settings", "overrides")}
    content |= {
        "README.txt": README_TEXT.encode(),
        "configuration.json": json.dumps(configuration, indent=1, sort_keys=True).encode() + b"\n",
        "commit.txt": commit.encode() + b"\n",
        "versions.txt": "\n".join(versions()).encode() + b"\n",
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        for name in sorted(content):
            member = zipfile.ZipInfo(name, ZIP_DATE)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            members.writestr(member, content[name])
    return archive.getvalue()


def versions() -> Iterable[str]:
    """Return the versions of Python and of every installed package as "name==version"."""
    packages = sorted({f"{one.metadata['Name'].lower()}=={one.version}" for one in distributions()})
    return [f"python=={platform.python_version()}", *packages]
