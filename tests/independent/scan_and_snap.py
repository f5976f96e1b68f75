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
Of the published draws, initial weights and the probabilities that torch draws tokens from are in single precision; they
are rounded once, in the same way on both sides, and weights are converted to float64 without an error.
"""

import argparse
import csv
import itertools
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

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
Settings: TypeAlias = dict[str, Any]  # of a problem or a run, from YAML
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


class Classes:
    """The published classes: K of them, M = 10 + 10 K + num_last + K tokens.

    Tokens: common ones, distinct ones of each class, query tokens, next tokens. `tokens`: (K, 20), the contextual
    tokens of each class; `probabilities`: (20,), the same for every class.
    """

    def __init__(self, problem: Settings) -> None:
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
    toward_z = np.bincount(tokens, weights=b * projected[tokens], minlength=M)
    return loss, f, residual, toward_z.astype(np.float64)


class SequenceTraining:
    """Training on sampled sequences, advanced to the steps that are asked for; keeps Z (M, M) and the loss of each."""

    def __init__(self, problem: Settings, run: Settings, seed: int, pair: int, factors: Factors) -> None:
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
        self.losses.append(fmean(losses))
        toward_Y = np.array(features).T @ np.array(residuals)
        self.step += 1
        self.move([-toward_Y / BATCH, -toward_Z / BATCH])
        self.kept[self.step] = self.weights[1].copy()

    def move(self, gradients: list[Array]) -> None:
        """SGD with momentum 0.9, or Adam with torch's defaults: betas 0.9 and 0.999, eps 1e-8 outside the root."""
        adam = self.run.get("algorithm") == "adam"
        for weights, v, s, g, eta in zip(self.weights, self.first, self.second, gradients, self.rates, strict=True):
            v[:] = 0.9 * v + (0.1 * g if adam else g)
            s[:] = 0.999 * s + 0.001 * g**2
            root = np.sqrt(s / (1 - 0.999**self.step)) + 1e-8
            weights -= eta * (v / (1 - 0.9**self.step) / root if adam else v)

    def measure(self, series: str, at: float) -> list[Number]:
        """All components of a series after so many updates."""
        classes, step = self.classes, int(at)
        while self.step < (step + 1 if series == "loss" else step):
            self.update()
        if series == "loss":
            return [self.losses[step]]  # of the batch that the next update is taken on
        Z, P = self.kept[step], classes.probabilities
        if series == "recall":
            return self.recall(Z)
        products = [P * np.exp(Z[classes.query[n], classes.tokens[n]]) for n in range(classes.K)]
        shares: list[Array] = [weights / weights.sum() for weights in products]  # equation 5, (20,) each
        own: list[Array] = [share[COMMON:] / share[COMMON:].sum() for share in shares]
        values: dict[str, Callable[[], Number]] = {
            "common_mass": lambda: fmean(share[:COMMON].sum() for share in shares),
            "distinct_entropy": lambda: fmean(-sum(p * math.log(p) for p in share) for share in own),
            "top_token": lambda: int(own[0].argmax()),
            "mean_token": lambda: sum(k * p for k, p in enumerate(own[0])),
            "ordered_pairs": lambda: min(sum(int(a < b) for a, b in itertools.pairwise(share)) for share in own),
            "largest_common_logit": lambda: Z[sorted(set(classes.query)), :COMMON].max(),
        }
        return [values[series]()]

    def recall(self, Z: Array) -> list[Number]:
        """For each threshold: share of the distinct tokens of a query with softmax(z) above it/M, mean of queries."""
        classes = self.classes
        shares = []
        for query in sorted(set(classes.query)):
            p = np.exp(Z[query]) / np.exp(Z[query]).sum()
            own = [n for n in range(classes.K) if classes.query[n] == query]
            shares.append([p[token] for n in own for token in classes.tokens[n][COMMON:]])
        thresholds = [theta / classes.M for theta in self.run["measures"]["recall"]["thresholds"]]
        return [fmean([sum(p > limit for p in share) / len(share) for share in shares]) for limit in thresholds]


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
    """omega_1 of Lemma 8, M^w = (1 + w) ln(M) (M - 1)/M: u e^-u = 1/(M - 1) for u = (1 + w) ln(M), the larger root."""
    return -mpmath.lambertw(mp.mpf(-1) / (M - 1), -1).real / mp.log(M) - 1


