"""What a figure or a table says of itself."""

from collections.abc import Mapping


def stamp(label: Mapping[str, str]) -> str:
    """One line. label: fidelity, note and scale."""
    return " · ".join(filter(None, [label["fidelity"], label["note"], f"{label['scale']} scale"]))
