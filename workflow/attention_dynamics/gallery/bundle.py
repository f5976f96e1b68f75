"""All figures as one archive for a paper's supplement, with what they were made from."""

import io
import json
import platform
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

# The archive is the same bytes whenever it is made.
DATE = (1980, 1, 1, 0, 0, 0)
ABOUT = """Figures and claims of attention-dynamics.

figures/            every figure as PDF, PNG and SVG, tables also as CSV and Markdown; claims.csv: what the papers say,
                    what was measured, and whether it holds; manifest.csv: every file with its SHA-256 and fidelity
config/             the configuration they were computed from
configuration.json  scale, source of the data, and what the command line changed
commit.txt          the commit of the code, "-dirty" where files differed from it
versions.txt        Python and its packages

To check the figures: python -m attention_dynamics.claims.manifest figures
To compute them again: check out the commit, and give Snakemake with --config config_folder=<the folder config/ here>
and what configuration.json lists.
"""


def bundle(files: Mapping[str, Path], spec: Mapping[str, Any], commit: str) -> bytes:
    """A zip archive. files: name in the archive -> file. spec: settings and overrides, see ``Jobs._bundle``."""
    content = {name: path.read_bytes() for name, path in files.items()}
    configuration = {name: spec[name] for name in ("settings", "overrides")}
    content |= {
        "README.txt": ABOUT.encode(),
        "configuration.json": json.dumps(configuration, indent=1, sort_keys=True).encode() + b"\n",
        "commit.txt": commit.encode() + b"\n",
        "versions.txt": "\n".join(versions()).encode() + b"\n",
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        for name in sorted(content):
            member = zipfile.ZipInfo(name, DATE)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            members.writestr(member, content[name])
    return archive.getvalue()


def versions() -> Iterable[str]:
    """Python, and every installed package as "name==version"."""
    packages = sorted({f"{one.metadata['Name'].lower()}=={one.version}" for one in distributions()})
    return [f"python=={platform.python_version()}", *packages]
