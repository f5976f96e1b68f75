"""All jobs of a configuration: specification, code, and the intermediates that they read.

A specification is the part of the configuration that the job's result depends on, as plain JSON with sorted keys,
because Snakemake compares parameters by their printed form. Its part ``sampling`` is only for messages. A change of
``sampling`` reruns no job needlessly, because it changes the job's data, too. The part ``modules`` lists the modules
that the job imports by name; the fingerprint of the job's code covers them.
"""

import json
from functools import cached_property
from typing import Any, NamedTuple, get_args

from attention_dynamics.claims.expected import expected_file
from attention_dynamics.claims.find import claims_module
from attention_dynamics.claims.statements import (
    DECLARED,
    PAPER_SETTING,
    REAL_DATA,
    STAND_IN,
    load_statements,
)
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.experiment import (
    LAPTOP,
    SMOKE,
    experiment_digest,
    experiment_seeds,
    published_digests,
)
from attention_dynamics.config.load import Config
from attention_dynamics.config.recorded_figures import RecordedFigure, load_records, statement_rows
from attention_dynamics.config.schema import Figure, ProblemConfig, RunConfig
from attention_dynamics.deep.datasets.sources import TITLES, VOCABULARY_NAME, label
from attention_dynamics.digests import hash_file
from attention_dynamics.pipeline.fingerprint import closure, module_file, stage_fingerprint
from attention_dynamics.pipeline.shards import SOURCE, shard_ids, shard_of, without_shard
from attention_dynamics.plots.labels import to_plain
from attention_dynamics.plots.plot import plot_module
from attention_dynamics.problems.file import FileProblem
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.stored import DATA
from attention_dynamics.registry import components
from attention_dynamics.training import Training
from attention_dynamics.types import PublishedModel

# Stages with a job for every data set, problem or run, and the property of ``Jobs`` with their ids. Other stages have a
# job for every figure, or a single job.
IDS = {
    "dataset": "datasets", "data": "problems", "svm": "problems", "train": "runs", "selected_svm": "runs",
    "measure": "runs",
}  # fmt: skip
# Name of a stage's output file, in the folder of its problem or run.
FILES = {
    "data": "data.npz", "svm": "svm.npz", "train": "train.npz", "selected_svm": "svm.npz", "measure": "measures.npz",
}  # fmt: skip
# Name of the published vocabulary that texts can have. It has to be fetched like a data set.
BERT = "bert-base-uncased"
# A drawing that imports this module reads files of published numbers, and is drawn again when one of them changes.
PUBLISHED_MODULE = "attention_dynamics.series.published"
# Added to the note of every figure at the smoke scale.
SMOKE_NOTE = "shortened for tests: fewer seeds, steps or data"


class Job(NamedTuple):
    """A job.

    spec: its specification. code: fingerprint of the code that it runs. reads: name -> file, or files of shards, with
    Snakemake's path variable ``results``.
    """

    spec: dict[str, Any]
    code: str
    reads: dict[str, Any]


