"""The comparison of optimizers: plug-ins appear in it, and what is wrong with one harms no other."""

import re
import shutil

import pandas as pd
import pytest
import yaml

from conftest import ROOT, Repository, fresh

# An optimizer with memory, in 20 lines, as the page on own optimizers shows it.
MINE = '''"""Normalized steps along a velocity."""

import numpy as np

from attention_dynamics.optim.gradient import per_start
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.types import PositivePerStart


class Mine(Optimizer, kind="mine"):
    """velocity <- 0.5 * velocity + unit gradient, p <- p - step_size * velocity."""

    step_size: PositivePerStart

    def init(self, parameter):
        return {"velocity": np.zeros_like(parameter)}

    def update(self, gradient, state, parameter, context):
        velocity = 0.5 * state["velocity"] + gradient.unit()
        return parameter - per_start(self.step_size, parameter) * velocity, {"velocity": velocity}
'''
UPDATE = MINE[MINE.index("        velocity =") :]
# kind -> an optimizer of which ``update`` does something else.
BROKEN = {
    kind: MINE.replace('kind="mine"', f'kind="{kind}"').replace(UPDATE, update)
    for kind, update in {
        "climbing": "        return parameter + per_start(self.step_size, parameter) * gradient.unit(), state\n",
        # NaN on problems of two inputs, of which there is one.
        "hollow": "        factor = np.nan if parameter.shape[-1] == 5 else 1.0\n"
        "        return factor * (parameter - per_start(self.step_size, parameter) * gradient.unit()), state\n",
        "raising": '        raise KeyError("velocity")\n',
        "picky": '        raise NotImplementedError("needs a trained head")\n',
        "unimportable": f"{UPDATE}\n1 / 0\n",
    }.items()
}


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Repository:
    """A repository with a comparison of two optimizers and five plug-ins on two problems, computed."""
    repository = fresh(tmp_path_factory.mktemp("compared") / "repository")
    shutil.copytree(ROOT / "config/compare", repository.root / "config/compare")
    file = repository.root / "config/compare/all.yaml"
    settings = yaml.safe_load(file.read_text())
    settings |= {
        "steps": 200,
        "tuning_seeds": 2,
        "optimizers": {name: settings["optimizers"][name] for name in ("gd", "normalized_gd")},
    }
    settings["problems"] = {
        "fig1a": {"problem": "max_margin/single_input_global", "starts": 4},
        "random": {"problem": "max_margin/random_n4_t6", "set": {"d": 5, "trials": 4}},
    }
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    for kind, text in {"mine": MINE, **BROKEN}.items():
        repository.write(f"config/plugins/optim/{kind}.py", text)
    repository.snakemake("figures/compare/all")
    return repository


def statuses(repository: Repository, name: str) -> dict[tuple[str, str], str]:
    """Return problem and optimizer -> status with the tuned value."""
    table = pd.read_csv(repository.root / f"figures/compare/{name}.csv")
    tuned = table[table["column"] == "tuned"]
    return dict(zip(zip(tuned["optimizer"], tuned["problem"], strict=True), tuned["status"], strict=True))


def test_every_plugin_has_statuses_and_harms_no_other(compared):
    assert len(MINE.splitlines()) <= 30
    found = statuses(compared, "all")
    for name in ("mine", "normalized_gd"):
        assert {found[name, problem] for problem in ("fig1a", "random")} == {"reached"}
    assert {found["climbing", problem] for problem in ("fig1a", "random")} == {"diverged"}
    assert (found["hollow", "fig1a"], found["hollow", "random"]) == ("reached", "not finite")
    assert {found["raising", problem] for problem in ("fig1a", "random")} == {"error: KeyError: 'velocity'"}
    log = (compared.root / "logs/laptop/compare/random/raising/optimize.log").read_text()
    assert re.search(r'File ".*/raising.py", line \d+, in update\n    raise KeyError\("velocity"\)\n', log)
    assert found["picky", "fig1a"] == "not applicable: needs a trained head"
    assert found["unimportable", "random"].endswith("cannot be imported (ZeroDivisionError: division by zero)")


def test_comparison_with_one_plugin_needs_no_further_training(compared):
    planned = compared.planned("figures/compare/mine")
    assert {job.split()[0] for job in planned} == {"comparison"}
    compared.snakemake("figures/compare/mine")
    assert {optimizer for optimizer, _ in statuses(compared, "mine")} == {"gd", "normalized_gd", "mine"}
    assert (compared.root / "figures/compare/mine.pdf").stat().st_size > 5000


def test_edited_plugin_trains_its_own_cells_again(compared, tmp_path):
    repository = Repository.copied(compared.root, tmp_path / "repository")
    repository.edit("config/plugins/optim/mine.py", "0.5 *", "0.6 *")
    # The comparison of another plug-in does not need it.
    assert {job.split()[0] for job in repository.planned("figures/compare/climbing")} == {"comparison"}
    planned = repository.planned("figures/compare/all")
    trained = {job for job in planned if job.startswith("optimize")}
    assert {job.split("/")[-2] for job in trained} == {"mine"}
    assert len(trained) == 2


def test_caption_states_tuning_rule(compared):
    caption = (compared.root / "figures/compare/all.caption.md").read_text()
    assert "200 steps for each; of 12 step sizes" in caption
    assert "on 2 tuning seeds" in caption
    assert "mine \\[0.001, 10\\]" in caption


def test_shards_give_the_same_table(compared, tmp_path):
    repository = Repository.copied(compared.root, tmp_path / "repository")
    before = (repository.root / "figures/compare/all.csv").read_bytes()
    repository.snakemake("figures/compare/all", "--config", "shards=2")
    assert (repository.root / "results/laptop/compare/random/2-of-2/mine/cell.npz").exists()
    assert (repository.root / "figures/compare/all.csv").read_bytes() == before


def test_comparison_works_at_smoke_scale(compared, tmp_path):
    repository = Repository.copied(compared.root, tmp_path / "repository")
    two = "compare={problems: {random: {set: {trials: 2}}}}"
    repository.snakemake("figures/compare/all", "--config", "scale=smoke", two)
    table = pd.read_csv(repository.root / "figures/compare/all.csv")
    assert set(table[table["problem"] == "random"]["seeds"].dropna()) == {1}
    assert set(pd.read_csv(repository.root / "figures/compare/claims.csv")["verdict"]) == {"not tested"}


def test_comparison_is_no_part_of_all_figures_and_a_misspelt_one_is_refused(compared):
    assert not {job for job in compared.planned("figures/all") if "compar" in job or "optimize" in job}
    message = "figures/compare/mien: figure 'mien' is not one of all, climbing, hollow, mine"
    assert message in compared.refusal("-n", "figures/compare/mien")
