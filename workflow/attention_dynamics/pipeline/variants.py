"""Variants: figures of a changed experiment, beside the published ones.

``config/variants/<name>.yaml`` has, under the names of papers, blocks that are merged into those of the papers' files.
``figures/variants/<name>/<paper>/<figure>.pdf`` is the resulting figure. Intermediates that the changes do not affect
are shared with the published figure; the others are in ``results/<scale>/variants/<name>/``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.config.checks import PaperChecker
from attention_dynamics.config.drawable import check_texts
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import merge, require_mapping
from attention_dynamics.config.load import COMPARISON, VARIANTS, Config, load_config
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.pipeline.comparison import ALL, ComparisonJobs, plugins
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.jobs import Job, Jobs
from attention_dynamics.pipeline.sweeps import Sweep, parse_sweep
from attention_dynamics.registry import find_files


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

    def _variant_page(self, figure: str) -> dict[str, Any]:
        """Return the specification of the page that compares a figure with the published one."""
        title, changed = self._figure(figure).title, list(self._changed(figure))
        return {**self._label(figure), "variant": self.name, "title": title, "changes": changed}

    def _changes(self, figure: str) -> str:
        changed = ", ".join(self._changed(figure))
        return f"with {changed}" if changed else ""

    def _changed(self, figure: str) -> Iterator[str]:
        """Yield the changes in the blocks that a figure uses, such as "problems.random_small.n = 8"."""
        paper, name = figure.split("/")
        used = self.config.papers[paper].used_by(name)
        for part, blocks in self.config.overrides.get(paper, {}).items():
            yield from changes({part: {key: one for key, one in blocks.items() if key in used.get(part, blocks)}})


class AllJobs(Jobs):
    """The jobs of a configuration, of its variants ("variants/<name>/...") and of its comparison ("compare/...")."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._variants: dict[str, VariantJobs] = {}
        self._comparison = ComparisonJobs(config)

    def get(self, stage: str, id: str = "") -> Job:
        """See ``Jobs.get``."""
        if id.startswith(f"{COMPARISON}/"):
            return self._comparison.get(stage, id)
        if not id.startswith(f"{VARIANTS}/"):
            return super().get(stage, id)
        _, name, own = id.split("/", 2)
        return self._sweep(name) if stage == "sweep" else self.variant(name).get(stage, own)

    def figures(self, variant: str | None = None) -> dict[str, list[str]]:
        """Return paper -> names of its figures in a variant; for None, as published, with the names of comparisons."""
        papers = (self.variant(variant) if variant else self).config.papers
        figures = {name: list(paper.figures) for name, paper in papers.items()}
        return figures if variant else {**figures, COMPARISON: self.comparisons()}

    def comparisons(self) -> list[str]:
        """Return the names of the comparisons of optimizers."""
        return [ALL, *plugins()] if (self.config.folder / COMPARISON).is_dir() else []

    def variant(self, name: str) -> VariantJobs:
        """Return the jobs of a variant. Raises ConfigError if the variant is missing or invalid."""
        if name not in self._variants:
            config = load_variant(self.config, name)
            check_texts(config.papers, None, self.config.papers.values())
            self._variants[name] = VariantJobs(name, config, self)
        return self._variants[name]

    def _sweep(self, name: str) -> Job:
        """Return the job that draws a sweep.

        Raises ConfigError for a variant that is no sweep, or that measures an unknown run or series.
        """
        file, sweep = read_variant(self.config, name)
        if not isinstance(sweep, Sweep):
            raise ConfigError(f"{file}: has no key measure: <run>.<series>, so it is no sweep")
        variants = [self.variant(f"{name}_{number}") for number in range(1, len(sweep.values) + 1)]
        reads = {}
        for number, variant in enumerate(variants):
            paper = variant.config.papers[sweep.paper]
            if sweep.run not in paper.runs:
                raise ConfigError(f"{file}: measure: run {format_wrong_choice(sweep.run, paper.runs)}")
            series = PaperChecker(paper, self.settings).series_names(paper.runs[sweep.run])
            if sweep.series not in series:
                what = format_wrong_choice(sweep.series, sorted(series))
                raise ConfigError(f"{file}: measure: run {sweep.run}: series {what}")
            shards = variant.shards_of(sweep.paper, sweep.run)
            reads[f"value-{number}"] = [variant.file("measure", shard) for shard in shards]
        spec = {
            "modules": [], "stage": "sweep", "name": name, "scale": self.settings.scale, "key": sweep.key,
            "values": sweep.values, "paper": sweep.paper, "run": sweep.run, "series": sweep.series,
            "fidelity": "extension" + self.change_label(sweep.paper),
        }  # fmt: skip
        return Job(spec, stage_fingerprint("sweep", ()), reads)


def read_variant(config: Config, name: str) -> tuple[Path, Mapping[str, Any] | Sweep]:
    """Return the file of a variant, and its changes or its sweep. "<sweep>_2" is the variant with the second value.

    Raises ConfigError for a variant that does not exist.
    """
    folder = config.folder / VARIANTS
    names = [file.stem for file in find_files(folder, "*.yaml")]
    if name in names:
        file = folder / f"{name}.yaml"
        given = load_yaml(file)
        return file, parse_sweep(given, str(file)) or given
    whole, _, number = name.rpartition("_")
    if whole in names and number.isdecimal():
        file, sweep = read_variant(config, whole)
        if isinstance(sweep, Sweep) and 1 <= int(number) <= len(sweep.values):
            return file, sweep.blocks[int(number) - 1]
    raise ConfigError(f"{folder}: variant {format_wrong_choice(name, names)}")


def load_variant(config: Config, name: str) -> Config:
    """Return a configuration with the changes of a variant. Raises ConfigError if the variant is missing or invalid."""
    file, given = read_variant(config, name)
    if isinstance(given, Sweep):
        raise ConfigError(
            f"{file}: is a sweep; write figures/{VARIANTS}/{name}/sweep.pdf, or {name}_1 for its first value"
        )
    for key, blocks in given.items():
        if key not in config.papers:
            raise ConfigError(f"{file}: paper {format_wrong_choice(key, config.papers)}")
        require_mapping(blocks, str(file), key)
    return load_config(config.folder, merge(config.overrides, given), str(file))


def changes(block: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield a text such as "problems.random_small.n = 8" for every value in nested blocks."""
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from changes(value, f"{above}{key}.")
        else:
            yield f"{above}{key} = {value if isinstance(value, str) else format_value(value)}"