class Jobs:
    """The jobs of one configuration. Ids: "<paper>/<problem>", "<paper>/<problem>/<run>", "<paper>/<figure>"."""

    def __init__(self, config: Config) -> None:
        self.config, self.settings = config, config.settings
        # A cache: Snakemake asks for each part of a job separately, and several stages describe the same drawing.
        self._found: dict[tuple[str, str], Job] = {}
        self._drawn: dict[str, dict[str, Any]] = {}

    @cached_property
    def problems(self) -> list[str]:
        """Ids of all problems, or of their shards."""
        return [
            id
            for paper, file in self.config.papers.items()
            for name in file.problems
            for id in self._shards(paper, name)
        ]

    @cached_property
    def runs(self) -> list[str]:
        """Ids of all runs, or of their shards."""
        return [
            id for paper, file in self.config.papers.items() for name in file.runs for id in self.shards_of(paper, name)
        ]

    @cached_property
    def datasets(self) -> list[str]:
        """Ids of the published data sets, vocabularies and weights that are read, such as "from-official/imdb".

        None with data=embedded, which reads no published files.
        """
        ids = {id for problem in self.problems for id in self._datasets_of(self._problem(problem).source)}
        return sorted(ids.union(*(self._weights_of(self._run(run).training) for run in self.runs)))

    @cached_property
    def _records(self) -> list[RecordedFigure]:
        return load_records(self.config.folder)

    @cached_property
    def shown_records(self) -> dict[str, RecordedFigure]:
        """Figure -> its record on real data at the largest scale that has one. Empty unless data=embedded."""
        if self.settings.data != "embedded":
            return {}
        recorded = {record.figure: record for record in self._records}
        return {figure: recorded[figure] for figure in self.config.figures() if figure in recorded}

    @property
    def datasets_of_figures(self) -> list[str]:
        """Ids of the published data sets and weights that the figures need."""
        return sorted({id for figure in self.config.figures() for id in self.published_datasets(figure)})

    def published_datasets(self, figure: str) -> list[str]:
        """Return the ids of the published data sets and weights that a figure needs; [] with data=embedded."""
        paper = self.config.papers[figure.split("/")[0]]
        runs = paper.runs_of(self._figure(figure).runs)
        ids = {id for source in self._sources(figure) for id in self._datasets_of(source)}
        return sorted(ids.union(*(self._weights_of(paper.runs[run].training) for run in runs)))

    def shards_of(self, paper: str, run: str) -> list[str]:
        """Return the ids of a run, one for each shard of its problem."""
        return [f"{problem}/{run}" for problem in self._shards(paper, self.config.papers[paper].runs[run].problem)]

    def get(self, stage: str, id: str = "") -> Job:
        """Return the job of a stage. id: id of a data set, problem, run or figure; empty for a stage with a single job.

        Raises ConfigError if the configuration has no such job, or if its code cannot be read.
        """
        if (stage, id) not in self._found:
            self._found[stage, id] = self._job(stage, id)
        return self._found[stage, id]

    def _job(self, stage: str, id: str) -> Job:
        self._require(stage, id)
        spec: dict[str, Any] = getattr(self, f"_{stage}")(id)
        spec = json.loads(json.dumps({"modules": [], **spec, "stage": stage}, sort_keys=True))
        try:
            return Job(spec, stage_fingerprint(stage, tuple(spec["modules"])), self._reads(stage, id))
        except (SyntaxError, OSError) as error:
            raise ConfigError(str(error)) from None

    def _require(self, stage: str, id: str) -> None:
        """Raise ConfigError if a stage has no job of this id."""
        known = getattr(self, IDS[stage]) if stage in IDS else self.config.figures()
        if id and id not in known:
            raise ConfigError(f"the configuration has no {id}")

    def file(self, stage: str, id: str) -> str:
        """Return the path of a stage's output for a problem or run, with Snakemake's path variable ``results``."""
        return f"<results>/{id}/{FILES[stage]}"

    def _shards(self, paper: str, problem: str) -> list[str]:
        return shard_ids(f"{paper}/{problem}", self.config.papers[paper].problems[problem].source, self.settings)

    # Specifications of the stages. ``_job`` finds these methods by name: ``_train`` belongs to the stage "train".

    def _dataset(self, id: str) -> dict[str, Any]:
        """Return the specification of fetching or checking a published data set."""
        return {"name": id.split("/")[1], "location": self._location()}

    def _data(self, problem: str) -> dict[str, Any]:
        """Return the specification of building a problem.

        Raises ConfigError for BERT's vocabulary with data=embedded, because it is not embedded. This is checked here,
        not when the configuration is loaded, so that all other figures can be drawn.
        """
        block, shard = self._problem(problem), without_shard(problem)[1]
        if getattr(block.source, "vocabulary", None) == BERT and self.settings.data == "embedded":
            paper, name = without_shard(problem)[0].split("/")
            content = self.config.papers[paper]
            where = f"{content.display_paths[content.file_of('problems', name)]}: problems.{name}.vocabulary"
            raise ConfigError(
                f"{where}: {BERT} is not embedded; use data=official, or data=mirror data_mirror=<folder>"
            )
        return {
            "modules": modules_of(block.source),
            "problem": shard_of(block.source, shard).model_dump(mode="json"),
            "location": self._location() if block.source.reads_dataset else {},
        }

    def _svm(self, problem: str) -> dict[str, Any]:
        """Return the specification of solving a problem's reference directions."""
        block = self._problem(problem)
        whole = without_shard(problem)[1] is None
        return {**self._references(block, problem), "lmm_set": block.lmm_set, "whole": whole}

    def _train(self, run: str) -> dict[str, Any]:
        """Return the specification of training a run."""
        block = self._run(run)
        where = {"device": self.settings.device, "precision": self.settings.precision}
        context = where if block.training.uses_device else {}
        return {
            "modules": [*modules_of(block.training), self._data_module(run)],
            "training": block.training.model_dump(mode="json"),
            "context": {**context, **(self._location() if block.training.uses_source else {})},
            "sampling": self._sampling(run.rpartition("/")[0]),
        }

    def _selected_svm(self, run: str) -> dict[str, Any]:
        """Return the specification of solving the reference directions of the tokens that a run selects."""
        block = self._run(run)
        return {**self._references(block, run.rpartition("/")[0]), "saturated": block.saturated}

    def _measure(self, run: str) -> dict[str, Any]:
        """Return the specification of measuring a run."""
        block = self._run(run)
        return {
            "modules": [*modules_of(block.training, *block.measures.values()), self._data_module(run)],
            "measures": [measure.model_dump(mode="json") for measure in block.measures.values()],
            "run": _description(run.rpartition("/")[2], block),
        }

    def _draw(self, figure: str) -> dict[str, Any]:
        """Return the specification of drawing a figure."""
        if figure not in self._drawn:
            self._drawn[figure] = self._drawing(figure)
        return self._drawn[figure]

    def _drawing(self, figure: str) -> dict[str, Any]:
        block = self._figure(figure)
        shortened = SMOKE_NOTE if self.settings.scale == SMOKE else ""
        data = "; ".join(filter(None, [self._data_label(figure), shortened]))
        module = plot_module(block.plot.kind).__name__
        return {
            "modules": [module, *self._run_modules(figure)],
            "plot": block.plot.kind,
            "settings": block.plot.settings.model_dump(mode="json"),
            # Empty unless the plot reads published numbers, so that a change of numbers that only the claims read does
            # not redraw the figure.
            "published": _published(module) if PUBLISHED_MODULE in closure(None, [module]) else {},
            **self._label(figure),
            "table": figure in self.config.tables(),
            "title": block.title,
            "shows": block.shows,
            "data": data,
            "note": "; ".join(filter(None, [self._changes(figure), block.note, data])),
            "runs": self._descriptions(figure),
        }

    def _tabulate(self, figure: str) -> dict[str, Any]:
        """Return the specification of writing a table."""
        return self._draw(figure)

    def _judge(self, figure: str) -> dict[str, Any]:
        """Return the specification of judging a figure's claims."""
        paper, name = figure.split("/")
        file = self.config.papers[paper].file_of("figures", name)
        module, expected = claims_module(paper, file), expected_file(paper, file)
        return {
            **self._label(figure),
            "setting": self._setting(figure),
            "modules": [*([module] if module else []), *self._run_modules(figure)],
            "file": file,
            "published": _published(module) if module else {},
            "expected": hash_file(expected) if expected else "",
            "data": self.settings.data if self._datasets(figure) else None,
            "runs": self._descriptions(figure),
        }

    def _ledger(self, _: str) -> dict[str, Any]:
        """Return the specification of the ledger: max-margin programs, titles and statements of papers, and records."""
        papers = self.config.papers.values()
        return {
            "programs": list(self._programs.values()),
            "titles": {paper.name: paper.title for paper in papers},
            "statements": {paper.name: [vars(one) for one in load_statements(paper.name)] for paper in papers},
            "records": statement_rows(self._records),
        }

    def _captions(self, _: str) -> dict[str, Any]:
        """Return the specification of writing the captions of all figures for LaTeX."""
        texts = ("title", "shows", "fidelity", "note", "scale")
        return {"figures": {name: {key: self._draw(name)[key] for key in texts} for name in self.config.figures()}}

    def _manifest(self, _: str) -> dict[str, Any]:
        """Return the specification of the manifest of figures."""
        return {"figures": [self._listed(name) for name in self.config.figures()]}

    def _gallery(self, _: str) -> dict[str, Any]:
        """Return the specification of the pages of the gallery."""
        papers = [self._gallery_part(paper) for paper in self.config.papers]
        return {"settings": self.settings.model_dump(), "papers": papers, "explore": bool(self._explore("")["presets"])}

    def _explore(self, _: str) -> dict[str, Any]:
        """Return the specification of the interactive page: its examples, with the modules that build them."""
        presets: list[dict[str, Any]] = []
        modules: set[str] = set()
        for paper in self.config.papers.values():
            for figure, example in paper.explore.items():
                run = paper.runs[example.run]
                source = paper.problems[run.problem].source
                modules.update(modules_of(run.training, source))
                presets.append({
                    "name": figure,
                    "page": f"{paper.name}/{figure}.html",
                    "title": to_plain(paper.figures[figure].title),
                    "problem": source.model_dump(mode="json"),
                    "training": run.training.model_dump(mode="json"),
                    "settings": example.where,
                })  # fmt: skip
        return {"modules": sorted(modules), "presets": presets}

    def _bundle(self, _: str) -> dict[str, Any]:
        """Return the specification of the archive of figures, with the SHA-256 of the user's files of tokens."""
        sources = [problem.source for paper in self.config.papers.values() for problem in paper.problems.values()]
        files = {source.path: source.sha256 for source in sources if isinstance(source, FileProblem)}
        return {"settings": self.settings.model_dump(), "overrides": dict(self.config.overrides), "files": files}

    # Parts of these specifications.

    def _references(self, block: ProblemConfig | RunConfig, problem: str) -> dict[str, Any]:
        return {
            "modules": modules_of(*block.references.values()),
            "references": {name: one.model_dump(mode="json") for name, one in block.references.items()},
            "sampling": self._sampling(problem),
        }

    def _sampling(self, problem: str) -> dict[str, Any]:
        """Return the settings with which a problem, or a shard of it, is drawn at random, for messages."""
        return shard_of(self._problem(problem).source, without_shard(problem)[1]).sampling

    def _location(self) -> dict[str, str | None]:
        return {"source": self.settings.data, "mirror": self.settings.data_mirror}

    def _data_module(self, run: str) -> str:
        """Return the module of the class of a run's data."""
        return DATA[self._problem(run.rpartition("/")[0]).source.shape.data].partition(":")[0]

    def _run_modules(self, figure: str) -> list[str]:
        """Return the modules of the trainings and of the data of a figure's runs."""
        paper = figure.split("/")[0]
        runs = [id for name in self._figure(figure).runs for id in self.shards_of(paper, name)[:1]]
        return sorted({name for id in runs for name in [*modules_of(self._run(id).training), self._data_module(id)]})

    def _descriptions(self, figure: str) -> list[dict[str, Any]]:
        runs = self.config.papers[figure.split("/")[0]].runs
        return [_description(name, runs[name]) for name in self._figure(figure).runs]

    def _gallery_part(self, key: str) -> dict[str, Any]:
        paper = self.config.papers[key]
        parts = ("problems", "runs", "figures")
        effective = {
            part: {name: one.model_dump(mode="json", exclude_none=True) for name, one in getattr(paper, part).items()}
            for part in parts
        }
        figures = [self._gallery_figure(f"{key}/{name}") for name in paper.figures]
        return {"paper": key, "title": paper.title, "arxiv": paper.arxiv, "figures": figures, "effective": effective}

    def _gallery_figure(self, figure: str) -> dict[str, Any]:
        """Return what a figure's page needs: its texts, and the following values.

        "table": whether it is a table. "data": run -> files of measures. "code": modules that draw it. "example":
        whether the interactive page has it. "record": caption of its record on real data, or None.
        """
        drawn, results = self._draw(figure), f"results/{self.settings.scale}"
        data = {
            run["name"]: [f"{results}/{id}/measures.npz" for id in self.shards_of(drawn["paper"], run["name"])]
            for run in drawn["runs"]
        }
        texts = {name: drawn[name] for name in ("figure", "title", "shows", "fidelity", "note")}
        example = drawn["figure"] in self.config.papers[drawn["paper"]].explore
        record = self.shown_records.get(figure)
        return texts | {
            "table": figure in self.config.tables(),
            "data": data,
            "code": drawn["modules"],
            "example": example,
            "record": record.caption if record else None,
        }

    def _listed(self, figure: str) -> dict[str, Any]:
        """Return what the manifest says about a figure, apart from its files and claims."""
        key, name = figure.split("/")
        paper = self.config.papers[key]
        seeds = [f"{key}: {' '.join(map(str, values))}" for key, values in experiment_seeds(paper, name).items()]
        digest = experiment_digest(paper, name)
        return self._label(figure) | {
            "data": self._data_label(figure),
            "experiment_sha256": digest,
            "seeds": "; ".join(seeds),
            "measured": self._figure(figure).measured,
        }

    def _label(self, figure: str) -> dict[str, str]:
        """Return a dict: "paper", "figure" (the name), "fidelity" and "scale", as printed on the figure."""
        paper, name = figure.split("/")
        fidelity: str = self._figure(figure).fidelity
        if fidelity != "extension" and self.settings.data == "embedded" and self._datasets(figure):
            # Other data stand in, so the figure is a stand-in, too.
            fidelity = "stand-in"
        published = published_digests().get(LAPTOP, {}).get(figure) if fidelity == "exact" else None
        changed = self.change_label(paper)
        if not published:
            # There is no published digest to compare with: every override of the paper counts as a change.
            fidelity += changed
        elif (digest := experiment_digest(self.config.papers[paper], name)) != published:
            here = published_digests()[SMOKE][figure] if self.settings.scale == SMOKE else published
            fidelity += ", shortened" if here != published else ""
            fidelity += (changed or ", changed") if digest != here else ""
        return {"paper": paper, "figure": name, "fidelity": fidelity, "scale": self.settings.scale}

    def _setting(self, figure: str) -> str:
        """Return the setting in which a figure's claims judge statements, one of ``statements.SETTINGS``.

        It is empty if the figure's experiment was shortened or changed: then its claims judge no statements.
        """
        fidelity = self._label(figure)["fidelity"]
        if self.settings.scale == SMOKE or "," in fidelity:
            return ""
        if self._datasets(figure) or fidelity == "stand-in":
            return STAND_IN if self.settings.data == "embedded" else REAL_DATA
        return PAPER_SETTING if fidelity in ("exact", "reconstructed") else DECLARED

    def change_label(self, *keys: str) -> str:
        """Return what overrides under one of these keys add to a fidelity: ", changed by ...", or nothing."""
        return f", changed by {self.config.changed_by}" if any(map(self.config.overrides.get, keys)) else ""

    def _changes(self, figure: str) -> str:
        """Return a note on changed settings. Here it is empty; the jobs of variants override this method."""
        return ""

    def _data_label(self, figure: str) -> str:
        """Return a note on the data sets of a figure's runs; empty if there are none."""
        labels = dict.fromkeys(label(name, self.settings.data) for name in self._datasets(figure))
        return f"data: {'; '.join(labels)}" if labels else ""

    def _datasets(self, figure: str) -> list[str]:
        """Return the names of the data sets of a figure's runs, also if stand-ins replace them."""
        return [source.dataset for source in self._sources(figure) if source.reads_dataset]

    def _sources(self, figure: str) -> list[Any]:
        """Return the source of the problem of each run of a figure."""
        paper = self.config.papers[figure.split("/")[0]]
        return [paper.problems[paper.runs[name].problem].source for name in self._figure(figure).runs]

    def _datasets_of(self, source: ProblemSource) -> list[str]:
        """Return the ids of the published data set and vocabulary that a source reads; those of plug-ins have no id."""
        if not source.reads_dataset or self.settings.data == "embedded":
            return []
        dataset, vocabulary = getattr(source, "dataset", None), getattr(source, "vocabulary", None)
        names = [*([dataset] if dataset in TITLES else []), *([VOCABULARY_NAME] if vocabulary == BERT else [])]
        return [f"{SOURCE}{self.settings.data}/{name}" for name in names]

    def _weights_of(self, training: Training) -> list[str]:
        """Return a list with the id of the published weights that a training reads; [] if it reads none."""
        model = getattr(training, "model", None) if training.uses_source else None
        known = model in get_args(PublishedModel) and self.settings.data != "embedded"
        return [f"{SOURCE}{self.settings.data}/{model}"] if known else []

    def _problem(self, id: str) -> ProblemConfig:
        paper, name = without_shard(id)[0].split("/")
        problem: ProblemConfig = self.config.papers[paper].problems[name]
        return problem

    def _run(self, id: str) -> RunConfig:
        paper, _, name = without_shard(id)[0].split("/")
        run: RunConfig = self.config.papers[paper].runs[name]
        return run

    def _figure(self, id: str) -> Figure:
        paper, name = id.split("/")
        return self.config.papers[paper].figures[name]

    # Files that the stages read.

    def _reads(self, stage: str, id: str) -> dict[str, Any]:
        match stage:
            case "data":
                return _descriptions_of(self._datasets_of(self._problem(id).source))
            case "svm":
                return {"data": self.file("data", id)}
            case "train":
                training, reads = self._run(id).training, {"data": self._data_file(id)}
                if other := getattr(training, "pretrained", None):
                    reads["pretrained"] = self.file("train", f"{id.rpartition('/')[0]}/{other}")
                return {**reads, **_descriptions_of(self._weights_of(training))}
            case "selected_svm":
                return {"data": self._data_file(id), "train": self.file("train", id)}
            case "measure":
                return self._run_files(id)
            case "draw" | "tabulate" | "judge":
                return self._figure_files(id)
            case "ledger":
                return {"programs": list(self._programs)}
        return {}

    @cached_property
    def _programs(self) -> dict[str, dict[str, Any]]:
        """Files of max-margin solutions that figures read, each with its paper and the kinds of its programs.

        The values are {"paper": name, "kinds": {reference: kind}}.
        """
        programs = {}
        for figure in self.config.figures():
            paper = figure.split("/")[0]
            for run in (id for name in self._figure(figure).runs for id in self.shards_of(paper, name)):
                problem = run.rpartition("/")[0]
                solved = (
                    (self.file("svm", problem), self._problem(problem).references),
                    (self.file("selected_svm", run), self._run(run).references),
                )
                for file, references in solved:
                    if references:
                        kinds = {name: one.kind for name, one in references.items()}
                        programs[file] = {"paper": paper, "kinds": kinds}
        return programs

    def _figure_files(self, figure: str) -> dict[str, list[str]]:
        """Return the files that drawing or judging a figure reads: "<run>.<intermediate>" -> one file per shard."""
        files: dict[str, list[str]] = {}
        for run in self._figure(figure).runs:
            for shard in self.shards_of(figure.split("/")[0], run):
                measures = {"measures": self.file("measure", shard)}
                for name, file in (self._run_files(shard) | measures).items():
                    files.setdefault(f"{run}.{name}", []).append(file)
        return files

    def _run_files(self, run: str) -> dict[str, str]:
        """Return name -> file, for a run or a shard of it, its problem, and the references of other runs it uses."""
        problem, block = run.rpartition("/")[0], self._run(run)
        files = {"data": self._data_file(run), "train": self.file("train", run)}
        if self._problem(problem).references or self._problem(problem).lmm_set:
            files["svm"] = self.file("svm", problem)
        if block.references:
            files["selected_svm"] = self.file("selected_svm", run)
        for external in block.external_references.values():
            files[f"external-{external.run}"] = self.file("selected_svm", f"{problem}/{external.run}")
        return files

    def _data_file(self, run: str) -> str:
        return self.file("data", run.rpartition("/")[0])


def _descriptions_of(datasets: list[str]) -> dict[str, list[str]]:
    """Return {"datasets": files}, the descriptions that the checks of these data sets write; {} without data sets.

    A job reads them so that it starts only after the checks.
    """
    return {"datasets": [f"<results>/datasets/{one}.txt" for one in datasets]} if datasets else {}


def modules_of(*blocks: Any) -> list[str]:
    """Return the modules of all components in blocks, nested ones included."""
    return sorted({type(one).__module__ for block in blocks for one in components(block)})


def _published(module: str) -> dict[str, str]:
    """Return name -> SHA-256 for each file of a module with published numbers. Expected numbers are left out."""
    file = module_file(module)
    assert file is not None
    name = file.stem.removesuffix("_claims")
    files = [*file.parent.glob(f"{name}.csv"), *file.parent.glob(f"{name}_*.csv")]
    return {one.name: hash_file(one) for one in sorted(files) if not one.stem.endswith("_expected")}


def _description(name: str, run: RunConfig) -> dict[str, Any]:
    """Return the description of a run for ``run.load_run``."""
    return {
        "name": name,
        "training": run.training.model_dump(mode="json"),
        "saturated": run.saturated,
        "external_references": {key: one.model_dump() for key, one in run.external_references.items()},
    }
