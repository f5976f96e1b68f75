"""Independent computation of the numbers of "Max-Margin Token Selection in Attention Mechanism".

Tarzanagh, Li, Zhang and Oymak, NeurIPS 2023, arXiv 2306.13596. Nothing here is shared with the library.

Gradient descent
    The plain formulas of the paper, equations (3), (5) and (15a), in a loop over inputs and tokens with 130 digits
    (mpmath). S'(a) gamma = s * (gamma - <s, gamma>) cancels at the selected token, where gamma - <s, gamma> is as small
    as the probability of the other tokens: exp(-|p| / |p_mm|), 1e-51 at the most here (|p| = 100, |p_mm| = 0.86). 130
    digits leave more than 70.
Many starts
    The grid of starts of Theorem 8 is too large for mpmath. There the gradient is a sum over pairs of tokens,

        K' S'(K p) gamma = sum over t < u of  s_t s_u (gamma_t - gamma_u) (k_t - k_u),

    because S'(a) = diag(s) - s s' and the s_t sum to 1, so that gamma_t - <s, gamma> = sum over u of
    s_u (gamma_t - gamma_u), and the terms of (t, u) and (u, t) are joined. No term is the difference of nearly equal
    numbers. log(s_t s_u) is shifted by its maximum over pairs and inputs, which changes the length of the gradient but
    not its direction, so that float64 is enough.
Max-margin problems
    All are planar: min |w| subject to a_j' w >= b_j. At the solution one constraint or two independent ones are tight
    and w is the shortest vector at which they are. So the solution is the shortest feasible one of the candidates
    b_j a_j / |a_j|^2 and of the intersections of two lines a_j' w = b_j. Every candidate is tried, in 130 digits.
Regularization paths
    argmin of the risk over |p| <= R, equation (2), or over a cone, equation (9). A polar grid of the whole region finds
    every valley of the risk on the circle |p| = R and shows that the inside is nowhere lower. Its values are logarithms
    of (risk - infimum), from sums of positive terms: the risk itself equals its infimum in float64. In every valley the
    zero of the derivative by the angle is then found by bisection in 130 digits, and the valley of least risk is taken.

Tolerances (`within`)
    The library computes in float64 without cancellation, relative error of SVM solutions at most 1e-9; here only the
    printed 10 digits count. Hence 1e-9 relative at the least (of 1 for entries of unit vectors). Rounding errors of a
    trajectory are like relative changes of the steps by about 1e-16 each. Every trajectory is computed a second time
    with a step size times 1 + 1e-13; the tolerance is 100 times the change that 1e-14 would make, if this
    is more than 1e-9 relative. (It never is: a value changes by 1.2 times the relative change of the steps at most.)
    Integers: 0; every one was checked to be further from the next integer than rounding reaches.
    Data of Figs 1c and 4: single precision numbers, exact in float64. The generator decides them; another rounding of
    one coordinate (6e-8) would show, as it should.
"""

import argparse
import csv
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import numpy.typing as npt
import torch
import yaml

Number = Any  # mpmath.mpf, which has no type hints
Vector = list[Number]
Array = npt.NDArray[np.float64]
Config = dict[str, Any]
Row = dict[str, str]
ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "workflow/attention_dynamics/papers/max_margin"
CONFIG = ROOT / "config/max_margin"
DIGITS = 130
COLUMNS = ["figure", "run", "series", "start", "step", "statistic", "value", "within", "source"]
RELATIVE = 1e-9
PERTURBATION = 1e-13
GRID_STARTS = 100  # runs with more starts than this use the sum over pairs, in float64
mp.mp.dps = DIGITS
TIGHT = mp.mpf("1e-25")  # slack that counts as none, in 130 digits; not a float, of which 1 - 1e-25 would be 1


@dataclass(frozen=True)
class Input:
    """One input: tokens x_t (T of them, planar), fixed scores gamma_t or, with a head v, the label Y."""

    tokens: list[Vector]
    scores: Vector | None
    label: int

    def score(self, v: Vector | None) -> Vector:
        """Scores (T), Definition 1: gamma_t = Y v' x_t, or the fixed ones."""
        if self.scores is not None:
            return self.scores
        assert v is not None
        return [self.label * dot(v, token) for token in self.tokens]

    def optimal(self) -> list[int]:
        """Tokens of highest score. With a label, the token 0: the other one, (0, 0), has no label margin."""
        if self.scores is None:
            assert all(entry == 0 for token in self.tokens[1:] for entry in token)
            return [0]
        return [t for t, score in enumerate(self.scores) if score == max(self.scores)]


