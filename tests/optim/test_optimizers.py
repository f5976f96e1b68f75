"""Full-batch optimizers: what all kinds have in common, and those with memory against torch."""

import warnings

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from attention_dynamics.optim.adam import Adam
from attention_dynamics.optim.gradient import ScaledGradient, StepContext, log_of, norm
from attention_dynamics.optim.momentum import Momentum
from attention_dynamics.optim.nesterov import Nesterov
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.registry import find, kinds
from attention_dynamics.training import IncompatibleRunError

# Settings under which an optimizer ends close to a minimum, and those that may differ between starts.
SETTINGS = {
    "adam": {"step_size": 0.02},
    "gd": {"step_size": 0.05},
    "mirror_descent": {"step_size": 0.1, "exponent": 2.5, "normalized": False},
    "momentum": {"step_size": 0.05},
    "nesterov": {"step_size": 0.05},
    "normalized_gd": {"step_size": 0.5, "decay": 0.75},
    "polyak": {"c": 1.0},
}
PER_START = {
    "mirror_descent": {"step_size": (0.1, 0.05), "exponent": (1.5, 2.5)},
    "polyak": {"c": (1.0, 4.0)},
}
every_kind = pytest.mark.parametrize("kind", kinds(Optimizer))


def optimizer_of(kind, **changes) -> Optimizer:
    return find(Optimizer, kind)(**SETTINGS.get(kind, {"step_size": 0.01}) | changes)


def minimize(optimizer, value, gradient, start, steps):
    """Return the last iterate and the last state."""
    parameter, state = start, optimizer.init(start)
    for t in range(steps):
        direction = gradient(parameter)
        scaled = ScaledGradient(direction, np.zeros(direction.shape[:2], direction.dtype))
        context = StepContext(t, {"p": scaled}, lambda point=parameter: log_of(value(point)))
        parameter, state = optimizer.update(scaled, state, parameter, context)
    return parameter, state


def quadratic(target, curvature):
    """Value above the minimum and gradient of sum_j curvature_j (p_j - target_j)^2 / 2."""
    return (
        lambda p: (curvature * (p - target) ** 2 / 2).sum(-1),
        lambda p: curvature * (p - target),
    )


def quartic(target):
    """Value and gradient of |p - target|^2 / 2 + |p - target|^4 / 4."""

    def square(p):
        return ((p - target) ** 2).sum(-1)

    return (
        lambda p: square(p) / 2 + square(p) ** 2 / 4,
        lambda p: (1 + square(p))[..., None] * (p - target),
    )


TARGET = np.array([1.0, -2.0, 0.5])


def starts(dtype=float):
    """(problems, starts, coordinates)."""
    return np.random.default_rng(0).standard_normal((3, 2, 3)).astype(dtype)


@every_kind
@pytest.mark.parametrize(
    "target", [quadratic(TARGET, np.array([1.0, 2.0, 3.0])), quartic(TARGET)], ids=["quadratic", "quartic"]
)
def test_optimizer_reaches_minimum_of_convex_function(kind, target):
    found, _ = minimize(optimizer_of(kind), *target, starts(), 3000)
    np.testing.assert_allclose(found, np.broadcast_to(TARGET, found.shape), atol=2e-3)


@every_kind
def test_optimizer_refuses_unknown_settings(kind):
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        optimizer_of(kind, learning_rate=0.1)


@every_kind
def test_kind_is_name_of_module(kind):
    found = find(Optimizer, kind)
    assert found.kind == kind
    assert found.__module__.rpartition(".")[2] == kind


@every_kind
def test_optimizer_is_read_back_from_its_json(kind):
    optimizer = optimizer_of(kind)
    assert Optimizer.of(optimizer.model_dump(mode="json")) == optimizer


@every_kind
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 1), (2, 1, 3, 5)], ids=str)
def test_update_keeps_shapes_and_precision_of_parameter_and_state(kind, shape, dtype):
    optimizer, rng = optimizer_of(kind), np.random.default_rng(0)
    parameter = rng.standard_normal(shape).astype(dtype)
    gradient = ScaledGradient(rng.standard_normal(shape).astype(dtype), np.zeros(shape[:2], dtype))
    context = StepContext(0, {"p": gradient}, lambda: np.zeros(shape[:2], dtype))
    state = optimizer.init(parameter)
    before = parameter.copy(), {name: values.copy() for name, values in state.items()}
    moved, later = optimizer.update(gradient, state, parameter, context)
    assert (moved.shape, moved.dtype) == (parameter.shape, parameter.dtype)
    assert not np.array_equal(moved, parameter)
    assert {name: (a.shape, a.dtype) for name, a in state.items()} == {n: (a.shape, a.dtype) for n, a in later.items()}
    assert all(values.shape[:2] == shape[:2] for values in later.values())
    # Neither is changed in place.
    np.testing.assert_array_equal(parameter, before[0])
    for name, values in state.items():
        np.testing.assert_array_equal(values, before[1][name])


