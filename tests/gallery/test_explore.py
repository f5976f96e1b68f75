"""The interactive page as a text: its examples are those of the configuration, and it needs nothing else."""

import json
import re
import shutil

import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.explore import (
    FOLDER,
    MAX_PAGE_BYTES,
    make_example,
    page_optimizer,
    plain_inputs,
    render_explore,
    source_text,
)
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.problems.source import ProblemSource
from helpers.published_config import CONFIG_FOLDER, published_config


@pytest.fixture(scope="module")
def specs():
    return Jobs(published_config()).get("explore").spec["presets"]


@pytest.fixture(scope="module")
def page(specs):
    return render_explore(FOLDER, specs)


def examples_of(page: str) -> list:
    return json.loads(re.search(r'<script type="application/json" id="presets">(.*?)</script>', page, re.DOTALL)[1])


def test_page_has_every_example(page):
    assert [one["name"] for one in examples_of(page)] == list(published_config().papers["max_margin"].explore)


def test_examples_have_data_and_starts_of_configuration(page):
    examples = {one["name"]: one for one in examples_of(page)}
    fig8 = examples["fig8"]
    # As config/max_margin/shared.yaml and fig8.yaml have them.
    assert [one["tokens"] for one in fig8["inputs"]] == [[[0, 1], [0, 0]], [[1.5, -0.5], [0.5, 1.5]]]
    assert [one["scores"] for one in fig8["inputs"]] == [[1, 0], [1, 0]]
    assert [one["p"] for one in fig8["starts"]] == [[2, -1], [-1, 2]]
    assert (fig8["settings"]["optimizer"], fig8["settings"]["stepSize"], fig8["steps"]) == ("normalized_gd", 0.1, 1000)
    assert examples["fig3a"]["starts"] == [{"p": [0, -1], "v": [-1, 0]}]
    assert examples["fig3a"]["joint"]
    assert "scores" not in examples["fig3a"]["inputs"][0]
    assert examples["fig5"]["settings"]["loss"] == "correlation"
    assert examples["fig5"]["page"] == "max_margin/fig5.html"
    assert examples["fig1a"]["title"] == "Fig 1a: one input, training turns p toward the max-margin direction"
    assert examples["fig5"]["inputs"][0]["scores"] == [0, 10]


def test_changed_configuration_changes_example():
    overrides = {"max_margin": {"runs": {"two_starts": {"optimizer": {"step_size": 0.3}}}}}
    spec = Jobs(load_config(CONFIG_FOLDER, overrides)).get("explore").spec
    fig8 = next(one for one in spec["presets"] if one["name"] == "fig8")
    assert make_example(fig8)["settings"]["stepSize"] == 0.3


def test_optimizer_or_setting_that_page_lacks_makes_no_example(specs):
    for optimizer in (
        {"kind": "adam", "step_size": 0.1},
        {"kind": "normalized_gd", "step_size": 0.1, "epsilon": 1e-9},
        {"kind": "gd", "step_size": [0.1, 0.2]},
    ):
        assert page_optimizer(Optimizer.of(optimizer)) is None
        spec = json.loads(json.dumps(specs[0]))
        spec["training"]["optimizer"] = optimizer
        if isinstance(optimizer["step_size"], list):
            spec["training"]["start"]["p"] = [[0, 0], [1, 0]]
        assert make_example(spec) is None
    fig5 = next(one for one in specs if one["name"] == "fig5")
    assert make_example({**fig5, "settings": {"C": 11}}) is None


def test_configuration_without_examples_has_no_page(tmp_path):
    folder = shutil.copytree(CONFIG_FOLDER, tmp_path / "config")
    shutil.rmtree(folder / "max_margin")
    jobs = Jobs(load_config(folder, {}))
    assert jobs.get("explore").spec["presets"] == []
    assert not jobs.get("gallery").spec["explore"]


def test_title_cannot_end_its_script(specs):
    title = "</script><b>"
    page = render_explore(FOLDER, [{**specs[0], "title": title}])
    assert title not in page
    assert examples_of(page)[0]["title"] == title


def test_page_is_small_and_needs_no_other_file(page):
    assert len(page.encode()) < MAX_PAGE_BYTES
    assert not re.search(r"""(?:src|href)=["'](?!#|data:|index\.html|https://arxiv)""", page)
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|importScripts|WebSocket|EventSource|sendBeacon)\b", page)
    assert not re.search(r"@import|url\((?!#|data:)", page)


def test_scripts_are_classic(page):
    for script in re.findall(r"<script\b[^>]*>(.*?)</script>", page, re.DOTALL):
        assert not re.search(r"^\s*(?:import\s|export\s)", script, re.MULTILINE)
    used = set(re.findall(r'source\("([^"]*)"\)', (FOLDER / "page.html").read_text()))
    assert used == {file.name for file in FOLDER.iterdir() if file.suffix in (".js", ".css")}


def test_classic_script_keeps_code(tmp_path):
    file = tmp_path / "one.js"
    file.write_text(
        '// What it is.\n\nimport {a,\n  b} from "./other.js"\n\n/**\n * Return.\n * @param {number} x\n */\n'
        "export function f(x) {\n  // Why.\n"
        '  /** @type {string} */ const y = "// no comment"\n  return [x, y] // here\n}\n'
    )
    assert source_text(file).split("\n") == [
        "function f(x) {", 'const y = "// no comment"', "return [x, y] // here", "}",
    ]  # fmt: skip


def test_scripts_have_no_text_that_spans_lines():
    """Such a text would lose its indentation in the page."""
    for file in FOLDER.glob("*.js"):
        assert [line for line in file.read_text().splitlines() if line.count("`") % 2] == [], file.name


def test_core_stands_alone():
    assert not re.search(r"^import\b", (FOLDER / "training.js").read_text(), re.MULTILINE)
    code = source_text(FOLDER / "training.js")
    assert not re.search(r"\b(?:document|window|performance|Date|navigator)\b|Math\.random", code)


def test_inputs_keep_labels_in_scores():
    source = ProblemSource.of(
        {"kind": "scored_tokens", "inputs": [{"tokens": [[1, 2], [3, 4]], "scores": [0.5, -1], "label": -1}]}
    )
    assert plain_inputs(source.build(), 0) == [{"tokens": [[1, 2], [3, 4]], "label": -1, "scores": [0.5, -1]}]
