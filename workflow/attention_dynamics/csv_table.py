"""Tables as CSV, for programs and for spreadsheets."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NUMBER = r"[-+]?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan)"
# Matches an operator that is followed by a cell of a spreadsheet.
OPERATION = r"[-+*/^&<>=@:,;] *\$?[A-Za-z]{1,3}\$?\d"
# Matches the beginning of a formula of a spreadsheet. A sign alone is none, nor are numbers and words:
# "= 1 2", "-0.5 to 0.5".
FORMULA = re.compile(rf"(?=[=+\-@\t\r])(?![=+-]\Z|=? ?{NUMBER}(?:[ ;](?!.*{OPERATION})[^(|!]*)?\Z)", re.DOTALL)


def csv_table(table: "pd.DataFrame") -> str:
    """Return a line for every row after one with the names of the columns.

    Floats have as many digits as it takes to read them back exactly; missing numbers are empty. Texts that a
    spreadsheet would take for a formula begin with an apostrophe.
    """
    texts = table.select_dtypes(["object", "string"]).map(plain_cell)
    return table.assign(**texts).to_csv(index=False, lineterminator="\n")


def plain_cell(value: Any) -> Any:
    """Return a value, and a text that begins like a formula of a spreadsheet with an apostrophe before it."""
    if not isinstance(value, str):
        return value
    # A carriage return would not be quoted.
    return f"'{value}".replace("\r", " ") if FORMULA.match(value) else value.replace("\r", " ")