def speed(M: int, K: int, eta_Y: Number, t: Number) -> Number:
    """Equation 85: gamma(t), with t/K not rounded up."""
    h = smooth_logit(M, eta_Y, t / mp.mpf(K))
    return (M - 1) ** 2 * h / (M - 1 + mp.exp(M * h))


class Growth:
    """Closed forms of a pair k of a growth run, in 40 digits."""

    def __init__(self, problem: Settings, run: Settings, _: int | None, k: int, factors: Factors) -> None:
        self.M, self.K, self.k = int(problem["M"]), int(problem.get("K", 1)), k
        self.eta_Y = [mp.mpf(eta) * factors[0] for eta in run["eta_Y"]]
        self.eta_Z = [mp.mpf(eta) * factors[1] for eta in run["eta_Z"]]
        self.C0 = mp.mpf(run.get("C0", 1))
        units = {"scanning_end": self.scanning_end(k), "snapping_start": self.snapping_start(k)}
        self.unit = units.get(run.get("unit", ""), mp.mpf(1))
        self.h_star: list[Number] = []

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
        """Time in steps when pair k - 1 takes the lead in B over pair k: bisection of the logarithms of Gamma."""
        bracket = (self.scanning_end(k) / 1000, 10 * self.snapping_start(k - 1))
        lead = lambda t: mp.log(self.gamma_integral(k - 1, t) / self.gamma_integral(k, t))  # noqa: E731
        return mpmath.findroot(lead, bracket, solver="bisect", maxsteps=400)

    def rate(self, series: str, t: Number) -> Number:
        """Lemma 9 and equation 14: early ones up to t0', late ones from t0 on; none in between."""
        M, K, eta_Y, eta_Z = self.M, self.K, self.eta_Y[self.k], self.eta_Z[self.k]
        late = t >= self.snapping_start(self.k)
        if not late and t > self.scanning_end(self.k):
            raise ValueError(f"{series} is not defined between t0' and t0")
        logarithm = mp.log(M * eta_Y * t / K) if late else mp.mpf(0)
        if series == "speed_rate":
            return K * logarithm / (eta_Y * t) if late else eta_Y * t / K
        growth = K * eta_Z / eta_Y * logarithm**2 if late else eta_Y * eta_Z * t**2 / K
        return mp.log(self.C0 + 2 * mp.mpf(M - 1) ** 2 / M**2 * growth) / 4

    def stepped(self, step: int) -> Number:
        """h*(step)."""
        if step >= len(self.h_star):
            self.h_star = stepped_logits(self.M, self.eta_Y[self.k], step)
        return self.h_star[step]

    def measure(self, series: str, step: float) -> list[Number]:
        """A series at a time in the unit of the run."""
        t = step * self.unit
        M, K, k, eta_Y = self.M, self.K, self.k, self.eta_Y[self.k]
        values: dict[str, Callable[[], Number]] = {
            "h": lambda: smooth_logit(M, eta_Y, t),
            "h_star": lambda: self.stepped(round(t)),
            "scaled_gap": lambda: (self.stepped(round(t)) - smooth_logit(M, eta_Y, t)) * M / eta_Y,
            "growth_exponent": lambda: self.exponent(k, t),
            "growth_factor": lambda: mp.exp(2 * self.exponent(k, t)),
            # chi is differentiated numerically, with more digits
            "local_exponent": lambda: mpmath.diff(lambda s: 2 * self.exponent(k, mp.exp(s)), mp.log(t)),
            "relative_factor": lambda: mp.exp(2 * (self.exponent(k, t) - self.exponent(len(self.eta_Y) - 1, t))),
            "transition_time": lambda: self.snapping_start(k),
            "overtaken_at": lambda: self.overtaken_at(k),
            "speed": lambda: speed(M, K, eta_Y, t),
            "late_rate": lambda: K * mp.log(eta_Y * t / K) / (eta_Y * t),
            "printed_exponent": lambda: mp.log(self.C0 + 4 * self.gamma_integral(k, t)) / 4,
            "speed_rate": lambda: self.rate("speed_rate", t),
            "exponent_rate": lambda: self.rate("exponent_rate", t),
        }
        return [values[series]()]

    def near_largest_gap(self, steps: list[float]) -> list[float]:
        """Steps whose gap h* - h comes within 1e-4 of the largest, by Newton's method in float64; 40 digits decide."""
        M, right = self.M, self.M * float(self.eta_Y[self.k]) * np.array(steps) + 1
        self.stepped(round(max(steps)))
        start = np.array([float(self.stepped(round(s))) for s in steps])
        h = start
        for _ in range(6):
            h = h - (np.exp(M * h) + (M - 1) * M * h - right) / (M * (np.exp(M * h) + M - 1))
        gaps = start - h
        return [s for s, gap in zip(steps, gaps, strict=True) if gap >= (1 - 1e-4) * gaps.max()]


