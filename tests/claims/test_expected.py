"""Numbers of independent computations: reading the files, comparing, and what is refused before any job."""

import numpy as np
import pytest

from attention_dynamics.claims.expected import COLUMNS, compare, expected_claims, read_expected
from attention_dynamics.claims.judge import judge
from attention_dynamics.config import checks
from attention_dynamics.registry import PACKAGE
from attention_dynamics.run import Run, Runs
from conftest import ROOT
from helpers.published_config import published_config
from helpers.refusals import refusal

STEPS = np.array([0, 10, 20, 30, 40])
# Two starts of each of two problems.
NORMS = np.array([[0, 5, 1, 2], [1, 2, 1, 2], [2, 4, 1, 2], [3, 8, 1, 2], [4, 7, 1, np.nan]], float).reshape(5, 2, 2)
PATH = (STEPS[:, None, None] / 10.0 + 1) ** 2


def runs() -> Runs:
    """Runs "one", with a column and a reference, and "four", with four columns."""
    references = {"gmm": {"norm": np.array([2.0]), "direction": np.array([[0.6, 0.8]])}}
    one = Run(
        name="one", training=None, problem=None, trajectory={"step": STEPS}, references=references,
        series={"path": PATH},
    )  # fmt: skip
    four = Run(name="four", training=None, problem=None, trajectory={"step": STEPS}, series={"norm_p": NORMS})
    return Runs({"one": one, "four": four})


def write(folder, *rows: str):
    """Write a file of rows "run,series,start,step,statistic,value,within"."""
    file = folder / "papers" / "own" / "fig4_expected.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([",".join(COLUMNS), *(f"fig4a,{row},by hand" for row in rows)]) + "\n")
    return file


@pytest.mark.parametrize(
    "row",
    [
        "four,norm_p,1,30,,8,0",
        "four,norm_p,2,30,,1,0",
        "four,norm_p,1,0-40,largest,8,0",
        "four,norm_p,1,0-40,smallest,2,0",
        "four,norm_p,1,10-20,largest,4,0",
        "four,norm_p,1,0-40,step of smallest,10,0",
        "four,norm_p,0,0-40,first above 2.5,30,0",
        "four,norm_p,1,0-40,first above 1e1,inf,0",
        "four,norm_p,,30,count above 2,3,0",
        "four,norm_p,0,0-40,slope,0.1,1e-12",
        "one,path,,20,,9,0",
        f"one,path,,10-40,slope log,{np.polyfit(np.log(STEPS[1:]), PATH[1:, 0, 0], 1)[0]},1e-12",
        f"one,path,,10-40,power,{np.polyfit(np.log(STEPS[1:]), np.log(PATH[1:, 0, 0]), 1)[0]},1e-12",
        f"one,path,,10-40,power log,{np.polyfit(np.log(np.log(STEPS[1:])), np.log(PATH[1:, 0, 0]), 1)[0]},1e-12",
        "one,gmm.norm,,,,2,0",
        "one,gmm.direction,1,,,0.8,0",
    ],
)
def test_number_is_found_and_another_is_not_taken_for_it(tmp_path, row):
    found = compare(read_expected(write(tmp_path, row)), runs())
    assert (found.verdict(), found.remark[:12]) == ("holds", "1 of 1 agree")
    *place, value, within = row.split(",")
    other = ",".join([*place, str(float(value) * 1.001 + 1e-6 if value != "inf" else 40), within])
    found = compare(read_expected(write(tmp_path, other)), runs())
    assert (found.verdict(), found.remark[:17]) == ("fails", "0 of 1 agree; not")


def test_row_of_figure_names_worst_number_and_those_that_disagree(tmp_path):
    rows = ["four,norm_p,0,30,,3.01,0.1", "one,gmm.norm,,,,2.1,0.2", "four,norm_p,1,50,,3,1"]
    (claim,) = expected_claims(write(tmp_path, *rows))
    row = judge(claim, runs(), "laptop")
    assert (row["verdict"], row["basis"]) == ("holds", "derived")
    assert row["measured"] == "0.5; 2 of 2 agree; 1 not reached; worst: gmm.norm of one"
    (claim,) = expected_claims(write(tmp_path, *rows, "four,norm_p,3,40,,7,1", "four,norm_p,1,0-40,first above 3,10,0"))
    row = judge(claim, runs(), "laptop")
    assert row["verdict"] == "fails"
    disagree = "not: norm_p[3] of four at step 40, norm_p[1] of four at step 0 to 40, first above 3"
    assert row["measured"].endswith(disagree)
    assert judge(claim, runs(), "smoke")["verdict"] == "not tested"


def test_figure_whose_runs_reach_no_number_is_not_tested(tmp_path):
    (claim,) = expected_claims(write(tmp_path, "four,norm_p,1,50,,3,1", "four,norm_p,7,40,,3,1"))
    assert judge(claim, runs(), "laptop")["verdict"] == "not tested"


SEVERAL = "step: one step, or the first and the last of several is needed"
# Row of figure 4a, without its run where that is normalized_step, and what is said of it.
WRONG_ROWS = {
    "normal_step,norm_p,,10,,1,1": "run: 'normal_step' is not one of",
    "norm,,10,,1,1": "series: 'norm' is not one of",
    "gnn.norm,,,,1,1": "series: 'gnn' is not one of",
    "gmm.nrom,,,,1,1": "series: 'nrom' is not one of",
    "norm_p,,1001,,1,1": "step: is not recorded",
    "norm_p,,0-1001,largest,1,1": "step: is not recorded",
    "norm_p,,ten,,1,1": "step: 'ten' is not a number",
    "norm_p,,,,1,1": "step: one step is needed, got ''",
    "norm_p,,,largest,1,1": SEVERAL,
    "norm_p,,1-2-3,largest,1,1": SEVERAL,
    "norm_p,,10,middle,1,1": "statistic: 'middle' is not one of",
    "norm_p,,0-9,first above,1,1": "statistic: 'first above' is not one of",
    "norm_p,,0-9,first above x,1,1": "statistic: 'x' is not a number",
    "norm_p,one,10,,1,1": "start: 'one' is not a number",
    "norm_p,1.5,10,,1,1": "start a whole number from 0 on",
    "norm_p,-1,10,,1,1": "start a whole number from 0 on",
    "norm_p,,10,,,1": "value: '' is not a number",
    "norm_p,,10,,1,-1": "within must be finite and at least 0",
    "norm_p,,10,,nan,1": "value: 'nan' is not a number",
    "norm_p,,10,,1": "line 2",
}


def test_wrong_row_or_column_is_refused_with_file_and_line(tmp_path, monkeypatch):
    config = published_config()
    for row, message in WRONG_ROWS.items():
        file = write(tmp_path, row if row.startswith("normal_step") else f"normalized_step,{row}")
        monkeypatch.setattr(checks, "expected_file", lambda paper, name, file=file: file if name == "fig4" else None)
        line = refusal(checks.PaperChecker(config.papers["max_margin"], config.settings).check)
        assert line.startswith(f"{file}: line 2: ")
        assert message in line
    file.write_text("figure,value\nfig4a,1\n")
    with pytest.raises(ValueError, match=r"fig4_expected\.csv: line 1: the columns must be figure,run,"):
        read_expected(file)


def test_every_file_belongs_to_file_of_its_paper():
    for file in PACKAGE.glob("papers/*/*_expected.csv"):
        assert (ROOT / "config" / file.parent.name / f"{file.stem.removesuffix('_expected')}.yaml").is_file()
