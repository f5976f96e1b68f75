"""The locks of the environments that make installs."""

import re
from pathlib import Path


def read_lock(file: Path) -> dict[str, tuple[str, list[str]]]:
    """Return version and hashes of every package in a lock, by name."""
    packages: dict[str, tuple[str, list[str]]] = {}
    for line in file.read_text().splitlines():
        if match := re.fullmatch(r"([a-z0-9-]+)==(\S+)( \\)?", line):
            packages[match[1]] = (match[2], [])
        elif match := re.fullmatch(r"    --hash=sha256:([0-9a-f]{64})( \\)?", line):
            packages[next(reversed(packages))][1].append(match[1])
        else:
            assert line.startswith(("#", "-r ../")), f"{file}: {line}"
    return packages


def read_versions(file: Path) -> dict[str, str]:
    return {name: version for name, (version, _) in read_lock(file).items()}
