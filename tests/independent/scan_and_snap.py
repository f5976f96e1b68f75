"""Numbers of "Scan and Snap" (Tian, Wang, Chen and Du, NeurIPS 2023; arXiv 2305.16380v4), computed by naive formulas.

Nothing here comes from the library: trajectories loop over sequences, classes and tokens in float64, closed forms are
evaluated in 40 digits, the ordinary differential equation 10 is solved by SciPy in another time.

Tolerances (`within`). Both sides use float64 without cancellation, or more digits, so that they differ by rounding that
a trajectory amplifies. How much is measured: all step sizes are multiplied by 1 + 1e-13, and the tolerance is 100 times
the change that 1e-14 would make, that is, 10 times the change found; it is at least 1e-9 of the value, of which up to
half is due to the ten digits printed. Two more bounds, where that is not enough:
- `scaled_gap` is a difference of nearly equal numbers, h* - h; in float64 the recursion of h* adds up s rounding errors
  of at most one unit in the last place of h*, which gives sqrt(s) units, times M/eta_Y;
- integers must agree. `recall` is a share of twenty tokens per query: no token is so near a threshold that rounding
  moves it.
In runs in single precision draws only the draws are in single precision (weights, and the probabilities that torch
draws tokens from): they are rounded in one way only, and converted to float64 without an error.
"""

import argparse
import csv
import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast

import mpmath
import numpy as np
import yaml
from mpmath import mp
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Number: TypeAlias = Any  # float, int or mpmath's mpf, which has no types
Row: TypeAlias = dict[str, str]
Factors: TypeAlias = tuple[float, float]  # of eta_Y and of eta_Z

REPOSITORY = Path(__file__).resolve().parents[2]
ROWS = REPOSITORY / "workflow/attention_dynamics/papers/scan_and_snap"
CONFIG = REPOSITORY / "config/scan_and_snap"
COLUMNS = ["figure", "run", "series", "start", "step", "statistic", "value", "within", "source"]

COMMON = DISTINCT = 10  # common tokens, and distinct ones of a class, in the published classes
BATCH, CONTEXT = 128, 127  # sequences of a step, and their contextual tokens, without the query
PERTURBATION = 1e-13
DIGITS = 40

mp.dps = DIGITS


# Sequences


class Classes:
    """The published classes: K of them, M = 10 + 10 K + num_last + K tokens.

    Tokens: common ones, distinct ones of each class, query tokens, next tokens. `tokens`: (K, 20), the contextual
    tokens of each class; `probabilities`: (20,), the same for every class.
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        per_query = int(problem["num_next_per_last"])
        self.queries = int(problem["num_last"])
        self.K = self.queries * per_query
        first_query = COMMON + DISTINCT * self.K
        self.M = first_query + self.queries + self.K
        self.query = [first_query + n // per_query for n in range(self.K)]
        self.next = [first_query + self.queries + n for n in range(self.K)]
        distinct = [range(COMMON + DISTINCT * n, COMMON + DISTINCT * (n + 1)) for n in range(self.K)]
        self.tokens: Integers = np.array([[*range(COMMON), *own] for own in distinct])
        weights = np.array([1.0] * COMMON + [(k + 1) / 10 for k in range(DISTINCT)])
        self.probabilities: Array = weights / weights.sum()


Batch: TypeAlias = tuple[list[int], list[Integers]]  # class and contextual tokens of each sequence


def published_draws(classes: Classes, seed: int, steps: int) -> tuple[Array, Array, Iterator[Batch]]:
    """Weights Y, Z of shape (M, M), and batches, in the order of the published code."""
    import torch  # only here: loading it takes seconds

    torch.set_num_threads(1)
    chooser = random.Random(seed)
    labels = [chooser.choice(range(classes.K)) for _ in range(steps * BATCH)]
    generator = torch.Generator().manual_seed(seed + 2)
    bound = 1 / math.sqrt(classes.M)
    first, second = (
        torch.empty(classes.M, classes.M).uniform_(-bound, bound, generator=generator).numpy().astype(np.float64)
        for _ in range(2)
    )
    rows = torch.tensor(np.tile(classes.probabilities, (BATCH, 1)), dtype=torch.float32)

    def batches() -> Iterator[Batch]:
        for step in range(steps):
            chosen = labels[step * BATCH : (step + 1) * BATCH]
            drawn = torch.multinomial(rows, CONTEXT, replacement=True, generator=generator).numpy()
            yield chosen, [classes.tokens[n][row] for n, row in zip(chosen, drawn, strict=True)]

    return first.T, second, batches()


def fast_draws(classes: Classes, seed: int, steps: int) -> tuple[Array, Array, Iterator[Batch]]:
    """Weights Y, Z of shape (M, M), and batches, from three of NumPy's generators."""
    sequence = np.random.SeedSequence(seed, spawn_key=(classes.queries, classes.K))
    weights, labels, tokens = map(np.random.default_rng, sequence.spawn(3))
    Y, Z = weights.uniform(-1, 1, (2, classes.M, classes.M)) / math.sqrt(classes.M)
    chosen = labels.integers(classes.K, size=(steps, BATCH))
    counts = tokens.multinomial(CONTEXT, np.broadcast_to(classes.probabilities, (steps, BATCH, 20)))

    def batches() -> Iterator[Batch]:
        for numbers, of_batch in zip(chosen.tolist(), counts, strict=True):
            yield numbers, [np.repeat(classes.tokens[n], count) for n, count in zip(numbers, of_batch, strict=True)]

    return Y, Z, batches()