@dataclass(frozen=True)
class Problem:
    """Inputs, and the configuration of the references to compare with."""

    inputs: list[Input]
    references: Config


@dataclass(frozen=True)
class Solution:
    """A max-margin solution w (2) and the tokens that it selects (n)."""

    weights: Vector
    selected: list[int]


@dataclass(frozen=True)
class State:
    """Parameters at a step: p (2), and v (2) or None."""

    p: Vector
    v: Vector | None


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """Inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), mp.mpf(0))


def norm(a: Sequence[Number]) -> Number:
    """Euclidean length."""
    return mp.sqrt(dot(a, a))


def difference(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def moved(a: Vector, factor: Number, b: Vector) -> Vector:
    """a + factor b."""
    return [x + factor * y for x, y in zip(a, b, strict=True)]


def numbers(values: Iterable[float]) -> Vector:
    """The values as mpmath numbers, exactly."""
    return [mp.mpf(value) for value in values]


# Data


def problems(config: Config) -> list[Problem]:
    """The problems of one entry: one, or one for each value of a setting."""
    kind = config["kind"]
    references = config.get("references", {})
    if kind == "gaussian_clusters":
        return [Problem(gaussian_clusters(config), references)]
    if kind == "labelled_tokens":
        inputs = [Input([numbers(t) for t in i["tokens"]], None, int(i["label"])) for i in config["inputs"]]
        return [Problem(inputs, references)]
    if kind != "scored_tokens":
        raise NotImplementedError(kind)
    found = []
    settings = config.get("settings", {})
    for values in itertools.product(*settings.values()):
        named = dict(zip(settings, values, strict=True))
        inputs = []
        for entry in config["inputs"]:
            scores = numbers(float(named.get(s, s)) for s in entry["scores"])
            inputs.append(Input([numbers(token) for token in entry["tokens"]], scores, 1))
        found.append(Problem(inputs, references))
    return found


def gaussian_clusters(config: Config) -> list[Input]:
    """The published random tokens, in single precision: spread * noise (n, T, first two of 3) + centres (T, 2)."""
    centres = torch.tensor(config["centres"], dtype=torch.float32)
    generator = torch.Generator().manual_seed(int(config["seed"]))
    noise = torch.randn(int(config["n"]), len(centres), 3, generator=generator)
    tokens = noise[:, :, :2] * float(config["spread"]) + centres
    scores = numbers(float(score) for score in config["scores"])
    return [Input([numbers(token) for token in of_input], scores, 1) for of_input in tokens.double().tolist()]


# Max-margin problems


def shortest(rows: list[Vector], bounds: list[int]) -> Vector:
    """argmin |w| subject to rows_j' w >= bounds_j, in the plane: the shortest feasible candidate (module docstring)."""
    pairs = list(zip(rows, bounds, strict=True))
    candidates = [[b * x / dot(a, a) for x in a] for a, b in pairs]
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        determinant = a[0] * c[1] - a[1] * c[0]
        if abs(determinant) > TIGHT:
            candidates.append([(b * c[1] - d * a[1]) / determinant, (a[0] * d - c[0] * b) / determinant])
    return min((w for w in candidates if all(dot(a, w) >= b - TIGHT for a, b in pairs)), key=norm)


def solve(problem: Problem, config: Config) -> Solution:
    """The reference that a configuration describes, (ATT-SVM), (SVM), (10) or (ATT-SVM')."""
    kind = config["kind"]
    optimal = [entry.optimal() for entry in problem.inputs]
    if "select" in config:
        selected = [int(t) for t in config["select"]]
    elif all(len(tokens) == 1 for tokens in optimal):
        selected = [tokens[0] for tokens in optimal]
    else:
        raise NotImplementedError("several optimal tokens")
    labels = [[i.label * x for x in i.tokens[t]] for i, t in zip(problem.inputs, selected, strict=True)]  # of (SVM)
    if kind == "label_svm":
        return Solution(shortest(labels, [1] * len(labels)), selected)
    bounds = [1] * len(labels)
    if kind == "relaxed_svm":
        # Inputs whose optimal token does not support (SVM) only keep their side, equation (10).
        head = shortest(labels, bounds)
        bounds = [1 if dot(row, head) <= 1 + TIGHT else 0 for row in labels]
    rows, of_rows = [], []
    for entry, t, best, bound in zip(problem.inputs, selected, optimal, bounds, strict=True):
        for u, token in enumerate(entry.tokens):
            # (ATT-SVM') has no constraint against another optimal token.
            if u != t and not (kind == "tied_svm" and u in best):
                rows.append(difference(entry.tokens[t], token))
                of_rows.append(bound)
    return Solution(shortest(rows, of_rows), selected)


