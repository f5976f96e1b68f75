"""Every public function of the science takes arrays of any type, layout and size, or refuses them by name."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from operator import attrgetter
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

import attention_dynamics
from attention_dynamics.attention.gram_training import GramTraining, gram_matrices
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.token_solution import TokenSolution
from attention_dynamics.optim.gd import GD
from attention_dynamics.problems.arrays import array_type
from attention_dynamics.problems.problem import Problem
from attention_dynamics.regularization.polar_search import disc
from attention_dynamics.sequences.classes import SequenceClasses
from attention_dynamics.sequences.sampled import Samples
from attention_dynamics.theory.attention_growth import AttentionGrowth

SCIENCE = (
    "attention", "optim", "margins", "regularization", "sequences", "theory", "measures", "problems", "series",
    "plots.planar", "plots.table_output",
)  # fmt: skip
# Called in every step, or by the functions below, with arrays that have been converted.
INTERNAL = re.compile(
    r"attention\.(attention_gradient|initialization|models|losses\.(loss|log_domain))|margins\.lp_(certificate|newton)"
    r"|margins\.max_margin\.solve_scaled"
    r"|optim\.(adam|gd|gradient|momentum|nesterov|normalized_gd|optimizer|polyak)|problems\.arrays|sequences\.transformer_gradient"
    r"|regularization\.\w+\.(Sphere|Objective|\w+Risk|TanhHead)|theory\.argument_checks|.*\.(update|from_arrays)$"
)


def public_members():
    """Return the functions, methods and constructors of dataclasses that take arrays, by their names."""
    found = {}
    for info in pkgutil.walk_packages(attention_dynamics.__path__, "attention_dynamics."):
        module = info.name.partition(".")[2]
        for name, member in vars(importlib.import_module(info.name)).items() if module.startswith(SCIENCE) else ():
            if name.startswith("_") or getattr(member, "__module__", "") != info.name or not callable(member):
                continue
            members = {name: member} if inspect.isfunction(member) or is_dataclass(member) else {}
            if isinstance(member, type):
                methods = {key: getattr(member, key) for key in vars(member) if not key.startswith("_")}
                members |= {f"{name}.{key}": value for key, value in methods.items() if callable(value)}
            for key, value in members.items():
                annotations = [one.annotation for one in inspect.signature(value).parameters.values()]
                takes_arrays = any("ndarray" in f"{one}" or array_type(one) for one in annotations)
                if takes_arrays and not INTERNAL.match(f"{module}.{key}"):
                    assert key not in found, f"two functions are called {key}"
                    found[key] = value
    return found


MEMBERS = public_members()


@cache
def sample(n=2, T=3, d=4):
    """Return arguments by name, for n inputs of T tokens in R^d. All numbers are whole, and none is negative."""
    rng = np.random.default_rng(0)
    whole = lambda *shape: rng.integers(0, 9, shape).astype(float)  # noqa: E731
    indices, labels, rows, scores, c = np.arange(n), np.ones(n), whole(n, d), whole(n, T), 1 + whole(n, n + 2)
    values, positive, features, selected = whole(n), 4 + whole(n), 1 + whole(n, d), indices % T
    s = SimpleNamespace(
        tokens=whole(n, T, d), keys=whole(n, T, d), scores=scores, logits=scores, labels=labels, selected=selected,
        features=features, constraints=features, required=labels, optimal=selected, supporting=indices % 2 == 0,
        rivals=np.arange(T) != selected[:, None], others=np.arange(T) != selected[:, None], mask=np.array([True]),
        weights=whole(d), margins=values, duals=values, certificate=values, neighbors=scores > 0,
        prompts=whole(1, 1, d), one_step=np.arange(1), settings_of_one={"seed": labels[:1]},
        key_weights=np.eye(d), head=whole(d), gram=np.eye(d), points=rows, vectors=whole(1, n, T, d), direction=rows,
        parameter=whole(1, n, 1, d), values=values, sample=values, hits=values, margin=values, log_shortfall=values,
        x=rows, y=features, steps=indices, rows=rows, start={"p": rows}, settings={"seed": labels}, zeros=0 * indices,
        positions=whole(n, T, 2), directions=np.eye(2), axis=1 + whole(2), path=whole(n + 1, 2), place=1 + whole(2),
        grid=np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]]), limit=np.array([0, 1.0, 1, 0]), t=positive, C=positive,
        eta_Y=positive, eta_Z=positive, M=positive, K=positive, C0=positive, P=np.eye(n, n + 2), F=np.eye(n + 2, n),
        beta=whole(n, n), z=whole(1, n + 2), Y=whole(2, n + 2, n + 2), f=c, g=c, c=c, Z=whole(1, n + 2),
        thresholds=values, p_values=values, draws=tuple(range(n)), unit="seed",
        uneven=np.kron(np.eye(n), [0.25, 0.75]), uneven_z=whole(1, 2 * n), counts=np.ones((1, n, 2), np.uint16),
        exponent=3.0, exponents=[2.0, 3.0], q=3.0, size=9, level=3.0, gap=0.0, residual=0.0, score_gap=1.0,
        saturated=0.5, fixed_head=True, time="cube_root", step_size=0.5, half=0.5, sector=disc(2.0),
        loss=Loss.of("logistic"), queries=[0] * n, Q=1, one=1, few=2, times=[1.0, 2.0], record_steps=[0, 1],
        twice=[1, 2], radii=(1.0, 2.0), gamma=lambda t: 1.0, color="red", marker="o", text="p",
        styles={0: ("red", "a"), 1: ("blue", "b")},
    )  # fmt: skip
    s.batch = SimpleNamespace(**{key: array[None] for key, array in vars(s).items() if isinstance(array, np.ndarray)})
    s.grams = gram_matrices(s.batch.keys)
    s.problem = Problem(s.batch.tokens, s.batch.labels, s.key_weights, s.batch.selected, s.batch.head)
    s.solution = TokenSolution(s.head, s.scores, s.scores, 0.0, 0.0, selected=s.selected)
    s.model, s.optimizers = PromptAttention().bind(s.problem, s.loss), {"p": GD(step_size=0.5)}
    s.reference, s.references = AttentionSVM(), {"gmm": AttentionSVM()}
    s.data = SequenceClasses(np.full((n, n + 2), 0.5), s.zeros, indices, 1 + indices[:, None], np.arange(1))
    s.samples = Samples(s.batch.steps, s.counts, np.zeros((n + 1, n + 2)), s.Z)
    s.training, s.growth = GramTraining(s.batch.scores, s.batch.scores), AttentionGrowth(*[positive] * 4)
    for kind in ("correlation", "exponential", "logistic"):
        setattr(s, kind, Loss.of(kind))
    return s


# Where an argument is not the one of its name in the sample.
BATCH = "tokens=batch.tokens labels=batch.labels head=batch.head"
GROWTH = ("exponent", "printed_exponent", "asymptotic_exponent", "late_exponent", "factor", "local_exponent")
LOSSES = [(kind, method) for kind in ("Correlation", "Exponential", "Logistic")
          for method in ("value", "log_slope", "log_loss", "log_excess")]  # fmt: skip
SOURCES = {
    **{f"{kind}.{method}": f"self={kind.lower()}" for kind, method in LOSSES},
    **{f"AttentionGrowth.{method}": "self=growth" for method in ("integrated_gamma", *GROWTH)},
    "gram_matrices": "keys=batch.keys",
    "train_in_span": "gram=grams scores=batch.scores steps=few",
    "GramTraining.prompts": "self=training keys=batch.keys",
    "entrywise_norm": "values=parameter",
    "signed_power": "values=parameter",
    "solve_lp_max_margins": "constraints=batch.constraints",
    "select_trained": "prompts=batch.head",
    "products": "vectors=batch.keys parameter=batch.prompts",
    "Series": "values=rows trajectory=zeros start=zeros position=zeros",
    "Series.of": "values=vectors steps=one_step",
    "Problem": f"{BATCH} optimal=batch.optimal queries=batch.rows settings=settings_of_one",
    "Problem.scores": "self=problem head=batch.head",
    "with_fixed_head": f"{BATCH} settings=settings_of_one",
    "token_scores": BATCH,
    "check_labels": "labels=batch.labels P=one n=few",
    "outer_keys": "queries=rows",
    "embed": "positions=batch.positions scores=batch.scores labels=batch.labels settings=settings_of_one",
    "span_keys": "weights=key_weights",
    "best_reachable": "keys=positions",
    "cone": "half_angle=half",
    "prompt_minimizer": "keys=positions angles=few radii=few basins=one",
    "joint_minimizer": "tokens=positions keys=positions r=half R=half",
    "SequenceClasses": "probabilities=c query=zeros next=steps distinct=batch.steps common=steps",
    "SampledSequences": "classes=data labels=batch.steps Y=batch.Y Z=batch.Z",
    "TokenClasses": "probabilities=batch.P queries=zeros",
    "TokenClasses.of": "weights=batch.features",
    "h_star": "steps=few",
    "logit_curves": "steps=few M=size",
    "correlation_margin": "M=size",
    "train_decoder": "classes=queries eta_Y=half",
    "backpropagation": "step=twice eta_Y=half",
    "solve": "eta_Z=half",
    "by_query": "values=c",
    "growth_law_error": "P=uneven z=uneven_z",
    "arrow": "record=one",
    "ray": "direction=place",
    "label_ray": "direction=place",
    "token": "position=place",
    "basins": "starts=grid",
    "starts": "points=path",
    "square_window": "points=path margin=half",
}
PLOTS = {"trajectory", "starts", "arrow", "ray", "label_ray", "token", "basins"}
AXES = Figure().add_subplot(xlim=(-1, 1), ylim=(-1, 1))
PARTS_OF_AXES = AXES.get_children()
# A call takes seconds; that types are refused shows that they are converted.
SLOW = {"joint_minimizer"}


def call(name, change=np.copy, only=None, **sizes):
    """Return the answer of a function, or its error, after a change of one array or of all of them, and the arrays."""
    s, sources = sample(**sizes), dict(part.split("=") for part in SOURCES.get(name, "").split())
    arguments, arrays = {"axes": AXES} if name in PLOTS else {}, {}
    for key, parameter in inspect.signature(MEMBERS[name]).parameters.items():
        source = sources.pop(key, key)
        if hasattr(s, source.partition(".")[0]) and parameter.kind is not parameter.VAR_KEYWORD:
            given = arguments[key] = attrgetter(source)(s)
            several = isinstance(given, dict) and all(isinstance(one, np.ndarray) for one in given.values())
            if several or isinstance(given, np.ndarray):
                use = change if only in (None, key) else np.copy
                arguments[key] = (
                    {one: use(np.copy(array)) for one, array in given.items()} if several else use(np.copy(given))
                )
                arrays[key] = arguments[key]
        elif (
            parameter.default is parameter.empty
            and key not in arguments
            and parameter.kind is not parameter.VAR_KEYWORD
        ):
            pytest.fail(
                f"{name} takes arrays: add its argument {key} to the sample, or say in SOURCES which of it to take"
            )
    try:
        answer = flat(MEMBERS[name](**arguments, **{key: getattr(s, source) for key, source in sources.items()}))
    except ValueError as error:
        return f"{error}", arrays
    return [*answer, *(drawn_arrays() if name in PLOTS else ())], arrays


def drawn_arrays():
    """Return the data of the artists that a function has drawn, and remove them from the axes."""
    drawn = [
        *(line.get_xydata() for line in AXES.lines), *(np.array(text.xy) for text in AXES.texts),
        *(points.get_offsets().data for points in AXES.collections),
        *(image.get_array().data for image in AXES.images),
    ]  # fmt: skip
    for artist in AXES.get_children():
        if artist not in PARTS_OF_AXES:
            artist.remove()
    return drawn


def flat(answer):
    """Return the arrays that an answer consists of."""
    if isinstance(answer, np.ndarray | float | int | np.generic):
        return [np.asarray(answer)]
    answer = vars(answer) if is_dataclass(answer) else answer
    parts = answer.values() if isinstance(answer, dict) else answer
    return (
        [array for part in parts for array in flat(part)]
        if isinstance(parts, Iterable) and not isinstance(parts, str)
        else []
    )


def typed(dtype):
    """Return a function that gives arrays a type, unless they lose by it, or are indices or booleans and it is not."""

    def change(array):
        fits = np.issubdtype(dtype, np.integer) if array.dtype.kind == "i" else array.dtype.kind == "f"
        cast = array.astype(dtype) if fits else array
        return cast if (cast == array).all() else array

    return change


def read_only(array):
    array.flags.writeable = False
    return array


TYPES = ("i1", "u1", "u2", ">i4", "i8", "u8", "?", "f2", "f4", ">f8", "g")
CHANGES = {dtype: typed(np.dtype(dtype)) for dtype in TYPES} | {
    "list": np.ndarray.tolist,
    "Fortran": lambda array: np.array(array, order="F"),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "reversed": lambda array: array[..., ::-1].copy()[..., ::-1],
    "read-only": read_only,
    "masked array": np.ma.array,
    "subclass": lambda array: array.view(np.matrix if array.ndim == 2 else np.recarray),
}
REFUSED = {
    "complex": lambda array: array.astype(complex),
    "object": lambda array: array.astype(object),
    "string": lambda array: array.astype(str),
    "masked entry": lambda array: np.ma.array(array, mask=np.arange(array.size).reshape(array.shape) == 0),
}
# Powers of two of scales at which what an answer is in proportion to is found out, and functions of a fixed level, of
# probabilities and of exponentials.
NEAR, LEVELS = (-30, 9, 30), {"basins", "count_above", "share_above", "attended", "growth_law_error"}
# These compute in the precision of their arguments.
SINGLE = (
    "value",
    "log_slope",
    "log_loss",
    "log_excess",
    "log_risk_gap",
    "log_softmax",
    "entrywise_norm",
    "signed_power",
)


def names_argument(error, arguments):
    return isinstance(error, str) and any(
        re.search(rf"(\b|_){name}(\b|_)", error) for name in (*arguments, "keys", "constraints")
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MEMBERS.keys() - SLOW))
@pytest.mark.parametrize("sizes", [{}, {"n": 1, "T": 1, "d": 1}], ids=["several", "one"])
def test_answer_does_not_depend_on_type_and_layout(name, sizes):
    expected, arrays = call(name, **sizes)
    if isinstance(expected, str):
        assert names_argument(expected, arrays)
    for only in (None, *arrays) if len(arrays) > 1 else arrays:
        for label, change in CHANGES.items():
            found, _ = call(name, change, only, **sizes)
            if label == "f4" and name.rpartition(".")[2] in SINGLE:
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=f"f4 {only or 'arrays'}")
            elif isinstance(expected, str):
                assert found == expected, f"{label} {only or 'arrays'}"
            else:
                same = len(found) == len(expected) and all(map(same_bits, found, expected))
                assert same, f"{label} {only or 'arrays'}: {found} instead of {expected}"


def same_bits(found, expected):
    return np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f")


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_other_types_and_masked_entries_are_refused(name):
    for only in call(name, REFUSED["complex"])[1]:
        for label, change in REFUSED.items():
            assert names_argument(call(name, change, only)[0], [only]), f"{label} {only}"


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_empty_arrays_are_refused_or_have_an_answer(name):
    cuts = [lambda array: array[:0], lambda array: array[..., :0]]
    for only in (None, *call(name, cuts[0])[1]):
        for cut in cuts:
            answer, arrays = call(name, cut, only)
            assert not isinstance(answer, str) or names_argument(answer, arrays)


@pytest.mark.parametrize("name", sorted(MEMBERS.keys() - SLOW))
def test_results_own_their_arrays(name):
    answer, arrays = call(name)
    kept = [
        key
        for key, given in arrays.items()
        for one in flat(given)
        if any(np.shares_memory(one, each) for each in answer)
    ]
    assert not kept


@pytest.mark.parametrize("name", sorted(MEMBERS.keys() - SLOW - LEVELS))
@pytest.mark.parametrize("power", [-996, 996])
def test_answer_scales_with_its_arguments(name, power):
    base, arrays = call(name)
    for only in [key for key, given in arrays.items() if all(array.dtype.kind == "f" for array in flat(given))]:
        with np.errstate(all="ignore"):
            answer, *near = (call(name, lambda array, n=n: np.ldexp(array, n), only)[0] for n in (power, *NEAR))
        if isinstance(answer, str):
            assert names_argument(answer, [only]), f"{only}: {answer}"
            continue
        for k, one in enumerate(base):
            if one.dtype.kind == "f":
                assert not (np.isnan(answer[k]) & ~np.isnan(one)).any(), f"{only}: {answer[k]}"
            # What is in proportion to a power of the argument stays so as far as numbers reach.
            for degree in range(-3, 4) if one.dtype.kind == "f" and one.any() else ():
                with np.errstate(all="ignore"):
                    *nearby, expected = (np.ldexp(one, degree * n) for n in (*NEAR, power))
                if all(
                    not isinstance(each, str) and same_bits(each[k], want)
                    for each, want in zip(near, nearby, strict=True)
                ):
                    within = (np.abs(expected) < 1e300) & (np.abs(expected) > 1e-300)
                    np.testing.assert_allclose(answer[k][within], expected[within], rtol=1e-9, err_msg=only)
