"""Compare the interactive page and the library: ``python benchmarks/explore_numbers.py > explore_numbers.md``.

All paths of the page in Node and in Chromium, of every example and 200 random problems, under every optimizer and loss;
the textbook's formula; max-margin directions.
"""

import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Before NumPy is imported.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests")]

from attention_dynamics.gallery.explore import make_example  # noqa: E402
from attention_dynamics.margins.attention_svm import attention_svm  # noqa: E402
from attention_dynamics.margins.local_optimality import local_optimality  # noqa: E402
from attention_dynamics.margins.max_margin import Infeasible  # noqa: E402
from attention_dynamics.problems.problem import Array, Problem  # noqa: E402
from attention_dynamics.problems.source import ProblemSource  # noqa: E402
from helpers.explore_script import (  # noqa: E402
    LOSSES,
    OPTIMIZERS,
    Evaluate,
    Paths,
    Settings,
    compare,
    evaluate_in_node,
    explore_spec,
    library_paths,
    node,
    opened_page,
    page_paths,
    page_settings,
    random_problems,
    with_helpers,
)

STEPS, LIMIT, NUDGES = 1000, 1e-9, 3
# Inputs, tokens, whether the head is trained: 20 problems each, 200 in all.
SHAPES = tuple((n, T, joint) for n, T in ((1, 3), (1, 5), (2, 3), (2, 5), (3, 4)) for joint in (False, True))
PER_SHAPE = 20
# The largest competitor's probability down to which the textbook's formula is compared.
DIGITS = 1e-10

ABOUT = f"""# The numbers of the interactive page

The scripts of `figures/explore.html` beside the library, by `benchmarks/explore_numbers.py`: the data and starts of
every example, and {PER_SHAPE * len(SHAPES)} random problems (normal tokens, uniform scores, random labels), under three
losses. A path is compared over {STEPS} steps, in mirror descent by the variable that it steps in, relative to
max(1, |p|).

JavaScript and NumPy differ in the last digit of many exponentials, and not every path forgets that. So the library
trains {NUDGES} times more on tokens whose coordinates are changed by 1e-15 of themselves (nudged). The columns of the
groups count paths that a nudge moves by more than {LIMIT:g}: steps of fixed length that circle a minimum at a finite
distance, or jump between two tokens that compete, are chaotic. "Apart" is the largest distance to the library among
the other paths; "times the nudge" that among all paths and steps, divided by what the nudges had done until then, at
least {LIMIT / 100:g}."""


def cases() -> Iterator[tuple[str, Problem, Paths]]:
    """Name, problems and start of every batch: the random ones, one input, several and joint training, and examples."""
    rng = np.random.default_rng(2023)
    for n, T, joint in SHAPES:
        problem = random_problems(rng, PER_SHAPE, n, T, joint)
        start = {"p": rng.standard_normal((1, 2))} | ({"v": rng.standard_normal((1, 2))} if joint else {})
        yield ("joint" if joint else "one input" if n == 1 else "several inputs"), problem, start
    for spec in explore_spec()["presets"]:
        example = make_example(spec)
        problem = ProblemSource.of(spec["problem"]).build()
        starts = {name: np.array([one[name] for one in example["starts"]]) for name in example["starts"][0]}
        yield "examples", problem, starts


@cache
def all_cases() -> list[tuple[str, Problem, Paths]]:
    """All batches."""
    return list(cases())


def trained(settings: Settings) -> Iterator[tuple[str, Problem, Paths]]:
    """The cases that an optimizer and a loss can train."""
    for name, problem, start in all_cases():
        if problem.head is not None or settings["optimizer"] != "polyak" or settings["loss"] != "correlation":
            yield name, problem, start


def label(settings: Settings) -> str:
    """The optimizer in words."""
    words = [str(settings["optimizer"])]
    if settings["optimizer"] == "mirror_descent":
        words.append(f"p = {settings['exponent']:g}")
    if settings["optimizer"] in ("momentum", "nesterov", "mirror_descent") and not settings["normalized"]:
        words.append("not normalized")
    return ", ".join(words)


def report_paths(evaluate: Evaluate) -> None:
    """Print for every optimizer how many paths agree, over all losses."""
    groups = ("examples", "one input", "several inputs", "joint")
    print(f"| optimizer | {' | '.join(groups)} | apart, largest | times the nudge, largest |")
    print(f"|---|{'---|' * (len(groups) + 2)}")
    paths = sensitive = unexplained = 0
    for optimizer in OPTIMIZERS:
        counts = {group: [0, 0] for group in groups}
        furthest, ratio = 0.0, 0.0
        for loss in LOSSES:
            settings = page_settings(**optimizer, loss=loss)
            for group, problem, start in trained(settings):
                page, nudged = compare(evaluate, problem, settings, start, STEPS, NUDGES)
                moved = nudged[-1] > LIMIT
                counts[group][0] += int(moved.sum())
                counts[group][1] += moved.size
                paths, sensitive = paths + moved.size, sensitive + int(moved.sum())
                furthest = max(furthest, float(page[-1][~moved].max(initial=0)))
                ratio = max(ratio, float((page / np.maximum(nudged, LIMIT / 100)).max()))
                unexplained += int(((page[-1] > LIMIT) & ~moved).sum())
        cells = " | ".join(f"{moved} of {count}" for moved, count in counts.values())
        print(f"| {label(page_settings(**optimizer))} | {cells} | {furthest:.0e} | {ratio:.1f} |", flush=True)
    print(
        f"\n{paths} paths of {STEPS} steps. A nudge moves {sensitive} ({sensitive / paths:.1%}) of the library's by"
        f" more than {LIMIT:g}. Further than that from the library's, of the others: {unexplained}."
    )


