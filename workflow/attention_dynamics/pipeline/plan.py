"""What Snakemake has to know of a configuration, as plain data, kept from one start to the next.

Reading, checking and specifying took as long as all else that is not Snakemake's.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import kept, source
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import code_files, keep_fingerprints
from attention_dynamics.pipeline.outside import files_of, use_plugins

# What reads and checks a configuration, beside this package.
PACKAGES = ("numpy", "pydantic", "pydantic_core", "PyYAML")
# Of the last configurations and command lines.
MOST = 8


@dataclass(frozen=True)
class Plan:
    """The scale, the papers, and every job (see ``jobs.Jobs``)."""

    scale: str
    papers: list[str]
    jobs: dict[str, dict[str, dict[str, Any]]]

    def ids(self, stage: str) -> list[str]:
        """The problems, runs or figures that a stage has jobs for."""
        return list(self.jobs[stage])

    def job(self, stage: str, id: str = "") -> dict[str, Any]:
        """A job's ``spec``, ``code`` and ``reads``. Raises ConfigError where there is none, or none that can be run."""
        job = self.jobs[stage].get(id, {"error": f"there is no {id} under this configuration"})
        if "error" in job:
            raise ConfigError(job["error"])
        return job


def plan(folder: Path, overrides: Mapping[str, Any], *, keep: bool = False) -> Plan:
    """The plan of the configuration in a folder, with its plug-ins.

    overrides: see ``config.load_config``. keep: save what took long, for later starts and for jobs; for those who plan,
    not for jobs. Raises ConfigError for a configuration or a plug-in that is wrong.
    """
    plugins = use_plugins(folder)
    files = sorted({*code_files(), *files_of(plugins)})
    code = [(str(file), _content(file)) for file in files]
    given = _texts(folder)
    name = f"plan-{kept.key(overrides, given, plugins, code, *map(version, PACKAGES))}"
    made = kept.load(name)
    if made is None:
        made = _make(folder, overrides)
        # What makes the plan was imported after it was read.
        if _texts(folder) != given or [(str(file), _content(file, Path.read_bytes)) for file in files] != code:
            raise ConfigError(f"{folder} or the code was changed while it was read. Run the same command again")
        if keep:
            _save(name, made)
    if keep:
        keep_fingerprints()
    return Plan(**made)


def _texts(folder: Path) -> list[tuple[str, bytes | None]]:
    return [(str(file), _content(file, Path.read_bytes)) for file in source.files(folder, "*.yaml")]


def _content(file: Path, read: Callable[[Path], bytes] = source.read) -> bytes | None:
    """What a file holds; nothing for what cannot be read, such as an editor's lock."""
    with suppress(OSError):
        return read(file)


def _make(folder: Path, overrides: Mapping[str, Any]) -> dict[str, Any]:
    # Here, because what makes a plan takes as long to import as the plan to make.
    from attention_dynamics.pipeline.config import load_config
    from attention_dynamics.pipeline.jobs import Jobs

    config = load_config(folder, overrides)
    return {"scale": config.settings.scale, "papers": list(config.papers), "jobs": Jobs(config).all()}


def _save(name: str, made: dict[str, Any]) -> None:
    kept.save(name, made)
    with suppress(OSError):
        saved = sorted(kept.FOLDER.glob("plan-*.json"), key=lambda file: file.stat().st_mtime)
        for old in saved[:-MOST]:
            old.unlink()
