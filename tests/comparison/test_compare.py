"""The comparison of optimizers as a function: its cells, the tuning rule and the statuses."""

from dataclasses import replace

import numpy as np
import pytest

from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.comparison import cell as cells
from attention_dynamics.comparison.cell import DIVERGED, NOT_FINITE, compute_cell
from attention_dynamics.comparison.compare import compare
from attention_dynamics.comparison.entry import TUNED_VALUES, Entry
from attention_dynamics.comparison.report import choose, join, report, to_frame
from attention_dynamics.comparison.starts import START_NORM, with_random_starts
from attention_dynamics.comparison.table import details
from attention_dynamics.csv_table import csv_table
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.gradient import per_start
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.types import PositivePerStart

NGD = Entry(optimizer=NormalizedGD(step_size=0.5), box=(0.1, 1.0))
STEPS = 200


def raise_key_error(*given):
    raise KeyError("velocity")


def raise_without_reason(*given):
    raise NotImplementedError


# What wrong optimizers make of their step size, the gradient, the parameter and the state.
UPDATES = {
    "ascent": lambda step, g, p, state: (p + per_start(step, p) * g.unit(), state),
    "explosion": lambda step, g, p, state: (p * 1e200, state),
    "tripling": lambda step, g, p, state: (3 * p + per_start(step, p) * g.unit(), state),
    # Infinite but for one coordinate, which is NaN, as is a zero times an infinite step.
    "overflow": lambda step, g, p, state: (p * [0, 0, 0, np.nan] + [np.inf, np.inf, np.inf, 0], state),
    "not a number": lambda step, g, p, state: (p * np.nan, state),
    "flat": lambda step, g, p, state: (p[..., 0], state),
    "without state": lambda step, g, p, state: p - per_start(step, p) * g.unit(),
    "not per start": lambda step, g, p, state: (p - step * g.unit(), state),
    "raising": raise_key_error,
    "not implemented": raise_without_reason,
}


class Wrong(Optimizer, kind="wrong"):
    step_size: PositivePerStart = 0.1
    does: str

    def update(self, gradient, state, parameter, context):
        return UPDATES[self.does](self.step_size, gradient, parameter, state)


class Picky(Optimizer, kind="picky"):
    step_size: PositivePerStart

    def init(self, parameter):
        raise NotImplementedError("needs a trained head")


class Forgetful(Optimizer, kind="forgetful"):
    step_size: PositivePerStart

    def init(self, parameter):
        return {"velocity": np.zeros_like(parameter), "square": np.zeros_like(parameter)}

    def update(self, gradient, state, parameter, context):
        return parameter - state["square"], {"velocity": state["velocity"]}


class WithoutUpdate(Optimizer, kind="without_update"):
    step_size: PositivePerStart


class SingleNumber(Optimizer, kind="single_number"):
    """Normalized gradient descent that takes one step size for all starts."""

    step_size: float

    def update(self, gradient, state, parameter, context):
        return parameter - self.step_size * gradient.unit(), state


@pytest.fixture(scope="module")
def problem():
    return with_random_starts(RandomSphere(trials=4, n=2, T=3, d=4, seed=1).build())


@pytest.fixture(scope="module")
def trained(problem):
    return compute_cell(NGD, problem, STEPS)


def test_entry_spaces_values_evenly_on_logarithmic_axis():
    values = Entry(optimizer=GD(step_size=3.0), box=(0.01, 100.0)).values
    assert values[0] == 3.0
    assert len(values) == 1 + TUNED_VALUES
    assert np.allclose(np.diff(np.log10(values[1:])), 4 / 11)
    with pytest.raises(ValueError, match="gd has no number 'step'"):
        Entry(optimizer=GD(step_size=1.0), tuned="step")


def test_random_starts_depend_on_their_number_alone():
    data = RandomSphere(trials=6, n=2, T=3, d=4, seed=1)
    whole = with_random_starts(data.build())
    shard = with_random_starts(data.shard(2, 2).build(), first=3)
    assert (shard.starts["p"] == whole.starts["p"][3:]).all()
    assert np.allclose(np.linalg.norm(whole.starts["p"], axis=-1), START_NORM)
    repeated = with_random_starts(RandomSphere(trials=1, n=2, T=3, d=4, seed=1).build(), 5)
    assert (repeated.tokens == repeated.tokens[0]).all()
    assert len(np.unique(repeated.starts["p"][:, 0, 0])) == 5


def test_cell_agrees_with_separate_training_of_each_value(problem, trained):
    apart = compute_cell(Entry(optimizer=SingleNumber(step_size=0.5), box=(0.1, 1.0)), problem, STEPS)
    for name in ("cosine_99", "cosine_999", "softmax_99", "optimal", "nearest_norm"):
        assert (apart[name] == trained[name]).all(), name
    assert np.allclose(apart["misalignment"], trained["misalignment"])


