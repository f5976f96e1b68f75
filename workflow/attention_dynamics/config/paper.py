"""The checked files of a paper as one."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from attention_dynamics.claims.claim import Claim
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.schema import Figure, FigureFile, ProblemConfig, RunConfig, SharedFile

# The file of what several figures of a paper use.
SHARED = "shared"


@dataclass(frozen=True)
class Paper:
    """A paper: its files, in the order of their figures, and the claims about its figures.

    files: name without ending -> content; ``shared`` is always among them. places: name -> what messages call it.
    claims: figure -> its claims.
    """

    name: str
    files: dict[str, FigureFile]
    places: dict[str, str]
    claims: dict[str, list[Claim]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title of the paper; its name, where shared.yaml gives none."""
        return self._shared.title or self.name

    @property
    def arxiv(self) -> str:
        """Its number on arXiv, or an empty text."""
        return self._shared.arxiv

    @cached_property
    def problems(self) -> dict[str, ProblemConfig]:
        """All problems by name."""
        return {name: one for file in self.files.values() for name, one in file.problems.items()}

    @cached_property
    def runs(self) -> dict[str, RunConfig]:
        """All runs by name."""
        return {name: one for file in self.files.values() for name, one in file.runs.items()}

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """All figures by name."""
        return {name: one for file in self.files.values() for name, one in file.figures.items()}

    def file_of(self, part: str, name: str) -> str:
        """Return the file that defines a problem, run or figure. part: "problems", "runs" or "figures"."""
        return next(file for file, content in self.files.items() if name in getattr(content, part))

    def need_different_names(self) -> None:
        """Raise ConfigError where two files define a problem, run or figure of one name."""
        seen: dict[tuple[str, str], str] = {}
        for file, content in self.files.items():
            for part in FigureFile.model_fields:
                for name in getattr(content, part):
                    if other := seen.get((part, name)):
                        what = f"{Path(self.places[other]).name} has {part}.{name} already; names are those of a paper"
                        raise ConfigError(f"{self.places[file]}: {part}.{name}: {what}")
                    seen[part, name] = file

    @property
    def _shared(self) -> SharedFile:
        shared = self.files[SHARED]
        assert isinstance(shared, SharedFile)
        return shared