def sequence_gradient(Y: Array, z: Array, tokens: Integers, target: int) -> tuple[float, Array, Array, Array]:
    """Loss of a sequence; f and e - alpha (M,), whose outer product is the ascent direction of Y; that of z (M,).

    Lemma 1, equations 3 and 4, with the one-hot rows X of the contextual tokens: X' v sums v over the places that hold
    each token. The softmax leaves out the target, whose 1 - alpha would cancel.
    """
    M = len(z)
    scores = np.exp(z[tokens] - z[tokens].max())
    b = scores / scores.sum()
    context = np.bincount(tokens, weights=b, minlength=M)  # X' b
    norm = math.sqrt(context @ context)
    f = context / norm
    logits = f @ Y
    top = logits.max()
    exponentials = np.exp(logits - top)
    at_target = exponentials[target]
    exponentials[target] = 0
    others = exponentials.sum()
    total = others + at_target
    confident = others < at_target
    loss = math.log1p(others / at_target) if confident else math.log(total) + top - logits[target]
    residual = -exponentials / total
    residual[target] = others / total
    g = Y @ residual
    projected = (g - f * (f @ g)) / norm
    return loss, f, residual, np.bincount(tokens, weights=b * projected[tokens], minlength=M)


class SequenceTraining:
    """Training on sampled sequences, advanced to the steps that are asked for; keeps Z (M, M) and the loss of each."""

    def __init__(self, problem: dict[str, Any], run: dict[str, Any], seed: int, pair: int, factors: Factors) -> None:
        self.classes = Classes(problem)
        self.run = run
        self.rates = float(run["eta_Y"][pair]) * factors[0], float(run["eta_Z"][pair]) * factors[1]
        draws = fast_draws if problem.get("draws") == "fast" else published_draws
        Y, Z, self.batches = draws(self.classes, seed, int(problem["steps"]))
        uniform = problem.get("start") == "uniform"
        self.weights = [Y.copy(), Z.copy()] if uniform else [np.zeros_like(Y), np.zeros_like(Z)]
        self.first = [np.zeros_like(Y), np.zeros_like(Z)]  # momentum, or Adam's mean of gradients
        self.second = [np.zeros_like(Y), np.zeros_like(Z)]  # Adam's mean of their squares
        self.step = 0
        self.kept: dict[int, Array] = {0: self.weights[1].copy()}
        self.losses: list[float] = []

    def update(self) -> None:
        """One batch: its mean loss, and an update by it."""
        Y, Z = self.weights
        classes = self.classes
        losses, features, residuals = [], [], []
        toward_Z = np.zeros_like(Z)
        for n, tokens in zip(*next(self.batches), strict=True):
            query = classes.query[n]
            loss, f, residual, toward_z = sequence_gradient(Y, Z[query], tokens, classes.next[n])
            losses.append(loss)
            features.append(f)
            residuals.append(residual)
            toward_Z[query] += toward_z
        self.losses.append(math.fsum(losses) / BATCH)
        toward_Y = np.array(features).T @ np.array(residuals)
        self.step += 1
        move = self.adam if self.run.get("algorithm") == "adam" else self.momentum
        move([-toward_Y / BATCH, -toward_Z / BATCH])

    def momentum(self, gradients: list[Array]) -> None:
        """SGD with momentum 0.9: v <- 0.9 v + g, p <- p - eta v."""
        for weights, v, g, eta in zip(self.weights, self.first, gradients, self.rates, strict=True):
            v[:] = 0.9 * v + g
            weights -= eta * v

    def adam(self, gradients: list[Array]) -> None:
        """Adam with torch's defaults: betas 0.9 and 0.999, eps 1e-8 outside the root."""
        for weights, v, s, g, eta in zip(self.weights, self.first, self.second, gradients, self.rates, strict=True):
            v[:] = 0.9 * v + 0.1 * g
            s[:] = 0.999 * s + 0.001 * g**2
            mean, square = v / (1 - 0.9**self.step), s / (1 - 0.999**self.step)
            weights -= eta * mean / (np.sqrt(square) + 1e-8)

    def advance(self, updates: int) -> None:
        """Make this many updates in all; keep Z at each."""
        while self.step < updates:
            self.update()
            self.kept[self.step] = self.weights[1].copy()

    def measure(self, series: str, step: int) -> list[Number]:
        """All components of a series after `step` updates."""
        classes = self.classes
        if series == "loss":
            self.advance(step + 1)  # of the batch that the next update is taken on
            return [self.losses[step]]
        self.advance(step)
        Z = self.kept[step]
        if series == "largest_common_logit":
            return [max(Z[query, token] for query in set(classes.query) for token in range(COMMON))]
        if series == "recall":
            return self.recall(Z)
        shares = [self.shares(Z, n) for n in range(classes.K)]
        own = [share[COMMON:] / share[COMMON:].sum() for share in shares]
        values: dict[str, Callable[[], Number]] = {
            "common_mass": lambda: mean([share[:COMMON].sum() for share in shares]),
            "distinct_entropy": lambda: mean([-sum(p * math.log(p) for p in share) for share in own]),
            "top_token": lambda: int(own[0].argmax()),
            "mean_token": lambda: sum(k * p for k, p in enumerate(own[0])),
            "ordered_pairs": lambda: min(sum(int(a < b) for a, b in pairwise(p)) for p in own),
        }
        return [values[series]()]

    def shares(self, Z: Array, n: int) -> Array:
        """Equation 5, (20,): c_n on the tokens of class n."""
        products = self.classes.probabilities * np.exp(Z[self.classes.query[n], self.classes.tokens[n]])
        return cast(Array, products / products.sum())

    def recall(self, Z: Array) -> list[Number]:
        """For each threshold: share of the distinct tokens of a query with softmax(z) above it/M, mean of queries."""
        classes = self.classes
        shares = []
        for query in sorted(set(classes.query)):
            p = np.exp(Z[query]) / np.exp(Z[query]).sum()
            own = [n for n in range(classes.K) if classes.query[n] == query]
            shares.append([p[token] for n in own for token in classes.tokens[n][COMMON:]])
        thresholds = [theta / classes.M for theta in self.run["measures"]["recall"]["thresholds"]]
        return [mean([sum(p > limit for p in share) / len(share) for share in shares]) for limit in thresholds]


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return math.fsum(values) / len(values)