def test_cell_is_same_in_parts(problem, trained, monkeypatch):
    monkeypatch.setattr(cells, "RECORD_BYTES", 1)
    parts = compute_cell(NGD, problem, STEPS)
    assert all((parts[name] == trained[name]).all() for name in trained if name not in ("cpu_s", "message"))


def test_cell_agrees_with_training_and_svm_of_own_tokens(problem, trained):
    training = GradientDescent(
        model="prompt_attention", loss="logistic", optimizer=NormalizedGD(step_size=1.0), steps=STEPS,
        start={"p": {"of_problem": [0]}},
    )  # fmt: skip
    paths = training.train(problem)["p"][:, :, 0]
    for row, keys in enumerate(problem.keys):
        svm = attention_svm(keys, (keys @ paths[-1, row]).argmax(-1))
        cosines = paths[:, row] @ svm.direction / np.linalg.norm(paths[:, row], axis=-1)
        assert np.isclose(1 - cosines[-1], trained["misalignment"][row, -1], rtol=1e-4, atol=1e-12)
        first = np.flatnonzero(cosines < 0.99)[-1] + 1
        assert trained["cosine_99"][row, -1] == (first if first <= 100 else 10 * np.ceil(first / 10))


def test_mirror_descent_is_compared_with_svm_in_its_own_norm(problem):
    entry = Entry(optimizer=MirrorDescent(exponent=3.0, step_size=1.0), box=(0.5, 5.0))
    cell = compute_cell(entry, problem, 500)
    assert entry.norm == 3.0
    assert (cell["nearest_norm"][:, 0] == 3.0).all()
    assert np.isfinite(cell["cosine_99"][:, 0]).all()


REMEMBERED = "init and update must return all that the optimizer remembers"
FAILURES = [
    (Wrong(does="ascent"), "diverged"),
    (Wrong(does="explosion"), "diverged"),
    (Wrong(does="overflow"), "diverged"),
    (Wrong(does="not a number"), "not finite"),
    (Wrong(does="raising"), f"error: KeyError: 'velocity'; the state is empty: {REMEMBERED}"),
    (Forgetful(step_size=0.1), f"error: KeyError: 'square'; the state has 'velocity': {REMEMBERED}"),
    (Wrong(does="without state"), "error: TypeError: update must return two things, the new parameter and the new "
     "state; it returned ndarray"),
    (Wrong(does="not per start"), "error: ValueError: operands could not be broadcast together with shapes (13,) "
     "(4,13,4); to use a setting with a number for each start, write per_start(self.step_size, parameter)"),
    (WithoutUpdate(step_size=0.1), "not applicable: it has no method update"),
    (Wrong(does="not implemented"), "not applicable: no reason given"),
    (Picky(step_size=0.1), "not applicable: needs a trained head"),
    (Wrong(does="flat"), "error: ValueError: update returned an array (4, 13) for a parameter (4, 13, 4)"),
]  # fmt: skip


def test_failing_optimizers_and_too_few_steps_have_status(problem):
    for optimizer, status in FAILURES:
        cell = compute_cell(Entry(optimizer=optimizer), problem, STEPS)
        assert [row["status"] for row in report(cell, 2)] == [status] * 3
    # Too few steps.
    rows = report(compute_cell(NGD, problem, 2), 2)
    assert {row["status"] for row in rows} == {"budget"}


def test_overflow_that_ends_in_nan_gradient_is_divergence(capsys):
    """The scores of tokens are longer than the parameters, and overflow first."""
    joint = with_random_starts(RandomSphere(trials=2, n=2, T=3, d=4, seed=1).build())
    joint = with_random_starts(replace(joint, head=None, starts={}))
    cell = compute_cell(Entry(optimizer=Wrong(does="tripling")), joint, 700)
    assert (cell["failure"] == DIVERGED).all()
    lines = [line for line in capsys.readouterr().out.splitlines() if "step" in line]
    assert lines
    assert all(line.startswith("diverged: ") for line in lines)


def test_failure_is_printed_as_in_table_and_an_exception_with_its_line(problem, capsys):
    for does, line in (
        ("not a number", "not finite: p is NaN at step 1"),
        ("overflow", "diverged: p or its gradient overflows at step 1"),
        ("ascent", "diverged: the risk ends above that at the start"),
    ):
        compute_cell(Entry(optimizer=Wrong(does=does)), problem, STEPS)
        assert capsys.readouterr().out.splitlines() == [f"{line} (problem 0, value 0 and 51 others)"]
    compute_cell(Entry(optimizer=Wrong(does="raising")), problem, STEPS)
    assert 'raise KeyError("velocity")' in capsys.readouterr().out


