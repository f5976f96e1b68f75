"""The differential equation of attention as a kind of training (Scan and snap, eq. 10)."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from pydantic.types import Strict

from attention_dynamics.sequences.token_classes import TokenClasses
from attention_dynamics.training import NO_CONTEXT, JobContext, Training
from attention_dynamics.types import Count, NonNegative, Positive, Seed


class AttentionFlow(Training, kind="attention_flow"):
    """Solutions (flows) of eq. 10 of Scan and snap from time 0 to ``until``, for each speed gamma and each z(0).

    eta_Z: learning rate of Z. beta: beta_nn' of eq. 10, the same for every two classes.
    eta_Y: learning rates of the decoder. Each gives a speed, ``growth_laws.gamma`` with M = ``vocabulary``.
    decay: exponents p. Each gives the speed gamma(t) = (1 + t)^-p. Set exactly one of eta_Y and decay.
    heads: number of attention heads; each has one flow for every speed. The initial logits z(0) of a head are normally
    distributed with mean 0 and standard deviation ``spread``. points: number of recorded times after 0. spacing:
    "linear" for times at equal intervals; "log" for times with equal ratios from time 1 on.
    """

    data = "classes"

    eta_Z: Positive = 1.0  # noqa: N815
    eta_Y: Annotated[tuple[Positive, ...], Strict(False)] = ()  # noqa: N815
    decay: Annotated[tuple[NonNegative, ...], Strict(False)] = ()
    vocabulary: Count = 200
    beta: Positive = 0.1
    heads: Count = 1
    spread: NonNegative = 0.0
    seed: Seed = 0
    until: Count
    points: Count
    spacing: Literal["linear", "log"] = "linear"

    @model_validator(mode="after")
    def _check_speeds(self) -> Self:
        if bool(self.eta_Y) == bool(self.decay):
            raise ValueError("set exactly one of eta_Y and decay")
        return self

    def columns(self, shape: Any) -> int:
        return self.heads * len(self.eta_Y or self.decay)

    @property
    def times(self) -> NDArray[np.float64]:
        """The recorded times."""
        if self.spacing == "linear":
            return np.arange(self.points + 1) * self.until / self.points
        exponents = np.arange(self.points) / max(self.points - 1, 1)
        return np.concatenate([[0.0], float(self.until) ** exponents[:-1], [float(self.until)]])

    def train(self, problem: TokenClasses, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the times "step", (records,), and arrays of shape (records, problems, speeds * heads, ...).

        For Q query tokens, K classes and M tokens, "z" and "velocity" (dz/dt) end with the axes (Q, M), and "f" with
        (K, M). "xi" and "exponent" (the integral of eta_Z xi) end with (K,). See ``token_dynamics``.
        """
        # Imported here, because reading a configuration does not need SciPy's solvers.
        from attention_dynamics.theory.growth_laws import gamma
        from attention_dynamics.theory.token_dynamics import solve

        queries, times = problem.queries.tolist(), self.times.tolist()
        K, M = problem.probabilities.shape[1:]
        Q = max(queries) + 1
        draws = np.random.default_rng(self.seed).standard_normal((self.heads, Q, M)) * self.spread
        laws = [lambda t, rate=rate: float(gamma(t, rate, self.vocabulary, K)) for rate in self.eta_Y]
        laws += [lambda t, p=p: (1.0 + t) ** -p for p in self.decay]
        solutions = [
            [
                solve(P, queries, beta=np.full((K, K), self.beta), gamma=law, eta_Z=self.eta_Z, times=times, z=z)
                for law in laws
                for z in draws
            ]
            for P in problem.probabilities
        ]
        names = ("z", "velocity", "f", "xi", "exponent")
        arrays = {
            name: np.moveaxis(np.array([[getattr(one, name) for one in row] for row in solutions]), 2, 0)
            for name in names
        }
        return {"step": self.times, **arrays}

    def records_step(self, step: float) -> bool:
        return bool((self.times == step).any())

    @property
    def record_schedule(self) -> str:
        return f"0 to {self.until} in {self.points} {'' if self.spacing == 'linear' else 'logarithmic '}intervals"