# Growth: closed forms


def smooth_logit(M: int, eta_Y: Number, t: Number) -> Number:
    """h(t) of equation 45, by Lambert's function: with x = M h and a = (M eta_Y t + 1)/(M - 1), x = a - W(e^a/(M-1)).

    For e^x + (M - 1) x = (M - 1) a is (a - x) e^(a-x) = e^a/(M - 1). Of the 40 digits a/x are lost, at most five.
    """
    a = (M * eta_Y * t + 1) / mp.mpf(M - 1)
    return (a - mpmath.lambertw(mp.exp(a) / (M - 1)).real) / M


def stepped_logits(M: int, eta_Y: Number, steps: int) -> list[Number]:
    """h* of equation 33 for 0, ..., steps."""
    values = [mp.mpf(0)]
    for _ in range(steps):
        values.append(values[-1] + eta_Y / (M - 1 + mp.exp(M * values[-1])))
    return values


def late_exponent(M: int) -> Number:
    """omega_1 of Lemma 8, M^w = (1 + w) ln(M) (M - 1)/M: u = (1 + w) ln(M) is the larger root of u e^-u = 1/(M - 1)."""
    return -mpmath.lambertw(mp.mpf(-1) / (M - 1), -1).real / mp.log(M) - 1


def speed(M: int, K: int, eta_Y: Number, t: Number) -> Number:
    """Equation 85: gamma(t), with t/K not rounded up."""
    h = smooth_logit(M, eta_Y, t / mp.mpf(K))
    return (M - 1) ** 2 * h / (M - 1 + mp.exp(M * h))


