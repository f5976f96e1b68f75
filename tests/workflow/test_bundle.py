"""The archive for a paper's supplement."""

import json
import zipfile

from attention_dynamics.claims.manifest import verify_manifest
from helpers.crate_requirements import unmet_requirements


def test_bundle_has_figures_and_their_sources(repository, tmp_path):
    for name in ("config/.git/x.yaml", "config/max_margin/.ipynb_checkpoints/fig1-checkpoint.yaml",
                 "workflow/attention_dynamics/.ipynb_checkpoints/run-checkpoint.py"):  # fmt: skip
        repository.write(name, "{]")
    overrides = "max_margin={figures: {fig1a: {title: Ours}}}"
    repository.snakemake("figures/bundle.zip", "--config", overrides)
    archive = repository.root / "figures" / "bundle.zip"
    with zipfile.ZipFile(archive) as members:
        members.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    assert verify_manifest(unpacked / "figures") == []
    crate = json.loads((unpacked / "ro-crate-metadata.json").read_text())
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    assert unmet_requirements(crate, files) == []
    assert {"figures/claims.csv", "figures/max_margin/fig1a.pdf", "config/max_margin/fig1.yaml", "README.md"} < files
    assert [name for name in files if "/." in name] == []
    for name in files & {"config/max_margin/fig1.yaml", "figures/claims.csv"}:
        assert (unpacked / name).read_bytes() == (repository.root / name).read_bytes()
    configuration = json.loads((unpacked / "configuration.json").read_text())
    assert configuration["settings"]["scale"] == "laptop"
    assert configuration["overrides"] == {"max_margin": {"figures": {"fig1a": {"title": "Ours"}}}}
    assert "snakemake==" in (unpacked / "versions.txt").read_text()
    # Copies for tests are not under git.
    assert (unpacked / "commit.txt").read_text() == "unknown\n"
    before = archive.read_bytes()
    archive.unlink()
    repository.snakemake("figures/bundle.zip", "--config", overrides)
    assert archive.read_bytes() == before
