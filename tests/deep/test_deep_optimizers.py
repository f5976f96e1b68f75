"""The optimizers for networks: the published updates, and the full-batch forms of the same methods."""

import copy
import json
import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch.nn.functional import softplus

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.deep import torch_optimizers
from attention_dynamics.deep.optim import Adam, DeepOptimizer
from attention_dynamics.deep.torch_optimizers import FixedLengthSGD, LpMirrorDescent, StochasticPolyak
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.optim.polyak import Polyak
from attention_dynamics.problems.random_sphere import RandomSphere

some = settings(max_examples=30, deadline=None)
EXPONENTS = [1.1, 1.75, 2.0, 3.0, 10.0]
TWINS = {
    "normalized": (lambda ps: FixedLengthSGD(ps, lr=0.1), NormalizedGD(step_size=0.1)),
    "polyak": (lambda ps: StochasticPolyak(ps, steps_per_epoch=1, c=2.0, largest=None), Polyak(c=2.0)),
    **{
        f"mirror {p}": (
            lambda ps, p=p: LpMirrorDescent(ps, lr=0.3, exponent=p),
            MirrorDescent(exponent=p, step_size=0.3, normalized=False),
        )
        for p in EXPONENTS
    },
}


@pytest.fixture
def plain_polyak(monkeypatch):
    """Polyak's step size itself, without smoothing and guard."""
    monkeypatch.setattr(torch_optimizers, "SMOOTHING", math.inf)
    monkeypatch.setattr(torch_optimizers, "EPSILON", 0.0)


@pytest.mark.usefixtures("plain_polyak")
@pytest.mark.parametrize("name", TWINS)
def test_paths_on_prompt_attention_match_full_batch_optimizers(name):
    """Parameters in two tensors, so that a norm over all of them is not that of one of them."""
    build, full_batch = TWINS[name]
    problem = RandomSphere(trials=1, n=4, T=6, d=8, seed=3).build()
    start = {"p": np.full((1, 8), 0.2)}
    # The gradient of the textbook, which is that of autograd also where it vanishes.
    model = PromptAttention().bind(problem, Logistic(), "float64")
    twin = descend(model, {"p": full_batch}, start, record_steps=range(26))
    twin = twin["p"][:, 0, 0]

    keys, scores = torch.tensor(problem.keys[0]), torch.tensor(problem.scores()[0])
    halves = [torch.nn.Parameter(half.clone()) for half in torch.full((8,), 0.2, dtype=torch.float64).split(4)]
    optimizer, infimum = build(halves), softplus(-scores.amax(-1)).mean()

    def closure():
        optimizer.zero_grad()
        risk = softplus(-((keys @ torch.cat(halves)).softmax(-1) * scores).sum(-1)).mean()
        risk.backward()
        return risk - infimum

    for t in range(26):
        np.testing.assert_allclose(torch.cat(halves).detach(), twin[t], rtol=1e-7, atol=1e-10)
        optimizer.step(closure)
    assert np.abs(twin[-1] - twin[0]).max() > 0.01


@pytest.mark.parametrize(
    ("settings", "numbers"),
    [
        ({"kind": "adam", "lr": 0.1}, {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8}),
        ({"kind": "sgd", "lr": 0.1}, {"lr": 0.1, "clip": math.inf}),
        ({"kind": "sgd", "lr": 0.1, "clip": 0.5}, {"lr": 0.1, "clip": 0.5}),
        ({"kind": "normalized_sgd", "lr": 0.1}, {"lr": 0.1}),
        ({"kind": "polyak", "largest": None}, {"c": 0.5, "largest": math.inf, "growth": 2**0.25, "step_size": 1.0}),
        ({"kind": "mirror_descent", "lr": 0.1, "exponent": 1.1}, {"lr": 0.1, "exponent": 1.1}),
    ],
    ids=lambda part: part.get("kind"),
)
def test_optimizers_are_built_with_settings(settings, numbers):
    group = DeepOptimizer.of(settings).build([torch.nn.Parameter(torch.ones(2))], 4).param_groups[0]
    assert {name: group[name] for name in numbers} == numbers