def table(steps, **arrays):
    """Return a cell with given numbers of steps, (problems, values)."""
    steps = np.array(steps, dtype=float)
    names = ("cosine_999", "softmax_99", "misalignment", "direction_rate", "loss_rate", "optimal", "nearest_norm")
    default = {name: np.ones(steps.shape) for name in names} | {"failure": np.zeros(steps.shape)}
    about = {"value": np.arange(1.0, 1 + steps.shape[1]), "message": np.array(""), "steps": np.array(10)}
    return {**about, "cosine_99": steps, **default, **arrays}


TUNING = 3
# The default, and four values of a box: the third is best on the first three seeds, the last on the others.
SEEDS = [[9, 8, 7, 3, 5]] * 3 + [[9, 8, 7, 6, 5]] * 3


def test_value_is_chosen_on_tuning_seeds_reported_on_others_and_flagged_at_edge_of_its_box():
    default, tuned, hindsight = rows = report(table(SEEDS), TUNING)
    assert (default["value"], default["steps_cosine_99"]) == (1, 9)
    assert (tuned["value"], tuned["steps_cosine_99"]) == (4, 6)
    assert (hindsight["value"], hindsight["steps_cosine_99"]) == (5, 5)
    assert [row["seeds"] for row in rows] == [3, 3, 3]
    assert [row["at_edge"] for row in rows] == [False, False, True]
    mirrored = table([row[:1] + row[:0:-1] for row in SEEDS])
    assert report(mirrored, TUNING)[2]["at_edge"]


def test_default_is_no_candidate_and_value_that_ends_nearest_is_chosen_where_none_reaches():
    assert choose(table([[1, 8, 7, 9, 9]] * 2), slice(2)) == 2
    distance = np.array([[0.0, 0.3, np.nan, 0.1, 0.2]] * 2)
    assert choose(table(np.full((2, 5), np.inf), misalignment=distance), slice(1)) == 3


def test_status_is_that_of_most_seeds_and_others_are_counted_beside_it():
    failure = np.zeros((6, 5))
    failure[4:] = NOT_FINITE
    assert report(table(np.full((6, 5), np.inf), failure=failure), TUNING)[0]["status"] == "not finite"
    failure[4] = 0
    found = report(table(np.where(failure == 0, 3.0, np.inf), failure=failure), TUNING, problem="a", optimizer="b")
    row = found[1]
    assert (row["status"], row["seeds"], row["seeds_diverged"], row["seeds_not_finite"]) == ("reached", 3, 0, 1)
    assert details(found)["failed seeds"].tolist() == ["1 not finite"]


def test_integers_stay_integers_beside_row_without_numbers():
    rows = report(table(SEEDS), TUNING)
    alone, beside = (csv_table(to_frame(some)) for some in (rows, [*rows, {"column": "default", "status": "error: x"}]))
    assert beside.splitlines()[:-1] == alone.splitlines()
    assert beside.splitlines()[-1] == "default,error: x" + "," * (alone.splitlines()[0].count(",") - 1)


def test_rates_have_three_digits():
    for rate, text in ((1.1279e40, "1.13e+40"), (-0.0, "0"), (0.1795, "0.179"), (1462.9, "1.46e+03")):
        found = report(table(SEEDS, direction_rate=np.full((6, 5), rate)), TUNING, problem="a", optimizer="b")
        assert details(found)["rates"].tolist() == [f"{text} 1"]


def test_joined_shards_are_the_whole(trained):
    rows = slice(0, 1), slice(1, 4)
    about = ("value", "message", "steps", "cpu_s")
    shards = [{name: array if name in about else array[part] for name, array in trained.items()} for part in rows]
    joined = join(shards)
    assert all((joined[name] == trained[name]).all() for name in trained)


def test_comparison_is_table_of_arrays(problem):
    failing = {"ngd": NGD, "raising": Wrong(does="raising")}
    single = RandomSphere(trials=1, n=2, T=3, d=4, seed=1).build()
    columns = compare(failing, {"random": problem, "single": single}, steps=STEPS, tuning=2, seeds=6)
    assert {len(values) for values in columns.values()} == {2 * 2 * 3}
    tuned = (columns["column"] == "tuned") & (columns["optimizer"] == "ngd")
    assert columns["status"][tuned].tolist() == ["reached", "reached"]
    assert columns["seeds"][tuned].tolist() == [2, 4]
    raised = columns["optimizer"] == "raising"
    assert {status.split(":")[0] for status in columns["status"][raised]} == {"error"}
    assert np.isnan(columns["steps_cosine_99"][raised].astype(float)).all()
    with pytest.raises(ValueError, match="tuning: random has 4 seeds"):
        compare({"ngd": NGD}, {"random": problem}, steps=STEPS, tuning=4)
