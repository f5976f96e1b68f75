"""Plug-ins from outside the package: files beside the configuration, and modules that installed packages name."""

import importlib
import sys
from pathlib import Path

import pytest

from attention_dynamics import registry
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.signatures import papers, plot_module, plot_names
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline import external_plugins, fingerprint
from attention_dynamics.pipeline.external_plugins import files_in, use_plugins
from attention_dynamics.pipeline.fingerprint import closure
from attention_dynamics.registry import kinds
from conftest import install

OPTIMIZER = '''"""Mine."""

from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.types import Positive


class Mine(Optimizer, kind="{kind}"):
    """Multiplies the parameter."""

    speed: Positive

    def update(self, gradient, state, parameter, context):
        return parameter * self.speed, state
'''
MINE = OPTIMIZER.format(kind="mine")
FUNCTION = '"""Mine."""\n\n\ndef step(parameter, gradient, moment, *, speed):\n    return parameter * speed\n'
DRAW = "def draw(runs):\n    return runs\n"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The folder of a configuration with a folder of plug-ins."""
    monkeypatch.setenv(registry.PLUGINS, "")
    monkeypatch.setattr(external_plugins, "_active_folder", [])
    (tmp_path / "config" / "plugins").mkdir(parents=True)
    forget()
    yield tmp_path / "config"
    forget()
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def site(config, tmp_path, monkeypatch):
    """A folder that packages are installed in."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def forget() -> None:
    registry.installed.cache_clear()
    for function in (fingerprint.module_file, fingerprint._files, fingerprint._code_and_imports):
        function.cache_clear()
    importlib.invalidate_caches()


def write(config: Path, name: str, text: str) -> Path:
    file = config / "plugins" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def refused(config: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        use_plugins(config)
    (line,) = str(caught.value).splitlines()
    return line


def test_file_beside_the_configuration_is_a_component(config):
    file = write(
        config,
        "optim/mine.py",
        f"from attention_dynamics.optim._helper import twice\n{MINE}".replace(
            "parameter * self.speed", "twice(parameter * self.speed)"
        ),
    )
    helper = write(config, "optim/_helper.py", "def twice(x):\n    return 2 * x\n")
    use_plugins(config)
    assert "mine" in kinds(Optimizer)
    mine = Optimizer.of({"kind": "mine", "speed": 2.0})
    assert mine.update(None, {}, 3, None) == (12, {})
    assert mine.model_dump() == {"kind": "mine", "speed": 2.0}
    assert {file, helper} <= set(closure(None, [type(mine).__module__]).values())


@pytest.mark.parametrize(
    ("file", "text", "wrong"),
    [
        ("optim/mine.py", FUNCTION, 'functions are now classes; write `class Mine(Optimizer, kind="mine")`'),
        ("losses/mine.py", "def loss(margin):\n    pass\n", "are now classes in attention/losses/ (see CHANGELOG.md)"),
        ("models/mine.py", "def build():\n    pass\n", "are now classes in attention/models/ (see CHANGELOG.md)"),
        ("networks/mine.py", "def build():\n    pass\n", "are now classes in deep/networks/ (see CHANGELOG.md)"),
        ("problems/mine.py", "def build():\n    pass\n", 'write `class Mine(ProblemSource, kind="mine")`'),
        ("measures/my_own.py", "def measure(run):\n    pass\n", 'write `class MyOwn(Measure, kind="my_own")`'),
        ("optim/mine.py", OPTIMIZER.format(kind="yours"), "there is no class of this kind; write `class Mine("),
        ("optim/mine.py", "", "there is no class of this kind"),
        ("optim/mine.py", '# kind="mine"', "there is no class of this kind"),
        ("optim/my-own.py", MINE, "'my-own' is not a kind (lower-case letters"),
        ("attention/growth.py", OPTIMIZER.format(kind="growth"), "attention has growth already; give it another name"),
        ("optim/gd.py", MINE, "optim has gd already; give it another name"),
        ("optim/gradient.py", MINE, "optim has gradient already; give it another name"),
        ("optimizers/mine.py", MINE, "'optimizers' is not one of problems, sequences/problems, deep/problems, margins"),
        ("mine.py", MINE, "'.' is not one of problems"),
        ("plots/mine.py", DRAW, "'plots' is not one of problems"),
        ("plots/max_margin/fig4.py", DRAW, "plots/max_margin has fig4 already; give it another name"),
        ("plots/max_margin/mine.py", "", "defines no draw, which plots need"),
        ("plots/max_margin/mine.py", "def draw(:", "line 1: "),
    ],
)
def test_file_that_is_no_component_is_refused(config, file, text, wrong):
    path = write(config, file, text)
    line = refused(config)
    assert line.startswith(f"{path}: ")
    assert wrong in line


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{MINE}\ndef broken(:\n", "SyntaxError"),
        (f"import not_there\n{MINE}", "ModuleNotFoundError"),
        (f"{MINE}\n1 / 0\n", "ZeroDivisionError"),
        (f"{MINE}\nraise SystemExit(3)\n", "SystemExit"),
    ],
)
def test_component_that_cannot_be_imported_names_its_file(config, text, wrong):
    path = write(config, "optim/mine.py", text)
    use_plugins(config)
    with pytest.raises(ImportError) as caught:
        Optimizer.of({"kind": "mine", "speed": 1.0})
    assert str(caught.value).startswith(f"{path}: cannot be imported ({wrong}")