def report_textbook(evaluate: Evaluate) -> None:
    """Print how far the textbook's formula is from the cancellation-free path while competitors have digits."""
    print("\n| the largest competitor's probability | 1e-4 | 1e-6 | 1e-8 | 1e-10 |\n|---|---|---|---|---|")
    apart = dict.fromkeys((1e-4, 1e-6, 1e-8, DIGITS), 0.0)
    count = 0
    for loss in LOSSES:
        settings = page_settings(loss=loss)
        for group, problem, start in trained(settings):
            if group not in ("one input", "several inputs"):
                continue  # Where scores tie, or slopes differ by orders of magnitude, probabilities do not tell.
            _, nudged = compare(evaluate, problem, settings, start, STEPS, 1)
            stable = library_paths(problem, settings, start, STEPS)["p"]
            textbook = page_paths(evaluate, problem, {**settings, "precision": "float64"}, start, STEPS)["p"]
            competitor = largest_competitor(problem, stable)
            saturated = (nudged[-1] <= LIMIT) & (competitor[-1] < DIGITS)
            count += int(saturated.sum())
            difference = np.abs(textbook - stable).max(-1)[:, saturated]
            for probability in apart:
                before = competitor[:, saturated] > probability
                apart[probability] = max(apart[probability], float(difference[before].max(initial=0)))
    print(f"| largest difference of p until then | {' | '.join(f'{value:.0e}' for value in apart.values())} |")
    print(f"\n{count} paths of normalized gradient descent with a fixed head that end saturated and are not sensitive.")


def largest_competitor(problem: Problem, path: Array) -> Array:
    """Return the largest probability of a token that is not its input's most probable one, the smallest so far."""
    logits = np.einsum("pitx,rpsx->rpsit", problem.keys[..., :2], path)
    s = np.exp(logits - logits.max(-1, keepdims=True))
    s = np.sort(s / s.sum(-1, keepdims=True), axis=-1)
    return np.minimum.accumulate(s[..., -2].max(-1))


def report_directions(evaluate: Evaluate) -> None:
    """Print how far max-margin directions are from the library's, and how many sets differ."""
    furthest, solutions, optimal, different, problems = 0.0, 0, 0, 0, 0
    for _, problem, _ in all_cases():
        if problem.head is None:
            continue
        for index, scores in enumerate(problem.scores()):
            keys, problems = problem.keys[index, ..., :2], problems + 1
            inputs = [{"tokens": x, "scores": g} for x, g in zip(keys.tolist(), scores.tolist(), strict=True)]
            expression = f"selections(makeProblem({json.dumps(inputs)}, false)).map(plain)"
            found = {tuple(one["selected"]): one for one in evaluate(with_helpers(expression))}
            library, best = {}, set()
            for selected in itertools.product(range(keys.shape[1]), repeat=len(keys)):
                solution = attention_svm(keys, np.array(selected))
                if not isinstance(solution, Infeasible):
                    library[selected] = solution
                    if local_optimality(solution, scores).locally_optimal:
                        best.add(selected)
            mine = {selected for selected, one in found.items() if one["locallyOptimal"]}
            different += library.keys() != found.keys() or mine != best
            solutions, optimal = solutions + len(library), optimal + len(best)
            for selected in library.keys() & found.keys():
                apart = np.array(found[selected]["weights"]) / library[selected].norm
                furthest = max(furthest, float(np.abs(apart - library[selected].direction).max()))
    print(
        f"\n{problems} problems have {solutions} feasible selections, {optimal} of them locally optimal. {different} of"
        f" the sets differ from the library's, which tries all selections; directions differ by {furthest:.0e} at most."
    )


def main() -> None:
    """Print all tables."""
    started = time.perf_counter()
    print(ABOUT)
    print("\n## In Chromium, opened from disk\n")
    with opened_page() as evaluate:
        report_paths(evaluate)
        print("\n## The textbook's formula\n\nIn double precision, beside the library's cancellation-free path.")
        report_textbook(evaluate)
        print("\n## Max-margin directions")
        report_directions(evaluate)
    if node():
        print("\n## In Node\n")
        report_paths(evaluate_in_node)
    print(f"\n{(time.perf_counter() - started) / 60:.0f} minutes on two shared cores.")


if __name__ == "__main__":
    main()
