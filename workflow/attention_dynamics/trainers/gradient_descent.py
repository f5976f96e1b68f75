"""Gradient descent of any kind, by the general engine (``attention_dynamics.attention.descent``)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from numpy.typing import NDArray

from attention_dynamics.pipeline import plugins
from attention_dynamics.problems.problem import Problem
from attention_dynamics.training import recorded_steps
from attention_dynamics.attention.initialization import starting_points
from attention_dynamics.attention.descent import Step, descend, reproducible


def train(problem: Problem, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The trajectory that a run's block of the configuration asks for; see ``training.descend``.

    spec: model, loss, optimizer, head_optimizer, start, steps, record_every, record_digits, precision, device.
    """
    reproducible(spec["device"])
    model_kind, model_arguments = _kind(spec["model"])
    loss = plugins.LOSS.load(spec["loss"])
    model = plugins.MODEL.call(model_kind)(problem, loss, spec["precision"], spec["device"], **model_arguments)

    def optimizer(block: Mapping[str, Any]) -> Step:
        kind, arguments = _kind(block)
        return partial(plugins.OPTIMIZER.call(kind), **arguments)

    optimizers = defaultdict(lambda: optimizer(spec["optimizer"]))
    if spec["head_optimizer"]:
        optimizers["v"] = optimizer(spec["head_optimizer"])
    start = {name: starting_points(points, problem.starts.get(name)) for name, points in spec["start"].items()}
    recorded = recorded_steps(spec["steps"], spec["record_every"], spec["record_digits"])
    # Without autograd's bookkeeping small problems take a sixth less time, to the same bits. The models here turn it on
    # where they need it; a plug-in may need it anywhere.
    with torch.inference_mode(_all_built_in(spec)):
        return descend(model, optimizers, start, recorded=recorded)


def _all_built_in(spec: Mapping[str, Any]) -> bool:
    """Whether nothing that takes part in a step is a plug-in from outside."""
    kinds = [(plugins.MODEL, spec["model"]["kind"]), (plugins.LOSS, spec["loss"])]
    kinds += [(plugins.OPTIMIZER, block["kind"]) for block in (spec["optimizer"], spec["head_optimizer"]) if block]
    return all(kind.built_in(name) for kind, name in kinds)


def _kind(block: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return block["kind"], {name: value for name, value in block.items() if name != "kind"}
