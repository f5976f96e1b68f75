"""Tables as CSV, for programs and for spreadsheets."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NUMBER = r"[-+]?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan)"
# Matches an operator before the name of a spreadsheet's cell, such as "+ A1".
OPERATION = r"[-+*/^&<>=@:,;] *\$?[A-Za-z]{1,3}\$?\d"
# Matches the beginning of a formula of a spreadsheet. Two kinds of texts are no formulas: a sign alone, such as
# "-", and a number, also with text after it that has neither function calls nor references to cells, such as "= 1 2"
# and "-0.5 to 0.5".
FORMULA = re.compile(rf"(?=[=+\-@\t\r])(?![=+-]\Z|=? ?{NUMBER}(?:[ ;](?!.*{OPERATION})[^(|!]*)?\Z)", re.DOTALL)


def csv_table(table: "pd.DataFrame") -> str:
    """Return a table as CSV: a line with the names of its columns, then a line for every row.

    Floats have as many digits as it takes to read them back exactly; missing numbers are empty. Texts are written as
    ``plain_cell`` returns them.
    """
    texts = table.select_dtypes(["object", "string"]).map(plain_cell)
    return table.assign(**texts).to_csv(index=False, lineterminator="\n")


def plain_cell(value: Any) -> Any:
    """Return the cell, with an apostrophe before a text that a spreadsheet would take for a formula.

    Carriage returns in texts become blanks. Other values are returned unchanged.
    """
    if not isinstance(value, str):
        return value
    # The CSV writer does not quote a carriage return, which readers would take for the end of a line.
    return f"'{value}".replace("\r", " ") if FORMULA.match(value) else value.replace("\r", " ")
