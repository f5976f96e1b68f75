"""Expected numbers of "Optimizing Attention with Mirror Descent" (arXiv 2410.14581), computed apart from the library.

Model: f_i = v' X_i' softmax(X_i W z_i), tokens X_i (T, d), query z_i (d), label Y_i; logistic loss, mean over inputs.
Mirror descent: the image m(W) = sign(W)|W|^(p-1) moves by -eta G / (|G|_q + epsilon), q = p / (p - 1), or by -eta G.

How the numbers are computed
* Gradients without cancellation. With g_t = Y v'x_t and the most probable token s, sum_t a_t (g_t - gbar) = 0 gives
      G = 1/n sum_i l'(m_i) sum_{t != s} a_t (g_t - gbar) (x_t - x_s) z_i',
  in which no term is a difference of nearly equal numbers however close a_s is to 1. Weights |l'(m_i)| a_t are formed
  as logarithms and divided by the largest, so that nothing underflows: the direction G / |G|_q needs no scale.
* Trajectories run in NumPy's long double (64 bits of mantissa on x86) up to `LONG` updates, in float64 beyond.
* Max-margin programs: SLSQP on the primal, then Newton's method on the optimality conditions m(w) = A_S' lambda,
  A_S w = 1 of the active rows S; each solution has to pass feasibility, lambda >= 0 and the duality gap.
* Minimizers in balls: SLSQP for F = ln(L - inf L) on the sphere, then Newton's method on grad F + mu m(W) = 0.

Tolerances (`within`): the sum of
* 1e-9 of the value, and 4e-15 for a divergence, which is a difference of numbers near 1;
* 100 times the change that a step size times 1 + 1e-14 makes, measured by a second trajectory with 1 + 1e-12;
* errors of max-margin solutions, relative 1e-9 for p = 2 and 1e-7 for other p, in norms and weights directly; a
  divergence 1 - <m(B), A>, |A|_p = 1, changes by at most |m(B) - m(A)|_q times the error, as <m(A), dA> = 0 for a
  change dA along the sphere. Starts that are made from W_mm have this error: measured by a second trajectory whose
  start is off by ten times as much in a random direction (in 100 dimensions, a tenth of the worst direction);
* where the run has `precision: float64`, cancellation in the textbook gradient: ten times the largest change among
  four trajectories of such arithmetic with step sizes that differ by some 1e-15;
* minimizers in balls: an error of 1e-7 of the minimizer.
Rows whose change by the second trajectory exceeds 1e-8 of the value are decided by rounding errors, and refused: all
others change by 1e-10 or less.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
import torch
import yaml
from scipy.optimize import minimize, nnls

Array = npt.NDArray[Any]
Row = dict[str, str]
ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config/mirror_descent"
ROWS = ROOT / "workflow/attention_dynamics/papers/mirror_descent"
LONG = 10_000  # long double takes about ten times as long
COLUMNS = ["figure", "run", "series", "start", "step", "statistic", "value", "within", "source"]


@dataclass(frozen=True, eq=False)
class Data:
    """One data set: tokens (n, T, d), queries (n, d), labels (n,), head (d,) or None where it is trained."""

    tokens: Array
    queries: Array
    labels: Array
    head: Array | None


class MaxMargin(NamedTuple):
    """A max-margin program: weights p_mm, relative error in the library, selected tokens."""

    weights: Array
    error: float
    selected: tuple[int, ...]


class Trajectory(NamedTuple):
    """Trajectories of columns: recorded W (C, d*d) and v (C, d) by step."""

    w: dict[int, Array]
    v: dict[int, Array]


def norm(x: Array, p: float) -> float:
    """Entrywise |x|_p."""
    return float(np.sum(np.abs(x) ** p) ** (1 / p))


def mirror(x: Array, p: float) -> Array:
    """Gradient of |x|_p^p / p: sign(x) |x|^(p-1)."""
    return np.asarray(np.sign(x) * np.abs(x) ** (p - 1))


def divergence(w: Array, reference: MaxMargin, p: float) -> float:
    """Directional divergence 1 - <m(w / |w|_p), w_mm / |w_mm|_p>."""
    image = mirror(w / norm(w, p), p)
    return float(1 - image @ (reference.weights / norm(reference.weights, p)))


@cache
def random_queries(seed: int, n: int, length: int, d: int) -> Data:
    """Published generator: head, signs, tokens, queries in float32; unit vectors in float32, then float64."""
    generator = torch.Generator().manual_seed(seed)
    head = torch.randn(d, generator=generator)
    signs = torch.randn(n, generator=generator)
    tokens = torch.randn(n, length, d, generator=generator)
    queries = torch.randn(n, d, generator=generator)
    # The norm is torch's: its order of summation decides the last bit of float32.
    unit = [(x / x.norm(dim=-1, keepdim=True)).double().numpy() for x in (tokens, queries, head)]
    return Data(unit[0], unit[1], np.where(signs.numpy() > 0, 1.0, -1.0), unit[2])


def data_set(problem: dict[str, Any], number: int) -> Data:
    """Data set `number` of a problem."""
    if problem["kind"] == "labelled_sequences":
        tokens = np.array([x["tokens"] for x in problem["inputs"]], dtype=np.float32).astype(float)
        labels = np.array([x["label"] for x in problem["inputs"]], dtype=float)
        return Data(tokens, tokens[:, 0], labels, None)
    return random_queries(problem.get("first_seed", 1) + number, problem["n"], problem["T"], problem["d"])


def optimal_tokens(data: Data) -> tuple[int, ...]:
    """Token of largest score Y_i v'x_it in each input."""
    assert data.head is not None
    return tuple(int(np.argmax(y * (x @ data.head))) for x, y in zip(data.tokens, data.labels, strict=True))


