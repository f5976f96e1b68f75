"""The documentation of the library alone: its code runs and prints what it says."""

import contextlib
import io
import re

import numpy as np
import pytest

from conftest import ROOT

PAGE = (ROOT / "docs/library.md").read_text()
NUMBER = r"[0-9]+\.[0-9]*"


def test_the_code_prints_what_the_page_says():
    (code,), (says,) = (
        re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL),
        re.findall(r"```\n(g.*?)```", PAGE, re.DOTALL),
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, variables := {})
    assert re.sub(NUMBER, "x", printed.getvalue()).split() == re.sub(NUMBER, "x", says).split()
    assert [float(x) for x in re.findall(NUMBER, printed.getvalue())] == pytest.approx(
        [float(x) for x in re.findall(NUMBER, says)], abs=2e-4
    )
    last = {name: np.median(cosines[-1]) for name, cosines in variables["cosines"].items()}
    assert last["normalized gradient descent"] > 0.999 > last["gradient descent"]


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "workflow/attention_dynamics/py.typed").exists()
    assert 'attention_dynamics = ["py.typed", ' in (ROOT / "pyproject.toml").read_text()
