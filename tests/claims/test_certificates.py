"""The summary of certificates."""

import numpy as np
import pytest

from attention_dynamics.claims.certificates import COLUMNS, summarize
from attention_dynamics.claims.ledger import to_markdown
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.references import solve_references
from attention_dynamics.problems.problem import with_fixed_head
from attention_dynamics.store import load_arrays, save_arrays

PROGRAMS = [{"paper": "max_margin", "kinds": {"gmm": "attention_svm", "other": "attention_svm"}}]


@pytest.fixture
def file(tmp_path):
    """Three problems, of which the second is not to be solved and the third has three tokens on a line.

    The middle one of these cannot be separated from both others. References select the first and the middle token.
    """
    apart = [[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]]
    on_a_line = [[[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]]
    tokens = np.array([apart, apart, on_a_line])
    problem = with_fixed_head(tokens, np.ones((3, 1)), np.eye(2), np.ones((3, 2)))
    references = {"gmm": AttentionSVM(select=[0]), "other": AttentionSVM(select=[1])}
    path = tmp_path / "svm.npz"
    save_arrays(path, solve_references(problem, references, np.array([True, False, True])))
    return path


def test_solutions_and_infeasible_programs_are_counted_with_their_worst_errors(file):
    (row,) = summarize(PROGRAMS, [file]).to_dict("records")
    arrays = load_arrays(file)
    largest = {
        name: np.nanmax(np.abs([arrays[f"references/{one}/{name}"] for one in ("gmm", "other")]))
        for name in ("gap", "residual", "infeasibility")
    }
    counts = {"solutions": 3, "infeasible": 1, "certified": 4}
    assert row == {"paper": "max_margin", "kind": "attention_svm"} | counts | largest
    page = to_markdown([], summarize(PROGRAMS, [file]))
    assert "0 of 0 judged claims hold, 0 are undecided." in page
    assert page.index("# Claims") < page.index("## Max-margin programs")
    assert "| max_margin | `attention_svm` | 3 | 1 | 4 | " in page


@pytest.mark.parametrize(("quantity", "value"), [("gap", -1e-7), ("residual", 2e-8), ("gap", np.nan)])
def test_bad_certificate_is_not_counted_as_certified(file, quantity, value):
    arrays = load_arrays(file)
    arrays[f"references/gmm/{quantity}"][0] = value
    save_arrays(file, arrays)
    table = summarize(PROGRAMS, [file])
    assert table.solutions.item() == 3
    assert table.certified.item() == 3
    np.testing.assert_equal(table[quantity].item(), abs(value))


def test_papers_and_kinds_have_rows_of_their_own(file):
    programs = [
        {"paper": "max_margin", "kinds": {"gmm": "attention_svm", "other": "tied_svm"}},
        {"paper": "fast_rates", "kinds": {"gmm": "attention_svm"}},
        {"paper": "fast_rates", "kinds": {}},
    ]
    table = summarize(programs, [file] * 3)
    assert list(table.columns) == COLUMNS
    assert table[["paper", "kind", "solutions", "infeasible"]].to_numpy().tolist() == [
        ["max_margin", "attention_svm", 2, 0], ["max_margin", "tied_svm", 1, 1], ["fast_rates", "attention_svm", 2, 0],
    ]  # fmt: skip
    assert np.isnan(table.infeasibility[0])