def initial(problem: dict[str, Any], number: int, start: int) -> tuple[Array, float]:
    """W(0) number `start` of data set `number` (d*d,), and its relative error in the library."""
    p, d = problem["exponents"][start], problem["d"]
    seed = problem.get("first_seed", 1) + number
    if problem["kind"] == "random_queries":
        return np.random.default_rng([0, round(100 * p), seed]).standard_normal(d * d), 0.0
    reference = attention_svm(data_set(problem, number), optimal_tokens(data_set(problem, number)), p)
    noise = np.random.default_rng(0).standard_normal((problem["datasets"], 1, d * d))[number, 0]
    direction = reference.weights / norm(reference.weights, p) + problem["perturbation"] * noise / norm(noise, p)
    return problem["norm"] * direction / norm(direction, p), reference.error


def margins_matrix(data: Data, selected: Iterable[int]) -> Array:
    """Rows vec((x_sel - x_t) z') for t != sel, input by input: (n (T-1), d*d)."""
    rows = []
    for x, z, s in zip(data.tokens, data.queries, selected, strict=True):
        rows += [np.outer(x[s] - x[t], z).ravel() for t in range(len(x)) if t != s]
    return np.array(rows)


def smallest_norm(a: Array, p: float) -> Array:
    """min |w|_p subject to A w >= 1, A (m, N): (N,).

    SLSQP gives the active rows; on these, lambda solves A_S m^-1(A_S' lambda) = 1 by Newton's method, where
    m^-1(u) = sign(u)|u|^(q-1) has the derivative (q-1)|u|^(q-2).
    """
    q = p / (p - 1)
    guess = np.linalg.lstsq(a, np.ones(len(a)), rcond=None)[0]
    scale = float(np.linalg.norm(guess))
    rows_at_least_one = {"type": "ineq", "fun": lambda w: a @ w * scale - 1, "jac": lambda w: a * scale}
    options = {"ftol": 1e-15, "maxiter": 1000}

    def power(w: Array) -> tuple[float, Array]:
        return float(np.sum(np.abs(w) ** p) / p), mirror(w, p)

    found = minimize(power, guess / scale, jac=True, method="SLSQP", constraints=rows_at_least_one, options=options)
    w = found.x * scale
    multipliers, _ = nnls(a.T, mirror(w, p))
    # Multipliers of rows that are not active are rounding errors of SLSQP.
    active = (multipliers > 1e-5 * multipliers.max()) & (a @ w < 1 + 1e-5)
    rows, lam = a[active], multipliers[active]
    for _ in range(60):
        image = rows.T @ lam
        slope = (q - 1) * np.maximum(np.abs(image), 1e-300) ** (q - 2)
        lam = lam + np.linalg.solve((rows * slope) @ rows.T, 1 - rows @ mirror(image, q))
    w = mirror(rows.T @ lam, q)
    gap = norm(w, p) * norm(rows.T @ lam, q) / np.sum(lam) - 1
    if np.min(lam) <= 0 or np.min(a @ w) < 1 - 1e-11 or abs(gap) > 1e-11:
        raise ArithmeticError(f"no solution: {np.min(lam)}, {np.min(a @ w) - 1}, {gap}")
    return w


