"""Plug-ins from outside the package: files beside the configuration, and modules that installed packages name."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline import outside, plugins, source
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import closure
from attention_dynamics.pipeline.plugins import OPTIMIZER
from attention_dynamics.pipeline.signatures import arguments_model
from attention_dynamics.problems import labelled_tokens
from attention_dynamics.trainers import gradient_descent
from conftest import install

STEP = '"""Mine."""\n\n\ndef step(parameter, gradient, moment, *, speed: Positive):\n    return parameter * speed\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of plug-ins, laid over the package."""
    (tmp_path / "plugins").mkdir()
    monkeypatch.setenv(source.LAID_OVER, str(tmp_path / "plugins"))
    yield tmp_path / "plugins"
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder that packages are installed in."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    caches = (plugins._groups, source._installed)
    before = set(sys.modules)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path / "site"
    for cache in caches:
        cache.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def refused() -> str:
    with pytest.raises(ConfigError) as caught:
        outside.check_plugins()
    return str(caught.value)


def test_a_file_beside_the_configuration_is_a_plug_in(folder):
    write(folder, "optim/mine.py", STEP.replace("parameter * speed", "twice(parameter * speed)"))
    helper = write(folder, "optim/_helper.py", "def twice(x):\n    return 2 * x\n")
    (file := folder / "optim/mine.py").write_text(
        f"from attention_dynamics.optim._helper import twice\n"
        f"from attention_dynamics.types import Positive\n\n\n{file.read_text()}"
    )
    outside.check_plugins()
    assert "mine" in OPTIMIZER.names()
    assert OPTIMIZER.module("mine") == "attention_dynamics.optim.mine"
    assert arguments_model(OPTIMIZER, "mine", Strict)(speed=2.0).speed == 2
    assert OPTIMIZER.call("mine")(3, None, None, speed=2) == 12
    counted = set(closure(file, [OPTIMIZER.module("mine")]).values())
    assert {file, helper, source.PACKAGE / "types.py"} <= counted


# What built-in ones have in closed form.
BY_AUTOGRAD = {
    "optim": """
import torch

def step(parameter, gradient, moment, *, step_size):
    leaf = parameter.detach().requires_grad_()
    (slope,) = torch.autograd.grad((leaf * gradient.value()).sum(), leaf)
    return parameter - step_size * slope
""",
    "losses": """
import torch

def loss(margin):
    return torch.nn.functional.softplus(-margin)

def log_slope(margin):
    leaf = margin.detach().requires_grad_()
    (slope,) = torch.autograd.grad(loss(leaf).sum(), leaf)
    return (-slope).log()
""",
    "models": """
import torch
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.optim.gradient import ScaledGradient

PARAMETERS = ("p",)

class Mine(PromptAttention):
    def gradient(self, parameters):
        leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
        slopes = torch.autograd.grad(self.risk(leaves).sum(), list(leaves.values()))
        return {name: ScaledGradient(g, g.new_zeros(g.shape[:2])) for name, g in zip(leaves, slopes)}

def build(*model):
    return Mine(*model)
""",
}


@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        ("optim", {"optimizer": {"kind": "mine", "step_size": 0.5}}),
        ("optim", {"head_optimizer": {"kind": "mine", "step_size": 0.5}}),
        ("losses", {"loss": "mine"}),
        ("models", {"model": {"kind": "mine"}}),
    ],
)
def test_a_plug_in_may_differentiate_automatically(folder, kind, blocks):
    write(folder, f"{kind}/mine.py", BY_AUTOGRAD[kind])
    problem = labelled_tokens.build(inputs=[{"tokens": [[1, 1], [0, 0]], "label": 1}])
    spec = {
        "model": {"kind": "prompt_attention"}, "loss": "logistic", "optimizer": {"kind": "gd", "step_size": 0.5},
        "head_optimizer": None, "start": {"p": [[3, 4]], "v": [[1, 0]]}, "steps": 3, "record_every": 1,
        "record_digits": None, "precision": "stable", "device": "cpu",
    }  # fmt: skip
    closed, automatic = (gradient_descent.train(problem, spec | changed) for changed in ({}, blocks))
    for name in ("p", "v"):
        assert not np.array_equal(closed[name][0], closed[name][-1])
        np.testing.assert_allclose(automatic[name], closed[name], rtol=1e-12)


def test_a_folder_of_plots_is_a_paper(folder):
    assert "mine" not in plugins.papers()
    write(folder, "plots/mine/fig1.py", "def draw(runs):\n    return runs\n")
    outside.check_plugins()
    assert "mine" in plugins.papers()
    assert plugins.plot("mine").call("fig1")(1) == 1


def test_a_paper_may_get_another_plot(folder):
    write(folder, "plots/max_margin/mine.py", "def draw(runs):\n    return runs\n")
    assert {"mine", "fig4"} <= set(plugins.plot("max_margin").names())
    assert plugins.plot("max_margin").call("mine")(1) == 1


