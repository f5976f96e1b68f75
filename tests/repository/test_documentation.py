"""Pages of the repository: links and commands lead somewhere, and the environment of the documentation fits."""

import importlib.util
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from snakemake.cli import get_argument_parser, parse_config

from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.variants import AllJobs
from conftest import ROOT
from helpers.locks import read_lock, read_versions
from helpers.published_config import CONFIG_FOLDER

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^)\s]+)\)|<(?:img|source)[^>]* (?:src|srcset)=\"([^\"]+)\"|<a href=\"([^\"]+)\""
)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
COMMAND = re.compile(r"(?:\.venv/bin/)?(?:make|snakemake|python|pytest|\.ci/\w+)(?: |$)")
# Names that readers give to figures, optimizers and variants of their own.
OWN = ("mine", "yours", "sign_descent", "ext_momentum", "ext_exponential_loss", "eight_inputs", "<")
TARGET = re.compile(r"^\(([\w-]+)\)=$|<a (?:id|name)=\"([^\"]+)\"", re.MULTILINE)


def pages() -> list[Path]:
    """Return the Markdown pages of the repository: the documentation and those beside code and data."""
    folders = ("docs", "benchmarks", "config", "examples", ".github", "results", "figures")
    files = [*ROOT.glob("*.md"), *(file for folder in folders for file in (ROOT / folder).rglob("*.md"))]
    generated = [ROOT / "figures", ROOT / "results", ROOT / "docs/_build", *ROOT.glob("examples/*/figures")]
    return sorted(f for f in files if f.name == "README.md" or not any(f.is_relative_to(g) for g in generated))


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and MyST make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page; of headings of one name, the later ones have a number."""
    text, found = FENCE.sub("", page.read_text()), set()
    for name in map(anchor, HEADING.findall(text)):
        number = 0
        while (numbered := f"{name}-{number}" if number else name) in found:
            number += 1
        found.add(numbered)
    return found | {one or other for one, other in TARGET.findall(text)}


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and images, without those in code."""
    text = CODE.sub("``", FENCE.sub("", page.read_text()))
    return [next(filter(None, match)) for match in LINK.findall(text)]


def broken(page: Path) -> list[str]:
    """Return the internal links of a page that lead nowhere."""
    found = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(f"{link}: no such file")
        elif fragment and (target.suffix != ".md" or fragment not in anchors(target)):
            found.append(f"{link}: no such heading")
    return found


PAGES = pages()


def test_internal_links_resolve(tmp_path):
    assert {page: found for page in PAGES if (found := broken(page))} == {}
    page = tmp_path / "page.md"
    page.write_text(
        "# A *title*, `code`\n## Twice\n## Twice\n(label)=\n"
        "[a](#a-title-code) [b](#twice-1) [c](#label) [x](other.md)\n"
        "![p](p.png) [`m`](#no) `[q](q.md)`\n```\n[r](r.md)\n# Not a heading\n```\n[web](https://example.org)\n"
    )
    assert broken(page) == ["other.md: no such file", "p.png: no such file", "#no: no such heading"]


def commands(text: str) -> list[str]:
    """Return the commands in blocks of code and in code between backquotes of a page, without comments."""
    text = text.replace("\\\n", " ")
    lines = [line for block in FENCE.finditer(text) for line in block[0].splitlines()]
    lines += [code.strip("`") for code in CODE.findall(FENCE.sub("", text))]
    found = {shlex.join(shlex.split(line, comments=True)) for line in lines if COMMAND.match(line)}
    return sorted(command for command in found if not command.endswith((":", "-m", "...")))


@cache
def plan_jobs(settings: tuple[str, ...]) -> AllJobs:
    overrides = parse_config(settings)
    overrides |= {"data_mirror": str(ROOT)} if "data_mirror" in overrides else {}
    overrides.pop("config_folder", None)
    return AllJobs(load_config(CONFIG_FOLDER, overrides))


