"""Independent computations for "Implicit Bias and Fast Convergence Rates for Self-attention".

Everything here is written from the definitions, with a full matrix W of size d x d and in float64 (where W(0) = 0, in
coordinates of the span of the tokens and the head, which neither W nor u ever leaves). What makes float64 enough
is that no number is formed as a difference of nearly equal ones. With a fixed head and equal scores of the tokens that
are not optimal (all problems here with a fixed head), let s be the softmax probabilities of an input, g_t = gamma_opt -
gamma_t > 0 and D = sum_{t != opt} s_t g_t = gamma_opt - margin. Then:

- minus the gradient in W is 1/n sum_i sum_{t != opt} c_it (x_opt - x_t) x_1', c_it = |l'(margin)| s_opt s_t g_t: the
  textbook form s * gamma - s (s'gamma) written out for equal scores. All c_it are positive, so that they are kept as
  logarithms, and only their ratios to the largest are exponentiated;
- l(gamma - D) - l(gamma) = log1p(expm1(D) sigmoid(-gamma)), from log((1 + exp(D - gamma)) / (1 + exp(-gamma)));
- 1 - s_opt = sum_{t != opt} s_t, again a sum of positive numbers;
- 1 - cos(a, b) = |a / |a| - b / |b||^2 / 2.

With a trained head the scores differ and v_t = s_t sum_tau s_tau (gamma_t - gamma_tau) is summed over the pairs;
nothing underflows there (losses above 1e-70).

Tolerances (`within`). The library and this file both round in float64, and what is rounded at one step is carried on,
so every row is computed three times: as it is, with all step sizes times 1 + 1e-10, and with every step size times a
random 1 + 1e-10 g_t and the parameters after the first step times 1 + 1e-10 g, entry by entry. A hundredth of the
larger change is 100 times what a relative perturbation of 1e-14 does. The tolerance is that, or a relative 1e-9 if
larger, plus the effect of a relative error of 1e-9 in the norm or direction of a max-margin solution, which is what
the solvers of the library promise. Where the perturbation of 1e-10 changes a value, or one minus a cosine, by more
than a relative 1e-4, it has grown a million times: the response is then not linear, the run chaotic for float64, and
the row has no value."""

import argparse
import csv
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import cvxopt  # type: ignore[import-untyped,unused-ignore]
import numpy as np
import yaml  # type: ignore[import-untyped,unused-ignore]
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Row = dict[str, str]

PAPER = "fast_rates"
ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "workflow" / "attention_dynamics" / "papers" / PAPER
CONFIG = ROOT / "config" / PAPER
FIELDS = ["figure", "run", "series", "start", "step", "statistic", "value", "within", "source"]
# The perturbation that tolerances are measured with: far above rounding, far below what makes the response nonlinear.
SMALL = 1e-10
SOLVER = 1e-9


# --- Data ---


@dataclass
class Problem:
    """A data set: tokens (n, T, d), labels (n,), optimal tokens (n,), the head (d,), starts W(0) (d, d).

    The query is the first token. `trained` says whether the head is only the start of training.
    """

    tokens: Array
    labels: Array
    optimal: Integers
    head: Array
    trained: bool
    starts: list[Array] = field(default_factory=list)

    @property
    def queries(self) -> Array:
        """First tokens (n, d)."""
        return self.tokens[:, 0]

    @property
    def chosen(self) -> Array:
        """Optimal tokens (n, d)."""
        return self.tokens[np.arange(len(self.optimal)), self.optimal]


def span_of(problem: Problem) -> Array | None:
    """Orthonormal basis (d, r) of the span of all tokens and the head, or None where that is the whole space."""
    vectors = np.vstack([problem.tokens.reshape(-1, problem.tokens.shape[2]), problem.head])
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    _, sizes, directions = np.linalg.svd(vectors, full_matrices=False)
    rank = int(np.sum(sizes > 1e-8 * sizes[0]))
    return None if rank == vectors.shape[1] else np.asarray(directions[:rank].T)


