"""Self-attention f(X) = u' X' softmax(X W x_1), trained in W alone or jointly in (W, u) (Fast rates, Mirror descent).

W is the p of ``prompt_attention`` and x_t x_1' (or x_t z' for another query z) are the keys.
"""

from types import ModuleType

from torch import Tensor

from attention_dynamics.attention.models.attention_gradient import AttentionState, head_weights, pull_weights
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Problem

PARAMETERS = ("p",)


class SelfAttention(PromptAttention):
    """The same model with matrix products: keys are wide here, and no batch of these problems is split over jobs.

    Where the problem has queries, W acts on them instead of on the keys: d times less to read and to multiply.
    """

    def __init__(self, problem: Problem, loss: ModuleType, precision: str, device: str) -> None:
        super().__init__(problem, loss, precision, device)
        # (problems, inputs * tokens, coordinates)
        self.flat_keys, self.flat_tokens = self.keys[:, 0].flatten(1, 2), self.tokens[:, 0].flatten(1, 2)
        self.fixed_scores = None
        if self.head is not None:
            self.fixed_scores = self.labels[..., None] * self._products(self.head, self.flat_tokens)
        given = None if problem.own_keys is not None else problem.queries
        self.queries = None if given is None else self.tokens.new_tensor(given)[:, None]
        # (problems, inputs, tokens, d), and with the last two exchanged: products along them are twice as fast.
        self.rows = self.tokens[:, 0]
        self.columns = self.rows.mT.contiguous()

    def logits(self, parameters: dict[str, Tensor]) -> Tensor:
        """x_t' W z, (problems, starts, inputs, tokens)."""
        if self.queries is None:
            return self._products(parameters["p"], self.flat_keys)
        d = self.tokens.shape[-1]
        return _apply(self.rows, self.queries @ parameters["p"].unflatten(-1, (d, d)).mT)

    def token_scores(self, parameters: dict[str, Tensor]) -> Tensor:
        """gamma_it = Y_i u'x_it, (problems, starts, inputs, tokens)."""
        if self.head is not None:
            return self.fixed_scores
        return self.labels[..., None] * self._products(parameters["v"], self.flat_tokens)

    def prompt_gradient(self, state: AttentionState) -> ScaledGradient:
        """Gradient of the risk in W."""
        weight, log_scale = pull_weights(state)
        relative = weight.scatter_add(-1, state.selected, -weight.sum(-1, keepdim=True))
        return ScaledGradient(self._pulled(relative), log_scale)

    def head_gradient(self, state: AttentionState) -> ScaledGradient:
        """Gradient of the risk in u."""
        weight, log_scale = head_weights(state, self.labels)
        return ScaledGradient(self._combination(weight, self.flat_tokens), log_scale)

    def textbook_gradient(self, parameters: dict[str, Tensor]) -> dict[str, ScaledGradient]:
        """The same in closed form, s * (gamma - <s, gamma>), which takes half the time here."""
        scores, s = self.token_scores(parameters), _softmax(self.logits(parameters))
        margin = (s * scores).sum(-1, keepdim=True)
        slope = self.loss.log_slope(margin).exp()
        gradients = {"p": self._pulled(slope * s * (scores - margin))}
        if "v" in parameters:
            gradients["v"] = self._combination(slope * self.labels[..., None] * s, self.flat_tokens)
        return {name: ScaledGradient(g, g.new_zeros(g.shape[:2])) for name, g in gradients.items()}

    def _pulled(self, weights: Tensor) -> Tensor:
        """Minus the sum over the tokens of weights times keys, averaged over the inputs."""
        if self.queries is None:
            return self._combination(weights, self.flat_keys)
        return -(_apply(self.columns, weights).mT @ self.queries).flatten(-2) / weights.shape[-2]

    def _products(self, parameter: Tensor, vectors: Tensor) -> Tensor:
        """Inner products with every token's vector, (problems, starts, inputs, tokens)."""
        return (parameter @ vectors.mT).unflatten(-1, self.keys.shape[-3:-1])

    def _combination(self, weights: Tensor, vectors: Tensor) -> Tensor:
        """Minus the sum over the tokens of weights times vectors, averaged over the inputs."""
        return -(weights.flatten(-2) @ vectors) / weights.shape[-2]


def _apply(matrices: Tensor, vectors: Tensor) -> Tensor:
    """Matrices (problems, inputs, m, k) times vectors (problems, starts, inputs, k): (problems, starts, inputs, m)."""
    return (matrices @ vectors.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def _softmax(logits: Tensor) -> Tensor:
    """Softmax over the last axis."""
    # Where that is short, as here, torch's own takes four times as long.
    weights = (logits - logits.amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True)


def build(problem: Problem, loss: ModuleType, precision: str, device: str) -> SelfAttention:
    """The model for a problem; see SelfAttention."""
    return SelfAttention(problem, loss, precision, device)
