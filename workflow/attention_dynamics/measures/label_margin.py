"""The label margin that is left when attention mixes tokens (Max-margin Assumption C)."""

import numpy as np
import scipy  # Its parts are loaded on first use: a configuration is read without them.

from attention_dynamics.margins.label_svm import label_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class LabelMargin(Measure, kind="label_margin"):
    """Margins of the label SVM on the attention features r_i = X_i' softmax(K_i p).

    label_margin: Gamma_p = 1 / |v_mm|; 0 where no head separates the features.
    largest_mixing: largest over the inputs of 1 - s_i,optimal.
    """

    series = ("label_margin", "largest_mixing")

    def measure(self, run: Run) -> dict[str, Array]:
        problem, p = run.problem, run.trajectory["p"]
        softmax = scipy.special.softmax(np.einsum("pitx,rpsx->rpsit", problem.keys, p), axis=-1)
        features = np.einsum("rpsit,pitd->rpsid", softmax, problem.tokens)
        margins = np.zeros(softmax.shape[:3])
        for r, k, s in np.ndindex(*margins.shape):
            answer = label_svm(features[r, k, s], problem.labels[k])
            margins[r, k, s] = 0.0 if isinstance(answer, Infeasible) else 1 / answer.norm
        others = np.arange(softmax.shape[-1]) != problem.optimal[..., None]
        mixing = (softmax * others[None, :, None]).sum(-1).max(-1)
        return {"label_margin": margins, "largest_mixing": mixing}
