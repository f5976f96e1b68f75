"""Tables that the interactive page reads from a file: the same data as the library's, and the same refusals."""

import json

import numpy as np
import pandas as pd
import pytest

from attention_dynamics.problems.token_files import read_problem
from helpers.explore_script import evaluate_in_node, node

pytestmark = pytest.mark.skipif(node() is None, reason="needs Node")
READ = "(text => { try { return readTable(text) } catch (error) { return error.message } })"
HEAD = "input,label,optimal,x1,x2"
ROWS = ("a,1,0,0,0", "a,1,1,1.5,-2", '"b",-1,1,2,0', "b,-1,0,-0.25,1e1")


def read_all(texts):
    """Return what the page reads from each text, or its message."""
    return evaluate_in_node(f"{json.dumps(texts)}.map({READ})")


def test_page_and_library_read_the_same(tmp_path):
    texts, expected = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n, T = rng.integers(1, 7), rng.integers(2, 11)
        table = pd.DataFrame({"input": np.repeat(np.arange(n), T), "label": np.repeat(rng.choice([-1, 1], n), T)})
        table["optimal"] = (np.tile(np.arange(T), n) == np.repeat(rng.integers(T, size=n), T)).astype(int)
        table[["x1", "x2"]] = rng.uniform(-20, 20, (n * T, 2))
        text = table.sample(frac=1, random_state=seed).to_csv(index=False, lineterminator="\r\n" if seed % 2 else "\n")
        file = tmp_path / f"{seed}.csv"
        file.write_text(text)
        texts.append(f"\ufeff{text}\n" if seed % 3 else text)
        expected.append(read_problem(file))
    for found, problem in zip(read_all(texts), expected, strict=True):
        assert found["labels"] == problem.labels[0].tolist()
        for tokens, theirs, best in zip(found["inputs"], problem.tokens[0], problem.optimal[0], strict=True):
            # The page has the optimal token first.
            order = [best, *(t for t in range(len(theirs)) if t != best)]
            assert [[token["x"], token["y"]] for token in tokens] == theirs[order].tolist()


def test_without_optimal_tokens_the_first_ones_stay_first():
    (found,) = read_all(["input,label,x1,x2\na,1,1,2\na,1,3,4\n"])
    assert [token["x"] for token in found["inputs"][0]] == [1, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column input is missing; needs input, label, x1, x2, may have optimal"),
        ("input,label,x1\na,1,2\n", "column x2 is missing; needs"),
        (f"{HEAD},x3\n", "column x3 is unknown; needs"),
        (f"dataset,{HEAD}\n", "column dataset is unknown; needs"),
        (f"{HEAD}\n", "has 0 inputs; this page takes 1 to 6"),
        ("\n".join([HEAD, ROWS[0], "a,0,0,0,0"]), 'label: row 2: need +1 or -1, got "0"'),
        ("\n".join([HEAD, "a,1,1,x,0"]), 'x1: row 1: need a number from -20 to 20, got "x"'),
        ("\n".join([HEAD, "a,1,1,0,20.5"]), 'x2: row 1: need a number from -20 to 20, got "20.5"'),
        ("\n".join([HEAD, "a,1,1,0"]), 'x2: row 1: need a number from -20 to 20, got ""'),
        ("\n".join([HEAD, ROWS[0], "a,-1,1,0,0"]), "label: input a has rows with +1 and with -1"),
        ("\n".join([HEAD, *ROWS[:3]]), "input b has 1 tokens; all need equally many, 2 to 10"),
        ("\n".join([HEAD, ROWS[0], ROWS[0]]), "optimal: input a has 0 optimal tokens, not one"),
    ],
)
def test_malformed_table_is_refused(text, message):
    (found,) = read_all([text])
    assert found.startswith(message)