class Growth:
    """Closed forms of one growth run, in 40 digits."""

    def __init__(self, problem: dict[str, Any], run: dict[str, Any], factors: Factors) -> None:
        self.M, self.K = int(problem["M"]), int(problem.get("K", 1))
        self.eta_Y = [mp.mpf(eta) * factors[0] for eta in run["eta_Y"]]
        self.eta_Z = [mp.mpf(eta) * factors[1] for eta in run["eta_Z"]]
        self.C0 = mp.mpf(run.get("C0", 1))
        self.unit = run.get("unit")
        self.steps_h: dict[int, list[Number]] = {}

    def scanning_end(self, k: int) -> Number:
        """t0' = K ln(M)/eta_Y."""
        return self.K * mp.log(self.M) / self.eta_Y[k]

    def snapping_start(self, k: int) -> Number:
        """t0 = 2 (1 + omega_1) K ln(M)/eta_Y."""
        return 2 * (1 + late_exponent(self.M)) * self.scanning_end(k)

    def gamma_integral(self, k: int, t: Number) -> Number:
        """Gamma of equation 128."""
        h = smooth_logit(self.M, self.eta_Y[k], t / self.K)
        return self.eta_Z[k] / self.eta_Y[k] * self.K * (self.M - 1) ** 2 * h**2 / 2

    def exponent(self, k: int, t: Number) -> Number:
        """B = ln(1 + 4 Gamma/C0)/4."""
        return mp.log(1 + 4 * self.gamma_integral(k, t) / self.C0) / 4

    def overtaken_at(self, k: int) -> Number:
        """Time in steps when pair k - 1 takes the lead in B over pair k: root by bisection."""
        pace = lambda i, t: mp.log(self.gamma_integral(i, t))  # noqa: E731
        bracket = (self.scanning_end(k) / 1000, 10 * self.snapping_start(k - 1))
        return mpmath.findroot(lambda t: pace(k - 1, t) - pace(k, t), bracket, solver="bisect", maxsteps=400)

    def rates(self, series: str, k: int, t: Number) -> Number:
        """Lemma 9 and equation 14: early ones up to t0', late ones from t0 on; none in between."""
        M, K, eta_Y, eta_Z = self.M, self.K, self.eta_Y[k], self.eta_Z[k]
        late = t >= self.snapping_start(k)
        if not late and t > self.scanning_end(k):
            raise ValueError(f"{series} is not defined between t0' and t0")
        if series == "speed_rate":
            return K * mp.log(M * eta_Y * t / K) / (eta_Y * t) if late else eta_Y * t / K
        shrink = mp.mpf(M - 1) ** 2 / M**2
        early_growth = 2 * shrink / K * eta_Y * eta_Z * t**2
        late_growth = 2 * K * shrink * eta_Z / eta_Y * mp.log(M * eta_Y * t / K) ** 2 if late else 0
        return mp.log(self.C0 + (late_growth if late else early_growth)) / 4

    def measure(self, series: str, k: int, step: float) -> Number:
        """A series of pair k at a time in the unit of the run."""
        units: dict[str | None, Callable[[int], Number]] = {
            None: lambda _: mp.mpf(1),
            "scanning_end": self.scanning_end,
            "snapping_start": self.snapping_start,
        }
        t = step * units[self.unit](k)
        M, K, eta_Y = self.M, self.K, self.eta_Y[k]
        last = len(self.eta_Y) - 1
        values: dict[str, Callable[[], Number]] = {
            "h": lambda: smooth_logit(M, eta_Y, t),
            "h_star": lambda: self.stepped(k, round(t)),
            "scaled_gap": lambda: (self.stepped(k, round(t)) - smooth_logit(M, eta_Y, t)) * M / eta_Y,
            "growth_exponent": lambda: self.exponent(k, t),
            "growth_factor": lambda: mp.exp(2 * self.exponent(k, t)),
            # chi is differentiated numerically, with twice the digits
            "local_exponent": lambda: mpmath.diff(lambda s: 2 * self.exponent(k, mp.exp(s)), mp.log(t)),
            "relative_factor": lambda: mp.exp(2 * (self.exponent(k, t) - self.exponent(last, t))),
            "transition_time": lambda: self.snapping_start(k),
            "overtaken_at": lambda: self.overtaken_at(k),
            "speed": lambda: speed(M, K, eta_Y, t),
            "late_rate": lambda: K * mp.log(eta_Y * t / K) / (eta_Y * t),
            "printed_exponent": lambda: mp.log(self.C0 + 4 * self.gamma_integral(k, t)) / 4,
            "speed_rate": lambda: self.rates("speed_rate", k, t),
            "exponent_rate": lambda: self.rates("exponent_rate", k, t),
        }
        return values[series]()

    def stepped(self, k: int, step: int) -> Number:
        """h*(step); computed once for each pair."""
        if step >= len(self.steps_h.get(k, [])):
            self.steps_h[k] = stepped_logits(self.M, self.eta_Y[k], step)
        return self.steps_h[k][step]

    def largest_gap(self, k: int, steps: list[float]) -> Number:
        """Largest scaled gap: Newton's method in float64 tells which steps come within 1e-4 of it, 40 digits decide."""
        M, eta_Y = self.M, float(self.eta_Y[k])
        self.stepped(k, round(max(steps)))
        start = np.array([float(self.stepped(k, round(s))) for s in steps])
        h = start.copy()
        for _ in range(6):
            powers = np.exp(M * h)
            h -= (powers + (M - 1) * M * h - M * eta_Y * np.array(steps) - 1) / (M * (powers + M - 1))
        gaps = start - h
        near = [s for s, gap in zip(steps, gaps, strict=True) if gap >= (1 - 1e-4) * gaps.max()]
        return max(self.measure("scaled_gap", k, s) for s in near)