# Risk


def probabilities(entry: Input, p: Vector) -> Vector:
    """Softmax probabilities (T) of the tokens, S(K p)."""
    weights = [mp.exp(dot(token, p)) for token in entry.tokens]
    total = sum(weights, mp.mpf(0))
    return [weight / total for weight in weights]


def loss_value(loss: str, x: Number) -> Number:
    """The loss l(x): log(1 + exp(-x)), exp(-x) or -x."""
    if loss == "logistic":
        return mp.log1p(mp.exp(-x))
    return mp.exp(-x) if loss == "exponential" else -x


def loss_slope(loss: str, x: Number) -> Number:
    """Its derivative l'(x)."""
    if loss == "logistic":
        return -1 / (1 + mp.exp(x))
    return -mp.exp(-x) if loss == "exponential" else mp.mpf(-1)


def risk(problem: Problem, loss: str, state: State) -> Number:
    """Equation (1): the mean of l(Y_i f(X_i)), Y f = <gamma, S(K p)>."""
    outputs = [dot(entry.score(state.v), probabilities(entry, state.p)) for entry in problem.inputs]
    return sum((loss_value(loss, output) for output in outputs), mp.mpf(0)) / len(outputs)


def gradient(problem: Problem, loss: str, state: State) -> State:
    """Gradients of the risk by p, equation (15a), and by v, if v is trained: mean of l'_i Y_i X_i' S(K_i p)."""
    count = len(problem.inputs)
    by_p = numbers([0, 0])
    by_v = numbers([0, 0])
    for entry in problem.inputs:
        scores = entry.score(state.v)
        s = probabilities(entry, state.p)
        output = dot(scores, s)
        slope = loss_slope(loss, output) / count
        for t, token in enumerate(entry.tokens):
            by_p = moved(by_p, slope * s[t] * (scores[t] - output), token)
            by_v = moved(by_v, slope * entry.label * s[t], token)
    return State(by_p, by_v if state.v is not None else None)


# Gradient descent


def descend(problem: Problem, config: Config, start: State, stretch: Number) -> list[State]:
    """Equation (3): all states from the start on. `stretch` multiplies the step size.

    Normalized steps divide the gradients of p and of v by their own lengths.
    """
    kind = config["optimizer"]["kind"]
    if kind not in ("gd", "normalized_gd"):
        raise NotImplementedError(kind)
    step = mp.mpf(config["optimizer"]["step_size"]) * stretch
    states = [start]
    for _ in range(int(config["steps"])):
        now = states[-1]
        slope = gradient(problem, config["loss"], now)
        p = moved(now.p, -step / (norm(slope.p) if kind == "normalized_gd" else 1), slope.p)
        v = None
        if now.v is not None and slope.v is not None:
            v = moved(now.v, -step / (norm(slope.v) if kind == "normalized_gd" else 1), slope.v)
        states.append(State(p, v))
    return states


def descend_all(problem: Problem, config: Config, starts: Array, stretch: float) -> Array:
    """Last p (S, 2) of normalized descent from all starts (S, 2), logistic loss, by the sum over pairs, in float64."""
    assert (config["loss"], config["optimizer"]["kind"]) == ("logistic", "normalized_gd")
    step = float(config["optimizer"]["step_size"]) * stretch
    p = starts.copy()
    for _ in range(int(config["steps"])):
        logs, directions = [], []
        for entry in problem.inputs:
            keys, scores = np.array(entry.tokens, dtype=float), np.array(entry.score(None), dtype=float)
            logits = p @ keys.T
            log_s = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
            log_slope = -np.logaddexp(0, np.exp(log_s) @ scores)  # log of -l'
            for t, u in itertools.combinations(range(len(keys)), 2):
                if scores[t] != scores[u]:
                    logs.append(log_slope + log_s[:, t] + log_s[:, u])
                    directions.append((scores[t] - scores[u]) * (keys[t] - keys[u]))
        weights = np.array(logs)
        downhill = np.exp(weights - weights.max(axis=0)).T @ np.array(directions)
        p += step * downhill / np.hypot(downhill[:, :1], downhill[:, 1:])
    return p


