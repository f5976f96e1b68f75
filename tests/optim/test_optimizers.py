"""Full-batch optimizers: all of them on all problems, against torch, closed forms of the step, and their scaling."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.optim.adam import Adam
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.gradient import ScaledGradient, StepContext, clamp_to_tiny, log_of, norm
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.optim.momentum import Momentum
from attention_dynamics.optim.nesterov import Nesterov
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.optim.polyak import Polyak
from attention_dynamics.registry import kinds
from attention_dynamics.training import IncompatibleRunError

GUARD = 2.0**-52
TARGET = np.array([1.0, -2.0, 0.5])
# These end close to a minimum.
CONVERGENT = {
    "adam": Adam(step_size=0.02),
    "gd": GD(step_size=0.05),
    "mirror_descent": MirrorDescent(step_size=0.1, exponent=2.5, normalized=False),
    "momentum": Momentum(step_size=0.05),
    "nesterov": Nesterov(step_size=0.05),
    "normalized_gd": NormalizedGD(step_size=0.5, decay=0.75),
    "polyak": Polyak(c=1.0),
}
# The size of the gradient cancels in their steps.
SCALE_FREE = {
    "normalized_gd": NormalizedGD(step_size=0.1),
    "mirror_descent 1.1": MirrorDescent(step_size=0.1, exponent=1.1),
    "mirror_descent 2": MirrorDescent(step_size=0.1, exponent=2.0),
    "mirror_descent 10": MirrorDescent(step_size=0.1, exponent=10.0),
    "momentum": Momentum(step_size=0.01, normalized=True),
    "nesterov": Nesterov(step_size=0.01, normalized=True),
    "adam": Adam(step_size=0.01, normalized=True),
}
PER_START = {
    "mirror_descent": {"step_size": (0.1, 0.05), "exponent": (1.5, 2.5)},
    "polyak": {"c": (1.0, 4.0)},
}
CURVATURE = np.array([1.0, 2.0, 3.0])
every_kind = pytest.mark.parametrize("kind", CONVERGENT)
ALL = CONVERGENT | {f"normalized {name}": optimizer for name, optimizer in SCALE_FREE.items()}
every_optimizer = pytest.mark.parametrize("optimizer", ALL.values(), ids=ALL)


def with_settings(kind, settings) -> Optimizer:
    return Optimizer.of(CONVERGENT[kind].model_dump(mode="json") | settings)


def quadratic(curvature):
    """Value above the minimum and gradient of sum_j curvature_j (p_j - target_j)^2 / 2."""
    return lambda p: (curvature * (p - TARGET) ** 2 / 2).sum(-1), lambda p: curvature * (p - TARGET)


def quartic():
    """Value above the minimum and gradient of |p - target|^2 / 2 + |p - target|^4 / 4."""
    square = lambda p: ((p - TARGET) ** 2).sum(-1)  # noqa: E731
    return lambda p: square(p) / 2 + square(p) ** 2 / 4, lambda p: (1 + square(p))[..., None] * (p - TARGET)


def starts():
    """(problems, starts, coordinates)."""
    return np.random.default_rng(0).standard_normal((3, 2, 3))


def minimize(optimizer, value, gradient, start, steps):
    """Return the last iterate and the last state."""
    parameter, state = start, optimizer.init(start)
    for t in range(steps):
        direction = gradient(parameter)
        scaled = ScaledGradient(direction, np.zeros(direction.shape[:2]))
        context = StepContext(t, {"p": scaled}, lambda point=parameter: log_of(value(point)))
        parameter, state = optimizer.update(scaled, state, parameter, context)
    return parameter, state


def follow(optimizer, directions, log_scales):
    """Return the iterates from the origin under given gradients, (steps, coordinates)."""
    parameter, path = np.zeros((1, 1, directions.shape[-1])), []
    state = optimizer.init(parameter)
    for direction, log_scale in zip(directions, log_scales, strict=True):
        scaled = ScaledGradient(direction[None, None], np.array([[log_scale]]))
        parameter, state = optimizer.update(scaled, state, parameter, StepContext(0, {}, lambda: None))
        path.append(parameter[0, 0])
    return np.array(path)


def first_step(optimizer, direction, log_scale=0.0, iteration=0, log_gap=0.0):
    """Return the step from the origin against one gradient."""
    gradient = ScaledGradient(np.array([[direction]]), np.array([[log_scale]]))
    context = StepContext(iteration, {"p": gradient}, lambda: np.array([[log_gap]]))
    parameter = np.zeros_like(gradient.direction)
    return optimizer.update(gradient, optimizer.init(parameter), parameter, context)[0][0, 0]


def test_unit_gradient_does_not_depend_on_scale():
    for scale in (1e-300, 1e-160, 1.0, 1e160, 1e300):
        direction = scale * np.array([[[3.0, 4.0], [0.0, -5.0], [0.0, 0.0]]])
        with np.errstate(over="ignore"):
            unit = ScaledGradient(direction, np.full((1, 3), -3000.0)).unit()
        np.testing.assert_allclose(unit, [[[0.6, 0.8], [0, -1], [0, 0]]], rtol=1e-15)
    # Its value underflows.
    for log_scale, there in ((-750.0, False), (-745.0, True)):
        value = ScaledGradient(np.array([[[3.0, 4.0]]]), np.array([[log_scale]])).value()
        np.testing.assert_array_equal(value != 0, there)


def test_every_kind_is_tested():
    assert kinds(Optimizer) == sorted(CONVERGENT)


@every_kind
@pytest.mark.parametrize("function", [quadratic(CURVATURE), quartic()], ids=["quadratic", "quartic"])
def test_optimizer_reaches_minimum_of_convex_function(kind, function):
    found, _ = minimize(CONVERGENT[kind], *function, starts(), 3000)
    np.testing.assert_allclose(found, np.broadcast_to(TARGET, found.shape), atol=2e-3)


@every_optimizer
def test_update_keeps_shapes_and_precision_of_parameter_and_state(optimizer):
    assert Optimizer.of(optimizer.model_dump(mode="json")) == optimizer
    rng = np.random.default_rng(0)
    for shape, dtype in ((s, d) for s in ((2, 3, 4), (1, 1, 1), (2, 1, 3, 5)) for d in ("float32", "float64")):
        parameter = rng.standard_normal(shape).astype(dtype)
        gradient = ScaledGradient(rng.standard_normal(shape).astype(dtype), np.zeros(shape[:2], dtype))
        context = StepContext(0, {"p": gradient}, lambda shape=shape, dtype=dtype: np.zeros(shape[:2], dtype))
        state = optimizer.init(parameter)
        before = {"parameter": parameter.copy()} | {name: values.copy() for name, values in state.items()}
        moved, later = optimizer.update(gradient, state, parameter, context)
        assert not np.array_equal(moved, parameter)
        for name, values in (state | {"parameter": parameter}).items():
            new = (later | {"parameter": moved})[name]
            assert (new.shape, new.dtype) == (values.shape, values.dtype)
            assert new.shape[:2] == shape[:2]
            # Nothing is changed in place.
            np.testing.assert_array_equal(values, before[name])
        assert later.keys() == state.keys()


@every_optimizer
def test_zero_gradient_leaves_parameter(optimizer):
    for log_scale in (0.0, -5000.0, float(np.finfo(float).min)):
        still = ScaledGradient(np.zeros((3, 2, 3)), np.full((3, 2), log_scale))
        for log_gap in (0.0, -np.inf):
            context = StepContext(0, {"p": still}, lambda log_gap=log_gap: np.full((3, 2), log_gap))
            moved, state = starts(), optimizer.init(starts())
            for _ in range(3):
                moved, state = optimizer.update(still, state, moved, context)
            # Large and small powers round more.
            rtol = 1e-9 if getattr(optimizer, "exponent", 2) in (1.1, 10) else 1e-12
            np.testing.assert_allclose(moved, starts(), rtol=rtol)


@every_optimizer
def test_update_gives_same_bits_for_every_split_of_problems_and_starts(optimizer):
    together, _ = minimize(optimizer, *quadratic(CURVATURE), starts(), 50)
    for k, start in np.ndindex(3, 2):
        alone, _ = minimize(optimizer, *quadratic(CURVATURE), starts()[[k]][:, [start]], 50)
        np.testing.assert_array_equal(alone[0, 0], together[k, start])


@every_kind
def test_settings_per_start_equal_separate_runs_and_need_a_number_for_each(kind):
    settings = PER_START.get(kind, {"step_size": (0.02, 0.1)})
    together, state = minimize(with_settings(kind, settings), *quadratic(1.0), starts(), 20)
    for start in range(2):
        one = with_settings(kind, {name: numbers[start] for name, numbers in settings.items()})
        alone, alone_state = minimize(one, *quadratic(1.0), starts()[:, [start]], 20)
        np.testing.assert_allclose(together[:, [start]], alone, rtol=1e-12)
        for name, values in state.items():
            np.testing.assert_allclose(values[:, [start]], alone_state[name], rtol=1e-12)
    name, numbers = next(iter(settings.items()))
    optimizer = with_settings(kind, {name: numbers})
    optimizer.check_starts(2, "optimizer")
    with pytest.raises(IncompatibleRunError, match="one number per start, 3 in all") as raised:
        optimizer.check_starts(3, "optimizer")
    assert raised.value.key == f"optimizer.{name}"
    # Also where it is used, without a configuration.
    for count in (1, 3):
        with pytest.raises(ValueError, match=f"one number per start, {count} in all"):
            minimize(optimizer, *quadratic(1.0), np.repeat(starts()[:, :1], count, axis=1), 1)


SGD = torch.optim.SGD
TWINS = {
    "adam": (Adam(step_size=0.03, beta_1=0.8, beta_2=0.9), torch.optim.Adam, {"lr": 0.03, "betas": (0.8, 0.9)}),
    "adam defaults": (Adam(step_size=0.1), torch.optim.Adam, {"lr": 0.1}),
    "gd": (GD(step_size=0.02), SGD, {"lr": 0.02}),
    "mirror descent": (MirrorDescent(step_size=0.02, exponent=2.0, normalized=False), SGD, {"lr": 0.02}),
    "momentum": (Momentum(step_size=0.02), SGD, {"lr": 0.02, "momentum": 0.9}),
    "nesterov": (Nesterov(step_size=0.02), SGD, {"lr": 0.02, "momentum": 0.9, "nesterov": True}),
}


@pytest.mark.parametrize("name", TWINS)
def test_optimizer_agrees_with_torch(name):
    optimizer, twin_of, settings = TWINS[name]
    curvature = np.array([0.01, 1.0, 30.0])
    _, gradient = quadratic(curvature)
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


@pytest.mark.parametrize("log_scale", [0.0, -5.0, -20.0, -30.0])
def test_first_step_matches_formula(log_scale):
    """At iteration 8, with a loss of 0.7 above its infimum."""
    g = np.exp(log_scale) * np.array([1.8, 0.0, -2.4])
    size, gap = 3 * np.exp(log_scale), 0.7
    for optimizer, expected in (
        (NormalizedGD(step_size=0.1), -0.1 * g / size),
        (NormalizedGD(step_size=0.1, decay=0.5), -0.1 / 3 * g / size),
        (NormalizedGD(step_size=0.1, epsilon=1e-9), -0.1 * g / (size + 1e-9)),
        (MirrorDescent(step_size=0.1, exponent=2.0), -0.1 * g / size),
        (MirrorDescent(step_size=0.1, exponent=2.0, epsilon=1e-9), -0.1 * g / (size + 1e-9)),
        (Polyak(c=3.0), -gap / (3 * size**2) * g),
        (Polyak(c=3.0, longest=0.01), -0.01 * g / size),
    ):
        step = first_step(optimizer, [1.8, 0.0, -2.4], log_scale, 8, np.log(gap))
        np.testing.assert_allclose(step, expected, rtol=1e-14, err_msg=f"{optimizer}")


def test_guard_freezes_gradients_far_below_it():
    for optimizer in (
        NormalizedGD(step_size=0.1, epsilon=1e-9), MirrorDescent(step_size=0.1, exponent=1.75, epsilon=GUARD),
    ):  # fmt: skip
        assert 0 < np.linalg.norm(first_step(optimizer, [0.6, 0.0, -0.8], -100.0)) < 1e-30
    parameter, still = np.ones((1, 1, 2)), ScaledGradient(np.ones((1, 1, 2)), np.full((1, 1), -5000.0))
    moved = optimizer.update(still, {}, parameter, StepContext(0, {}, lambda: None))[0]
    np.testing.assert_allclose(moved, parameter, rtol=1e-12)


@pytest.mark.parametrize("name", SCALE_FREE)
def test_normalized_steps_do_not_depend_on_size_of_gradient(name):
    gradients = np.random.default_rng(0).standard_normal((30, 4))
    expected = follow(SCALE_FREE[name], gradients, np.zeros(30))
    assert np.isfinite(expected).all()
    for log_scales in (-100.0 * np.arange(30), np.full(30, -1e4), np.full(30, 1e4)):
        np.testing.assert_allclose(follow(SCALE_FREE[name], gradients, log_scales), expected, rtol=1e-12)
    for size in (1e-170, 1e-300):
        tiny = first_step(SCALE_FREE[name], size * gradients[0])
        np.testing.assert_allclose(tiny, expected[0], rtol=1e-14)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(seed=st.integers(0, 10**6), exponent=st.floats(1.05, 10), size=st.floats(0.1, 3))
def test_mirror_image_moves_by_unit_dual_norm(seed, exponent, size):
    rng = np.random.default_rng(seed)
    before, direction = size * rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 3, 4))
    gradient = ScaledGradient(direction, np.zeros((2, 3)))
    optimizer = MirrorDescent(exponent=exponent, step_size=0.1)
    after = optimizer.update(gradient, {}, before, StepContext(0, {}, lambda: None))[0]
    image = lambda w: np.sign(w) * np.abs(w) ** (exponent - 1)  # noqa: E731
    step, q = image(before) - image(after), exponent / (exponent - 1)
    scale = np.abs(image(before)).max()
    np.testing.assert_allclose((np.abs(step) ** q).sum(-1) ** (1 / q), 0.1, rtol=1e-6, atol=1e-9 * scale)
    unit, expected = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (step, direction))
    np.testing.assert_allclose(unit, expected, atol=1e-6 * (1 + scale))


def test_joint_polyak_step_uses_norm_of_both_gradients_and_is_clipped():
    gradients = {
        "p": ScaledGradient(np.array([[[3.0, 0.0]]]), np.array([[-400.0]])),
        "v": ScaledGradient(np.array([[[0.0, 4.0]]]), np.array([[-400.0]])),
    }
    context = StepContext(0, gradients, lambda: np.array([[-400.0]]))
    for name, longest, expected in (
        ("p", None, [-3 / 50, 0]), ("v", None, [0, -4 / 50]), ("v", 0.01, [0, -0.01]), ("v", 0.09, [0, -4 / 50]),
    ):  # fmt: skip
        moved = Polyak(c=2.0, longest=longest).update(gradients[name], {}, np.zeros((1, 1, 2)), context)[0]
        np.testing.assert_allclose(moved[0, 0], expected, rtol=1e-12)
    # A step that would overflow is as long as it may be.
    for log_scale in (-100.0, -360.0, -800.0, -1e5):
        step = first_step(Polyak(c=2.0, longest=10.0), [3.0, 4.0], log_scale, log_gap=-1.0)
        np.testing.assert_allclose(step, [-6, -8], rtol=1e-12)


@pytest.mark.parametrize("offset", [-2000.0, 2000.0])
def test_adam_without_epsilon_does_not_depend_on_size_of_gradient(offset):
    rng = np.random.default_rng(1)
    gradients, log_scales = rng.standard_normal((100, 4)), -0.1 * np.arange(100)
    gradients[:, 2] = 0.0
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        ordinary, scaled = (follow(Adam(step_size=0.1, epsilon=0.0), gradients, log_scales + x) for x in (0, offset))
    np.testing.assert_allclose(scaled, ordinary, rtol=1e-10)
    assert not scaled[:, 2].any()
    assert np.abs(np.diff(scaled[:, [0, 1, 3]], axis=0)).max(0).min() > 0.01
    # Nor on the size of each coordinate.
    path = follow(Adam(step_size=0.1, epsilon=0.0), np.tile([1.0, 1e-200], (50, 1)), np.full(50, offset / 2))
    np.testing.assert_allclose(path[:, 1], path[:, 0], rtol=1e-9)


@pytest.mark.slow
def test_adam_without_epsilon_keeps_moving_under_shrinking_gradient():
    # Moments that keep their first scale would underflow after some thousand steps.
    steps = 9_000
    adam = Adam(step_size=0.1, beta_1=0.6, beta_2=0.5, epsilon=0.0)
    path = follow(adam, np.tile([1.0, -2.0], (steps, 1)), -0.1 * np.arange(steps))
    length = np.linalg.norm(np.diff(path[-100:], axis=0), axis=-1)
    assert np.isfinite(path).all()
    np.testing.assert_allclose(length, length[0], rtol=1e-6)
    assert length[0] > 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adam_with_epsilon_stops_below_epsilon(dtype):
    optimizer, parameter = Adam(step_size=0.1), np.ones((1, 1, 2), dtype)
    gradient = ScaledGradient(np.ones((1, 1, 2), dtype), np.full((1, 1), -2000.0, dtype))
    with np.errstate(all="raise", under="ignore"):
        moved, _ = optimizer.update(gradient, optimizer.init(parameter), parameter, StepContext(0, {}, lambda: None))
    np.testing.assert_array_equal(moved, parameter)


@pytest.mark.parametrize(("dtype", "power"), [("float32", -130), ("float32", 60), ("float64", -1040)])
def test_norm_is_exact_where_squares_overflow(dtype, power):
    ordinary = np.array([[[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]]], dtype)
    scale = ordinary.dtype.type(2.0**power)
    expected = np.array([[5.0, 0.0, 2.0**0.5]], dtype) * scale
    np.testing.assert_allclose(norm(ordinary * scale), expected, rtol=1e-6)
    assert norm(ordinary * scale).dtype == dtype
    # Others in the batch keep their bits.
    both = np.concatenate([ordinary * scale, ordinary / 3])
    np.testing.assert_array_equal(norm(both)[1:], norm(ordinary / 3))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clamp_to_tiny_changes_only_zero(dtype):
    smallest = np.nextafter(np.zeros((), dtype), 1, dtype=dtype)
    sizes = np.array([smallest, 3 * smallest, 1e-30, 2.0, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(clamp_to_tiny(sizes), sizes)
    assert np.zeros(1, dtype) / clamp_to_tiny(np.zeros(1, dtype)) == 0


def test_contradictory_settings_are_refused():
    for kind, wrong, message in (
        (Adam, {"beta_2": 0.5, "epsilon": 0.0}, "beta_1: its square must not exceed beta_2"),
        (MirrorDescent, {"exponent": 2.0, "normalized": False, "epsilon": GUARD}, "applies to normalized steps only"),
    ):
        with pytest.raises(ValueError, match=message):
            kind(step_size=0.1, **wrong)
        assert kind(step_size=0.1, **wrong | {"epsilon": GUARD, "normalized": True}).epsilon == GUARD
