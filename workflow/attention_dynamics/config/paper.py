"""The checked files of a paper as one object."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from attention_dynamics.claims.claim import Claim
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.figure_texts import with_numbers
from attention_dynamics.config.schema import Example, Figure, FigureFile, ProblemConfig, RunConfig, SharedFile

# Name, without ending, of the file with the problems and runs that several figures use.
SHARED_FILE = "shared"


@dataclass(frozen=True)
class Paper:
    """A paper: its files, in the order of their figures, and the claims about its figures.

    folder: path of its files. files: name without ending -> content; ``shared`` is always among them. display_paths:
    name of a file -> its path in messages. claims: figure -> its claims.
    """

    name: str
    folder: Path
    files: dict[str, FigureFile]
    display_paths: dict[str, str]
    claims: dict[str, list[Claim]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Title of the paper; the name of its folder if shared.yaml gives no title."""
        return self._shared.title or self.name

    @property
    def arxiv(self) -> str:
        """Number of the paper on arXiv, or "" if it is not on arXiv."""
        return self._shared.arxiv

    @property
    def explore(self) -> dict[str, Example]:
        """Examples of the interactive page, by figure."""
        return self._shared.explore

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
        """All figures by name. Settings replace the placeholders in their texts, such as ``{random_small.steps}``.

        Raises ConfigError for a placeholder that names an unknown run, problem or setting.
        """
        figures = {}
        for file, content in self.files.items():
            for name, figure in content.figures.items():
                try:
                    figures[name] = with_numbers(figure, self.runs, self.problems)
                except ValueError as error:
                    raise ConfigError(f"{self.display_paths[file]}: figures.{name}: {error}") from None
        return figures

    def runs_of(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the given names of runs, each followed by the runs whose weights or references it uses."""
        for name in names:
            run = self.runs[name]
            others = (one.run for one in run.external_references.values())
            yield name
            yield from filter(None, [getattr(run.training, "pretrained", None), *others])

    def used_by(self, figure: str, measured: Iterable[str] = ()) -> dict[str, list[str]]:
        """Return the names of the problems and runs that a figure and further runs depend on, and of the figure itself.

        measured: names of the further runs. The keys of the result are "problems", "runs" and "figures".
        """
        runs = list(dict.fromkeys(self.runs_of([*self.figures[figure].runs, *measured])))
        problems = list(dict.fromkeys(self.runs[run].problem for run in runs))
        return {"problems": problems, "runs": runs, "figures": [figure]}

    def file_of(self, part: str, name: str) -> str:
        """Return the name of the file that defines a block. part: "problems", "runs" or "figures"."""
        return next(file for file, content in self.files.items() if name in getattr(content, part))

    def require_unique_names(self) -> None:
        """Raise ConfigError if two files define a problem, run or figure of the same name."""
        seen: dict[tuple[str, str], str] = {}
        for file, content in self.files.items():
            for part in FigureFile.model_fields:
                for name in getattr(content, part):
                    if other := seen.get((part, name)):
                        there, here = (self.display_paths[one] for one in (other, file))
                        what = f"{Path(there).name} already defines {part}.{name}; names must be unique within a paper"
                        raise ConfigError(f"{here}: {part}.{name}: {what}")
                    seen[part, name] = file

    @property
    def _shared(self) -> SharedFile:
        shared = self.files[SHARED_FILE]
        assert isinstance(shared, SharedFile)
        return shared
