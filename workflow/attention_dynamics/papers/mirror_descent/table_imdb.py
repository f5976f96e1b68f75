"""Test accuracy of classifiers of texts, optimizers times sizes."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.optimizer_styles import optimizer_name
from attention_dynamics.run import Run

if TYPE_CHECKING:
    import pandas as pd

# Column, factor from its unit to that of the readable table, digits.
QUANTITIES = (("best_accuracy", 100, 2), ("last_accuracy", 100, 2), ("epochs", 1, 1))


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the readable table."""
    from attention_dynamics.plots.tables import draw_table

    table = readable(tabulate(runs))
    percent = {name: f"{name} (%)" for name in table if name.endswith((", best", ", last"))}
    return draw_table(table.rename(columns=percent))


def tabulate(runs: dict[str, Run]) -> "pd.DataFrame":
    """Return a row for every run: mean and sample deviation, over the seeds, of shares that are right in the test.

    size: blocks of the network, which has as many heads. best: at the best epoch of each seed. last: at the end.
    Where training was to stop, epochs until its end, and reached: how many seeds reached what it was to stop at.
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
    """Return a row for every exponent, columns for every size: per cent, two digits, as published."""
    import pandas as pd

    from attention_dynamics.plots.table_output import plus_minus

    exponents = sorted(table["exponent"].unique())
    columns = {"optimizer": [optimizer_name(exponent) for exponent in exponents]}
    for size, of_size in table.groupby("size"):
        rows = of_size.set_index("exponent").reindex(exponents)
        for quantity, unit, digits in QUANTITIES:
            if f"{quantity}_mean" in rows:
                cells = rows[[f"{quantity}_mean", f"{quantity}_deviation"]].to_numpy() * unit
                name = quantity.removesuffix("_accuracy")
                columns[f"size {size}, {name}"] = [plus_minus(mean, deviation, digits) for mean, deviation in cells]
        if "reached" in rows:
            counts = rows[["reached", "seeds"]].to_numpy()
            columns[f"size {size}, reached"] = [f"{n:.0f} of {of:.0f}" if pd.notna(n) else "" for n, of in counts]
    return pd.DataFrame(columns)
