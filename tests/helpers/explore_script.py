"""The scripts of the interactive page, run by Node or in Chromium, beside the library."""

import base64
import json
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.gallery.explore import DEFAULTS, FIELDS, FOLDER, plain_inputs, render_explore, source_text
from attention_dynamics.optim.mirror_descent import signed_power
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.problems.planar_embedding import embed
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.registry import find
from attention_dynamics.training import NumericalFailure
from helpers import chromium
from helpers.published_config import published_config

Evaluate = Callable[[str], Any]
Settings = dict[str, Any]
Paths = dict[str, Array]

NODE_SCRIPTS = ("training.js", "copy.js", "state.js", "upload.js")
LOSSES = ("logistic", "exponential", "correlation")
OPTIMIZERS: tuple[Settings, ...] = (
    {"optimizer": "gd", "stepSize": 0.5},
    {"optimizer": "normalized_gd"},
    {"optimizer": "polyak", "c": 2.0, "longest": 1.0},
    {"optimizer": "momentum"},
    {"optimizer": "momentum", "normalized": False},
    {"optimizer": "nesterov"},
    # Its image to the power of 20 is the parameter.
    {"optimizer": "mirror_descent", "exponent": 1.05, "stepSize": 0.001},
    *({"optimizer": "mirror_descent", "exponent": p, "stepSize": 0.01} for p in (1.5, 2.0, 3.0, 10.0)),
    {"optimizer": "mirror_descent", "exponent": 3.0, "normalized": False},
)
# Large arrays come back as their bytes.
HELPERS = """
const encode = (numbers) => {
  const bytes = new Uint8Array(Float64Array.from(numbers).buffer)
  let text = ""
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192))
  return btoa(text)
}
const trained = ({ problems, settings, steps }) => {
  const numbers = []
  for (const { inputs, joint, start } of problems) {
    const path = descend(makeProblem(inputs, joint), settings, start, steps)
    for (const points of joint ? [path.p, path.v] : [path.p]) {
      for (let k = 0; k < 2 * (steps + 1); k++) numbers.push(k < points.length ? points[k] : NaN)
    }
  }
  return encode(numbers)
}
const plain = (solution) => solution && {
  ...solution, selected: [...solution.selected], weights: [...solution.weights], margins: [...solution.margins],
  scoreGap: Number.isFinite(solution.scoreGap) ? solution.scoreGap : null,
}
"""


def node() -> str | None:
    """The path of Node; None where there is none."""
    return shutil.which("node")


def with_helpers(expression: str) -> str:
    """Return an expression that may use HELPERS."""
    return f"(() => {{ {HELPERS}\nreturn {expression} }})()"