# Decoder alone


@cache
def decoder_logits(M: int, eta_Y: Number, steps: int) -> list[Number]:
    """h* of equation 33, shared by all classes."""
    return stepped_logits(M, eta_Y, steps)


def decoder_pulls(problem: dict[str, Any], run: dict[str, Any], step: int, factors: Factors) -> list[Number]:
    """iota_n/(1 - E'_nn) for each class, in 40 digits, from scalars alone.

    By Lemma 3 the columns of W = F' Y, w_n, learn apart, and by Lemma 5 w_n = h* (M e_n - 1), where h* has made as many
    steps as class n was drawn (equation 33); so Y = F G^-1 W with G = F'F, g_n = F G^-1 W (e_n - alpha_n), and the
    coefficient of f_n in g_n is sum_k (G^-1)_nk w_k'(e_n - alpha_n). As e_n - alpha_n sums to zero,
    w_k'(e_n - alpha_n) is M h*_k (e_n - alpha_n)_k, which is M h*_n (M - 1)/(M - 1 + e^(M h*_n)) for k = n and
    -M h*_k/(M - 1 + e^(M h*_n)) for others. G has 1 on its diagonal and the overlap elsewhere.
    """
    K, overlap = int(problem["classes"]), mp.mpf(problem["overlap"])
    # With the query token, and the next token of each class.
    M = int(problem["common"]) + K * int(problem["distinct"]) + 1 + K
    eta_Y = mp.mpf(run["eta_Y"]) * factors[0]
    drawn = np.random.default_rng(run["seed"]).integers(K, size=int(run["steps"]))[:step].tolist()
    h = [decoder_logits(M, eta_Y, int(run["steps"]))[drawn.count(n)] for n in range(K)]
    gram = mp.matrix([[1 if n == k else overlap for k in range(K)] for n in range(K)])
    inverse = gram**-1
    pace = speed(M, K, eta_Y, step)
    pulls = []
    for n in range(K):
        total = M - 1 + mp.exp(M * h[n])
        products = [M * h[k] * (M - 1 if k == n else -1) / total for k in range(K)]
        coefficient = sum(inverse[n, k] * products[k] for k in range(K))
        pulls.append(coefficient / pace / inverse[n, n])  # 1 - E'_nn = (G^-1)_nn
    return pulls


# Population


