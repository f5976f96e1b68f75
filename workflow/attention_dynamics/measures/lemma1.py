"""Training W with a fixed query against training p (Max-margin Lemma 1)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Lemma1(Measure, kind="lemma1"):
    """Distance of W(t) from the image of the prompt that the baseline trains.

    mapping_error: largest entry of |W(t) - p(t) u' / |u|^2| (transposed logits: u p(t)' / |u|^2).
    second_singular_value: of W(t), relative to the first; zero for a matrix of rank one.
    distance_from_left_query: 1 - |u'W(t)| / (|u| |W(t)|), zero where u spans the left singular space of W(t).
    """

    series = ("mapping_error", "second_singular_value", "distance_from_left_query")

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series.

        Raises ValueError for a run that trains no W or names no baseline, or one with other records or starts.
        """
        if "W" not in run.trajectory or run.baseline is None:
            raise ValueError("lemma1 needs a run of weight_attention that names a baseline")
        weights, model = run.trajectory["W"], run.training.model
        same_steps = np.array_equal(run.steps, run.baseline["step"])
        if not same_steps or weights.shape[:3] != run.baseline["p"].shape[:3]:
            raise ValueError("lemma1 needs a baseline with as many starts as the run, recorded at the same steps")
        query = np.array(model.query)
        image = run.baseline["p"][..., :, None] * query / (query @ query)
        if model.transposed:
            image = image.swapaxes(-1, -2)
        size = np.linalg.norm(weights, axis=(-1, -2))
        singular = np.linalg.svd(weights, compute_uv=False)
        return {
            "mapping_error": np.abs(weights - image).max((-1, -2)),
            "second_singular_value": singular[..., 1] / singular[..., 0],
            "distance_from_left_query": 1 - np.linalg.norm(query @ weights, axis=-1) / (np.linalg.norm(query) * size),
        }
