"""Euclidean (Frobenius) norm of every trained parameter."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm


class Norm(Measure, kind="norm"):
    """Euclidean norm at every record, one series per trained parameter."""

    series = ("norm_{parameter}",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {
            f"norm_{name}": euclidean_norm(values.reshape(*values.shape[:3], -1))
            for name, values in run.trajectory.items()
            if name != "step"
        }
