"""What was made from files is kept by their content, exactly, and never missed."""

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
never = mock.Mock(side_effect=AssertionError("made again"))


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


def test_of_another_content_or_with_another_maker_it_is_made_anew():
    saved([1])
    assert Kept("things", "1").get(b"other", lambda: [2]) == [2]
    assert Kept("things", "2").get(b"content", lambda: [2]) == [2]
    assert Kept("others", "1").get(b"content", lambda: [2]) == [2]
    with mock.patch.object(kept.sys, "version", "another"):
        assert Kept("things", "1").get(b"content", lambda: [2]) == [2]


def test_only_what_was_asked_for_stays():
    saved([1])
    keeper = Kept("things", "1")
    keeper.get(b"other", lambda: [2])
    keeper.save()
    assert Kept("things", "1").get(b"content", lambda: "made") == "made"
    assert Kept("things", "1").get(b"other", never) == [2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: kept[:-20],
        lambda kept: b"\xff",
        lambda kept: b"",
        lambda kept: b"[]",
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


def test_what_is_asked_for_between_two_savings_is_saved():
    keeper = Kept("things", "1")
    keeper.get(b"content", lambda: [1])
    keeper.save()
    keeper.get(b"other", lambda: [2])
    keeper.save()
    again = Kept("things", "1")
    assert [again.get(content, never) for content in (b"content", b"other")] == [[1], [2]]
