"""From random problems to verdicts: data, training, SVMs of the selected tokens, shards and memory limits."""

import itertools
import re

import numpy as np
import pytest

from attention_dynamics.attention import span_descent
from attention_dynamics.attention.span_descent import SpanDescent
from attention_dynamics.config.schema import Settings
from attention_dynamics.margins.attention_svm import AttentionSVM, attention_svm
from attention_dynamics.margins.label_svm import LabelSVM
from attention_dynamics.margins.references import solve_references, tabulate
from attention_dynamics.margins.selected_tokens import mean_largest_probability, select_trained, token_logits
from attention_dynamics.measures.correlation import Correlation
from attention_dynamics.measures.selection import Selection
from attention_dynamics.pipeline.shards import pattern, shard_ids, without_shard
from attention_dynamics.problems.problem import Problem, with_fixed_head
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.run import Run, load_run
from attention_dynamics.store import save_arrays

SOURCE = RandomSphere(trials=22, n=4, T=6, d=[2, 10, 100], seed=3)
TRAINING = SpanDescent(steps=300, step_size=1.0)
REFERENCES = {"selected": AttentionSVM()}
SATURATED = 0.999


def stages(source: RandomSphere) -> dict[str, dict[str, np.ndarray]]:
    """Return every file of a run on a batch of random problems."""
    problem = source.build()
    trained = TRAINING.train(problem)
    selecting, saturated = select_trained(problem, trained["p"][-1, :, 0], SATURATED)
    solved = solve_references(selecting, REFERENCES, saturated)
    references = {"selected": {name.rpartition("/")[2]: array for name, array in solved.items()}}
    run = Run(training=TRAINING, problem=problem, trajectory=trained, references=references, saturated=SATURATED)
    series = Selection(reference="selected").measure(run) | Correlation().measure(run)
    return {"data": problem.to_arrays(), "svm": {}, "train": trained, "selected_svm": solved, "measures": series}


@pytest.fixture(scope="module")
def whole():
    return stages(SOURCE)


def contents(run: Run) -> dict[str, bytes]:
    """Return all arrays of a run, as bytes."""
    arrays = {f"problem/{name}": array for name, array in run.problem.to_arrays().items()}
    arrays |= {f"references/{name}": array for name, array in run.references["selected"].items()}
    arrays |= {f"trajectory/{name}": array for name, array in run.trajectory.items()} | run.series
    return {name: array.tobytes() for name, array in arrays.items()}


def loaded(folder, shards: list[dict]) -> Run:
    files = {}
    for k, one in enumerate(shards):
        for stage, arrays in one.items():
            save_arrays(folder / f"{k}" / f"{stage}.npz", arrays)
            files.setdefault(stage, []).append(str(folder / f"{k}" / f"{stage}.npz"))
    return load_run(files, {"training": TRAINING.model_dump(mode="json")})


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 3, 7, "last trial alone"])
def test_number_of_shards_does_not_change_bytes(whole, tmp_path, shards):
    if isinstance(shards, int):
        parts = [SOURCE.shard(k, shards) for k in range(1, shards + 1)]
    else:
        parts = [SOURCE.model_copy(update=changes) for changes in ({"trials": 21}, {"trials": 1, "first": 21})]
    assert contents(loaded(tmp_path, [stages(part) for part in parts])) == contents(loaded(tmp_path / "whole", [whole]))


@pytest.mark.slow
def test_memory_limit_does_not_change_bytes(whole, monkeypatch):
    for memory in (1, 3 * 8 * 24**2, 10**9):
        monkeypatch.setattr(span_descent, "GRAM_BYTES", memory)
        trained = TRAINING.train(Problem.from_arrays(whole["data"]))
        assert trained["p"].tobytes() == whole["train"]["p"].tobytes()


def test_shards_do_not_exceed_trials_and_their_ids_are_parsed():
    two = RandomSphere(trials=2, n=1, T=2, d=2, seed=0)
    assert shard_ids("a/b", two, Settings(shards=5)) == ["a/b/1-of-2", "a/b/2-of-2"]
    planar = ScoredTokens(inputs=[{"tokens": [[0, 0], [1, 1]], "scores": [1, 0]}])
    assert shard_ids("a/b", planar, Settings(shards=5)) == ["a/b"]
    for id in ("paper/problem", "paper/problem/run", "from-a/problem", "state-of-art/problem/run"):
        parts = id.split("/")
        assert without_shard(id) == (id, None)
        assert without_shard("/".join([*parts[:2], "2-of-3", *parts[2:]])) == (id, "2-of-3")