class Population:
    """Gradient ascent on infinitely long sequences, Lemmas 1 and 2, class by class, token by token."""

    def __init__(self, problem: dict[str, Any], run: dict[str, Any], pair: int, factors: Factors) -> None:
        self.classes = Classes(problem)
        self.eta_Y = run["eta_Y"][pair] * factors[0]
        self.eta_Z = run["eta_Z"][pair] * factors[1]
        M = self.classes.M
        self.Y, self.Z = np.zeros((M, M)), np.zeros((M, M))
        self.kept = [self.Z.copy()]

    def update(self) -> None:
        """One step of all classes; each has the share 1/K of it."""
        classes = self.classes
        toward_Y, toward_Z = np.zeros_like(self.Y), np.zeros_like(self.Z)
        for n in range(classes.K):
            query, tokens = classes.query[n], classes.tokens[n]
            products = classes.probabilities * np.exp(self.Z[query, tokens])
            c = products / products.sum()
            norm = math.sqrt(sum(p * p for p in c.tolist()))
            f = c / norm
            exponentials = np.exp(f @ self.Y[tokens])
            residual = -exponentials / exponentials.sum()
            target = classes.next[n]
            residual[target] = 0
            residual[target] = -residual.sum()  # 1 - alpha without cancellation
            g = self.Y[tokens] @ residual
            along = sum(a * b for a, b in zip(f.tolist(), g.tolist(), strict=True))
            toward_Z[query, tokens] += [c[i] * (g[i] - f[i] * along) / norm for i in range(20)]
            toward_Y[tokens] += np.outer(f, residual)
        self.Y += self.eta_Y / classes.K * toward_Y
        self.Z += self.eta_Z / classes.K * toward_Z

    def measure(self, series: str, step: int) -> Number:
        """A series after `step` updates."""
        while len(self.kept) <= step:
            self.update()
            self.kept.append(self.Z.copy())
        Z, classes = self.kept[step], self.classes
        if series == "largest_common":
            return max(Z[query, token] for query in set(classes.query) for token in range(COMMON))
        own = [(Z[classes.query[n], token]) for n in range(classes.K) for token in classes.tokens[n][COMMON:]]
        if series == "smallest_distinct":
            return min(own)
        if series != "law_error":
            raise KeyError(series)
        errors = []
        for n in range(classes.K):
            z = own[n * DISTINCT : (n + 1) * DISTINCT]
            for a in range(DISTINCT):
                for b in set(range(DISTINCT)) - {a}:
                    before = ((a + 1) / (b + 1)) ** 2 - 1
                    after = (a + 1) ** 2 / (b + 1) ** 2 * math.exp(2 * (z[a] - z[b])) - 1
                    errors.append(abs(after / (before * math.exp(2 * z[a])) - 1))
        return max(errors)


# Attention along equation 10


class AttentionFlow:
    """Equation 10 for one query token with constant beta.

    In the time s = integral of gamma = K (M - 1)^2 h(t/K)^2/(2 eta_Y) (equation 128) it is autonomous:
    dz/ds = -eta_Z beta sum_n diag(f_n) (I - f_n f_n') sum_(n' != n) f_n'; so gamma need not be integrated, and the
    solver does not meet its square root at t = 0.
    """

    def __init__(self, problem: dict[str, Any], run: dict[str, Any], seed: int | None, factors: Factors) -> None:
        if problem["kind"] == "random_classes":
            K, common, distinct = (int(problem[key]) for key in ("classes", "common", "distinct"))
            drawn = np.random.default_rng(seed).uniform(0.1, 1, (K, common + distinct))
            weights = np.zeros((K, common + K * distinct))
            for n in range(K):
                weights[n, :common] = drawn[n, :common]
                weights[n, common + n * distinct : common + (n + 1) * distinct] = drawn[n, common:]
        else:
            weights = np.array(problem["weights"], dtype=float)
        if len(set(problem.get("queries", [0]))) > 1 or "decay" in run or "heads" in run:
            raise NotImplementedError("several queries, decays or heads")
        self.P: Array = weights / weights.sum(axis=1, keepdims=True)
        self.M = int(run.get("vocabulary", 200))
        self.eta_Y, self.eta_Z = float(run["eta_Y"][0]) * factors[0], float(run["eta_Z"]) * factors[1]
        self.beta = float(run.get("beta", 0.1))
        self.records = np.linspace(0, float(run["until"]), int(run["points"]) + 1).tolist()
        self.solution = solve_ivp(
            self.rate,
            (0, self.time(float(run["until"]))),
            np.zeros(self.P.shape[1] + 1),
            method="DOP853",
            rtol=1e-13,
            atol=1e-15,
            t_eval=[self.time(t) for t in self.records],
        )

    def time(self, t: float) -> float:
        """s(t), by equation 128 without its factor eta_Z."""
        K = len(self.P)
        h = smooth_logit(self.M, mp.mpf(self.eta_Y), mp.mpf(t) / K)
        return float(K * (self.M - 1) ** 2 * h**2 / (2 * mp.mpf(self.eta_Y)))

    def rate(self, _: float, state: Array) -> Array:
        """d(z, B_0)/ds, (tokens + 1,)."""
        z = state[:-1]
        f = []
        for p in self.P:
            c = p * np.exp(z - z.max())
            f.append(c / np.linalg.norm(c))
        dz = np.zeros_like(z)
        for n in range(len(f)):
            push = -self.beta * sum(f[k] for k in range(len(f)) if k != n)
            dz += self.eta_Z * f[n] * (push - f[n] * (f[n] @ push))
            if n == 0:
                dB = -self.eta_Z * (f[n] @ push)  # eta_Z xi_0/gamma
        return np.array([*dz, dB])

    def measure(self, series: str, t: float) -> Number:
        """A series at a record."""
        state = self.solution.y[:, min(range(len(self.records)), key=lambda i: abs(self.records[i] - t))]
        if series == "exponent":
            return float(state[-1])
        if series != "fastest_common":
            raise KeyError(series)
        common = [token for token in range(self.P.shape[1]) if (self.P[:, token] > 0).sum() > 1]
        slope = self.rate(0, state)
        pace = float(speed(self.M, len(self.P), mp.mpf(self.eta_Y), mp.mpf(t)))
        return max(float(slope[token]) * pace for token in common)