@pytest.mark.parametrize(
    ("file", "text", "wrong"),
    [
        ("optim/gd.py", STEP, "optim has gd already; give it another name"),
        ("optim/gradient.py", STEP, "optim has gradient already; give it another name"),
        ("optimizers/mine.py", STEP, "'optimizers' is not one of problems, margins, models, losses, optim, networks"),
        ("mine.py", STEP, "'.' is not one of problems"),
        ("plots/mine.py", STEP, "'plots' is not one of problems"),
        ("trainers/mine.py", STEP, "'trainers' is not one of problems"),
        ("optim/mine.py", "def stride():\n    pass\n", "defines no step, which plug-ins in optim need"),
        ("measures/mine.py", "def measure(run):\n    pass\n", "defines no SERIES, which plug-ins in measures need"),
        ("problems/mine.py", "def build():\n    pass\n", "defines no shape, which plug-ins in problems need"),
        ("losses/mine.py", "def loss(margin):\n    pass\n", "defines no log_slope, which plug-ins in losses need"),
    ],
)
def test_a_file_that_is_no_plug_in_is_refused(folder, file, text, wrong):
    path = write(folder, file, text)
    assert refused().startswith(f"{path}: {wrong}")


@pytest.mark.parametrize("text", ["def step(:", f"from . import gd\n\n\n{STEP}"])
def test_a_file_that_cannot_be_read_names_itself(folder, text):
    write(folder, "optim/mine.py", text)
    with pytest.raises(SyntaxError, match=r"mine\.py"):
        outside.check_plugins()


def test_other_plug_ins_than_those_that_the_schema_is_made_of_are_refused(tmp_path, monkeypatch):
    import attention_dynamics.pipeline.schema  # noqa: F401 (it is made of the plug-ins)

    monkeypatch.setenv(source.LAID_OVER, "")
    outside.use_plugins(tmp_path)
    (tmp_path / "plugins").mkdir()
    with pytest.raises(ConfigError, match="one folder of plug-ins at a time"):
        outside.use_plugins(tmp_path)


def test_an_installed_package_may_name_a_plug_in(site):
    install(site, "their_package", {"steps": f"from their_package.more import more\n{STEP}", "more": "more = 1\n"},
            "[attention_dynamics.optim]\ntheirs = their_package.steps\n")  # fmt: skip
    outside.check_plugins()
    assert "theirs" in OPTIMIZER.names()
    assert OPTIMIZER.module("theirs") == "their_package.steps"
    assert arguments_model(OPTIMIZER, "theirs", Strict)(speed=2.0).speed == 2
    counted = closure(OPTIMIZER.file("theirs"), [OPTIMIZER.module("theirs")])
    assert {"their_package", "their_package.steps", "their_package.more"} < set(counted)
    assert "their_package" not in sys.modules


def test_an_installed_package_may_have_plots_of_a_paper(site):
    install(site, "their_package", {"curves": "def draw(runs):\n    return runs\n"},
            "[attention_dynamics.plots.theirs]\nfig1 = their_package.curves\n")  # fmt: skip
    outside.check_plugins()
    assert "theirs" in plugins.papers()
    assert plugins.plot("theirs").names() == ["fig1"]


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("gd = their_package.steps", "entry point gd of attention_dynamics.optim: optim has gd already"),
        ("theirs = their_package.no", "theirs of attention_dynamics.optim: there is no module their_package.no"),
        ("theirs = nobodys_package", "theirs of attention_dynamics.optim: there is no module nobodys_package"),
        ("theirs = their_package.steps:step", "there is no module their_package.steps:step"),
        ("theirs = their_package", "theirs of attention_dynamics.optim: defines no step"),
    ],
)
def test_an_entry_point_that_is_no_plug_in_is_refused(site, entry, wrong):
    install(site, "their_package", {"steps": STEP}, f"[attention_dynamics.optim]\n{entry}\n")
    assert wrong in refused()


def test_the_name_of_another_plug_in_is_refused(site, folder):
    entry = "[attention_dynamics.optim]\nmine = {}\n"
    install(site, "their_package", {"steps": STEP}, entry.format("their_package.steps"))
    write(folder, "optim/mine.py", STEP)
    assert "optim has mine already" in refused()
    (folder / "optim/mine.py").unlink()
    source._first_file.cache_clear()
    importlib.invalidate_caches()
    outside.check_plugins()
    plugins._groups.cache_clear()
    install(site, "other_package", {"steps": STEP}, entry.format("other_package.steps"))
    importlib.invalidate_caches()
    assert "optim has mine already" in refused()


def test_what_plug_ins_import_of_each_others_packages_counts(site):
    install(site, "their_package", {"steps": f"import other_package.more\n{STEP}"},
            "[attention_dynamics.optim]\ntheirs = their_package.steps\n")  # fmt: skip
    install(site, "other_package", {"more": "more = 1\n", "steps": STEP},
            "[attention_dynamics.optim]\nothers = other_package.steps\n")  # fmt: skip
    assert site / "other_package" / "more.py" in outside.files_of(outside.check_plugins())


def test_what_editors_leave_beside_a_plug_in_is_none(tmp_path):
    (tmp_path / "optim").mkdir()
    (tmp_path / "optim" / "mine.py").write_text("")
    (tmp_path / "optim" / ".#mine.py").symlink_to("nobody@nowhere")
    assert outside.files_in(tmp_path) == [tmp_path / "optim" / "mine.py"]
    assert source.files(tmp_path / "optim", "*.py") == [tmp_path / "optim" / "mine.py"]
