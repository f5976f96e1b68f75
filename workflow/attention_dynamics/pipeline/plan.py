"""What Snakemake has to know of a configuration, as plain data, kept from one start to the next.

By every byte that it is made from: reading, checking and specifying took as long as all else that is not Snakemake's.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import source
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import keep_fingerprints, sources
from attention_dynamics.pipeline.kept import Kept
from attention_dynamics.pipeline.outside import Plugins

KEPT = Kept("plan", version("pydantic"))


@dataclass(frozen=True)
class Plan:
    """Scale, papers, ids of what there is (see ``config.Config``) and every job (see ``jobs.Jobs``)."""

    scale: str
    papers: list[str]
    problems: list[str]
    runs: list[str]
    figures: list[str]
    tables: list[str]
    jobs: dict[str, dict[str, dict[str, Any]]]

    def job(self, stage: str, id: str = "") -> dict[str, Any]:
        """A job's ``spec``, ``code`` and ``reads``. Raises ConfigError where there is none, or none that can be run."""
        job = self.jobs[stage].get(id, {"error": f"there is no {id} under this configuration"})
        if "error" in job:
            raise ConfigError(job["error"])
        return job


def plan(folder: Path, overrides: Mapping[str, Any], outside: Plugins | None = None) -> Plan:
    """The plan of the configuration in a folder.

    overrides: see ``config.load_config``. outside: plug-ins in use, see ``outside.use_plugins``. Raises ConfigError
    for a configuration that is wrong.
    """
    given, plugins = _texts(folder), sorted((outside or {}).items())
    files = sorted({*sources(), *(file for _, modules in plugins for file in modules.values())})
    code = [(str(file), _content(file)) for file in files]

    def make() -> dict[str, Any]:
        made = _made(folder, overrides)
        if _texts(folder) != given:
            raise ConfigError(f"{folder}: was changed while it was read. Run the same command again")
        return made

    return Plan(**KEPT.get(repr((overrides, given, plugins, code)).encode(), make))


def keep_plan() -> None:
    """Make the last plan, and what it took to make, quick to have again; for those who plan, not for jobs."""
    if KEPT.save():
        keep_fingerprints()


def _texts(folder: Path) -> list[tuple[str, bytes | None]]:
    return [(str(file), _content(file, Path.read_bytes)) for file in sorted(folder.glob("*.yaml"))]


def _content(file: Path, read: Callable[[Path], bytes] = source.read) -> bytes | None:
    """What a file holds; nothing for what cannot be read, such as an editor's lock."""
    with suppress(OSError):
        return read(file)


def _made(folder: Path, overrides: Mapping[str, Any]) -> dict[str, Any]:
    # Here, because what makes a plan takes as long to import as the plan to make.
    from attention_dynamics.pipeline.config import load_config
    from attention_dynamics.pipeline.jobs import Jobs

    config = load_config(folder, overrides)
    return {
        "scale": config.settings.scale,
        "papers": list(config.papers),
        "problems": config.problems(),
        "runs": config.runs(),
        "figures": config.figures(),
        "tables": config.tables(),
        "jobs": Jobs(config).all(),
    }