def evaluate_in_node(expression: str) -> Any:
    """Return the value of an expression, which may use all that NODE_SCRIPTS define."""
    scripts = "\n".join(source_text(FOLDER / name) for name in NODE_SCRIPTS)
    program = f"{scripts}\nprocess.stdout.write(JSON.stringify({expression}))"
    done = subprocess.run([node(), "-"], input=program, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@cache
def explore_spec() -> dict[str, Any]:
    """The specification of the job that makes the page."""
    return Jobs(published_config()).get("explore").spec


@cache
def explore_page() -> str:
    """The page."""
    return render_explore(FOLDER, explore_spec()["presets"])


@contextmanager
def opened_page() -> Iterator[Evaluate]:
    """Open the page from disk in Chromium; yields a function that evaluates expressions in it."""
    with tempfile.TemporaryDirectory() as folder, chromium.opened() as browser:
        file = Path(folder) / "explore.html"
        file.write_text(explore_page())
        browser.open(file, 1280)
        yield browser.evaluate
        assert browser.errors == []


def page_settings(**changed: Any) -> Settings:
    """Return settings as ``training.js`` has them."""
    assert changed.keys() <= DEFAULTS.keys()
    return {**DEFAULTS, **changed}


def page_paths(evaluate: Evaluate, problem: Problem, settings: Settings, starts: Paths, steps: int) -> Paths:
    """Return the page's trajectories, parameter -> (records, problems, starts, 2); NaN after leaving the range.

    starts: parameter -> (starts, 2).
    """
    count, joint = len(starts["p"]), problem.head is None
    problems = [
        {"inputs": plain_inputs(problem, index), "joint": joint, "start": {k: v[s].tolist() for k, v in starts.items()}}
        for index in range(len(problem.labels))
        for s in range(count)
    ]
    given = json.dumps({"problems": problems, "settings": settings, "steps": steps})
    numbers = np.frombuffer(base64.b64decode(evaluate(with_helpers(f"trained({given})"))))
    names = ("p", "v") if joint else ("p",)
    shaped = numbers.reshape(len(problem.labels), count, len(names), steps + 1, 2)
    return {name: np.ascontiguousarray(shaped[:, :, k].transpose(2, 0, 1, 3)) for k, name in enumerate(names)}


def library_paths(problem: Problem, settings: Settings, starts: Paths, steps: int) -> Paths:
    """Return the library's trajectories, as ``page_paths``."""
    optimizer = library_optimizer(settings)
    model = PromptAttention().bind(problem, Loss.of({"kind": settings["loss"]}), settings["precision"])
    try:
        path = descend(model, defaultdict(lambda: optimizer), starts, record_steps=range(steps + 1))
    except NumericalFailure as failure:
        if len(problem.labels) > 1:
            alone = [library_paths(_one(problem, k), settings, starts, steps) for k in range(len(problem.labels))]
            return {name: np.concatenate([each[name] for each in alone], axis=1) for name in starts}
        left = steps + 1 - len(failure.partial_trajectory["step"])
        path = {
            name: np.pad(failure.partial_trajectory[name], ((0, left), *[(0, 0)] * 3), constant_values=np.nan)
            for name in starts
        }
    return {name: path[name][..., :2] for name in starts}


def _one(problem: Problem, index: int) -> Problem:
    """Return one problem of a batch."""
    part = slice(index, index + 1)
    head = None if problem.head is None else problem.head[part]
    return replace(
        problem, tokens=problem.tokens[part], labels=problem.labels[part], optimal=problem.optimal[part], head=head,
        settings={},
    )  # fmt: skip


def library_optimizer(settings: Settings) -> Optimizer:
    """Return the library's optimizer for the page's settings."""
    kind = settings["optimizer"]
    fields = find(Optimizer, kind).model_fields
    return Optimizer.of({"kind": kind} | {name: settings[key] for name, key in FIELDS.items() if name in fields})


def dual(paths: Paths, settings: Settings) -> Paths:
    """Return paths as they are compared: those of mirror descent in the variable that it steps in."""
    if settings["optimizer"] != "mirror_descent":
        return paths
    return {name: signed_power(points, settings["exponent"] - 1) for name, points in paths.items()}


def distance(one: Paths, other: Paths) -> Array:
    """Return how far apart paths are, relative to max(1, |value|): (records, problems, starts).

    NaN counts as infinitely far, but not from NaN.
    """
    each = [np.abs(one[name] - other[name]) / np.maximum(1.0, np.abs(other[name])) for name in other]
    for name, far in zip(other, each, strict=True):
        far[np.isnan(one[name]) & np.isnan(other[name])] = 0.0
    return np.max([np.nan_to_num(far, nan=np.inf).max(-1) for far in each], axis=0)


def random_problems(rng: np.random.Generator, count: int, inputs: int, tokens: int, joint: bool) -> Problem:
    """Return random planar problems, with a head to be trained or with scores in [0, 1]."""
    positions = rng.standard_normal((count, inputs, tokens, 2))
    labels = rng.choice([-1.0, 1.0], (count, inputs))
    if joint:
        return Problem(positions, labels, np.eye(2), np.zeros((count, inputs), dtype=np.int64))
    return embed(positions, rng.uniform(0, 1, (count, inputs, tokens)), labels)


def with_nudged(problem: Problem, rng: np.random.Generator, copies: int) -> Problem:
    """Return the problems, and after them copies with every coordinate of a token changed by 1e-15 of itself."""
    tokens = np.tile(problem.tokens, (copies + 1, 1, 1, 1))
    changed = tokens[len(problem.tokens) :, ..., :2]
    changed *= 1 + 1e-15 * rng.choice([-1, 1], changed.shape)
    times = (copies + 1, 1)
    head = None if problem.head is None else np.tile(problem.head, times)
    settings = {name: np.tile(values, copies + 1) for name, values in problem.settings.items()}
    return replace(
        problem, tokens=tokens, labels=np.tile(problem.labels, times), optimal=np.tile(problem.optimal, times),
        head=head, settings=settings,
    )  # fmt: skip


def compare(
    evaluate: Evaluate, problem: Problem, settings: Settings, starts: Paths, steps: int, nudges: int = 3
) -> tuple[Array, Array]:
    """Return how far the page's paths are from the library's, and how far nudged tokens move the library's.

    Both (records, problems, starts), the largest so far.
    """
    count = len(problem.labels)
    together = with_nudged(problem, np.random.default_rng(0), nudges)
    all_paths = dual(library_paths(together, settings, starts, steps), settings)
    library = {name: points[:, :count] for name, points in all_paths.items()}
    page = dual(page_paths(evaluate, problem, settings, starts, steps), settings)
    nudged = [
        distance({name: points[:, k * count : (k + 1) * count] for name, points in all_paths.items()}, library)
        for k in range(1, nudges + 1)
    ]
    return np.maximum.accumulate(distance(page, library)), np.maximum.accumulate(np.max(nudged, axis=0))