# Regularization paths


def log_excess(problem: Problem, loss: str, p: Array) -> Array:
    """Logarithm of risk(p) - infimum for all p (..., 2), from sums of positive terms.

    Input i falls short of its highest score g by e = sum over t of s_t (g - gamma_t), and its loss is too high by l(g -
    e) - l(g): e for the correlation loss, exp(-g) (exp(e) - 1) for the exponential loss, and for the logistic loss
    log((1 + exp(e - g)) / (1 + exp(-g))) = log(1 + (exp(e) - 1) / (exp(g) + 1)).
    """
    total = np.zeros(p.shape[:-1])
    for entry in problem.inputs:
        keys, scores = np.array(entry.tokens, dtype=float), np.array(entry.score(None), dtype=float)
        logits = p @ keys.T
        s = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
        best = float(scores.max())
        short = s @ (best - scores)
        if loss == "correlation":
            total += short
        elif loss == "exponential":
            total += math.exp(-best) * np.expm1(short)
        else:
            total += np.log1p(np.expm1(short) / (math.exp(best) + 1))
    logarithm: Array = np.log(total)
    return logarithm


def minimizer(problem: Problem, config: Config, start: Vector | None, radius: float) -> Vector:
    """argmin of the risk (2) over the disc |p| <= radius, or over the part of it in the cone around the start."""
    loss = config["loss"]
    if "cone" in config:
        assert start is not None
        middle, half = math.atan2(start[1], start[0]), math.radians(float(config["cone"]["half_angle"]))
        inner = float(config["cone"]["radius"])
    else:
        middle, half, inner = 0.0, math.pi * (1 + 1 / 1440), 0.0  # a whole turn and the two neighbours
    angles = np.linspace(middle - half, middle + half, 2883)
    radii = np.linspace(inner, radius, 25)
    plane = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    values = log_excess(problem, loss, plane)
    circle = values[-1]
    if values[:-1].min() <= circle.min():
        raise ValueError(f"a minimizer inside the circle of radius {radius}")
    valleys = [k for k in range(1, len(angles) - 1) if circle[k] <= min(circle[k - 1], circle[k + 1])]
    if "cone" in config:  # else the ends are copies
        valleys += [k for k, other in ((0, 1), (len(angles) - 1, -2)) if circle[k] < circle[other]]
    points = []
    # Between neighbouring angles log(risk - infimum) changes by far less than 1, so that other valleys cannot win; on
    # the far side of the circle, where the softmax is saturated, rounding makes many.
    for k in [k for k in valleys if circle[k] < circle.min() + 1]:
        low, high = mp.mpf(angles[max(k - 1, 0)]), mp.mpf(angles[min(k + 1, len(angles) - 1)])
        for _ in range(110):  # 2e-3 / 2^110 = 2e-36
            angle = (low + high) / 2
            p = [radius * mp.cos(angle), radius * mp.sin(angle)]
            uphill = dot(gradient(problem, loss, State(p, None)).p, [-p[1], p[0]])
            low, high = (low, angle) if uphill > 0 else (angle, high)
        points.append(p)
    return min(points, key=lambda p: risk(problem, loss, State(p, None)))


# Rows


def source_words(config: Config, series: str, statistic: str) -> str:
    """A way to compute a number."""
    if "." in series:
        return f"candidates in {DIGITS} digits (mpmath)"
    if config["kind"] == "regularization_path":
        return f"polar grid, bisection in {DIGITS} digits (mpmath)"
    return "sum over pairs (NumPy)" if statistic.startswith("count") else f"loop in {DIGITS} digits (mpmath)"


def grid(low: float, high: float, spacing: float) -> list[float]:
    """Numbers from low to high, both included."""
    return [low + spacing * k for k in range(round((high - low) / spacing) + 1)]