class Decoder:
    """iota_n/(1 - E'_nn) for each class, in 40 digits, from scalars alone.

    By Lemma 3 the columns of W = F' Y, w_n, learn apart, and by Lemma 5 w_n = h* (M e_n - 1), where h* has made as many
    steps as class n was drawn (equation 33); so Y = F G^-1 W with G = F'F, g_n = F G^-1 W (e_n - alpha_n), and the
    coefficient of f_n in g_n is sum_k (G^-1)_nk w_k'(e_n - alpha_n). As e_n - alpha_n sums to zero,
    w_k'(e_n - alpha_n) is M h*_k (e_n - alpha_n)_k, which is M h*_n (M - 1)/(M - 1 + e^(M h*_n)) for k = n and
    -M h*_k/(M - 1 + e^(M h*_n)) for others. G has 1 on its diagonal and the overlap elsewhere. 1 - E'_nn = (G^-1)_nn.
    """

    def __init__(self, problem: Settings, run: Settings, _: int | None, __: int, factors: Factors) -> None:
        self.K, overlap = int(problem["classes"]), mp.mpf(problem["overlap"])
        # With the query token, and the next token of each class.
        self.M = int(problem["common"]) + self.K * int(problem["distinct"]) + 1 + self.K
        self.eta_Y = mp.mpf(run["eta_Y"]) * factors[0]
        self.drawn = np.random.default_rng(run["seed"]).integers(self.K, size=int(run["steps"])).tolist()
        gram = mp.ones(self.K) * overlap + mp.eye(self.K) * (1 - overlap)
        self.inverse = gram**-1

    def measure(self, series: str, step: float) -> list[Number]:
        """iota of each class after `step` updates."""
        if series != "iota":
            raise KeyError(series)
        M, K = self.M, self.K
        counts = [self.drawn[: int(step)].count(n) for n in range(K)]
        logits = stepped_logits(M, self.eta_Y, max(counts))
        h = [logits[count] for count in counts]
        pulls = []
        for n in range(K):
            products = [M * h[k] * (M - 1 if k == n else -1) / (M - 1 + mp.exp(M * h[n])) for k in range(K)]
            coefficient = sum(self.inverse[n, k] * products[k] for k in range(K))
            pulls.append(coefficient / speed(M, K, self.eta_Y, step) / self.inverse[n, n])
        return pulls


