"""Variants: figures of a changed experiment, beside the published ones.

``config/variants/<name>.yaml`` has, under the names of papers, blocks that are merged into those of the papers' files.
``figures/variants/<name>/<paper>/<figure>.pdf`` is the resulting figure. Intermediates that the changes do not affect
are shared with the published figure; the others are in ``results/<scale>/variants/<name>/``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import merge, require_mapping
from attention_dynamics.config.load import VARIANTS, Config, load_config
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.pipeline.jobs import Job, Jobs


class VariantJobs(Jobs):
    """The jobs of a variant, with the same ids as the published jobs."""

    def __init__(self, name: str, config: Config, published: Jobs) -> None:
        super().__init__(config)
        self.name, self.published = name, published
        self._shared: dict[tuple[str, str], bool] = {}

    def file(self, stage: str, id: str) -> str:
        """Return the path of an intermediate: the published one unless the variant changes something it depends on."""
        if (stage, id) not in self._shared:
            self._shared[stage, id] = self._is_shared(stage, id)
        return self.published.file(stage, id if self._shared[stage, id] else f"{VARIANTS}/{self.name}/{id}")

    def _is_shared(self, stage: str, id: str) -> bool:
        # Equal jobs read equal files, so their inputs are shared, too.
        try:
            return self.published.get(stage, id) == self.get(stage, id)
        except ConfigError:
            return False

    def _compare(self, figure: str) -> dict[str, Any]:
        """Return the specification of the page that compares a figure with the published one."""
        title, changed = self._figure(figure).title, list(self._changed(figure))
        return {**self._label(figure), "variant": self.name, "title": title, "changes": changed}

    def _changes(self, figure: str) -> str:
        changed = ", ".join(self._changed(figure))
        return f"with {changed}" if changed else ""

    def _changed(self, figure: str) -> Iterator[str]:
        return changes(self.config.overrides.get(figure.split("/")[0], {}))


class AllJobs(Jobs):
    """The jobs of a configuration and of its variants, whose ids begin with "variants/<name>/"."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._variants: dict[str, VariantJobs] = {}

    def get(self, stage: str, id: str = "") -> Job:
        """See ``Jobs.get``."""
        if not id.startswith(f"{VARIANTS}/"):
            return super().get(stage, id)
        _, name, own = id.split("/", 2)
        return self.variant(name).get(stage, own)

    def figures(self, variant: str | None = None) -> dict[str, list[str]]:
        """Return the names of the figures of each paper, in a variant or as published."""
        papers = (self.variant(variant) if variant else self).config.papers
        return {name: list(paper.figures) for name, paper in papers.items()}

    def variant(self, name: str) -> VariantJobs:
        """Return the jobs of a variant. Raises ConfigError where it is missing or invalid."""
        if name not in self._variants:
            self._variants[name] = VariantJobs(name, load_variant(self.config, name), self)
        return self._variants[name]


def load_variant(config: Config, name: str) -> Config:
    """Return a configuration with the changes of a variant. Raises ConfigError where it is missing or invalid."""
    folder = config.folder / VARIANTS
    names = sorted(file.stem for file in folder.glob("[!.]*.yaml"))
    if name not in names:
        raise ConfigError(f"{folder}: variant {format_wrong_choice(name, names)}")
    file = folder / f"{name}.yaml"
    given = load_yaml(file)
    for key, blocks in given.items():
        if key not in config.papers:
            raise ConfigError(f"{file}: paper {format_wrong_choice(key, config.papers)}")
        require_mapping(blocks, str(file), key)
    return load_config(config.folder, merge(config.overrides, given), str(file))


def changes(block: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield "problems.random_small.n = 8" for every value in nested blocks."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from changes(value, f"{above}{key}.")
        else:
            yield f"{above}{key} = {value if isinstance(value, str) else format_value(value)}"