@cache
def attention_svm(data: Data, selected: tuple[int, ...], p: float) -> MaxMargin:
    """l_p-AttSVM of the tokens `selected`."""
    return MaxMargin(smallest_norm(margins_matrix(data, selected), p), 1e-9 if p == 2 else 1e-7, selected)


def solve(data: Data, selected: tuple[int, ...], spec: dict[str, Any]) -> MaxMargin:
    """A reference of the YAML; l_p-SVM of the head: min |v|_p subject to Y_i v'x_i,sel >= 1."""
    p = spec["exponent"]
    if spec["kind"] != "lp_label_svm":
        return attention_svm(data, selected, p)
    a = np.array([y * x[s] for x, y, s in zip(data.tokens, data.labels, selected, strict=True)])
    return MaxMargin(smallest_norm(a, p), 1e-9 if p == 2 else 1e-7, selected)


@dataclass
class Columns:
    """Trajectories side by side: tokens (C, n*T, d), vec(x_it z_i') (C, n*T, d*d), labels (C, n) and so on."""

    tokens: Array
    products: Array
    labels: Array
    head: Array
    w: Array
    exponent: Array
    step_size: Array
    joint: bool
    normalized: bool
    epsilon: float

    def map(self, change: Callable[[Array], Array]) -> Columns:
        """Change every array."""
        names = ["tokens", "products", "labels", "head", "w", "exponent", "step_size"]
        arrays: dict[str, Any] = {name: change(getattr(self, name)) for name in names}
        return replace(self, **arrays)

    def copies(self, factors: list[float]) -> Columns:
        """One copy of all columns for each factor of the step size."""
        out = self.map(lambda x: np.concatenate([x] * len(factors)))
        return replace(out, step_size=out.step_size * np.repeat(factors, len(self.w)))


def gradients(c: Columns, w: Array, v: Array) -> tuple[Array, Array, Array, Array]:
    """Gradients over e^shift: G_W (C, d*d), its ln scale (C,), G_v (C, d), its ln scale (C,)."""
    count, n = c.labels.shape
    logits = (c.products @ w[..., None]).reshape(count, n, -1)
    scores = (c.tokens @ v[..., None]).reshape(count, n, -1) * c.labels[..., None]
    selected = np.arange(logits.shape[-1]) == logits.argmax(-1)[..., None]
    below = logits - logits.max(-1, keepdims=True)
    log_a = below - np.log1p(np.where(selected, 0, np.exp(below)).sum(-1, keepdims=True))
    a = np.exp(log_a)
    mean = (a * scores).sum(-1)
    log_slope = -np.logaddexp(mean.dtype.type(0), mean)  # ln |l'(m)|
    log_weight = np.where(selected, -np.inf, log_slope[..., None] + log_a)
    shift_w = log_weight.max((-1, -2))
    weight = np.exp(log_weight - shift_w[:, None, None]) * (scores - mean[..., None])
    # x_t - x_s: subtract the sum of the weights at the selected token, whose own weight is zero so far.
    weight = np.where(selected, -weight.sum(-1, keepdims=True), weight).reshape(count, 1, -1)
    g_w = (weight @ c.products)[:, 0] / -n
    shift_v = log_slope.max(-1)
    if not c.joint:
        return g_w, shift_w, np.zeros_like(v), shift_v
    pull = (np.exp(log_slope - shift_v[:, None]) * c.labels)[..., None] * a
    return g_w, shift_w, (pull.reshape(count, 1, -1) @ c.tokens)[:, 0] / -n, shift_v


