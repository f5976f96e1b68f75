"""Archive of all figures for a paper's supplement, with the configuration, code and versions that made them."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attention_dynamics.pipeline.checkout import versions

# A fixed date makes archives of equal content bit-identical.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
README_TEXT = """# Figures and claims of attention-dynamics

- `figures/`: every figure as PDF for print, PNG and SVG for the web, its caption, and its numbers as CSV; tables also
  as Markdown. `captions.tex` has all captions for LaTeX; `claims.csv` what the papers say, what was measured, and
  whether it holds; `certificates.csv` the errors of all max-margin solutions; `manifest.csv` every file of a figure
  with its SHA-256 and fidelity
- `config/`: the configuration they were computed from
- `Snakefile`: the workflow that computed them, with `workflow/`, its rules and its library
- `ro-crate-metadata.json`: all files and the workflow, as a Workflow RO-Crate 1.0
- `configuration.json`: scale, source of the data, what the command line changed, and the SHA-256 of files of tokens
- `commit.txt`: the commit of the code, "-dirty" where files differed from it
- `versions.txt`: Python and its packages

To check the figures: `python -m attention_dynamics.claims.manifest figures`

To compute them again: check out the commit, and give Snakemake with `--config config_folder=<the folder config/
here>` and what `configuration.json` lists.
"""


def bundle(files: Mapping[str, Path], spec: Mapping[str, Any], commit: str, date: str) -> bytes:
    """Return a zip archive of the files, with a README, the configuration, the commit, versions and RO-Crate metadata.

    files: name in the archive -> file. spec: see ``Jobs._bundle``. date: date of the commit.
    """
    content = {name: path.read_bytes() for name, path in files.items()}
    configuration = {name: spec[name] for name in ("settings", "overrides", "files")}
    content |= {
        "README.md": README_TEXT.encode(),
        "configuration.json": json.dumps(configuration, indent=1, sort_keys=True).encode() + b"\n",
        "commit.txt": commit.encode() + b"\n",
        "versions.txt": "\n".join(versions()).encode() + b"\n",
    }
    content["ro-crate-metadata.json"] = ro_crate(content, date).encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        for name in sorted(content):
            member = zipfile.ZipInfo(name, ZIP_DATE)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            members.writestr(member, content[name])
    return archive.getvalue()


def ro_crate(names: Iterable[str], date: str) -> str:
    """Return the metadata of a Workflow RO-Crate 1.0 with these files, of which one is the Snakefile.

    date: date of publication. https://w3id.org/workflowhub/workflow-ro-crate/1.0 lists the required metadata.
    """
    files = sorted(names)
    license, language = "https://spdx.org/licenses/MIT", "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
    graph = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": [
                {"@id": "https://w3id.org/ro/crate/1.1"},
                {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0"},
            ],
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": "Figures and claims of attention-dynamics",
            "description": "Figures of papers on how attention is trained, the claims about them, and the workflow.",
            "datePublished": date,
            "license": {"@id": license},
            "mainEntity": {"@id": "Snakefile"},
            "hasPart": [{"@id": quote(name)} for name in files],
        },
        {"@id": license, "@type": "CreativeWork", "name": "MIT License", "identifier": "MIT"},
        {
            "@id": language,
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "identifier": {"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
            "url": {"@id": "https://snakemake.readthedocs.io"},
            "version": version("snakemake"),
        },
    ]
    for name in files:
        file: dict[str, Any] = {"@id": quote(name), "@type": "File"}
        if name == "Snakefile":
            file |= {
                "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
                "name": "attention-dynamics",
                "programmingLanguage": {"@id": language},
                "license": {"@id": license},
            }
        elif name == "README.md":
            file |= {"about": {"@id": "./"}, "encodingFormat": "text/markdown"}
        graph.append(file)
    return json.dumps({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}, indent=1) + "\n"
