"""Plug-ins beside the configuration: checked before any job, part of what jobs depend on."""

import shutil

from attention_dynamics.claims.manifest import verify_manifest
from conftest import ROOT, Repository

OPTIMIZER = "config/plugins/optim/signs.py"
SIGN_DESCENT = (ROOT / "examples/own_optimizer/config/plugins/optim/sign_descent.py").read_text()
RUN = "multiple_inputs/constant_step"
RERUN = {f"train {RUN}/train", f"measure {RUN}/measures", "draw fig4a", "judge fig4a", "draw fig4b", "judge fig4b"}
ALL = RERUN | {"ledger claims", "manifest manifest", "gallery index"}


def with_optimizer(kind: str):
    """Give the run of Fig 4 with constant steps another optimizer."""

    def change(paper: dict) -> None:
        paper["runs"]["constant_step"]["optimizer"] = {"kind": kind, "step_size": 0.1}

    return change


def sign_descent(kind: str) -> str:
    """Return the optimizer of the example under another kind."""
    return SIGN_DESCENT.replace('kind="sign_descent"', f'kind="{kind}"')


def test_edited_plugin_reruns_its_jobs(repository):
    repository.write(OPTIMIZER, sign_descent("signs"))
    assert repository.planned() == set()
    repository.configure(with_optimizer("signs"))
    assert repository.planned() == ALL
    repository.snakemake("figures/max_margin/fig4a.pdf")
    assert repository.planned() == ALL - {f"train {RUN}/train", f"measure {RUN}/measures", "draw fig4a"}
    repository.edit(OPTIMIZER, '"""Sign descent', '"""Descent by signs')
    assert f"train {RUN}/train" not in repository.planned()
    repository.edit(OPTIMIZER, "np.sign(", "0.5 * np.sign(")
    assert repository.planned() == ALL


def test_mistake_in_plugin_or_settings_is_refused_in_one_line(repository):
    """More mistakes: tests/pipeline/test_external_plugins.py."""
    repository.write(OPTIMIZER, sign_descent("signs"))
    repository.configure(with_optimizer("sings"))
    known = "adam, gd, mirror_descent, momentum, nesterov, normalized_gd, polyak, signs"
    assert f"'sings' is not one of {known} (did you mean" in repository.refusal("-n")
    repository.configure(with_optimizer("signs"))
    repository.write("mine.yaml", "max_margin:\n  runs: {constant_step: {steps: 010}}\n")
    message = "mine.yaml: line 2: '010' is not the same number in YAML 1.1 and 1.2"
    assert message in repository.refusal("-n", "--configfile", "mine.yaml")
    plugin = repository.write(OPTIMIZER, f"import os\n\nos._exit(0)\n{sign_descent('signs')}")
    assert f"{plugin.resolve()}: ends the process that imports it (exit code 0)\n" in repository.refusal("-n")
    repository.edit(OPTIMIZER, "\nos._exit(0)\n", "")
    repository.edit(OPTIMIZER, "np.sign(", "os._exit(0) or np.sign(")
    failed = repository.snakemake("figures/max_margin/fig4a.pdf", ok=False).stdout
    assert "RuntimeError: os._exit(0) was called; in optimizer signs at step 0 (log: " in failed
    repository.edit("config/max_margin/fig4.yaml", "kind: signs\n      step_size", "kind: signs\n      length")
    assert "unknown key: 'length' is not one of" in repository.refusal("-n")
    repository.write("config/plugins/optim/gd.py", sign_descent("gd"))
    assert "plugins/optim/gd.py: optim already has gd; choose another name" in repository.refusal("-n")


def test_example_runs_with_commands_of_readme(tmp_path):
    repository = Repository.copied(ROOT, tmp_path / "repository", ("Snakefile", "workflow", "profiles", "envs"))
    outputs = shutil.ignore_patterns("results", "figures", "logs", ".*")
    shutil.copytree(ROOT / "examples", repository.root / "examples", ignore=outputs)
    readme = (ROOT / "examples/own_optimizer/README.md").read_text()
    (commands,) = [block.splitlines() for block in readme.split("```")[1::2]]
    change, run = (line.split() for line in commands if line)
    assert (change[0], run[0]) == ("cd", "snakemake")
    example = Repository(repository.root / change[1])
    few = "own_optimizer={problems: {random: {trials: 2}}}"
    example.snakemake(*run[1:], "--config", few)
    assert verify_manifest(example.root / "figures") == []
    assert (example.root / "figures/own_optimizer/shares.pdf").exists()
    assert not (repository.root / "figures").exists()
