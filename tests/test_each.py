"""Blocks written once for several values."""

import pytest

from attention_dynamics.config.each import expand
from attention_dynamics.config.errors import ConfigError

AT = "file: runs"


def test_a_block_stands_for_one_block_per_value():
    block = {
        "each": {"p": [175, 2], "step": [[1, 2], 0.5]},
        "says": "p = {p} at {step}, $x_{i}$",
        "near": "{step}",
        "inner": [{"run_{p}": "{p}"}],
    }
    assert expand({"first": {"kind": "other"}, "run_{p}": block}, AT) == {
        "first": {"kind": "other"},
        "run_175": {"says": "p = 175 at [1, 2], $x_{i}$", "near": [1, 2], "inner": [{"run_175": 175}]},
        "run_2": {"says": "p = 2 at 0.5, $x_{i}$", "near": 0.5, "inner": [{"run_2": 2}]},
    }


def test_blocks_without_each_stay_what_they_are():
    blocks = {"a_{p}": {"says": "{p}"}, "b": 3, "c": None, "d": ["{p}"]}
    assert expand(blocks, AT) == blocks


@pytest.mark.parametrize(
    "each", [None, {}, [], 3, "p", {"p": 1}, {"p": []}, {"p": [1, 2], "q": [1]}, {"p": [1], "q": {"r": 1}}]
)
def test_an_each_that_is_not_lists_of_equal_length_is_refused(each):
    with pytest.raises(ConfigError, match=r"^file: runs\.x_\{p\}\.each: .* is not names with lists of values"):
        expand({"x_{p}": {"each": each}}, AT)


@pytest.mark.parametrize("name", ["x", "x_{q}", "x_{p}"])
def test_copies_of_one_name_are_refused(name):
    with pytest.raises(ConfigError, match="another block is called x"):
        expand({"x_1": {}, name: {"each": {"p": [1, 1]}}}, AT)


def test_a_block_that_contains_itself_is_refused():
    block = {"each": {"p": [1]}}
    block["inner"] = block
    with pytest.raises(ConfigError, match="contains itself"):
        expand({"x_{p}": block}, AT)
