"""What each job gets: the part of the configuration that its result depends on, and nothing else.

Only ``draws`` is there for messages; where it changes, so do the data. Every training has the ``device``, also one that
stays on the CPU.

A specification is a plain dictionary with sorted keys and JSON values, because Snakemake compares parameters by their
printed form. ``modules`` lists the plug-ins that it names; they belong to the job's code fingerprint.
"""

import json
from typing import Any

from attention_dynamics.datasets.titles import label
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.blocks import LMM_SET
from attention_dynamics.pipeline.checks import arguments
from attention_dynamics.pipeline.config import Config
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.shards import reads_data, shard_arguments, without_shard

# Arguments that tell which problems were drawn, and which is which in their batch.
DRAWS = ("seed", "seeds", "first_seed", "first", "d", "replications")
# At the scale for tests, whatever else a figure's note says.
SHORTENED = "shortened for tests: fewer seeds, steps or data"


class Specs:
    """Specifications of all jobs under one configuration, by stage and id."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def get(self, stage: str, id: str = "") -> dict[str, Any]:
        """The specification of a stage for the problem, run or figure ``id``, with the stage's name."""
        return json.loads(json.dumps(getattr(self, stage)(id) | {"stage": stage}, sort_keys=True))

    def data(self, problem: str) -> dict[str, Any]:
        """Build a problem.

        Raises ConfigError where it needs what the source of data sets does not have: only here, so that figures that
        need something else can be drawn.
        """
        block, shard = self._problem(problem), without_shard(problem)[1]
        if getattr(block, "vocabulary", None) == "bert-base-uncased" and self.config.settings.data == "embedded":
            paper, name = without_shard(problem)[0].split("/")
            where = f"{self.config.folder / paper}.yaml: problems.{name}.vocabulary"
            raise ConfigError(
                f"{where}: {block.vocabulary} is not embedded; use data=official, or data=mirror data_mirror=<folder>"
            )
        source = self._source() if reads_data(block) else {}
        return {
            "modules": [plugins.PROBLEM.module(block.kind)],
            "kind": block.kind,
            "arguments": shard_arguments(arguments(block, "kind", "references", LMM_SET) | source, shard),
        }

    def svm(self, problem: str) -> dict[str, Any]:
        """Solve a problem's reference directions."""
        block = self._problem(problem)
        whole = without_shard(problem)[1] is None
        return {**self._references(block), **self._draws(problem), LMM_SET: block.lmm_set, "whole": whole}

    def has_svm(self, problem: str) -> bool:
        """Whether a problem asks for any reference directions."""
        block = self._problem(problem)
        return bool(block.references) or block.lmm_set

    def selected_svm(self, run: str) -> dict[str, Any]:
        """Solve a run's own reference directions, those of the tokens that it selects."""
        block = self._run(run)
        return {**self._references(block), **self._draws(run.rpartition("/")[0]), "saturated": block.saturated}

    def _draws(self, problem: str) -> dict[str, Any]:
        """How a job's problems were drawn, for messages."""
        given = shard_arguments(arguments(self._problem(problem)), without_shard(problem)[1])
        return {"draws": {name: given[name] for name in DRAWS if name in given}}

    @staticmethod
    def _references(block: Any) -> dict[str, Any]:
        return {
            "modules": [plugins.REFERENCE.module(reference.kind) for reference in block.references.values()],
            "references": {
                name: {"kind": reference.kind, "arguments": arguments(reference, "kind")}
                for name, reference in block.references.items()
            },
        }

    def train(self, run: str) -> dict[str, Any]:
        """Train a run."""
        block = self._run(run)
        return {
            "modules": [plugins.TRAINER.module(block.kind), *plugin_modules(block)],
            "device": self.config.settings.device,
            **self._draws(run.rpartition("/")[0]),
            **arguments(block, "problem", "measures", "references", "borrowed", "saturated", "counterpart"),
            **(self._source() if block.kind == "published_weights" else {}),
        }

    def measure(self, run: str) -> dict[str, Any]:
        """Measure a run."""
        block = self._run(run)
        measures = {name: arguments(measure) for name, measure in block.measured()}
        return {
            "modules": [*(plugins.MEASURE.module(name) for name in measures), *loss_module(block)],
            "measures": measures,
            "settings": self._settings(block),
        }

    def draw(self, figure: str) -> dict[str, Any]:
        """Draw a figure."""
        paper, block = figure.split("/")[0], self._figure(figure)
        return {
            "modules": [plugins.plot(paper).module(block.plot.kind)],
            "paper": paper,
            "plot": block.plot.kind,
            "arguments": arguments(block.plot, "kind"),
            **self._label(figure),
            "title": block.title,
            "shows": block.shows,
            "note": "; ".join(filter(None, [block.note, self._data_label(figure), self._shortened()])),
            "runs": self._runs(figure),
        }

    def tabulate(self, figure: str) -> dict[str, Any]:
        """Write a table."""
        return self.draw(figure)

    def judge(self, figure: str) -> dict[str, Any]:
        """Judge a figure's claims."""
        claims = self._figure(figure).claims
        return {
            **self._label(figure),
            "claims": [{"claim": name, **arguments(claim)} for name, claim in claims.items()],
            "data": self.config.settings.data if self._read(figure) else None,
            "expected": [str(claim.expected) for claim in claims.values()],
            "runs": self._runs(figure),
        }

    def ledger(self, _: str) -> dict[str, Any]:
        """Collect the claims."""
        return {}

    def manifest(self, _: str) -> dict[str, Any]:
        """List the figures with their hashes."""
        return {"figures": [self._label(name) | {"data": self._data_label(name)} for name in self.config.figures()]}

    def gallery(self, _: str) -> dict[str, Any]:
        """Show figures, claims and settings in a browser."""
        settings = self.config.settings.model_dump()
        return {"settings": settings, "papers": [self._shown_paper(paper) for paper in self.config.papers]}

    def bundle(self, _: str) -> dict[str, Any]:
        """Pack the figures and what they were made from."""
        settings = self.config.settings.model_dump()
        return {"settings": settings, "overrides": dict(self.config.overrides)}

    def _shown_paper(self, key: str) -> dict[str, Any]:
        paper = self.config.papers[key]
        blocks = paper.model_dump(mode="json", exclude_none=True)
        for figure in blocks["figures"].values():
            # They have a page of their own.
            del figure["claims"]
        figures = [self._shown(f"{key}/{name}") for name in paper.figures]
        effective = {part: blocks[part] for part in ("problems", "runs", "figures")}
        return {"paper": key, "title": paper.title, "arxiv": paper.arxiv, "figures": figures, "effective": effective}

    def _shown(self, figure: str) -> dict[str, Any]:
        """A figure's texts, and where the measures of its runs are, of each shard."""
        drawn = self.draw(figure)
        results = f"results/{self.config.settings.scale}"
        data = {
            run["name"]: [f"{results}/{id}/measures.npz" for id in self.config.runs(drawn["paper"], run["name"])]
            for run in drawn["runs"]
        }
        texts = {name: drawn[name] for name in ("figure", "title", "shows", "fidelity", "note")}
        return texts | {"table": figure in self.config.tables(), "data": data}

    def _source(self) -> dict[str, str | None]:
        return {"source": self.config.settings.data, "mirror": self.config.settings.data_mirror}

    def _label(self, figure: str) -> dict[str, str]:
        paper, name = figure.split("/")
        fidelity = self._figure(figure).fidelity
        if fidelity != "extension" and self.config.settings.data == "embedded" and self._read(figure):
            # Whatever the network is, other data stand in.
            fidelity = "stand-in"
        if paper in self.config.changed:
            # What was published is no longer what is computed.
            fidelity += ", changed by --config"
        return {"paper": paper, "figure": name, "fidelity": fidelity, "scale": self.config.settings.scale}

    def _data_label(self, figure: str) -> str:
        """What a figure says about the data sets that its runs are on; nothing where there are none."""
        source = self.config.settings.data
        labels = [label(problem.dataset, source) for problem in self._read(figure)]
        return "; ".join(dict.fromkeys(labels))

    def _shortened(self) -> str:
        return SHORTENED if self.config.settings.scale == "smoke" else ""

    def _read(self, figure: str) -> list[Any]:
        """The problems of a figure's runs that are read from data sets."""
        paper = self.config.papers[figure.split("/")[0]]
        problems = [paper.problems[paper.runs[name].problem] for name in self._figure(figure).runs]
        return [problem for problem in problems if reads_data(problem)]

    def _runs(self, figure: str) -> list[dict[str, Any]]:
        paper = self.config.papers[figure.split("/")[0]]
        return [{"name": name, **self._settings(paper.runs[name])} for name in self._figure(figure).runs]

    @staticmethod
    def _settings(run: Any) -> dict[str, Any]:
        return arguments(run, "start", "measures", "counterpart", "problem", "references")

    def _problem(self, id: str) -> Any:
        paper, name = without_shard(id)[0].split("/")
        return self.config.papers[paper].problems[name]

    def _run(self, id: str) -> Any:
        paper, _, name = without_shard(id)[0].split("/")
        return self.config.papers[paper].runs[name]

    def _figure(self, id: str) -> Any:
        paper, name = id.split("/")
        return self.config.papers[paper].figures[name]


def plugin_modules(run: Any) -> list[str]:
    """Modules of the plug-ins that a run names: its model or network, loss, optimizers, as far as its kind has them."""
    blocks = {
        "model": plugins.MODEL, "optimizer": plugins.OPTIMIZER, "head_optimizer": plugins.OPTIMIZER,
        "network": plugins.NETWORK, "deep_optimizer": plugins.DEEP_OPTIMIZER,
    }  # fmt: skip
    named = [kind.module(block.kind) for key, kind in blocks.items() if (block := getattr(run, key, None))]
    return [*named, *loss_module(run)]


def loss_module(run: Any) -> list[str]:
    """The module of a run's loss, which measures use too; none where its kind has no choice of loss."""
    return [plugins.LOSS.module(run.loss)] if hasattr(run, "loss") else []