class Population:
    """Gradient ascent on infinitely long sequences, Lemmas 1 and 2, class by class, token by token."""

    def __init__(self, problem: Settings, run: Settings, _: int | None, pair: int, factors: Factors) -> None:
        self.classes = Classes(problem)
        self.eta_Y = run["eta_Y"][pair] * factors[0]
        self.eta_Z = run["eta_Z"][pair] * factors[1]
        self.Y, self.Z = np.zeros((2, self.classes.M, self.classes.M))
        self.kept = [self.Z.copy()]

    def update(self) -> None:
        """One step of all classes; each has the share 1/K of it."""
        classes = self.classes
        toward_Y, toward_Z = np.zeros_like(self.Y), np.zeros_like(self.Z)
        for n in range(classes.K):
            query, tokens = classes.query[n], classes.tokens[n]
            products = classes.probabilities * np.exp(self.Z[query, tokens])
            c = products / products.sum()
            norm = math.sqrt(math.fsum(p * p for p in c.tolist()))
            f = c / norm
            exponentials = np.exp(f @ self.Y[tokens])
            residual = -exponentials / exponentials.sum()
            target = classes.next[n]
            residual[target] = 0
            residual[target] = -residual.sum()  # 1 - alpha without cancellation
            g = self.Y[tokens] @ residual
            along = math.fsum((f * g).tolist())
            toward_Z[query, tokens] += [c[i] * (g[i] - f[i] * along) / norm for i in range(20)]
            toward_Y[tokens] += np.outer(f, residual)
        self.Y += self.eta_Y / classes.K * toward_Y
        self.Z += self.eta_Z / classes.K * toward_Z

    def measure(self, series: str, step: float) -> list[Number]:
        """A series after `step` updates; the law's error is over all ordered pairs of distinct tokens of a class."""
        while len(self.kept) <= step:
            self.update()
            self.kept.append(self.Z.copy())
        Z, classes = self.kept[int(step)], self.classes
        if series == "largest_common":
            return [max(Z[query, token] for query in set(classes.query) for token in range(COMMON))]
        own = [[float(Z[classes.query[n], token]) for token in classes.tokens[n][COMMON:]] for n in range(classes.K)]
        if series == "smallest_distinct":
            return [min(min(z) for z in own)]
        errors = []
        for z in own:
            for a, b in itertools.permutations(range(DISTINCT), 2):
                ratio = ((a + 1) / (b + 1)) ** 2  # of squared probabilities
                after = ratio * math.exp(2 * (z[a] - z[b])) - 1
                errors.append(abs(after / ((ratio - 1) * math.exp(2 * z[a])) - 1))
        return [{"law_error": max(errors)}[series]]


class AttentionFlow:
    """Equation 10 for one query token with constant beta.

    In the time s = integral of gamma = K (M - 1)^2 h(t/K)^2/(2 eta_Y) (equation 128) it is autonomous:
    dz/ds = -eta_Z beta sum_n diag(f_n) (I - f_n f_n') sum_(n' != n) f_n'; so gamma need not be integrated, and the
    solver does not meet its square root at t = 0.
    """

    def __init__(self, problem: Settings, run: Settings, seed: int | None, _: int, factors: Factors) -> None:
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
        times = [self.time(t) for t in self.records]
        start = np.zeros(self.P.shape[1] + 1)
        exact = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}
        self.solution = solve_ivp(self.rate, (0, times[-1]), start, t_eval=times, **exact)

    def time(self, t: float) -> float:
        """s(t), by equation 128 without its factor eta_Z."""
        K = len(self.P)
        h = smooth_logit(self.M, mp.mpf(self.eta_Y), mp.mpf(t) / K)
        return float(K * (self.M - 1) ** 2 * h**2 / (2 * mp.mpf(self.eta_Y)))

    def rate(self, _: float, state: Array) -> Array:
        """d(z, B_0)/ds, (tokens + 1,)."""
        z = state[:-1]
        products = [p * np.exp(z - z.max()) for p in self.P]
        f = [c / np.linalg.norm(c) for c in products]
        pushes = [self.beta * (own - sum(f)) for own in f]  # without gamma
        along = [own @ push for own, push in zip(f, pushes, strict=True)]  # -xi_n/gamma
        dz = sum(f[n] * (pushes[n] - f[n] * along[n]) for n in range(len(f)))
        return self.eta_Z * np.array([*dz, -along[0]])

    def measure(self, series: str, t: float) -> list[Number]:
        """A series at a record."""
        state = self.solution.y[:, min(range(len(self.records)), key=lambda i: abs(self.records[i] - t))]
        slope = self.rate(0, state) * float(speed(self.M, len(self.P), mp.mpf(self.eta_Y), mp.mpf(t)))
        common = [token for token in range(self.P.shape[1]) if (self.P[:, token] > 0).sum() > 1]
        return [{"exponent": float(state[-1]), "fastest_common": max(float(slope[token]) for token in common)}[series]]


