"""Find the claims about the figures of a configuration file, config/<paper>/<file>.yaml."""

from pathlib import Path

from attention_dynamics.claims.claim import Claim, claims_in
from attention_dynamics.claims.expected import expected_claims, expected_file
from attention_dynamics.registry import find_module, import_module


def claims_module(paper: str, file: str) -> str | None:
    """Return the dotted name of the module papers.<paper>.<file>_claims, or None if there is none."""
    return find_module(f"papers.{paper}", f"{file}_claims")


def claims_of(paper: str, file: str) -> list[tuple[Path, Claim]]:
    """Return the claims about the figures of a configuration file, each with the path of the file that defines it.

    The claims of expected numbers come last. Raises ImportError for a module that cannot be imported, and ValueError as
    ``read_expected``.
    """
    found = []
    if name := claims_module(paper, file):
        module = import_module(name)
        found += [(Path(str(module.__file__)), one) for one in claims_in(module)]
    if numbers := expected_file(paper, file):
        found += [(numbers, one) for one in expected_claims(numbers)]
    return found
