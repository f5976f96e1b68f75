"""Labels that a figure or a table bears."""

from collections.abc import Mapping


def provenance(label: Mapping[str, str]) -> str:
    """Return one line about how far it replicates the paper. label: fidelity, note and scale."""
    return " · ".join(filter(None, [label["fidelity"], label["note"], f"{label['scale']} scale"]))
