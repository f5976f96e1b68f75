"""Times of jobs, and what is made of them."""

import json

import pytest

from attention_dynamics.pipeline import estimate, times

KNOWN = {"logs/laptop/a/p/train.jsonl": 30.0, "logs/laptop/a/q/train.jsonl": 10.0, "logs/laptop/a/f/draw.jsonl": 2.0}


def test_last_run_of_job_counts(tmp_path):
    file = tmp_path / "laptop" / "a" / "p" / "train.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps({"s": s}) + "\n" for s in (5.0, 7.5)))
    (tmp_path / "laptop" / "empty.jsonl").touch()
    assert times.load_measured_times(tmp_path) == {"logs/laptop/a/p/train.jsonl": 7.5}


def test_job_without_time_uses_mean_of_stage_and_scale():
    jobs = ["logs/laptop/a/p/train.jsonl", "logs/laptop/a/new/train.jsonl", "logs/laptop/a/p/judge.jsonl"]
    assert estimate.estimate_seconds(jobs, KNOWN) == ([30.0, 20.0], 1)
    assert estimate.estimate_seconds(["logs/paper/a/p/train.jsonl"], KNOWN) == ([], 1)


@pytest.mark.parametrize(
    ("jobs", "cores", "said"),
    [
        ([], 2, "nothing to do"),
        ([*KNOWN], 2, "3 jobs (2 train, 1 draw): about 30 s with --cores 2"),
        ([*KNOWN] * 3, 1, "9 jobs (6 train, 3 draw): about 2 min 6 s with --cores 1"),
        (["logs/laptop/a/n/draw.jsonl"] * 3000, 1, "3000 jobs (3000 draw): about 1 h 40 min with --cores 1"),
        (
            [*KNOWN, "logs/laptop/a/f/judge.jsonl"],
            2,
            "draw, 1 judge): at least 30 s with --cores 2; 1 job has no estimate",
        ),
        ([*KNOWN, *["logs/smoke/a/f/sweep.jsonl"] * 144], 2, "at least 30 s with --cores 2; 144 jobs have no estimate"),
        (["logs/paper/a/p/train.jsonl"], 2, "1 job (1 train); no run time of such a job is known"),
    ],
)
def test_estimate_is_sum_and_at_least_longest_job(jobs, cores, said):
    assert said in estimate.format_estimate(jobs, KNOWN, cores)


def test_summary_lists_stages_and_longest_jobs():
    page = times.format_summary(KNOWN)
    assert "| train | 2 | 40 | 95% | 20.00 | 30.0 |" in page
    assert "| all | 3 | 42 |" in page
    assert page.index("| laptop/a/p/train | 30.0 |") < page.index("| laptop/a/q/train | 10.0 |")


@pytest.mark.parametrize(
    ("arguments", "cores"), [(["--cores", "8"], 8), (["-j3"], 3), (["--cores=4", "figures/all"], 4)]
)
def test_estimate_uses_requested_cores(arguments, cores):
    assert estimate._cores(arguments) == cores