def textbook_gradients(c: Columns, w: Array, v: Array) -> tuple[Array, Array, Array, Array]:
    """Gradients as in the published code, with cancellation; scales 1."""
    (count, n), zero = c.labels.shape, np.zeros(len(w))
    logits = (c.products @ w[..., None]).reshape(count, n, -1)
    a = np.exp(logits - logits.max(-1, keepdims=True))
    a = a / a.sum(-1, keepdims=True)
    scores = (c.tokens @ v[..., None]).reshape(count, n, -1)
    mean = (a * scores).sum(-1)
    slope = -c.labels / (1 + np.exp(c.labels * mean)) / n
    weight = (slope[..., None] * a * (scores - mean[..., None])).reshape(count, 1, -1)
    pull = (slope[..., None] * a).reshape(count, 1, -1)
    return (weight @ c.products)[:, 0], zero, (pull @ c.tokens)[:, 0], zero


def move(image: Array, g: Array, shift: Array, c: Columns) -> Array:
    """One update of the image m(W); leading axis C."""
    rate: Array = c.step_size * np.exp(shift)
    if c.normalized:
        dual = c.exponent / (c.exponent - 1)
        size = (np.abs(g) ** dual[:, None]).sum(-1) ** (1 / dual)
        if c.epsilon:
            with np.errstate(over="ignore"):
                size = size + c.epsilon * np.exp(-shift)
        rate = c.step_size / np.where(size > 0, size, 1)  # a gradient of zero (v = 0) moves nothing
    return np.asarray(image - rate[:, None] * g)


def descend(c: Columns, steps: int, record: set[int], dtype: Any, textbook: bool = False) -> Trajectory:
    """Mirror descent on all columns; recorded W are flat, (C, d*d)."""
    c = c.map(lambda x: x.astype(dtype))
    power, out = (c.exponent - 1)[:, None], Trajectory({}, {})
    w, v = c.w, c.head
    image_w, image_v = np.sign(w) * np.abs(w) ** power, np.sign(v) * np.abs(v) ** power
    rule = textbook_gradients if textbook else gradients
    for k in range(steps + 1):
        if k in record:
            out.w[k], out.v[k] = w.copy(), v.copy()
        g_w, shift_w, g_v, shift_v = rule(c, w, v)
        image_w = move(image_w, g_w, shift_w, c)
        w = np.sign(image_w) * np.abs(image_w) ** (1 / power)
        if c.joint:
            image_v = move(image_v, g_v, shift_v, c)
            v = np.sign(image_v) * np.abs(image_v) ** (1 / power)
    return out


def log_excess(margins: Array, data: Data) -> tuple[Any, Array]:
    """F = ln(L - inf L) and its gradient in the margins (x_opt - x_t)'W z, shape (..., n (T-1)).

    L_i - inf L_i = l(g_opt - delta) - l(g_opt) = ln(1 + sigmoid(-g_opt) (e^delta - 1)), delta = sum a_t (g_opt - g_t):
    sums of positive numbers only.
    """
    assert data.head is not None
    n, length = data.tokens.shape[:2]
    scores = data.labels[:, None] * (data.tokens @ data.head)
    best = np.array(optimal_tokens(data))
    keep = np.arange(length) != best[:, None]
    top = scores[np.arange(n), best].astype(margins.dtype)
    gap = top[:, None] - scores[keep].reshape(n, length - 1)
    e = np.exp(-margins.reshape(*margins.shape[:-1], n, length - 1))
    a = e / (1 + e.sum(-1, keepdims=True))
    delta = (a * gap).sum(-1)
    total = np.log1p(np.expm1(delta) / (1 + np.exp(top))).sum(-1, keepdims=True)
    slope = 1 / (1 + np.exp(top - delta))  # -l'(g_opt - delta)
    gradient = -slope[..., None] * a * (gap - delta[..., None]) / total[..., None]
    return np.log(total[..., 0] / n), gradient.reshape(margins.shape)