# Rows

SOURCES = {
    "sequence_training": "loop over sequences in float64",
    "growth": f"closed form in {DIGITS} digits (mpmath)",
    "decoder_training": f"scalar recursion in {DIGITS} digits (mpmath)",
    "population": "loop over classes in float64",
    "attention_flow": "DOP853 (SciPy) in the time of eq. 128",
}


class Computation:
    """Values of rows for one pair of factors of the step sizes; what several rows use is computed once."""

    def __init__(self, config_folder: Path, factors: Factors = (1.0, 1.0)) -> None:
        self.files = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(config_folder.glob("*.yaml"))}
        self.factors = factors
        self.solved: dict[tuple[str, str, int, int], Any] = {}

    def settings(self, row: Row) -> tuple[dict[str, Any], dict[str, Any]]:
        """Problem and run of a row: of its own file, or shared ones."""
        shared, own = self.files["shared"], self.files[row["figure"]]
        run = {**shared["runs"], **own.get("runs", {})}[row["run"]]
        run = run if "kind" in run else {**shared["defaults"]["run"], **run}
        return {**shared["problems"], **own.get("problems", {})}[run["problem"]], run

    def shape(self, row: Row) -> tuple[int, int, int]:
        """Numbers of problems, of starts of each, and of components of each start."""
        problem, run = self.settings(row)
        components = 1
        if row["series"] == "recall":
            components = len(run["measures"]["recall"]["thresholds"])
        elif run["kind"] == "decoder_training":
            return 1, 1, int(problem["classes"])
        starts = 1 if run["kind"] == "attention_flow" else len(run["eta_Y"])
        return len(problem.get("seeds", [None])), starts, components

    def solve(self, row: Row, b: int, k: int) -> Any:
        """The object that measures problem b and start k of the row's run."""
        problem, run = self.settings(row)
        key = row["figure"], row["run"], b, k
        seed = problem.get("seeds", [None])[b]
        if key not in self.solved:
            if run["kind"] == "sequence_training":
                self.solved[key] = SequenceTraining(problem, run, seed, k, self.factors)
            elif run["kind"] == "population":
                self.solved[key] = Population(problem, run, k, self.factors)
            elif run["kind"] == "growth":
                self.solved[key] = Growth(problem, run, self.factors)
            else:
                self.solved[key] = AttentionFlow(problem, run, seed, self.factors)
        return self.solved[key]

    def at(self, row: Row, column: int, step: float) -> Number:
        """Value of one column of a row's series at one step."""
        problem, run = self.settings(row)
        _, starts, components = self.shape(row)
        b, k, i = column // (starts * components), column // components % starts, column % components
        series = row["series"]
        if run["kind"] == "decoder_training":
            if series != "iota":
                raise KeyError(series)
            return decoder_pulls(problem, run, int(step), self.factors)[i]
        solved = self.solve(row, b, k)
        if run["kind"] == "sequence_training":
            return solved.measure(series, int(step))[i]
        if run["kind"] == "growth":
            return solved.measure(series, k, step)
        return solved.measure(series, int(step) if run["kind"] == "population" else step)

    def recorded(self, row: Row) -> list[float]:
        """Recorded steps of a row's run, within a-b if it says so."""
        run = self.settings(row)[1]
        if "points" in run:
            steps = [i * run["until"] / run["points"] for i in range(run["points"] + 1)]
        else:
            digits = run.get("record_digits")
            steps = [s for s in range(run["steps"] + 1) if s % run.get("record_every", 1) == 0]
            steps = [s for s in steps if digits is None or len(str(s).rstrip("0")) <= digits]
        first, _, last = row["step"].partition("-")
        return [s for s in steps if not row["step"] or float(first) <= s <= float(last)]

    def value(self, row: Row) -> Number:
        """Value of a row."""
        statistic, step, column = row["statistic"], row["step"], int(row["start"] or 0)
        if statistic == "":
            return self.at(row, column, float(step))
        if statistic == "mean":
            return mean([self.at(row, c, float(step)) for c in range(math.prod(self.shape(row)))])
        if statistic not in ("largest", "smallest"):
            raise NotImplementedError(statistic)
        steps = self.recorded(row)
        if row["series"] == "scaled_gap" and statistic == "largest":
            return self.solve(row, 0, column).largest_gap(column, steps)
        return (max if statistic == "largest" else min)(self.at(row, column, s) for s in steps)

    def least_tolerance(self, row: Row, value: Number) -> float:
        """1e-9 of the value, or what rounding does to a difference of nearly equal numbers."""
        tolerance = 1e-9 * abs(float(value))
        if row["series"] == "scaled_gap":
            solved, k = self.solve(row, 0, int(row["start"])), int(row["start"])
            step = float(row["step"] or self.recorded(row)[-1])
            unit = math.ulp(float(solved.stepped(k, int(step))))
            tolerance = max(tolerance, math.sqrt(step) * unit * solved.M / float(solved.eta_Y[k]))
        return tolerance


