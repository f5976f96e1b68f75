"""CPU time of the training of a network."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.training import Training


class CpuTime(Measure, kind="cpu_time"):
    """CPU time of the steps up to each record, without evaluations, in seconds, (records, 1, trained networks).

    CPU time is different each time it is measured; figures that show it need the setting ``measured: true``.
    """

    series = ("cpu_seconds",)
    data = ("images", "texts")

    def check(self, training: Training) -> None:
        if not getattr(training, "timed", False):
            raise ValueError("needs timed: true in the run")

    def measure(self, run: Run) -> dict[str, Array]:
        return {"cpu_seconds": run.trajectory["cpu_seconds"]}
