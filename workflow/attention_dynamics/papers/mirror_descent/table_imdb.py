"""Test accuracy of text classifiers, for several optimizers and sizes of the network."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.optimizer_styles import optimizer_name
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.published import published

if TYPE_CHECKING:
    import pandas as pd

OURS, PUBLISHED = "ours, ", "published, "


class Row(NamedTuple):
    """A row of the table of ``readable``. cells: a text for each exponent. accuracies: (exponents, 2), means and
    deviations in per cent; None for rows without accuracies.
    """

    label: str
    cells: list[str]
    accuracies: Array | None = None


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the table of ``readable``. In each row, the accuracy of ``_clear_winner``, if any, is in bold type."""
    from attention_dynamics.plots.tables import draw_table

    table = tabulate(runs)
    rows, shown = _rows(table), readable(table)
    winners = {
        (k, shown.columns[1 + winner])
        for k, row in enumerate(rows)
        if row.accuracies is not None and (winner := _clear_winner(row.accuracies)) is not None
    }
    return draw_table(shown, summary=sum(row.label.startswith(PUBLISHED) for row in rows), winners=winners)


def _clear_winner(accuracies: Array) -> int | None:
    """Return the index of the largest mean if it exceeds every other mean by more than both deviations, else None.

    accuracies: (exponents, 2), means and deviations.
    """
    known = np.flatnonzero(np.isfinite(accuracies).all(1))
    if len(known) < 2:
        return None
    best = known[accuracies[known, 0].argmax()]
    others = accuracies[known[known != best]]
    lead = accuracies[best, 0] - others[:, 0]
    return int(best) if (lead > np.maximum(others[:, 1], accuracies[best, 1])).all() else None


def tabulate(runs: dict[str, Run]) -> "pd.DataFrame":
    """Return a row for every run: mean and sample deviation of the test accuracy over the seeds.

    size: number of blocks of the network, and of its attention heads. best_accuracy: accuracy at the best epoch of each
    seed. last_accuracy: accuracy at the end. If training stops at a training accuracy, there are also epochs, the
    number of epochs until then, and reached, the number of seeds that reach this accuracy.
    """
    import pandas as pd

    from attention_dynamics.plots.table_output import mean_and_deviation

    rows = []
    for run in runs.values():
        accuracy = run.series["test_accuracy"][:, 0]
        numbers = {"best_accuracy": accuracy.max(0), "last_accuracy": accuracy[-1]}
        row = {
            "size": run.training.network.depth,
            "exponent": run.training.deep_optimizer.exponent,
            "seeds": accuracy.shape[1],
        }
        if stop := run.training.stop_at:
            numbers["epochs"] = run.series["epochs_trained"][-1, 0]
            row["reached"] = (run.series["train_accuracy"][-1, 0] >= stop.train_accuracy).sum()
        for name, values in numbers.items():
            row[f"{name}_mean"], row[f"{name}_deviation"] = mean_and_deviation(values)
        rows.append(row)
    return pd.DataFrame(rows).sort_values(["size", "exponent"], ignore_index=True)


def readable(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table as texts: a column for every exponent, a row for every quantity and size, published rows last.

    Accuracies are in per cent with two decimals, as published.
    """
    import pandas as pd

    names = [optimizer_name(exponent) for exponent in sorted(table["exponent"].unique())]
    return pd.DataFrame([[row.label, *row.cells] for row in _rows(table)], columns=["quantity", *names])


def _rows(table: "pd.DataFrame") -> list[Row]:
    import pandas as pd

    paper = pd.DataFrame(published(__file__, "table_imdb"))
    return [*_rows_of(table, table, prefix=OURS), *_rows_of(table, paper, prefix=PUBLISHED, unit=1)]


def _rows_of(table: "pd.DataFrame", shown: "pd.DataFrame", prefix: str = "", unit: float = 100) -> list[Row]:
    """Return rows with the numbers of ``shown``, for the exponents and quantities that ``table`` has.

    prefix: beginning of the labels. unit: factor that converts accuracies of ``shown`` to per cent.
    """
    import pandas as pd

    from attention_dynamics.plots.table_output import plus_minus

    exponents = sorted(table["exponent"].unique())
    rows = []
    for size, of_size in shown.groupby("size"):
        runs = of_size.set_index("exponent").reindex(exponents)
        for quantity, name in (("best_accuracy", "best (%)"), ("last_accuracy", "last (%)"), ("epochs", "epochs")):
            if f"{quantity}_mean" in table:
                numbers = runs[[f"{quantity}_mean", f"{quantity}_deviation"]].to_numpy()
                accurate = quantity != "epochs"
                numbers = numbers * unit if accurate else numbers
                cells = [plus_minus(mean, deviation, 2 if accurate else 1) for mean, deviation in numbers]
                rows.append(Row(f"{prefix}size {size:g}, {name}", cells, numbers if accurate else None))
        if "reached" in runs:
            counts = runs[["reached", "seeds"]].to_numpy()
            cells = [f"{n:.0f} of {of:.0f}" if pd.notna(n) else "" for n, of in counts]
            rows.append(Row(f"{prefix}size {size:g}, reached", cells))
    return rows