def parameters_with(gradients, dtype=torch.float64):
    parameters = [torch.nn.Parameter(torch.linspace(-1, 1, len(g), dtype=dtype)) for g in gradients]
    for p, g in zip(parameters, gradients, strict=True):
        p.grad = torch.tensor(g, dtype=dtype)
    return parameters


def test_normalized_step_has_length_of_rate_over_all_parameters():
    for scale in (1.0, 1e-30, 1e30):
        parameters = parameters_with([[3.0 * scale, 0.0], [4.0 * scale]], torch.float32)
        before = [p.detach().clone() for p in parameters]
        FixedLengthSGD(parameters, lr=0.5).step()
        moved = torch.cat([b - p.detach() for b, p in zip(before, parameters, strict=True)])
        np.testing.assert_allclose(moved, [0.3, 0.0, 0.4], rtol=1e-6)


def polyak_sizes(losses, gradients, **settings):
    """Return the step sizes for these losses and gradients."""
    p = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer, sizes = StochasticPolyak([p], **settings), []
    for loss, gradient in zip(losses, gradients, strict=True):
        before, p.grad = p.item(), torch.tensor([gradient], dtype=torch.float64)
        optimizer.step(lambda loss=loss: torch.tensor(loss, dtype=torch.float64))
        sizes.append((before - p.item()) / gradient)
    return sizes


def test_polyak_steps_match_hand_computation(monkeypatch, plain_polyak):
    for smoothing, largest, expected in (
        (math.inf, None, [8 / 2, 8 / 2, 1 / 8, 8 / 0.125, 800 / 0.125]),
        (math.inf, 10.0, [4, 4, 1 / 8, 10, 10]),
        (4.0, 3.0, [2, 3, 1 / 8, 1 / 4, 1 / 2]),
    ):
        monkeypatch.setattr(torch_optimizers, "SMOOTHING", smoothing)
        losses, gradients = [8.0, 8.0, 1.0, 8.0, 800.0], [2.0, 2.0, 4.0, 0.5, 0.5]
        np.testing.assert_allclose(polyak_sizes(losses, gradients, steps_per_epoch=2, largest=largest), expected)
    monkeypatch.setattr(torch_optimizers, "EPSILON", 2.0)
    np.testing.assert_allclose(polyak_sizes([4.0], [2.0], steps_per_epoch=1), [4 / (0.5 * 4 + 2)])


def test_zero_loss_batch_does_not_stop_smoothed_steps():
    sizes = polyak_sizes([8.0, 0.0, 8.0], [2.0, 2.0, 2.0], steps_per_epoch=1, largest=None)
    np.testing.assert_allclose(sizes, [2, 0, 4], rtol=1e-7)