def check_command(folder: Path, program: str, *arguments: str) -> None:
    """Raise an error for a program, option, setting, figure or file that there is not. folder: of the page."""
    match Path(program).name:
        case "make":
            for one in arguments:
                name, is_variable, _ = one.partition("=")
                form = rf"\$\({name}\)" if is_variable else rf"^{name}:"
                assert re.search(form, (ROOT / "Makefile").read_text(), re.MULTILINE), one
        case "snakemake":
            given, unknown = get_argument_parser().parse_known_args(arguments)
            assert unknown == []
            profile = given.workflow_profile or "profiles/default"
            assert (ROOT / profile).is_dir() or (folder / profile).is_dir()
            figures = plan_jobs(tuple(given.config or ())).figures()
            for target in given.targets:
                if not any(name in target for name in OWN):
                    paper, figure = re.fullmatch(r"figures/(?:(\w+)/)?(\w+)(?:\.(?:pdf|png|zip|csv))?", target).groups()
                    assert figure in ("all", *(figures[paper] if paper else ["bundle", "claims"])), target
        case "python" if arguments[0] == "-m":
            assert importlib.util.find_spec(arguments[1]), arguments[1]
        case "python" | "pytest":
            assert (ROOT / arguments[0]).exists(), arguments[0]
        case _:
            assert (ROOT / program).is_file()


@pytest.mark.slow
def test_documented_commands_exist():
    page = "Run `make x A=1`:\n```\nsnakemake figures/all \\\n  -n  # all\nrun\n```\nmake of `snakemake ...`, `make`\n"
    assert commands(page) == ["make", "make x A=1", "snakemake figures/all -n"]
    # The changelog names what is gone.
    for page in (page for page in PAGES if page.name != "CHANGELOG.md"):
        for command in commands(page.read_text()):
            check_command(page.parent, *shlex.split(command))


def split_tables(page: Path) -> list[list[str]]:
    """Return the tables of a page, as lists of lines."""
    parts = re.split(r"^(?!\|).*$\n?", FENCE.sub("", page.read_text()), flags=re.MULTILINE)
    return [part.splitlines() for part in parts if part.startswith("|")]


def test_rows_of_tables_have_as_many_cells_as_their_head(tmp_path):
    for head, *rows in (table for page in PAGES for table in split_tables(page)):
        cells = len(re.findall(r"(?<!\\)\|", head))
        assert [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != cells] == []
    (tmp_path / "a.md").write_text("a\n\n| a |\n|---|\n| b |\n\ntext\n| c |\n")
    assert split_tables(tmp_path / "a.md") == [["| a |", "|---|", "| b |"], ["| c |"]]


def test_documentation_pages_are_in_table_of_contents():
    docs = ROOT / "docs"
    text = "\n".join(page.read_text() for page in (docs / "index.md", docs / "api/index.md"))
    entries = {
        line.strip() for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL) for line in block.split("\n")
    }
    for page in docs.rglob("*.md"):
        name = page.relative_to(docs).with_suffix("").as_posix()
        if name != "index" and not name.startswith("_build"):
            assert name in entries or name.removeprefix("api/") in entries, f"{name} is in no table of contents"


def pins(file: str) -> dict[str, str]:
    """Return the versions in a lock, by name."""
    return read_versions(ROOT / file)


def test_documentation_lock_adds_to_lock_of_library():
    assert "-r ../requirements.lock" in (ROOT / "docs/requirements.lock").read_text()
    documentation = pins("docs/requirements.lock")
    assert not documentation.keys() & pins("requirements.lock").keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in map(Requirement, project["optional-dependencies"]["docs"]):
        if requirement.name != project["name"]:
            assert requirement.specifier.contains(documentation[requirement.name.lower()]), str(requirement)


def test_locks_have_hashes_and_name_no_host():
    for file in ("requirements.lock", "requirements-cuda.lock", "docs/requirements.lock"):
        assert "/" not in (ROOT / file).read_text().replace("-r ../", "").replace(".ci/lock", "")
        packages = read_lock(ROOT / file)
        assert len(packages) > 10
        assert [name for name, (_, hashes) in packages.items() if not hashes] == []


def test_library_lock_needs_no_cuda():
    cuda = pins("requirements-cuda.lock")
    assert {"triton", "nvidia-cublas"} <= cuda.keys()
    assert not cuda.keys() & pins("requirements.lock").keys()