def test_folder_of_plots_is_a_paper(config):
    use_plugins(config)
    assert "mine" not in papers()
    write(config, "plots/mine/fig1.py", DRAW)
    write(config, "plots/max_margin/mine.py", DRAW)
    use_plugins(config)
    assert "mine" in papers()
    assert plot_names("mine") == ["fig1"]
    assert {"mine", "fig4"} <= set(plot_names("max_margin"))
    assert importlib.import_module(plot_module("mine", "fig1")).draw(1) == 1


def test_other_folder_of_plug_ins_is_refused(config, tmp_path):
    use_plugins(config)
    assert "one folder of plug-ins at a time" in refused(tmp_path)


def test_installed_package_names_a_component(site, config):
    text = OPTIMIZER.format(kind="theirs")
    install(site, "their_package", {"steps": f"from their_package.more import more\n{text}", "more": "more = 1\n"},
            "[attention_dynamics.optim]\ntheirs = their_package.steps\n")  # fmt: skip
    forget()
    use_plugins(config)
    assert "theirs" in kinds(Optimizer)
    assert "their_package" not in sys.modules
    theirs = Optimizer.of({"kind": "theirs", "speed": 2.0})
    counted = closure(None, [type(theirs).__module__])
    assert {"their_package", "their_package.steps", "their_package.more"} < set(counted)


def test_installed_package_has_plots_of_a_paper(site, config):
    install(site, "their_package", {"curves": DRAW},
            "[attention_dynamics.plots.theirs]\nfig1 = their_package.curves\n")  # fmt: skip
    forget()
    use_plugins(config)
    assert "theirs" in papers()
    assert plot_names("theirs") == ["fig1"]


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("gd = their_package.steps", "entry point gd of attention_dynamics.optim: optim has gd already"),
        ("theirs = their_package.no", "theirs of attention_dynamics.optim: there is no module their_package.no"),
        ("theirs = nobodys_package", "theirs of attention_dynamics.optim: there is no module nobodys_package"),
        ("theirs = nobodys_package.no", "theirs of attention_dynamics.optim: there is no module nobodys_package.no"),
        ("theirs = their_package.steps:step", "there is no module their_package.steps:step"),
        ("theirs = their_package", "theirs of attention_dynamics.optim: there is no class of this kind"),
        ("the-irs = their_package.steps", "'the-irs' is not a kind"),
        ("theirs = their_package.functions", "theirs of attention_dynamics.optim: functions are now classes"),
    ],
)
def test_entry_point_that_is_no_component_is_refused(site, config, entry, wrong):
    modules = {"steps": OPTIMIZER.format(kind="theirs"), "functions": FUNCTION}
    install(site, "their_package", modules, f"[attention_dynamics.optim]\n{entry}\n")
    forget()
    assert wrong in refused(config)


def test_former_group_of_entry_points_is_refused(site, config):
    install(site, "their_package", {"a": ""}, "[attention_dynamics.losses]\nhinge = their_package.a\n")
    forget()
    assert "are now classes in attention/losses/ (see CHANGELOG.md)" in refused(config)


def test_package_that_cannot_be_imported_is_named(site, config):
    install(site, "their_package", {"__init__": "1 / 0\n", "steps": OPTIMIZER.format(kind="theirs")},
            "[attention_dynamics.optim]\ntheirs = their_package.steps\n")  # fmt: skip
    forget()
    use_plugins(config)
    with pytest.raises(ImportError, match=r"their_package.steps: cannot be imported \(ZeroDivisionError"):
        Optimizer.of({"kind": "theirs", "speed": 1.0})


def test_name_of_another_plug_in_is_refused(site, config):
    entry = "[attention_dynamics.optim]\nmine = {}\n"
    install(site, "their_package", {"steps": MINE}, entry.format("their_package.steps"))
    file = write(config, "optim/mine.py", MINE)
    forget()
    assert "optim has mine already" in refused(config)
    file.unlink()
    use_plugins(config)
    install(site, "other_package", {"steps": MINE}, entry.format("other_package.steps"))
    forget()
    assert "optim has mine already" in refused(config)


def test_files_of_editors_are_no_plug_ins(tmp_path):
    (tmp_path / "optim").mkdir()
    (tmp_path / "optim" / "mine.py").write_text("")
    (tmp_path / "optim" / ".#mine.py").symlink_to("nobody@nowhere")
    (tmp_path / "optim" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "optim" / ".ipynb_checkpoints" / "mine-checkpoint.py").write_text("")
    assert files_in(tmp_path) == [tmp_path / "optim" / "mine.py"]