def local_minimum(data: Data, a: Array, p: float, radius: float, start: Array) -> tuple[float, Array]:
    """Local minimum of F on |W|_p = radius reached from `start`: F and W (d*d)."""

    def risk(b: Array) -> tuple[float, Array]:
        value, g = log_excess(a @ b * radius, data)
        return float(value) / radius, a.T @ g

    sphere = {"type": "eq", "fun": lambda b: np.sum(np.abs(b) ** p) / p - 1 / p, "jac": lambda b: mirror(b, p)}
    options = {"ftol": 1e-14, "maxiter": 2000}
    found = minimize(risk, start / norm(start, p), jac=True, method="SLSQP", constraints=sphere, options=options).x
    return newton_on_sphere(data, a, p, radius, found / norm(found, p) * radius)


def newton_on_sphere(data: Data, a: Array, p: float, radius: float, w: Array) -> tuple[float, Array]:
    """Newton's method on grad F + mu m(W) = 0, |W|_p = radius; residuals in long double."""
    wide, h = a.astype(np.longdouble), np.longdouble(1e-6)
    x = w.astype(np.longdouble)
    mu = -(x @ (wide.T @ log_excess(wide @ x, data)[1])) / np.sum(np.abs(x) ** p)
    for _ in range(100):
        margins = wide @ x
        shifts = np.eye(len(a)) * h
        # Differences of gradients: the matrix need not be exact, as the residual is.
        hessian = (log_excess(margins + shifts, data)[1] - log_excess(margins - shifts, data)[1]) / (2 * h)
        image = mirror(x, p)
        residual = np.append(wide.T @ log_excess(margins, data)[1] + mu * image, (image @ x - radius**p) / p)
        curvature = a.T @ hessian.astype(float) @ a + np.diag(float(mu) * (p - 1) * np.abs(w) ** (p - 2))
        column = image.astype(float)[:, None]
        matrix = np.block([[curvature, column], [column.T, np.zeros((1, 1))]])
        step = np.linalg.solve(matrix, -residual.astype(float))
        x, mu = x + step[:-1], mu + step[-1]
        w = x.astype(float)
        if np.linalg.norm(step[:-1]) < 1e-14 * np.linalg.norm(w):
            break
    else:
        raise ArithmeticError("Newton's method did not converge")
    basis = np.linalg.svd(mirror(w, p)[None])[2][1:]
    if np.linalg.eigvalsh(basis @ (curvature + curvature.T) @ basis.T).min() <= 0 or mu <= 0:
        raise ArithmeticError("a stationary point that is no minimum")
    return float(log_excess(wide @ x, data)[0]), w


@cache
def regularization_path(data: Data, p: float, radii: tuple[float, ...]) -> list[Array]:
    """Minimizers W (d*d) in balls of radii R |W_mm|_p: the better of the minima from W_mm and from the one before."""
    reference = attention_svm(data, optimal_tokens(data), p)
    a = margins_matrix(data, optimal_tokens(data))
    out: list[Array] = []
    for radius in radii:
        starts = [reference.weights, *out[-1:]]
        found = [local_minimum(data, a, p, radius * norm(reference.weights, p), start) for start in starts]
        out.append(min(found, key=lambda pair: pair[0])[1])
    return out


