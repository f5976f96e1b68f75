"""Tables about claims that one job writes and another reads."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from attention_dynamics.store import DamagedFile


def read_table(file: str | Path, columns: Collection[str]) -> pd.DataFrame:
    """Return the table in a CSV file. Raises DamagedFile unless it can be read and has these columns."""
    try:
        table = pd.read_csv(file)
    except (OSError, ValueError) as error:
        raise DamagedFile(Path(file), f"it cannot be read ({' '.join(str(error).split())})") from None
    if missing := [name for name in columns if name not in table]:
        raise DamagedFile(Path(file), f"it has no column {', '.join(missing)}")
    return table