@every_kind
@pytest.mark.parametrize("log_scale", [0.0, -5000.0, float(np.finfo(float).min)])
def test_zero_gradient_leaves_parameter(kind, log_scale):
    optimizer, parameter = optimizer_of(kind), starts()
    still = ScaledGradient(np.zeros_like(parameter), np.full((3, 2), log_scale))
    context = StepContext(0, {"p": still}, lambda: np.zeros((3, 2)))
    state = optimizer.init(parameter)
    moved = parameter
    for _ in range(3):
        moved, state = optimizer.update(still, state, moved, context)
    np.testing.assert_allclose(moved, parameter, rtol=1e-12)


@every_kind
def test_settings_per_start_equal_separate_runs(kind):
    settings = PER_START.get(kind, {"step_size": (0.02, 0.1)})
    value, gradient = quadratic(TARGET, 1.0)
    together, state = minimize(optimizer_of(kind, **settings), value, gradient, starts(), 20)
    for start in range(2):
        one = {name: numbers[start] for name, numbers in settings.items()}
        alone, alone_state = minimize(optimizer_of(kind, **one), value, gradient, starts()[:, [start]], 20)
        np.testing.assert_allclose(together[:, [start]], alone, rtol=1e-12)
        for name, values in state.items():
            np.testing.assert_allclose(values[:, [start]], alone_state[name], rtol=1e-12)


@every_kind
def test_update_gives_same_bits_for_every_split_of_problems_and_starts(kind):
    value, gradient = quadratic(TARGET, np.array([1.0, 2.0, 3.0]))
    together, _ = minimize(optimizer_of(kind), value, gradient, starts(), 50)
    for k in range(3):
        for start in range(2):
            alone, _ = minimize(optimizer_of(kind), value, gradient, starts()[[k]][:, [start]], 50)
            np.testing.assert_array_equal(alone[0, 0], together[k, start])


@every_kind
def test_optimizer_names_setting_with_numbers_for_other_starts(kind):
    name, numbers = next(iter(PER_START.get(kind, {"step_size": (0.02, 0.1)}).items()))
    optimizer = optimizer_of(kind, **{name: numbers})
    optimizer.check_starts(2, "optimizer")
    with pytest.raises(IncompatibleRunError, match="one number per start, 3 in all") as raised:
        optimizer.check_starts(3, "optimizer")
    assert raised.value.key == f"optimizer.{name}"
    # Also where it is used, without a configuration.
    value, gradient = quadratic(TARGET, 1.0)
    for count in (1, 3):
        with pytest.raises(ValueError, match=f"one number per start, {count} in all"):
            minimize(optimizer, value, gradient, np.repeat(starts()[:, :1], count, axis=1), 1)


TWINS = {
    "adam": (Adam(step_size=0.03, beta_1=0.8, beta_2=0.9), torch.optim.Adam, {"lr": 0.03, "betas": (0.8, 0.9)}),
    "adam defaults": (Adam(step_size=0.1), torch.optim.Adam, {"lr": 0.1}),
    "momentum": (Momentum(step_size=0.02), torch.optim.SGD, {"lr": 0.02, "momentum": 0.9}),
    "nesterov": (Nesterov(step_size=0.02), torch.optim.SGD, {"lr": 0.02, "momentum": 0.9, "nesterov": True}),
}


@pytest.mark.parametrize("name", TWINS)
def test_optimizer_with_memory_agrees_with_torch(name):
    optimizer, twin_of, settings = TWINS[name]
    curvature = np.array([0.01, 1.0, 30.0])
    _, gradient = quadratic(TARGET, curvature)
    parameter = starts()
    state = optimizer.init(parameter)
    twin = torch.tensor(parameter, requires_grad=True)
    torch_optimizer = twin_of([twin], **settings)
    for t in range(200):
        direction = gradient(parameter)
        # A scale that is factored out makes no difference.
        scaled = ScaledGradient(direction * np.exp(3.0), np.full((3, 2), -3.0))
        parameter, state = optimizer.update(scaled, state, parameter, StepContext(t, {"p": scaled}, lambda: None))
        twin.grad = torch.tensor(curvature) * (twin.detach() - torch.tensor(TARGET))
        torch_optimizer.step()
        np.testing.assert_allclose(parameter, twin.detach().numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", ["adam", "momentum", "nesterov"])
def test_normalized_steps_do_not_depend_on_size_of_gradient(kind):
    optimizer, rng = optimizer_of(kind, normalized=True), np.random.default_rng(0)
    gradients = rng.standard_normal((30, 1, 1, 4))
    ends = []
    for log_scales in (np.zeros(30), -100.0 * np.arange(30)):
        parameter = np.zeros((1, 1, 4))
        state = optimizer.init(parameter)
        for direction, log_scale in zip(gradients, log_scales, strict=True):
            scaled = ScaledGradient(direction, np.array([[log_scale]]))
            parameter, state = optimizer.update(scaled, state, parameter, StepContext(0, {}, lambda: None))
        ends.append(parameter)
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-12)
    assert np.isfinite(ends[0]).all()