def labels_of(n: int) -> Array:
    """Labels (n,): +1 for the first half, rounded up, then -1."""
    return np.array([1.0 if i < (n + 1) // 2 else -1.0 for i in range(n)])


def nearly_orthogonal(setting: dict[str, Any], number: int) -> Problem:
    """Class tokens mu_+ and mu_- among Gaussian tokens; all draws in the declared order."""
    for key in ("n", "T", "d"):
        if isinstance(setting[key], list):
            raise NotImplementedError("lists of sizes")
    n, length, d = setting["n"], setting["T"], setting["d"]
    rng = np.random.default_rng(setting["seeds"][number])
    basis = np.linalg.qr(rng.standard_normal((d, 2)))[0]
    plus, minus = setting.get("norm", 1) * basis.T
    if setting.get("antipodal", False):
        minus, basis = -plus, basis[:, :1]
    optimal = rng.integers(1 if setting.get("noise_query", False) else 0, length, size=n)
    tokens = rng.standard_normal((n, length, d)) / math.sqrt(d)
    if setting.get("projected", True):
        tokens = tokens - tokens @ basis @ basis.T
    extra = rng.standard_normal((n, d)) / math.sqrt(d)
    labels = labels_of(n)
    for i in range(n):
        tokens[i, optimal[i]] = (plus if labels[i] > 0 else minus) + setting.get("sigma", 0) * extra[i]
    head = 2 * (plus - minus) / np.sum((plus - minus) ** 2)
    trained = "head_start" in setting
    if trained:
        head = rng.standard_normal(d)
        head *= setting["head_start"] / np.linalg.norm(head)
    matrix = rng.standard_normal((d, d))
    matrix /= np.linalg.norm(matrix)
    return Problem(tokens, labels, optimal, head, trained, [r * matrix for r in setting.get("start_norms", [0])])


def left_out_input(setting: dict[str, Any], number: int) -> Problem:
    """Opposite optimal tokens orthogonal to all others; start 1 is a multiple of the SVM of all inputs but one."""
    n, length, d, norm = setting["n"], setting["T"], setting["d"], setting["norm"]
    rng = np.random.default_rng(number)
    optimal = rng.integers(length, size=n)
    tokens = np.zeros((n, length, d + 1))
    tokens[:, :, 1:] = rng.standard_normal((n, length, d)) / math.sqrt(d)
    labels = labels_of(n)
    for i in range(n):
        tokens[i, optimal[i]] = 0
        tokens[i, optimal[i], 0] = labels[i] * norm
    head = np.zeros(d + 1)
    head[0] = 1 / norm
    problem = Problem(tokens, labels, optimal, head, trained=False)
    keys = [np.outer(problem.chosen[i], problem.queries[i]) for i in range(n)]
    sums = [sum(float(np.sum(keys[i] * keys[j])) for j in range(n) if j != i) for i in range(n)]
    kept = np.array([i for i in range(n) if i != int(np.argmin(sums))])
    problem.starts = [np.zeros((d + 1, d + 1)), setting["multiple"] * attention_svm(tokens[kept], optimal[kept])]
    return problem


KINDS: dict[str, Callable[[dict[str, Any], int], Problem]] = {
    "nearly_orthogonal": nearly_orthogonal,
    "left_out_input": left_out_input,
}


# --- Max-margin references ---


def attention_svm(tokens: Array, optimal: Integers) -> Array:
    """W_mm (d, d) = argmin |W|_F subject to (x_opt - x_t)' W x_1 >= 1 for tokens (n, T, d), all t != opt.

    With A_k = (x_opt - x_t) x_1' and their Gram matrix K, W_mm = sum_k a_k A_k where a >= 0 minimizes a'Ka/2 - sum(a).
    An interior-point solution shows which a are positive; these then follow from the linear equations "margin = 1",
    and the result is accepted only with positive a and no smaller margin (the KKT conditions, which are sufficient).
    """
    n, length, _ = tokens.shape
    pairs = [(i, t) for i in range(n) for t in range(length) if t != optimal[i]]
    left = np.array([tokens[i, optimal[i]] - tokens[i, t] for i, t in pairs])
    right = np.array([tokens[i, 0] for i, _ in pairs])
    gram = (left @ left.T) * (right @ right.T)
    m = len(pairs)
    options = {"show_progress": False, "abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-12}
    dual = cvxopt.solvers.qp(
        cvxopt.matrix(gram),
        cvxopt.matrix(-np.ones(m)),
        cvxopt.matrix(-np.eye(m)),
        cvxopt.matrix(np.zeros(m)),
        options=options,
    )
    rough = np.array(dual["x"]).ravel()
    support = np.flatnonzero(rough > 1e-6 * rough.max())
    weights = np.linalg.solve(gram[np.ix_(support, support)], np.ones(len(support)))
    margins = gram[:, support] @ weights
    if weights.min() <= 0 or margins.min() < 1 - 1e-11:
        raise ArithmeticError("the support of the max-margin solution is not certain")
    return np.asarray((left[support] * weights[:, None]).T @ right[support])


def label_svm(problem: Problem) -> Array:
    """u_mm (d,) = argmin |u| subject to Y_i u'x_i,opt >= 1, for one optimal token of the same length in each class.

    By symmetry both constraints are active: u_mm = 2 z / |z|^2 with z the sum of the two vectors Y_i x_i,opt.
    """
    signed = problem.labels[:, None] * problem.chosen
    plus, minus = signed[0], signed[-1]
    for i in range(len(signed)):
        if np.abs(signed[i] - (plus if problem.labels[i] > 0 else minus)).max() > 0:
            raise NotImplementedError("optimal tokens that differ within a class")
    if abs(np.linalg.norm(plus) / np.linalg.norm(minus) - 1) > 1e-12:
        raise NotImplementedError("optimal tokens of different length")
    return np.asarray(2 * (plus + minus) / np.sum((plus + minus) ** 2))


# --- Loss and gradients ---


class Point(NamedTuple):
    """At one point: exp(scale) times `matrix` (d, d) and `head` (d,) is minus the gradient; logarithms of means."""

    matrix: Array
    head: Array | None
    scale: float
    log_gap: float
    log_nonoptimal: float


def log_sum(values: Array) -> Array:
    """Logarithm of the sum of exponentials over the last axis."""
    top = values.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.sum(np.exp(values - top), axis=-1)))


def log_softmax(problem: Problem, weights: Array) -> Array:
    """Logarithms (n, T) of softmax(X W x_1)."""
    transformed = problem.queries @ weights.T
    logits = (problem.tokens @ transformed[:, :, None])[:, :, 0]
    return np.asarray(logits - log_sum(logits)[:, None])


class FixedHead:
    """Loss and gradient in W with a fixed head whose scores are equal for all tokens that are not optimal."""

    def __init__(self, problem: Problem) -> None:
        """Keep x_opt - x_t (n, T - 1, d) and the logarithms of gamma_opt - gamma_t (n, T - 1)."""
        n, length, _ = problem.tokens.shape
        self.problem = problem
        self.inputs = np.arange(n)
        self.others = np.array([[t for t in range(length) if t != problem.optimal[i]] for i in range(n)])
        other_tokens = problem.tokens[self.inputs[:, None], self.others]
        scores = problem.labels[:, None] * (problem.tokens @ problem.head)
        other_scores = scores[self.inputs[:, None], self.others]
        if np.ptp(other_scores, axis=1).max() > 1e-14:
            raise NotImplementedError("unequal scores")
        self.differences = problem.chosen[:, None, :] - other_tokens
        self.best = scores[self.inputs, problem.optimal]
        self.log_gaps = np.log(self.best[:, None] - other_scores)
        # Logarithm of sigmoid(-gamma_opt).
        self.log_sigmoid = -np.logaddexp(0, self.best)

    def at(self, weights: Array, _: Array | None) -> Point:
        """Loss gap and gradient at W (d, d), by the formulas of the module's docstring."""
        n = len(self.inputs)
        logs = log_softmax(self.problem, weights)
        log_others = logs[self.inputs[:, None], self.others]
        log_missing = log_sum(log_others + self.log_gaps)
        missing = np.exp(log_missing)
        log_slope = -np.logaddexp(0, self.best - missing)
        log_best = logs[self.inputs, self.problem.optimal]
        coefficients = (log_slope + log_best)[:, None] + log_others + self.log_gaps - math.log(n)
        scale = float(coefficients.max())
        combined = (np.exp(coefficients - scale)[:, None, :] @ self.differences)[:, 0]
        # For small D, log1p(expm1(D) sigmoid) = D sigmoid up to a relative error of D.
        safe = np.maximum(missing, 1e-20)
        exact = np.log(np.log1p(np.expm1(safe) * np.exp(self.log_sigmoid)))
        gaps = np.where(log_missing < -40, log_missing + self.log_sigmoid, exact)
        log_gap = float(log_sum(gaps)) - math.log(n)
        log_nonoptimal = float(log_sum(log_others.ravel())) - math.log(n)
        return Point(combined.T @ self.problem.queries, None, scale, log_gap, log_nonoptimal)


class TrainedHead:
    """Loss and gradients in W and the head u. The infimum of the loss is zero."""

    def __init__(self, problem: Problem) -> None:
        """Keep where the tokens that are not optimal are, (n, T)."""
        self.problem = problem
        self.others = np.arange(problem.tokens.shape[1]) != problem.optimal[:, None]

    def at(self, weights: Array, head: Array | None) -> Point:
        """Loss and minus the gradients at W (d, d) and u (d,)."""
        assert head is not None
        tokens, labels = self.problem.tokens, self.problem.labels
        n = len(labels)
        softmax = np.exp(log_softmax(self.problem, weights))
        scores = labels[:, None] * (tokens @ head)
        margins = np.sum(softmax * scores, axis=1)
        slopes = np.exp(-np.logaddexp(0, margins)) / n
        pairs = scores[:, :, None] - scores[:, None, :]
        attention = softmax * np.sum(softmax[:, None, :] * pairs, axis=2)
        combined = ((slopes[:, None] * attention)[:, None, :] @ tokens)[:, 0]
        means = (softmax[:, None, :] @ tokens)[:, 0]
        log_gap = math.log(np.mean(np.log1p(np.exp(-margins))))
        log_nonoptimal = math.log(np.sum(softmax[self.others]) / n)
        return Point(combined.T @ self.problem.queries, (slopes * labels) @ means, 0.0, log_gap, log_nonoptimal)


# --- Trajectories ---


def move(point: Point, optimizers: list[dict[str, Any]], start: int, t: int) -> tuple[Array, Array | None]:
    """Updates of W and u at iteration t, from minus the gradients at one point."""
    parts = [point.matrix] if point.head is None else [point.matrix, point.head]
    moves = []
    squares = sum(float(np.sum(part**2)) for part in parts)
    for part, optimizer in zip(parts, optimizers, strict=False):
        size = optimizer.get("step_size", math.nan)
        size = size[start] if isinstance(size, list) else size
        if optimizer["kind"] == "gd":
            moves.append(size * math.exp(point.scale) * part)
        elif optimizer["kind"] == "normalized_gd":
            moves.append(size / (t + 1) ** optimizer.get("decay", 0) * (part / np.linalg.norm(part)))
        elif optimizer["kind"] == "polyak" and "longest" not in optimizer:
            moves.append(math.exp(point.log_gap - point.scale) / (optimizer["c"] * squares) * part)
        else:
            raise NotImplementedError(str(optimizer))
    return moves[0], (moves[1] if len(moves) > 1 else None)


def measure(series: str, point: Point, weights: Array, head: Array | None, references: dict[str, Array]) -> float:
    """Value of a series at one point."""
    plain = {"log_gap": point.log_gap, "log10_gap": point.log_gap / math.log(10)}
    plain |= {"log_nonoptimal": point.log_nonoptimal, "norm_W": float(np.linalg.norm(weights))}
    plain |= {"norm_v": float(np.linalg.norm(head))} if head is not None else {}
    if series in plain:
        return plain[series]
    found = re.fullmatch(r"(correlation|misalignment|distance|scaled_norm)_(\w+_mm)", series)
    if found is None:
        raise NotImplementedError(series)
    reference = references[found[2]]
    value = head if found[2] == "u_mm" else weights
    assert value is not None
    norms = float(np.linalg.norm(value)), float(np.linalg.norm(reference))
    if found[1] == "scaled_norm":
        return norms[0] / norms[1]
    if norms[0] == 0:
        return math.nan
    if found[1] == "correlation":
        return float(np.sum(value * reference)) / (norms[0] * norms[1])
    distance = float(np.linalg.norm(value / norms[0] - reference / norms[1]))
    return distance if found[1] == "distance" else distance**2 / 2


def with_defaults(blocks: dict[str, dict[str, Any]], *layers: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Blocks completed with the defaults of their file, then of the paper, unless these are of another kind."""
    for default in layers:
        kind = default.get("kind")
        blocks = {name: default | one if kind in (None, one.get("kind", kind)) else one for name, one in blocks.items()}
    return blocks


class Paper:
    """Problems and runs of the configuration, with what was computed from them."""

    def __init__(self, config_folder: Path, step_factor: float = 1.0, noise: float = 0.0) -> None:
        """Read the YAML. All steps are multiplied by step_factor; noise is relative (tolerances of the module)."""
        self.step_factor = step_factor
        self.noise = noise
        self.problems: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(config_folder.glob("*.yaml"))]
        shared = next(content["defaults"] for content in files if "title" in content)
        for content in files:
            for part, blocks in (("problems", self.problems), ("runs", self.runs)):
                blocks |= with_defaults(content.get(part, {}), content.get("defaults", {}).get(part, {}), shared[part])
        self.made: dict[tuple[str, int], Problem] = {}
        self.solved: dict[tuple[str, int, str], Array] = {}

    def count(self, run: str) -> tuple[int, int]:
        """Numbers of problems and of starts of a run."""
        setting = self.problems[self.runs[run]["problem"]]
        starts = self.runs[run]["start"]["W"]
        problems = setting["datasets"] if "datasets" in setting else len(setting["seeds"])
        return problems, len(starts["of_problem"] if isinstance(starts, dict) else starts)

    def problem(self, name: str, number: int) -> Problem:
        """A data set, made once."""
        if (name, number) not in self.made:
            self.made[name, number] = KINDS[self.problems[name]["kind"]](self.problems[name], number)
        return self.made[name, number]

    def reference(self, name: str, number: int, reference: str) -> Array:
        """A max-margin solution of a data set: w_mm (d, d) or u_mm (d,)."""
        key = (name, number, reference)
        if key not in self.solved:
            problem = self.problem(name, number)
            if self.problems[name]["references"][reference] == "attention_svm":
                self.solved[key] = attention_svm(problem.tokens, problem.optimal)
            else:
                self.solved[key] = label_svm(problem)
        return self.solved[key]

    def recorded(self, run: str, step: str) -> list[int]:
        """The recorded steps that the column `step` names: all, or those with few significant decimal digits."""
        last = self.runs[run]["steps"]
        first, _, end = step.partition("-")
        bounds = (0, last) if not step else (int(first), int(end or first))
        digits = self.runs[run].get("record_digits", 99)
        steps = [t for t in range(bounds[0], min(bounds[1], last) + 1) if len(str(t).rstrip("0")) <= digits]
        if not steps:
            raise ValueError(f"{run} does not record step {step}")
        return steps

    def trajectory(self, run: str, column: int, series: set[str], steps: set[int]) -> dict[tuple[str, int], float]:
        """Values of the series of one column at the steps, by plain iteration from step 0."""
        setting = self.runs[run]
        number, start = divmod(column, self.count(run)[1])
        problem = self.problem(setting["problem"], number)
        starts = setting["start"]["W"]
        if isinstance(starts, dict):
            weights = problem.starts[starts["of_problem"][start]].copy()
        elif starts[start] == [0]:
            weights = np.zeros((problem.tokens.shape[2],) * 2)
        else:
            raise NotImplementedError("starts other than zero or of the problem")
        optimizers = [setting["optimizer"], setting.get("head_optimizer", setting["optimizer"])]
        names = self.problems[setting["problem"]]["references"]
        references = {name: self.reference(setting["problem"], number, name) for name in names}
        basis = span_of(problem) if not weights.any() else None
        if basis is not None:
            # From W(0) = 0 nothing leaves the span of the tokens and the head: coordinates in it change no series.
            tokens, weights = problem.tokens @ basis, np.zeros((basis.shape[1],) * 2)
            problem = Problem(tokens, problem.labels, problem.optimal, problem.head @ basis, problem.trained)
            for name, reference in references.items():
                references[name] = basis.T @ reference @ basis if reference.ndim == 2 else basis.T @ reference
        head = problem.head.copy() if problem.trained else None
        loss = TrainedHead(problem) if problem.trained else FixedHead(problem)
        rng = np.random.default_rng(0)
        values: dict[tuple[str, int], float] = {}
        for t in range(max(steps) + 1):
            point = loss.at(weights, head)
            if t in steps:
                values |= {(name, t): measure(name, point, weights, head, references) for name in series}
            change, head_change = move(point, optimizers, start, t)
            factor = self.step_factor * (1 + self.noise * rng.standard_normal())
            weights += factor * change
            if head is not None and head_change is not None:
                head += factor * head_change
            if t == 0 and self.noise:
                weights *= 1 + self.noise * rng.standard_normal(weights.shape)
                if head is not None:
                    head *= 1 + self.noise * rng.standard_normal(head.shape)
        return values


# --- Rows ---


def fit(x: Array, y: Array) -> float:
    """Slope of the least-squares line."""
    return float(np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2))


def over_steps(statistic: str, steps: Array, values: Array) -> float:
    """A statistic of one column over the steps."""
    log = np.log(steps)
    match statistic.split():
        case []:
            return float(values.item())
        case ["largest"]:
            return float(values.max())
        case ["smallest"]:
            return float(values.min())
        case ["step", "of", "smallest"]:
            return float(steps[int(np.argmin(values))])
        case ["first", "above", level]:
            return float(steps[np.flatnonzero(values >= float(level))[0]])
        case ["slope"]:
            return fit(steps, values)
        case ["slope", "log"]:
            return fit(log, values)
        case ["power"]:
            return fit(log, np.log(values))
        case ["power", "log"]:
            return fit(np.log(log), np.log(values))
    raise NotImplementedError(statistic)


def reduce(statistic: str, steps: Array, table: Array) -> float:
    """A statistic of a table (column, step)."""
    if statistic == "mean":
        return float(table[:, 0].mean())
    if statistic.startswith("count above "):
        return float(np.sum(table[:, 0] >= float(statistic.split()[2])))
    with np.errstate(divide="ignore"):
        return over_steps(statistic, steps, table[0])


def wrong_reference(series: str, table: Array) -> Array:
    """The values with a relative error SOLVER of the norm or the direction of the max-margin solution."""
    if series.startswith("distance"):
        return table + SOLVER
    if series.startswith("misalignment"):
        return np.asarray(table + SOLVER * np.sqrt(2 * table))
    if series.startswith("correlation"):
        return np.asarray(table - SOLVER * np.sqrt(np.maximum(1 - table**2, 0)))
    return table * (1 - SOLVER) if series.startswith("scaled_norm") else table


class Result(NamedTuple):
    """The number that a row asks for; `reference_error` is the effect of an error of the max-margin solution."""

    value: float
    reference_error: float
    source: str


def reference_result(paper: Paper, row: Row) -> Result:
    """Norm, direction or weights of a max-margin solution, flattened over problems, then components."""
    name, quantity = row["series"].split(".")
    problem = paper.runs[row["run"]]["problem"]
    size = 1 if quantity == "norm" else paper.reference(problem, 0, name).size
    number, component = divmod(int(row["start"]), size)
    solution = paper.reference(problem, number, name)
    norm = float(np.linalg.norm(solution))
    values = {"norm": norm, "direction": solution.flat[component] / norm, "weights": solution.flat[component]}
    kind = paper.problems[problem]["references"][name]
    source = "cvxopt, then the KKT equations" if kind == "attention_svm" else "closed form"
    return Result(float(values[quantity]), 0.0, source)


def results(paper: Paper, rows: list[Row]) -> list[Result]:
    """The number of each row; each column of a run is computed once, up to the last step that a row needs."""
    wanted: dict[tuple[str, int], tuple[set[str], set[int]]] = {}
    columns_of: list[Sequence[int]] = []
    for row in rows:
        columns = [int(row["start"])] if row["start"] else range(math.prod(paper.count(row["run"])))
        columns_of.append(columns)
        for column in [] if "." in row["series"] else columns:
            wanted_series, wanted_steps = wanted.setdefault((row["run"], column), (set(), set()))
            wanted_series.add(row["series"])
            wanted_steps.update(paper.recorded(row["run"], row["step"]))
    found = {key: paper.trajectory(*key, *what) for key, what in wanted.items()}
    answers = []
    for row, columns in zip(rows, columns_of, strict=True):
        if "." in row["series"]:
            answers.append(reference_result(paper, row))
            continue
        steps = paper.recorded(row["run"], row["step"])
        table = np.array([[found[row["run"], column][row["series"], t] for t in steps] for column in columns])
        times = np.array(steps, dtype=np.float64)
        value = reduce(row["statistic"], times, table)
        other = reduce(row["statistic"], times, wrong_reference(row["series"], table))
        answers.append(Result(value, abs(other - value), "loop with full matrices in log domain (float64)"))
    return answers


def read_rows(rows_folder: Path) -> dict[str, list[Row]]:
    """Rows of all files of expected numbers, by file name."""
    tables = {}
    for path in sorted(rows_folder.glob("*_expected.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.name] = [{key: row.get(key) or "" for key in FIELDS} for row in csv.DictReader(file)]
    return tables


def compute(
    only: Callable[[Row], bool], rows_folder: Path = ROWS, config_folder: Path = CONFIG, step_factor: float = 1.0
) -> list[Row]:
    """The chosen rows with their values computed anew (without rounding); `within` stays as it is in the file."""
    rows = [row for table in read_rows(rows_folder).values() for row in table if only(row)]
    found = results(Paper(config_folder, step_factor), rows)
    return [row | {"value": repr(r.value), "source": r.source} for row, r in zip(rows, found, strict=True)]


def fill(rows: list[Row], config_folder: Path) -> list[Row]:
    """Rows with value, tolerance and source."""
    plain = results(Paper(config_folder), rows)
    scaled = results(Paper(config_folder, step_factor=1 + SMALL), rows)
    noisy = results(Paper(config_folder, noise=SMALL), rows)
    filled = []
    for row, result, *others in zip(rows, plain, scaled, noisy, strict=True):
        if row["statistic"].startswith(("step of", "first above", "count above")):
            filled.append(row | {"value": str(round(result.value)), "within": "0", "source": result.source})
            continue
        change = max(abs(other.value - result.value) for other in others)
        within = max(1e-9 * abs(result.value), 100 * 1e-14 * change / SMALL) + result.reference_error
        size = 1 - abs(result.value) if row["series"].startswith("correlation") else abs(result.value)
        known = change <= 1e-4 * size
        texts = (f"{result.value:.10g}", f"{within:.2g}", result.source) if known else ("", "", "")
        filled.append(row | dict(zip(FIELDS[6:], texts, strict=True)))
    return filled


def main(rows_folder: Path, config_folder: Path) -> None:
    """Compute all rows and write the files anew."""
    tables = {name: fill(rows, config_folder) for name, rows in read_rows(rows_folder).items()}
    for name, rows in tables.items():
        with (rows_folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rows", type=Path, default=ROWS, help="folder of *_expected.csv, which are written anew")
    parser.add_argument("--config", type=Path, default=CONFIG, help="folder of the YAML files")
    arguments = parser.parse_args()
    main(arguments.rows, arguments.config)
