"""Tables in Markdown stay tables, whatever is in their cells."""

from attention_dynamics.markdown_table import markdown_table


def test_table_has_head_and_rows():
    assert markdown_table(["a", "b"], [[1, ""], ("x", "y")]) == ["| a | b |", "|---|---|", "| 1 |  |", "| x | y |"]


def test_bars_and_newlines_do_not_split_cells():
    assert markdown_table(["norm"], [["|v| <= r\nand |p|"]])[2] == "| \\|v\\| <= r and \\|p\\| |"