def adam_path(optimizer, gradients, log_scales):
    parameter = np.zeros((1, 1, gradients.shape[-1]))
    state, path = optimizer.init(parameter), []
    for direction, log_scale in zip(gradients, log_scales, strict=True):
        scaled = ScaledGradient(direction[None, None], np.array([[log_scale]]))
        parameter, state = optimizer.update(scaled, state, parameter, StepContext(0, {}, lambda: None))
        path.append(parameter[0, 0])
    return np.array(path)


@pytest.mark.parametrize("offset", [-2000.0, 2000.0])
def test_adam_without_epsilon_does_not_depend_on_size_of_gradient(offset):
    rng = np.random.default_rng(1)
    gradients, log_scales = rng.standard_normal((100, 4)), -0.1 * np.arange(100)
    gradients[:, 2] = 0.0
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        ordinary, scaled = (adam_path(Adam(step_size=0.1, epsilon=0.0), gradients, log_scales + x) for x in (0, offset))
    np.testing.assert_allclose(scaled, ordinary, rtol=1e-10)
    assert not scaled[:, 2].any()
    assert np.abs(np.diff(scaled[:, [0, 1, 3]], axis=0)).max(0).min() > 0.01


@pytest.mark.slow
def test_adam_without_epsilon_keeps_moving_under_shrinking_gradient():
    # Moments that keep their first scale would underflow after some thousand steps.
    steps = 20_000
    adam = Adam(step_size=0.1, beta_1=0.6, beta_2=0.5, epsilon=0.0)
    path = adam_path(adam, np.tile([1.0, -2.0], (steps, 1)), -0.1 * np.arange(steps))
    length = np.linalg.norm(np.diff(path[-100:], axis=0), axis=-1)
    assert np.isfinite(path).all()
    np.testing.assert_allclose(length, length[0], rtol=1e-6)
    assert length[0] > 0


def test_adam_separates_coordinates_of_different_size():
    gradients = np.tile([1.0, 1e-200], (50, 1))
    path = adam_path(Adam(step_size=0.1, epsilon=0.0), gradients, np.full(50, -1000.0))
    np.testing.assert_allclose(path[:, 1], path[:, 0], rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adam_with_epsilon_stops_below_epsilon(dtype):
    optimizer, parameter = Adam(step_size=0.1), np.ones((1, 1, 2), dtype)
    gradient = ScaledGradient(np.ones((1, 1, 2), dtype), np.full((1, 1), -2000.0, dtype))
    with np.errstate(all="raise", under="ignore"):
        moved, _ = optimizer.update(gradient, optimizer.init(parameter), parameter, StepContext(0, {}, lambda: None))
    np.testing.assert_array_equal(moved, parameter)


def test_unit_gradient_of_zero_is_zero():
    direction = np.array([[[3.0, 4.0], [0.0, 0.0]]])
    unit = ScaledGradient(direction, np.full((1, 2), -3000.0)).unit()
    np.testing.assert_allclose(unit, [[[0.6, 0.8], [0, 0]]], rtol=1e-15)
    np.testing.assert_allclose(norm(unit), [[1, 0]])


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_unit_gradient_does_not_depend_on_scale(scale):
    with np.errstate(over="ignore"):
        unit = ScaledGradient(scale * np.array([[[3.0, 4.0], [0.0, -5.0]]]), np.zeros((1, 2))).unit()
    np.testing.assert_allclose(unit, [[[0.6, 0.8], [0, -1]]], rtol=1e-15)


def test_adam_without_epsilon_refuses_moments_that_outlive_their_scale():
    assert Adam(step_size=0.1, beta_2=0.5).beta_2 == 0.5
    with pytest.raises(ValueError, match="beta_1: its square must not exceed beta_2"):
        Adam(step_size=0.1, beta_2=0.5, epsilon=0.0)