@dataclass
class Runs:
    """Runs and problems of a paper's configuration, with the states that were computed."""

    problems: Config
    runs: Config

    def __post_init__(self) -> None:
        """An empty memory of trajectories."""
        self.starts = functools.cache(self._starts)
        self.states = functools.cache(self._states)
        self.last = functools.cache(self._last)
        self.data = functools.cache(lambda name: problems(self.problems[name]))
        self.reference = functools.cache(self._reference)

    @classmethod
    def read(cls, folder: Path) -> "Runs":
        """All blocks of the YAML files of a folder; the defaults of a file and of shared.yaml complete its blocks."""
        files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))]
        shared = next(content["defaults"] for content in files if "title" in content)
        blocks: dict[str, dict[str, Any]] = {"problems": {}, "runs": {}}
        for content, part in itertools.product(files, blocks):
            for name, block in content.get(part, {}).items():
                for default in (content.get("defaults", {}).get(part, {}), shared.get(part, {})):
                    if default.get("kind") in (None, block.get("kind", default.get("kind"))):
                        block = default | block
                blocks[part][name] = block
        return cls(**blocks)

    def _starts(self, name: str) -> list[State]:
        """The starts of a run, or one without p."""
        start = self.runs[name].get("start", {})
        p = start.get("p", [[0, 0]])
        if isinstance(p, dict):
            x, y = (grid(float(p[axis][0]), float(p[axis][1]), float(p["spacing"])) for axis in "xy")
            p = list(itertools.product(x, y))
        v = start.get("v", [None] * len(p))
        return [State(numbers(a), None if b is None else numbers(b)) for a, b in zip(p, v, strict=True)]

    def _reference(self, problem_name: str, index: int, name: str) -> Solution:
        problem = self.data(problem_name)[index]
        return solve(problem, problem.references[name])

    def _states(self, name: str, column: int, stretch: Number) -> list[State]:
        starts = self.starts(name)
        index, start = divmod(column, len(starts))
        return descend(self.data(self.runs[name]["problem"])[index], self.runs[name], starts[start], stretch)

    def _last(self, name: str, stretch: float) -> Array:
        starts = np.array([[float(x) for x in start.p] for start in self.starts(name)])
        (problem,) = self.data(self.runs[name]["problem"])
        return descend_all(problem, self.runs[name], starts, stretch)

    def measure(self, name: str, column: int, series: str, state: State, begin: State) -> Number:
        """The value of a series at a state; `begin` is the start of the run or of the cone."""
        problem_name = self.runs[name]["problem"]
        index = column // len(self.starts(name))
        problem = self.data(problem_name)[index]
        if series.startswith("correlation_"):
            reference = series.removeprefix("correlation_")
            target = self.reference(problem_name, index, reference).weights
            of_head = problem.references[reference]["kind"] == "label_svm"
            vector = state.v if of_head and state.v is not None else state.p
            return dot(vector, target) / norm(vector) / norm(target) if norm(vector) else mp.nan
        if series == "norm_p":
            return norm(state.p)
        if series == "angle_from_start":
            turn = begin.p[0] * state.p[1] - begin.p[1] * state.p[0]
            return mp.degrees(mp.atan2(abs(turn), dot(begin.p, state.p)))
        values = []
        for entry in problem.inputs:
            s = probabilities(entry, state.p)
            if series == "softmax_optimal":
                (best,) = entry.optimal()
                values.append(s[best])
            elif series == "logistic":
                values.append(1 / (1 + mp.exp(-dot(entry.score(state.v), s))))
            else:
                raise NotImplementedError(series)
        return sum(values, mp.mpf(0)) / len(values)

    def value(self, row: Row, stretch: Number) -> Number | int:
        """The number that a row asks for."""
        name, series, statistic = row["run"], row["series"], row["statistic"]
        config = self.runs[name]
        if "." in series:
            reference, _, quantity = series.partition(".")
            return self.of_reference(config["problem"], reference, quantity, int(row["start"] or 0))
        starts = self.starts(name)
        columns = len(starts) * len(self.data(config["problem"]))
        if columns > GRID_STARTS:
            if row["step"] != str(config["steps"]):
                raise NotImplementedError(row["step"])
            ends = [State(numbers(p.tolist()), None) for p in self.last(name, float(stretch))]
            if not statistic:
                return self.measure(name, int(row["start"]), series, ends[int(row["start"])], starts[0])
            limit = float(statistic.removeprefix("count above "))
            return sum(self.measure(name, k, series, p, starts[k]) >= limit for k, p in enumerate(ends))
        column = int(row["start"] or 0)
        if config["kind"] == "regularization_path":
            begin = starts[column % len(starts)]
            problem = self.data(config["problem"])[column // len(starts)]
            p = minimizer(problem, config, begin.p, float(row["step"]))
            return self.measure(name, column, series, State(p, None), begin)
        states = self.states(name, column, stretch)
        steps = recorded(row["step"], len(states))
        values = [self.measure(name, column, series, states[step], states[0]) for step in steps]
        return over_steps(steps, values, statistic)

    def of_reference(self, problem_name: str, name: str, quantity: str, column: int) -> Number | int:
        """`norm`, or a component of `direction`, `weights` or `selected`; columns in the order problem, component."""
        components: list[Number | int] = []
        for index in range(len(self.data(problem_name))):
            solution = self.reference(problem_name, index, name)
            length = norm(solution.weights)
            scored = self.problems[problem_name]["kind"] != "labelled_tokens"
            w = solution.weights + [mp.mpf(0)] * scored  # no key has a third coordinate
            components += {
                "norm": [length],
                "direction": [x / length for x in w],
                "weights": w,
                "selected": solution.selected,
            }[quantity]
        return components[column]


def recorded(text: str, count: int) -> list[int]:
    """Steps of a row: `t`, `a-b`, or all."""
    if not text:
        return list(range(count))
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def over_steps(steps: list[int], values: Vector, statistic: str) -> Number | int:
    """A statistic over steps, of the values at them; an undefined cosine (p = 0) is left out."""
    if not statistic:
        (value,) = values
        return value
    known = [(step, value) for step, value in zip(steps, values, strict=True) if not mp.isnan(value)]
    if statistic.startswith("first above "):
        limit = mp.mpf(statistic.removeprefix("first above "))
        return next(step for step, value in known if value >= limit)
    if statistic == "step of smallest":
        return min(known, key=lambda pair: pair[1])[0]
    if statistic == "smallest":
        return min(value for _, value in known)
    if statistic == "largest":
        return max(value for _, value in known)
    if statistic == "slope":
        mean_step = mp.mpf(sum(step for step, _ in known)) / len(known)
        return sum((step - mean_step) * value for step, value in known) / sum((s - mean_step) ** 2 for s, _ in known)
    raise NotImplementedError(statistic)


def compute(
    only: Callable[[Row], bool], rows_folder: Path = ROWS, config_folder: Path = CONFIG, tolerances: bool = False,
    stretch: float = 1,
) -> list[Row]:  # fmt: skip
    """The rows of all files that `only` accepts, recomputed; trajectories of other rows are not computed.

    Without `tolerances` no trajectory is computed twice and `within` stays as it is. `stretch` multiplies step sizes.
    """
    runs = Runs.read(config_folder)
    done = []
    for row in filter(only, (row for rows in read_rows(rows_folder).values() for row in rows)):
        value = runs.value(row, mp.mpf(stretch))
        found = {"value": str(value) if isinstance(value, int) else mp.nstr(value, 10, min_fixed=-4, max_fixed=10)}
        if tolerances:
            found["within"] = f"{tolerance(runs, row, value, mp.mpf(stretch)):.2g}"
        words = source_words(runs.runs[row["run"]], row["series"], row["statistic"])
        done.append(row | found | {"source": words})
    return done


def read_rows(folder: Path) -> dict[str, list[Row]]:
    """The rows of every file, by its name."""
    files = sorted(folder.glob("*_expected.csv"))
    return {one.name: list(csv.DictReader(one.read_text("utf-8").splitlines())) for one in files}


def tolerance(runs: Runs, row: Row, value: Number, stretch: Number) -> float:
    """See the module docstring; what has no step size has 1e-9 relative, or of 1 for unit vectors; integers 0."""
    if isinstance(value, int):
        return 0
    if row["series"].endswith(".direction"):
        return RELATIVE
    least = RELATIVE * float(abs(value))
    if "optimizer" not in runs.runs[row["run"]] or "." in row["series"]:
        return least
    change = abs(runs.value(row, stretch * (1 + PERTURBATION)) - value)
    return max(least, 100 * float(change) * 1e-14 / PERTURBATION)


def main(rows_folder: Path, config_folder: Path) -> None:
    """Write value, tolerance and source into every row of the files of a folder."""
    done = iter(compute(lambda row: True, rows_folder, config_folder, tolerances=True))
    for name, rows in read_rows(rows_folder).items():
        with (rows_folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(next(done) for _ in rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows_folder", type=Path, default=ROWS, help="folder of *_expected.csv, written anew")
    parser.add_argument("--config_folder", type=Path, default=CONFIG, help="folder of YAML files")
    main(**vars(parser.parse_args()))