def read_config(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Problems and runs of every YAML file of the folder, with the defaults of their file and of shared.yaml."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))]
    shared = next(f["defaults"] for f in files if "title" in f)
    blocks: dict[str, dict[str, Any]] = {"problems": {}, "runs": {}}
    for f, part in itertools.product(files, blocks):
        for name, block in f.get(part, {}).items():
            for default in (f.get("defaults", {}).get(part, {}), shared[part]):
                if default.get("kind") in (None, block.get("kind", default.get("kind"))):
                    block = {**default, **block}
            blocks[part][name] = block
    return blocks["problems"], blocks["runs"]


@dataclass
class Run:
    """One run of the YAML; columns are numbered problem times starts plus start."""

    spec: dict[str, Any]
    problem: dict[str, Any]

    @property
    def starts(self) -> int:
        """Starts of one data set."""
        start = self.spec["start"]["W"]
        return len(start["of_problem"] if isinstance(start, dict) else start)

    def data(self, number: int) -> Data:
        """Data set of a column."""
        return data_set(self.problem, number // self.starts)

    def exponent(self, number: int) -> float:
        """Exponent of a column's optimizer."""
        p = self.spec["optimizer"]["exponent"]
        return float(p[number % self.starts] if isinstance(p, list) else p)

    def start(self, number: int) -> tuple[Array, float]:
        """W(0) of a column (d*d,) and its relative error in the library."""
        start = self.spec["start"]["W"]
        if isinstance(start, dict):
            return initial(self.problem, number // self.starts, start["of_problem"][number % self.starts])
        size = self.data(number).tokens.shape[-1] ** 2
        return np.broadcast_to(np.array(start[number % self.starts], dtype=float), (size,)).copy(), 0.0

    def columns(self, numbers: list[int], step_factor: float) -> Columns:
        """The columns of these numbers."""
        optimizer, data = self.spec["optimizer"], [self.data(k) for k in numbers]
        d = data[0].tokens.shape[-1]
        return Columns(
            np.array([x.tokens.reshape(-1, d) for x in data]),
            np.array([np.einsum("nti,nj->ntij", x.tokens, x.queries).reshape(-1, d * d) for x in data]),
            np.array([x.labels for x in data]),
            np.array([np.zeros(d) if x.head is None else x.head for x in data]),
            np.array([self.start(k)[0] for k in numbers]),
            np.array([self.exponent(k) for k in numbers]),
            np.full(len(data), float(optimizer["step_size"]) * step_factor),
            joint=data[0].head is None,
            normalized=bool(optimizer.get("normalized", True)),
            epsilon=float(optimizer.get("epsilon", 0)),
        )

    def references(self, number: int, last: Array | None) -> dict[str, MaxMargin]:
        """Max-margin programs of a column: of the tokens selected at the last record, or of the optimal ones."""
        data = self.data(number)
        own = {} if last is None else {k: (v, selected_by(data, last)) for k, v in self.spec["references"].items()}
        given = {k: (v, optimal_tokens(data)) for k, v in self.problem.get("references", {}).items()}
        return {k: solve(data, tokens, spec) for k, (spec, tokens) in {**given, **own}.items()}


def logits_of(data: Data, w: Array) -> Array:
    """X_i W z_i, W flat: (n, T)."""
    d = data.tokens.shape[-1]
    return np.array([x @ (w.reshape(d, d) @ z) for x, z in zip(data.tokens, data.queries, strict=True)])


def selected_by(data: Data, w: Array) -> tuple[int, ...]:
    """Most probable token of each input, the first of equal ones."""
    return tuple(int(k) for k in logits_of(data, w).argmax(-1))


def series_value(run: Run, number: int, series: str, x: tuple[Array, ...], refs: dict[str, MaxMargin]) -> float:
    """Value of a series at x: W (d*d,), head v (d,), head of the next record."""
    data, (w, v, after) = run.data(number), x
    if series in ("first_entry", "second_entry"):
        i, j = run.spec["measures"]["entries"][series.removesuffix("_entry")]
        return float(w[i * v.size + j])
    if series.startswith("bregman_"):
        reference = refs[series.removeprefix("bregman_")]
        return divergence(v if reference.weights.size == v.size else w, reference, run.exponent(number))
    if series == "log_gap":
        return float(log_excess(margins_matrix(data, optimal_tokens(data)).astype(w.dtype) @ w, data)[0])
    if series == "softmax_selected":
        logits = logits_of(data, w)
        return float(np.mean(1 / np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)))
    if series == "selected_logistic":
        chosen = zip(data.tokens, data.labels, selected_by(data, w), strict=True)
        return float(np.mean([1 / (1 + np.exp(-y * (token[s] @ after))) for token, y, s in chosen]))
    raise ValueError(f"series {series} is not computed here")


def reference_error(x: Array, reference: MaxMargin, p: float) -> float:
    """Largest change of a divergence by the relative error of its reference."""
    a = reference.weights / norm(reference.weights, p)
    return reference.error * norm(mirror(x.astype(float) / norm(x, p), p) - mirror(a, p), p / (p - 1))


def finish(row: Row, value: float | int, within: float, source: str) -> Row:
    """A row with its value, tolerance and source."""
    if isinstance(value, int):
        return {**row, "value": str(value), "within": "0", "source": source}
    return {**row, "value": f"{value:.9e}", "within": f"{max(within, 1e-9 * abs(value)):.1e}", "source": source}


def reference_row(row: Row, data: Data, reference: MaxMargin, p: float) -> Row:
    """Rows <reference>.<quantity>; the norm is that of the program, |w|_p."""
    quantity, index = row["series"].split(".")[1], int(row["start"] or 0)
    if quantity == "selected":
        return finish(row, reference.selected[index % len(data.labels)], 0, "last iterate of the loop")
    length, size = norm(reference.weights, p), float(np.linalg.norm(reference.weights))
    component = float(reference.weights[index % reference.weights.size])
    value, scale = {"norm": (length, length), "weights": (component, size), "direction": (component / size, 1.0)}[
        quantity
    ]
    return finish(row, value, reference.error * scale, "SLSQP, Newton on KKT")


def number_of(row: Row, run: Run) -> int:
    """Column of a row of a run; component rows of references belong to a data set's first column."""
    index = int(row["start"] or 0)
    if "." not in row["series"]:
        return index
    reference, quantity = row["series"].split(".")
    n, _, d = (int(size) for size in run.data(0).tokens.shape)
    components = d if reference == "head" else d * d
    return index // {"norm": 1, "selected": n, "weights": components, "direction": components}[quantity] * run.starts


def run_rows(run: Run, rows: list[Row], step_factor: float) -> list[Row]:
    """Rows of one gradient descent run: base, perturbed and textbook trajectories in batches."""
    steps, every = int(run.spec["steps"]), int(run.spec.get("record_every", 1))
    numbers = sorted({number_of(row, run) for row in rows})
    wanted = {int(row["step"]) for row in rows if row["step"]}
    record = wanted | {min(k + every, steps) for k in wanted} | ({steps} if run.spec.get("references") else set())
    base, errors = run.columns(numbers, step_factor), [run.start(k)[1] for k in numbers]
    both, rng, size = base.copies([1, 1 + 1e-12]), np.random.default_rng(1), len(numbers)
    for k, error in enumerate(errors):
        noise = rng.standard_normal(base.w.shape[1])
        both.w[size + k] += 10 * error * np.linalg.norm(base.w[k]) * noise / np.linalg.norm(noise)
    path, texts = descend(both, max(record), record, np.longdouble if steps <= LONG else np.float64), None
    if run.spec.get("precision") == "float64" and wanted:
        copies = base.copies([1, 1 - 1e-15, 1 + 1e-15, 1 + 2e-15])
        texts = descend(copies, min(max(wanted) + every, steps), record, np.float64, textbook=True)
    out = []
    for row in rows:
        if row["statistic"]:
            raise ValueError(f"statistic {row['statistic']} is not computed here")
        number = number_of(row, run)
        column, data = numbers.index(number), run.data(number)
        refs = run.references(number, path.w[steps][column] if run.spec.get("references") else None)
        if "." in row["series"]:
            out.append(reference_row(row, data, refs[row["series"].split(".")[0]], run.exponent(number)))
            continue
        k, p = int(row["step"]), run.exponent(number)

        def at(t: Trajectory, j: int) -> float:
            x = (t.w[k][j], t.v[k][j], t.v[min(k + every, steps)][j])  # noqa: B023
            return series_value(run, number, row["series"], x, refs)  # noqa: B023

        value = at(path, column)
        change = abs(at(path, column + size) - value)
        if not errors[column] and change > 1e-8 * abs(value):
            raise ValueError(f"rounding errors decide {row['series']} of {row['run']} at step {k}")
        within = 1e-9 * abs(value) + change
        if row["series"].startswith("bregman_"):
            reference = refs[row["series"].removeprefix("bregman_")]
            x = (path.v if reference.weights.size == base.head.shape[1] else path.w)[k][column]
            within += 4e-15 + reference_error(x, reference, p)
        if texts is not None:
            within += 10 * max(abs(at(texts, column + j * size) - value) for j in range(4))
        out.append(finish(row, value, within, "loop, gradients without cancellation"))
    return out


def ball_rows(run: Run, rows: list[Row]) -> list[Row]:
    """Rows of a regularization path: bregman_<reference> at radii."""
    problem, p, out = run.problem, float(run.spec["exponent"]), []
    for row in rows:
        data = data_set(problem, int(row["start"] or 0))
        spec = problem["references"][row["series"].removeprefix("bregman_")]
        reference = attention_svm(data, optimal_tokens(data), spec["exponent"])
        w = regularization_path(data, p, tuple(r for r in run.spec["radii"] if r <= int(row["step"])))[-1]
        b, value = w / norm(w, p), divergence(w, reference, p)
        tangent = (p - 1) * (np.abs(b) ** (p - 2) * reference.weights / norm(reference.weights, p) - mirror(b, p))
        within = 1e-9 * value + 4e-15 + reference_error(w, reference, p) + 1e-7 * norm(tangent, p / (p - 1))
        out.append(finish(row, value, within, "SLSQP, Newton on KKT in long double"))
    return out


def compute(
    only: Callable[[Row], bool], rows_folder: Path = ROWS, config_folder: Path = CONFIG, step_factor: float = 1.0
) -> list[Row]:
    """Rows of the CSV files for which `only` holds, recomputed; the name of each row's file is its "file".

    Columns of runs that no such row needs are left out. `step_factor` multiplies all step sizes, to see that the
    tolerances notice.
    """
    problems, runs = read_config(config_folder)
    files = sorted(rows_folder.glob("*_expected.csv"))
    found = [{**row, "file": f.name} for f in files for row in csv.DictReader(f.read_text("utf-8").splitlines())]
    todo = [row for row in found if only(row)]
    for name in dict.fromkeys(row["run"] for row in todo):
        run, ball = Run(runs[name], problems[runs[name]["problem"]]), runs[name]["kind"] == "lp_regularization_path"
        indices = [k for k, row in enumerate(todo) if row["run"] == name]
        rows = [todo[k] for k in indices]
        for k, row in zip(indices, ball_rows(run, rows) if ball else run_rows(run, rows, step_factor), strict=True):
            todo[k] = row
    return todo


def main(rows_folder: Path, config_folder: Path) -> None:
    """Recompute every row and write the CSV files."""
    files: dict[str, list[Row]] = {}
    for row in compute(lambda row: True, rows_folder, config_folder):
        files.setdefault(row["file"], []).append(row)
    for name, rows in files.items():
        with (rows_folder / name).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path, default=ROWS, help="folder of *_expected.csv, which are written anew")
    parser.add_argument("--config", type=Path, default=CONFIG, help="folder of YAML files")
    arguments = parser.parse_args()
    main(arguments.rows, arguments.config)
