"""The transverse coordinate of Max-margin Fig 5 against the closed form of ``theory.plateaus``."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.plateaus import PLATEAUS


class Plateau(Measure, kind="plateau"):
    """The coordinate of p orthogonal to p_mm = (1, 0), and its difference from the closed-form limit.

    transverse: p_2, this coordinate. plateau_error: p_2 minus the limit for the run's loss and the problem's setting C.
    """

    series = ("transverse", "plateau_error")
    required_settings = ("loss",)

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a problem without the setting C, or a loss without a closed form."""
        loss = run.training.loss.kind
        if "C" not in run.problem.settings:
            raise ValueError("plateau needs a problem with a setting C")
        if loss not in PLATEAUS:
            raise ValueError(f"plateau needs one of the losses {', '.join(PLATEAUS)}, got {loss!r}")
        transverse = run.prompt[..., 1]
        plateau = PLATEAUS[loss](run.problem.settings["C"])
        return {"transverse": transverse, "plateau_error": transverse - plateau[:, None]}
