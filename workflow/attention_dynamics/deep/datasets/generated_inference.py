"""A generated set for natural-language inference, which stands in for MNLI without a network.

Every hypothesis has three premises, one for each label, all in training or all in the test. So a classifier
that reads only the hypothesis is right in exactly one case of three; the words of both sentences do not suffice either.
"""

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from numpy.random import Generator

from attention_dynamics.deep.datasets import inference_grammar as grammar
from attention_dynamics.deep.datasets.labelled_texts import LabelledTexts
from attention_dynamics.deep.datasets.mnli import CLASSES

TRAIN, TEST = 2000, 500
SEED = 0
Pairs = list[tuple[tuple[str, str], int]]


def load_embedded(title: str, seed: int = SEED) -> LabelledTexts:
    """Return 6,000 pairs of premise and hypothesis to train on and 1,500 to test on, a third of each label.

    The hypotheses, all different, come in equal parts from the families of the grammar. title: of what they stand in
    for. seed: two seeds give two sets, one seed always the same.
    """
    rng = np.random.default_rng(seed)
    share = (TRAIN + TEST) // len(grammar.FAMILIES)
    problems = list(chain.from_iterable(_different(family, share, rng) for family in grammar.FAMILIES))
    order = rng.permutation(len(problems))
    train = _pairs([problems[k] for k in order[:TRAIN]], rng)
    test = _pairs([problems[k] for k in order[TRAIN:]], rng)
    note = f"generated inference stand-in, not {title}"
    return LabelledTexts(*_split(train), *_split(test), CLASSES, "generated_inference", "embedded", note)


def _different(family: Callable[[Generator], grammar.Problem], count: int, rng: Generator) -> Iterator[grammar.Problem]:
    """Yield ``count`` problems of a family with different hypotheses."""
    seen: set[str] = set()
    while len(seen) < count:
        problem = family(rng)
        if problem.hypothesis not in seen:
            seen.add(problem.hypothesis)
            yield problem


def _pairs(problems: list[grammar.Problem], rng: Generator) -> Pairs:
    """Return the pairs of the problems with their labels, in random order."""
    pairs = [((premise, p.hypothesis), label) for p in problems for label, premise in enumerate(p.premises)]
    return [pairs[k] for k in rng.permutation(len(pairs))]


def _split(pairs: Pairs) -> tuple[tuple[tuple[str, str], ...], np.ndarray]:
    texts, labels = zip(*pairs, strict=True)
    return texts, np.array(labels, dtype=np.int64)
