"""Settings of the comparison of optimizers, config/compare/all.yaml."""

from collections.abc import Mapping
from typing import Annotated, Any

from annotated_types import MinLen
from pydantic import Field, StringConstraints

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import merge, require_mapping
from attention_dynamics.config.load import COMPARISON, COMPARISON_FILE, Config, layers_of
from attention_dynamics.config.schema import ProblemConfig
from attention_dynamics.config.validation import validate
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.registry import Frozen
from attention_dynamics.types import Count, Name


class ComparedProblem(Frozen):
    """A problem to compare optimizers on.

    problem: "<paper>/<problem>". set: settings that replace those of the paper's problem. starts: number of random
    initial points from which each training is repeated. If there are several starts, each start counts as a seed of
    the comparison; otherwise each problem of the batch does.
    """

    problem: Annotated[str, StringConstraints(pattern=r"^\w+/\w+$")]
    set: dict[str, Any] = Field(default_factory=dict)
    starts: Count = 1


class OutsideEntry(Frozen):
    """An optimizer in a file outside the folder of plug-ins.

    file: path, relative to the folder of the configuration. Its name without .py is the kind of the optimizer.
    """

    file: str


class Comparison(Frozen):
    """The settings of a comparison; see config/compare/all.yaml.

    steps: number of steps of every training. tuning_seeds: number of seeds, the first ones, on which settings are
    tuned; results are reported for the other seeds.
    """

    steps: Count
    tuning_seeds: Count
    problems: Annotated[dict[Name, ComparedProblem], MinLen(1)]
    optimizers: dict[Name, Entry | OutsideEntry]


def load_comparison(config: Config) -> tuple[Comparison, dict[str, ProblemConfig]]:
    """Return the settings of the comparison, and its problems by name.

    Raises ConfigError if config/compare/all.yaml is missing or has an error.
    """
    file = config.folder / COMPARISON / COMPARISON_FILE
    if not file.is_file():
        raise ConfigError(f"{file}: there is no such file, so no optimizers to compare")
    overrides = require_mapping(config.overrides.get(COMPARISON, {}), config.changed_by, COMPARISON)
    where = f"{file} with {config.changed_by}" if overrides else str(file)
    raw: Mapping[str, Any] = {}
    for layer in (*layers_of(load_yaml(file), config.settings.scale, str(file)), overrides):
        raw = merge(raw, layer)
    # An error of ``Entry | OutsideEntry`` would describe both models, so validate first by the model that the keys fit.
    for name, block in raw.get("optimizers", {}).items() if isinstance(raw.get("optimizers"), Mapping) else ():
        model = OutsideEntry if isinstance(block, Mapping) and "file" in block else Entry
        validate(model, block if isinstance(block, Mapping) else {"optimizer": block}, f"{where}: optimizers.{name}")
    comparison: Comparison = validate(Comparison, raw, where)
    problems = {name: _problem(config, one, where, name) for name, one in comparison.problems.items()}
    for name, one in comparison.problems.items():
        seeds = one.starts if one.starts > 1 else problems[name].source.shape.problems
        if seeds <= comparison.tuning_seeds:
            what = f"{comparison.tuning_seeds} (tuning_seeds) are for tuning, so that none is left to report"
            raise ConfigError(f"{where}: problems.{name}: of {seeds} seeds {what}")
    return comparison, problems


def _problem(config: Config, given: ComparedProblem, where: str, name: str) -> ProblemConfig:
    """Return a problem of a paper with the settings in ``given.set`` replaced, and without reference directions."""
    paper, problem = given.problem.split("/")
    if paper not in config.papers:
        raise ConfigError(f"{where}: problems.{name}: paper {format_wrong_choice(paper, config.papers)}")
    problems = config.papers[paper].problems
    if problem not in problems:
        raise ConfigError(f"{where}: problems.{name}: {paper}: problem {format_wrong_choice(problem, problems)}")
    block = merge(problems[problem].source.model_dump(mode="json"), given.set)
    changed: ProblemConfig = validate(ProblemConfig, block, f"{where}: problems.{name}.set")
    if not isinstance(changed.source.shape, TokenShape):
        raise ConfigError(f"{where}: problems.{name}: {format_value(given.problem)} has no tokens to attend to")
    return changed
