"""The interactive page on attention in the plane: one file with scripts and examples, which needs no network."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.training import Training

FOLDER = Path(__file__).parent / "templates" / "explore"
# Largest size of the page. Tests check it.
MAX_PAGE_BYTES = 150_000
# Field of an optimizer -> its name on the page.
FIELDS = {"step_size": "stepSize", "c": "c", "longest": "longest", "momentum": "momentum", "exponent": "exponent",
          "normalized": "normalized"}  # fmt: skip
OPTIMIZERS = ("gd", "normalized_gd", "polyak", "momentum", "nesterov", "mirror_descent")
# Fields of optimizers that the page does not have, with the values that it assumes for them.
ASSUMED = {"epsilon": 0.0, "decay": 0.0}
DEFAULTS = {
    "optimizer": "normalized_gd", "stepSize": 0.1, "c": 1.0, "longest": None, "momentum": 0.9, "exponent": 2.0,
    "normalized": True, "loss": "logistic", "precision": "stable",
}  # fmt: skip


def render_explore(folder: Path, specs: Sequence[Mapping[str, Any]]) -> str:
    """Return the page in HTML.

    folder: has page.html and the files that it includes. specs: one for each example, see ``Jobs._explore``.
    """
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    examples = [example for spec in specs if (example := make_example(spec))]
    # Every "<" is escaped, because "</script>" in a text would end the script element.
    presets = json.dumps(examples, separators=(",", ":")).replace("<", r"\u003c")
    page = environment.get_template("page.html")
    return page.render(presets=Markup(presets), source=lambda name: Markup(source_text(folder / name)))  # noqa: S704


def source_text(file: Path) -> str:
    """Return the text of a file. From a script, the imports and the keyword ``export`` are removed.

    Indentation, type casts and comments on separate lines, which would be a third of the page, are also removed from
    scripts. Scripts work without indentation, because none has a string of several lines.
    """
    text = file.read_text()
    if file.suffix == ".js":
        text = re.sub(r"^import\s[^;]*?\sfrom \"[^\"]*\"\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
        text = re.sub(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"^[ \t]*//.*\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"/\*\* @type [^\n]*? \*/ ?", "", text)
        text = re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)
    return text.strip()


def make_example(spec: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an example as the page reads it; None if the page cannot train it, or no problem has its settings.

    spec: "name", "title" and "page" of the figure, "problem" and "training" as blocks of the configuration, and
    "settings", which select the problem in a batch.
    """
    training, source = Training.of(spec["training"]), ProblemSource.of(spec["problem"])
    planar = isinstance(source.shape, TokenShape) and source.shape.planar
    if not planar or not isinstance(training, GradientDescent) or training.head_optimizer:
        return None
    optimizer, problem = page_optimizer(training.optimizer), cast(Problem, source.build())
    index = _index(problem, spec["settings"])
    if optimizer is None or index is None or training.model.kind != "prompt_attention":
        return None
    starts = {name: given.points().tolist() for name, given in training.start.items()}
    return {
        "name": spec["name"],
        "page": spec["page"],
        "title": spec["title"],
        "inputs": plain_inputs(problem, index),
        "joint": problem.head is None,
        "settings": {**DEFAULTS, **optimizer, "loss": training.loss.kind, "precision": training.precision},
        "starts": [dict(zip(starts, points, strict=True)) for points in zip(*starts.values(), strict=True)],
        "steps": training.steps,
    }


def page_optimizer(optimizer: Optimizer) -> dict[str, Any] | None:
    """Return the settings of an optimizer under the names of the interactive page.

    Return None if the page does not have the optimizer, if a setting is a list, or if a setting that the page does not
    have differs from its value in ASSUMED.
    """
    fields = optimizer.model_dump(mode="json")
    kind = fields.pop("kind")
    others = {name: value for name, value in fields.items() if name not in FIELDS}
    varied = any(isinstance(value, list) for value in fields.values())
    if kind not in OPTIMIZERS or varied or any(ASSUMED.get(name) != value for name, value in others.items()):
        return None
    return {"optimizer": kind} | {FIELDS[name]: value for name, value in fields.items() if name in FIELDS}


def plain_inputs(problem: Problem, index: int) -> list[dict[str, Any]]:
    """Return the inputs of a problem in the plane as the page reads them: tokens, label and, for a fixed head, scores.

    problem: a batch of problems. index: the number of the problem in the batch.
    """
    tokens: Array = problem.keys[index, ..., :2]
    inputs = [
        {"tokens": x.tolist(), "label": int(label)} for x, label in zip(tokens, problem.labels[index], strict=True)
    ]
    if problem.head is not None:
        for one, scores in zip(inputs, problem.scores()[index].tolist(), strict=True):
            one["scores"] = scores
    return inputs


def _index(problem: Problem, settings: Mapping[str, float]) -> int | None:
    """Return the index of the first problem in a batch that has these settings; None if there is none."""
    matching = np.ones(len(problem.labels), dtype=bool)
    for name, value in settings.items():
        matching &= problem.settings.get(name, np.full(len(matching), np.nan)) == value
    return int(matching.argmax()) if matching.any() else None