KINDS: dict[str, tuple[Any, str]] = {
    "sequence_training": (SequenceTraining, "loop over sequences in float64"),
    "growth": (Growth, f"closed form in {DIGITS} digits (mpmath)"),
    "decoder_training": (Decoder, f"scalar recursion in {DIGITS} digits (mpmath)"),
    "population": (Population, "loop over classes in float64"),
    "attention_flow": (AttentionFlow, "DOP853 (SciPy) in the time of eq. 128"),
}


class Computation:
    """Values of rows for one pair of factors of the step sizes; what several rows use is computed once."""

    def __init__(self, config_folder: Path, factors: Factors = (1.0, 1.0)) -> None:
        self.files = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(config_folder.glob("*.yaml"))}
        self.factors = factors
        self.solved: dict[tuple[str, str, int, int], Any] = {}

    def settings(self, row: Row) -> tuple[Settings, Settings]:
        """Problem and run of a row, of its own file or shared ones, with the defaults of this file and shared ones."""
        shared = self.files["shared"]
        own = next(file for file in self.files.values() if row["figure"] in file.get("figures", {}))

        def block(part: str, name: str) -> Settings:
            file = own if name in own.get(part, {}) else shared
            found = file[part][name]
            for default in (file.get("defaults", {}).get(part, {}), shared["defaults"][part]):
                if default.get("kind") in (None, found.get("kind", default.get("kind"))):
                    found = {**default, **found}
            return found

        run = block("runs", row["run"])
        return block("problems", run["problem"]), run

    def solve(self, row: Row) -> tuple[Any, int]:
        """The object that measures a row's problem and start, and the component: its column is split into the three."""
        problem, run = self.settings(row)
        starts = len(run["eta_Y"]) if run["kind"] in ("sequence_training", "growth", "population") else 1
        components = int(problem["classes"]) if run["kind"] == "decoder_training" else 1
        if row["series"] == "recall":
            components = len(run["measures"]["recall"]["thresholds"])
        rest, component = divmod(int(row["start"] or 0), components)
        b, k = divmod(rest, starts)
        key = row["figure"], row["run"], b, k
        if key not in self.solved:
            seed = problem.get("seeds", [None])[b]
            self.solved[key] = KINDS[run["kind"]][0](problem, run, seed, k, self.factors)
        return self.solved[key], component

    def recorded(self, row: Row) -> list[float]:
        """Recorded steps of a row's run."""
        run = self.settings(row)[1]
        if "points" in run:
            return [i * run["until"] / run["points"] for i in range(run["points"] + 1)]
        steps = [s for s in range(run["steps"] + 1) if s % run.get("record_every", 1) == 0]
        return [s for s in steps if len(str(s).rstrip("0")) <= run.get("record_digits", math.inf)]

    def value(self, row: Row) -> Number:
        """Value of a row."""
        solved, component = self.solve(row)
        if row["statistic"] == "":
            return solved.measure(row["series"], float(row["step"]))[component]
        if row["statistic"] != "largest":
            raise NotImplementedError(row["statistic"])
        first, last = map(float, row["step"].split("-"))
        steps = [step for step in self.recorded(row) if first <= step <= last]
        if row["series"] == "scaled_gap":
            steps = solved.near_largest_gap(steps)
        return max(solved.measure(row["series"], step)[component] for step in steps)

    def least_tolerance(self, row: Row, value: Number) -> float:
        """1e-9 of the value, or what rounding does to a difference of nearly equal numbers."""
        tolerance = 1e-9 * abs(float(value))
        if row["series"] != "scaled_gap":
            return tolerance
        solved, step = self.solve(row)[0], float(row["step"].rpartition("-")[2])
        unit = math.ulp(float(solved.stepped(int(step))))
        return max(tolerance, math.sqrt(step) * unit * int(solved.M) / float(solved.eta_Y[solved.k]))


def read_rows(rows_folder: Path) -> dict[str, list[Row]]:
    """Rows by the stem of their file, in order."""
    paths = sorted(rows_folder.glob("*_expected.csv"))
    return {path.stem: list(csv.DictReader(path.read_text().splitlines())) for path in paths}


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
    new["source"] = KINDS[plain.settings(row)[1]["kind"]][1]
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
