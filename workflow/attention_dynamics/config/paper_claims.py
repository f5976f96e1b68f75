"""The claims about the figures of a paper, with the checks that need no results."""

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.claim import Claim
from attention_dynamics.claims.find import claims_of
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.paper import Paper
from attention_dynamics.registry import find_files, plugin_folder


def load_claims(paper: Paper, scale: str) -> dict[str, list[Claim]]:
    """Return figure -> the claims about it, for each figure of a paper.

    Raises ConfigError
    - for a module of claims that cannot be imported, and for an invalid file of expected numbers;
    - for a plug-in file of claims or expected numbers that belongs to no file of the paper;
    - for two claims of the same name about one figure;
    - for a claim in ``<file>_claims.py`` about a figure that ``<file>.yaml`` does not have;
    - for a claim that is judged at this scale and takes a run that its figure does not list.
    """
    _check_claims_files(paper)
    claims: dict[str, list[Claim]] = {name: [] for name in paper.figures}
    for file, content in paper.files.items():
        try:
            found = claims_of(paper.name, file)
        except (ImportError, ValueError) as error:
            raise ConfigError(str(error)) from None
        for source, one in found:
            where = f"{source}: {one.name}"
            if one.figure not in content.figures:
                raise ConfigError(f"{where}: figure {format_wrong_choice(one.figure, content.figures)}")
            if any(other.name == one.name for other in claims[one.figure]):
                raise ConfigError(f"{where}: {one.figure} already has a claim with this name")
            runs = content.figures[one.figure].runs
            for name in one.runs if scale in one.scales else ():
                if name not in runs:
                    raise ConfigError(f"{where}: run {format_wrong_choice(name, runs)} (the runs of {one.figure})")
            claims[one.figure].append(one)
    return claims


def _check_claims_files(paper: Paper) -> None:
    """Raise ConfigError for a plug-in file of claims or expected numbers whose name fits no file of the paper."""
    folder = plugin_folder()
    for module in find_files(folder / "papers" / paper.name, "*_claims.py", "*_expected.csv") if folder else ():
        file = module.stem.removesuffix("_claims").removesuffix("_expected")
        if file not in paper.files:
            what = f"{paper.name} has no file {file}.yaml, so these claims would not be judged"
            raise ConfigError(
                f"{module}: {what}; name it after the file of the figure (fig4.yaml: fig4_claims.py, fig4_expected.csv)"
            )
