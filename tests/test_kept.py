"""What was read from files is kept by their content, exactly, and never missed."""

import datetime
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_dynamics.pipeline import kept
from attention_dynamics.pipeline.kept import FOLDER, Kept

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
never = mock.Mock(side_effect=AssertionError("read again"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved(value) -> None:
    """Keep a value by the content b"content"."""
    keeper = Kept("things", "1")
    assert keeper.get(b"content", lambda: value) == value
    keeper.save()


@given(value=values)
def test_a_value_comes_back_as_it_was(value):
    content = repr(value).encode()
    keeper = Kept("things", "1")
    assert keeper.get(content, lambda: value) == value
    keeper.save()
    back = Kept("things", "1").get(content, never)
    assert back == value
    assert repr(back) == repr(value)


def test_another_content_or_reader_is_read_anew():
    saved([1])
    assert Kept("things", "1").get(b"other", lambda: [2]) == [2]
    assert Kept("things", "2").get(b"content", lambda: [2]) == [2]
    assert Kept("others", "1").get(b"content", lambda: [2]) == [2]
    with mock.patch.object(kept.sys, "version", "another"):
        assert Kept("things", "1").get(b"content", lambda: [2]) == [2]


def test_what_is_done_to_a_value_is_not_kept():
    keeper = Kept("things", "1")
    keeper.get(b"content", lambda: {"a": [1]})["a"].append(2)
    keeper.get(b"content", never)["a"].append(3)
    keeper.save()
    assert Kept("things", "1").get(b"content", never) == {"a": [1]}


@pytest.mark.parametrize("value", [datetime.date(2000, 1, 1), {"a": b"bytes"}, [(1, 2)], {1: 2}, "itself", "deep"])
def test_what_json_cannot_hold_is_given_and_not_kept(value):
    if value == "itself":
        value = []
        value.append(value)
    if value == "deep":
        for _ in range(5000):
            value = [value]
    keeper = Kept("things", "1")
    assert keeper.get(b"content", lambda: value) is value
    keeper.save()
    assert Kept("things", "1").get(b"content", lambda: "read") == "read"


def test_what_is_too_long_is_not_written_out():
    value = ["x"]
    for _ in range(60):
        value = [value, value]
    keeper = Kept("things", "1")
    assert keeper.get(b"content", lambda: value) is value


def test_only_what_was_asked_for_stays():
    saved([1])
    keeper = Kept("things", "1")
    keeper.get(b"other", lambda: [2])
    keeper.save()
    assert Kept("things", "1").get(b"content", lambda: "read") == "read"
    assert Kept("things", "1").get(b"other", never) == [2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: kept[:-20],
        lambda kept: b"\xff",
        lambda kept: b"",
        lambda kept: b"[]",
        lambda kept: kept.replace(b'"[1]"', b"5"),
    ],
)
def test_a_damaged_file_is_made_again(damage):
    saved([1])
    file = FOLDER / "things.json"
    before = file.read_bytes()
    file.write_bytes(damage(before))
    saved([1])
    assert file.read_bytes() == before
    assert list(FOLDER.iterdir()) == [file]


def test_where_nothing_can_be_written_nothing_is_kept():
    FOLDER.parent.write_text("a file in the way")
    saved([1])
    FOLDER.parent.unlink()
    (FOLDER / "things.json").mkdir(parents=True)
    saved([1])
    assert [file.name for file in FOLDER.iterdir()] == ["things.json"]