def test_id_pattern_matches_only_ids_and_shards():
    matches = re.compile(pattern(["a/p.q", "a/p.qs", "a/r/1-of-3", "a/r/2-of-3", "a/r/3-of-3"])).fullmatch
    assert all(matches(id) for id in ("a/p.q", "a/p.qs", "a/r/1-of-3", "a/r/3-of-3"))
    assert not any(matches(id) for id in ("a/pxq", "a/r", "a/r/1-of-4", "a/r/0-of-3", "a/r/1-of-3/b", "b/p.q"))
    assert not re.compile(pattern([])).match("")
    matches = re.compile(pattern(["a/r/1-of-2/x", "a/r/2-of-2/x", "a/r/1-of-2/y", "a/r/2-of-2/y", "a/s/z"])).fullmatch
    assert all(matches(id) for id in ("a/r/1-of-2/x", "a/r/2-of-2/y", "a/s/z"))
    assert not any(matches(id) for id in ("a/r/x", "a/r/1-of-2", "a/r/1-of-2/z", "a/s/x", "a/r/1-of-2/x/y"))


def test_largest_probability_matches_softmax():
    logits = np.random.default_rng(0).standard_normal((3, 4, 5)) * 10
    softmax = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    np.testing.assert_allclose(mean_largest_probability(logits), softmax.max(-1).mean(-1))
    assert mean_largest_probability(1e4 * logits) == pytest.approx(1)


def test_verdicts_match_definitions(whole):
    problem, prompts = Problem.from_arrays(whole["data"]), whole["train"]["p"][-1, :, 0]
    series = {name: array[-1, :, 0] for name, array in whole["measures"].items()}
    scores, seen = problem.scores(), set()
    for k, prompt in enumerate(prompts):
        logits = problem.keys[k] @ prompt
        np.testing.assert_allclose(token_logits(problem, prompts[None])[0, k], logits, atol=1e-9)
        softmax = np.exp(logits - logits.max(-1, keepdims=True))
        softmax /= softmax.sum(-1, keepdims=True)
        saturated = softmax.max(-1).mean() >= SATURATED
        assert series["saturated"][k] == saturated
        selected = logits.argmax(-1)
        assert series["globally_optimal"][k] == (saturated and (selected == scores[k].argmax(-1)).all())
        if not saturated:
            assert np.isnan(series["score_gap"][k])
            assert series["locally_optimal"][k] == series["negative_gap"][k] == series["feasible"][k] == 0
            continue
        solution = attention_svm(problem.keys[k], selected)
        pairs = [(i, t) for i, t in itertools.product(range(4), range(6)) if t != selected[i]]
        tight = [(i, t) for i, t in pairs if abs(solution.margins[i, t] - 1) < 1e-6]
        gap = min(scores[k, i, selected[i]] - scores[k, i, t] for i, t in tight)
        assert series["score_gap"][k] == pytest.approx(gap, abs=1e-15)
        assert (series["locally_optimal"][k], series["negative_gap"][k]) == (gap > 0, gap < 0)
        cosine = prompt @ solution.direction / np.linalg.norm(prompt)
        assert series["correlation_selected"][k] == pytest.approx(cosine, abs=1e-12)
        assert max(series["svm_gap"][k], series["svm_residual"][k]) < 1e-10
        seen.add((bool(series["globally_optimal"][k]), bool(gap > 0)))
    assert {(True, True), (False, True)} <= seen


def test_shard_without_solutions_has_empty_table():
    rng = np.random.default_rng(0)
    tokens = rng.standard_normal((2, 12, 5, 2))
    labels = rng.choice([-1.0, 1.0], size=(2, 12))
    impossible = with_fixed_head(tokens, labels, np.eye(2), rng.standard_normal((2, 2)))
    table = tabulate(impossible, AttentionSVM(), must_exist=False)
    assert not table["feasible"].any()
    assert (table["infeasibility"] < 1e-8).all()
    with pytest.raises(ValueError, match="no problem of the batch has a solution"):
        tabulate(impossible, AttentionSVM())
    with pytest.raises(ValueError, match="reference second: the program is infeasible for every problem of this shard"):
        solve_references(impossible, {"second": AttentionSVM(select=[1] * 12)}, must_exist=False)


@pytest.mark.parametrize("reference", [AttentionSVM(), LabelSVM()], ids=lambda reference: reference.kind)
def test_only_masked_problems_are_solved(reference):
    problem = RandomSphere(trials=6, n=2, T=3, d=20, seed=0).build()
    everything = tabulate(problem, reference)
    for mask in (np.zeros(6, bool), np.array([True, False, False, True, True, False])):
        table = tabulate(problem, reference, mask)
        np.testing.assert_array_equal(table["feasible"], mask)
        np.testing.assert_array_equal(table["direction"][mask], everything["direction"][mask])
        assert np.isnan(table["direction"][~mask]).all()
        assert (table.get("selected", np.full((6, 2), -1))[~mask] == -1).all()
        for name, array in table.items():
            assert (array.shape, array.dtype) == (everything[name].shape, everything[name].dtype)
        assert table.keys() == everything.keys()