def read_rows(rows_folder: Path) -> dict[str, list[Row]]:
    """Rows by the stem of their file, in order."""
    files: dict[str, list[Row]] = {}
    for path in sorted(rows_folder.glob("*_expected.csv")):
        with path.open(newline="") as lines:
            files[path.stem] = list(csv.DictReader(lines))
    return files


def compute(
    only: Callable[[Row], bool], rows_folder: Path = ROWS, config_folder: Path = CONFIG, factors: Factors = (1.0, 1.0)
) -> list[Row]:
    """The chosen rows with new values; step sizes can be multiplied by factors to see whether the tolerances notice."""
    plain = Computation(config_folder, factors)
    return [fill(row, plain) for rows in read_rows(rows_folder).values() for row in rows if only(row)]


def fill(row: Row, plain: Computation, shifted: Computation | None = None) -> Row:
    """A row with its value, its source and, given a computation with shifted step sizes, its tolerance."""
    value = plain.value(row)
    whole = isinstance(value, int | np.integer)
    new = {**row, "value": str(value) if whole else f"{float(value):.10g}"}
    new["source"] = SOURCES[plain.settings(row)[1]["kind"]]
    if shifted is not None:
        change = abs(float(shifted.value(row) - value))
        within = max(plain.least_tolerance(row, value), 100 * change * 1e-14 / PERTURBATION)
        new["within"] = "0" if whole else f"{within:.2g}"
    return new


def main(rows_folder: Path, config_folder: Path) -> None:
    """Compute all rows of all files, with tolerances, and write them."""
    plain = Computation(config_folder)
    shifted = Computation(config_folder, (1 + PERTURBATION, 1 + PERTURBATION))
    for stem, rows in read_rows(rows_folder).items():
        filled = [fill(row, plain, shifted) for row in rows]
        with (rows_folder / f"{stem}.csv").open("w", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(filled)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, default=ROWS, help="folder of *_expected.csv, which are written anew")
    parser.add_argument("--config", type=Path, default=CONFIG, help="folder of the YAML files")
    arguments = parser.parse_args()
    main(arguments.rows, arguments.config)
