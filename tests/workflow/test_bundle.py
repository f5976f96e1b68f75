"""The archive for a paper's supplement."""

import json
import re
import zipfile

from attention_dynamics.claims.manifest import verify_manifest


def find_missing(crate, files):
    """Return what a crate lacks that Workflow RO-Crate 1.0, or RO-Crate 1.1 below it, says that it MUST have."""
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    main = entities.get(root.get("mainEntity", {}).get("@id"), {})
    language = entities.get(main.get("programmingLanguage", {}).get("@id"), {})
    parts = {part["@id"] for part in root["hasPart"]}
    profile = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
    checks = {
        "context": crate["@context"] == "https://w3id.org/ro/crate/1.1/context",
        "unique ids": len(entities) == len(crate["@graph"]),
        "types": all("@type" in entity for entity in crate["@graph"]),
        "descriptor": descriptor["@type"] == "CreativeWork" and descriptor["about"] == {"@id": "./"},
        "profiles": {"https://w3id.org/ro/crate/1.1", profile} <= {one["@id"] for one in descriptor["conformsTo"]},
        "root": root["@type"] == "Dataset" and all(root.get(key) for key in ("name", "description", "license")),
        "date": bool(re.fullmatch(r"\d{4}-\d\d-\d\d", root.get("datePublished", ""))),
        "license": root["license"]["@id"] in entities,
        "workflow types": {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= {*main.get("@type", [])},
        "workflow in crate": main.get("@id") in parts & files,
        "workflow name": bool(main.get("name")),
        "language": language.get("@type") == "ComputerLanguage" and bool(language.get("name")),
        "files": parts == files - {"ro-crate-metadata.json"},
        "entities of files": all("File" in entities[part]["@type"] for part in parts if part in entities),
        "all described": parts <= entities.keys(),
    }
    return [name for name, holds in checks.items() if not holds]


def test_bundle_has_figures_and_their_sources(repository, tmp_path):
    overrides = "max_margin={figures: {fig1a: {title: Ours}}}"
    repository.snakemake("figures/bundle.zip", "--config", overrides)
    archive = repository.root / "figures" / "bundle.zip"
    with zipfile.ZipFile(archive) as members:
        members.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked"
    assert verify_manifest(unpacked / "figures") == []
    crate = json.loads((unpacked / "ro-crate-metadata.json").read_text())
    assert find_missing(crate, {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}) == []
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    assert {"figures/claims.csv", "figures/max_margin/fig1a.pdf", "config/max_margin/fig1.yaml", "README.txt"} < files
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