@some
@given(st.floats(1.05, 10), st.floats(-3, 3), st.floats(-3, 3), st.floats(0.01, 1))
# Mirror descent, trap 7: biases of zero stay near zero, (lr g)^10.
@example(exponent=1.1, weight=0.0, gradient=0.02, lr=5e-2)
def test_mirror_descent_matches_published_update(exponent, weight, gradient, lr):
    p = torch.nn.Parameter(torch.tensor([weight], dtype=torch.float64))
    p.grad = torch.tensor([gradient], dtype=torch.float64)
    LpMirrorDescent([p], lr, exponent).step()
    image = math.copysign(abs(weight) ** (exponent - 1), weight) - lr * gradient
    np.testing.assert_allclose(p.item(), math.copysign(abs(image) ** (1 / (exponent - 1)), image), rtol=1e-9, atol=0)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_rows_without_gradient_are_skipped(exponent):
    weights = torch.randn(6, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    gradient = torch.zeros_like(weights)
    gradient[1, 2], gradient[4] = 0.3, torch.tensor([0.1, -0.2, 0.4])
    whole, *rows = (torch.nn.Parameter(part.clone()) for part in (weights, *weights))
    for p, g in zip((whole, *rows), (gradient, *gradient), strict=True):
        p.grad = g.clone()
    LpMirrorDescent([whole, *rows], 0.1, exponent).step()
    torch.testing.assert_close(whole.detach(), torch.stack(rows).detach(), rtol=1e-12, atol=0)
    assert torch.equal(whole[[0, 2, 3, 5]].detach(), weights[[0, 2, 3, 5]])
    assert not torch.equal(whole[[1, 4]].detach(), weights[[1, 4]])


def test_mirror_descent_moves_scalar_as_vector_of_one():
    scalar, vector = (torch.nn.Parameter(torch.full(shape, 0.5)) for shape in ((), (1,)))
    for p in (scalar, vector):
        p.grad = torch.full_like(p, 0.3)
    LpMirrorDescent([scalar, vector], 0.1, 3.0).step()
    assert scalar.item() == vector.item() != 0.5


OPTIMIZERS = {
    "normalized": lambda ps: FixedLengthSGD(ps, lr=0.1),
    "polyak": lambda ps: StochasticPolyak(ps, steps_per_epoch=3),
    **{f"mirror {p}": lambda ps, p=p: LpMirrorDescent(ps, lr=0.1, exponent=p) for p in EXPONENTS},
}


def batch_loss(model, t):
    rng = np.random.default_rng(t)
    inputs, labels = torch.tensor(rng.standard_normal((8, 5))), torch.tensor(rng.choice([-1.0, 1.0], 8))
    return softplus(-labels * model(inputs)[:, 0]).mean()


def advance(model, optimizer, steps):
    losses = []
    for t in steps:

        def closure(t=t):
            optimizer.zero_grad()
            loss = batch_loss(model, t)
            loss.backward()
            return loss

        losses.append(optimizer.step(closure).item())
    return losses


def test_adam_matches_torch():
    torch.manual_seed(0)
    first = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    second = copy.deepcopy(first)
    plain = torch.optim.Adam(second.parameters(), lr=0.01, foreach=False)
    losses = advance(first, Adam(lr=0.01).build(first.parameters(), 10), range(50))
    assert losses == advance(second, plain, range(50))
    assert losses[-1] < losses[0]
    assert all(torch.equal(*pair) for pair in zip(first.parameters(), second.parameters(), strict=True))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_loaded_state_continues_to_same_bits(name):
    """Also through JSON, in which the state of all of them fits."""
    torch.manual_seed(0)
    model = torch.nn.Linear(5, 1, dtype=torch.float64)
    optimizer = OPTIMIZERS[name](model.parameters())
    advance(model, optimizer, range(7))
    other = copy.deepcopy(model)
    resumed = OPTIMIZERS[name](other.parameters())
    resumed.load_state_dict(json.loads(json.dumps(optimizer.state_dict())))
    assert advance(model, optimizer, range(7, 20)) == advance(other, resumed, range(7, 20))
    assert torch.equal(model.weight, other.weight)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_parameters_with_missing_or_zero_gradient_stay(name):
    """To the last bit of single precision, also where weights are small."""
    weights = torch.cat([torch.randn(1000, generator=torch.Generator().manual_seed(0)), 10.0 ** -torch.arange(30.0)])
    frozen, still = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(weights.clone())
    still.grad = torch.zeros_like(weights)
    optimizer = OPTIMIZERS[name]([frozen, still])
    for _ in range(100):
        optimizer.step(lambda: torch.tensor(1.0))
    assert torch.equal(frozen, torch.ones(2))
    assert torch.equal(still, weights)


def test_schedulers_and_groups_set_rate():
    a, b = parameters_with([[3.0], [4.0]])
    optimizer = FixedLengthSGD([{"params": [a]}, {"params": [b], "lr": 2.0}], lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    before = a.item(), b.item()
    optimizer.step()
    np.testing.assert_allclose([before[0] - a.item(), before[1] - b.item()], [0.6, 1.6])
    schedule.step()
    assert [group["lr"] for group in optimizer.param_groups] == [0.5, 1.0]
