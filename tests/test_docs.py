"""README and docs name only files, modules, links, commands and options that exist."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import click
import pytest

from tests.conftest import REPOSITORY
from vidence.cli.main import DefaultGroup, cli

SOURCE = REPOSITORY / "src" / "vidence"
PAGES = sorted(
    path
    for path in [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/**/*.md"),
        *REPOSITORY.glob("samples/*.md"),
    ]
    if path.name != "CHANGELOG.md"  # it also names what is gone
)
ROOMS = {path.name for path in SOURCE.iterdir() if path.is_dir()}
ROOTS = (SOURCE, REPOSITORY, REPOSITORY / "src", REPOSITORY / "samples")
NO_MODULE = {  # file, entry points
    "vidence.toml",
    "vidence.engines",
    "vidence.loops",
    "vidence.operations",
    "vidence.platforms",
}
FOLDERS = {"src", "tests", "training", "scripts", "samples"}
MODULES = [path.relative_to(REPOSITORY) for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.py")]
MODEL_CACHE = {"models/hub", "models/packages"}  # folders of the model cache, not of the source

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?<![\w~/.:@-])(?:[\w.-]+/)*[\w-]+\.(?:py|tsv|toml|txt|json|npz|onnx)(?![\w/])")
_FOLDER = re.compile(r"[\w-]+(?:/[\w-]+)*/|[\w-]+(?:/[\w-]+)+")
_MODULE = re.compile(r"(?<![\w./])vidence(?:\.[A-Za-z_]\w*)+")
_DOTTED = re.compile(r"[a-z]\w*(?:\.\w+)+")
_IMPORT = re.compile(r"^\s*from (vidence[\w.]*) import ([\w, ]+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_COMMAND = re.compile(r"^\s*(?:\$ )?(vidence .*)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_files_and_folders_exist(page: Path) -> None:
    missing = [path for path in named_paths(page) if not _exists(path)]
    assert not missing, f"{page.name} names {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_modules_and_their_names_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    names = set(_MODULE.findall(text)) - NO_MODULE
    code = _CODE.findall(_FENCE.sub("", text))
    names |= {f"vidence.{span}" for span in code if _DOTTED.fullmatch(span) and span.split(".")[0] in ROOMS}
    for module, imported in _IMPORT.findall(text):
        names |= {f"{module}.{name.split(' as ')[0].strip()}" for name in imported.split(",")}
    missing = sorted(name for name in names if not _resolves(name.split(".")[1:]))
    assert not missing, f"{page.name} names {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text("utf-8")) if "://" not in link]
    missing = [link for link in links if not _leads_somewhere(page, link)]
    assert not missing, f"{page.name} links to {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_commands_and_options_exist(page: Path) -> None:
    wrong = [line for line in named_commands(page) if not _runs(line)]
    assert not wrong, f"{page.name} shows {wrong}"


def test_the_collectors_find_what_they_look_for() -> None:
    readme, architecture = REPOSITORY / "README.md", REPOSITORY / "docs" / "architecture.md"
    assert "index/shots/memo.py" in named_paths(architecture)
    assert "embedded/gather.py" in named_paths(architecture)
    assert "vidence trace replay last" in [line.split("  ")[0] for line in named_commands(readme)]
    assert _resolves(["index", "shots"])
    assert not _resolves(["index", "search"])
    assert not _resolves(["schema", "engine", "Nothing"])
    assert not _runs("vidence asks my.mp4 question")
    assert not _runs("vidence ask my.mp4 question --colour red")


def named_paths(page: Path) -> list[str]:
    """Return the files and room folders of ours that a page names in its running text."""
    code = _CODE.findall(_FENCE.sub("", page.read_text("utf-8")))
    files = [path for span in code for path in _PATH.findall(span) if _ours(path)]
    folders = [span for span in code if _FOLDER.fullmatch(span) and span.split("/")[0] in ROOMS]
    return files + [path for path in folders if path not in MODEL_CACHE]


def named_commands(page: Path) -> list[str]:
    """Return every `vidence …` command line that a page shows."""
    text = page.read_text("utf-8")
    blocks = [
        line for kind, block in _FENCE.findall(text) if kind != "python" for line in _COMMAND.findall(block)
    ]
    inline = [span for span in _CODE.findall(_FENCE.sub("", text)) if span.startswith("vidence ")]
    return [line for line in blocks + inline if not line.startswith("vidence =")]


def _ours(path: str) -> bool:
    # Others' files are named too: `setup.py` of a package, `onnx/model.onnx` of a model's folder.
    first = path.split("/", 1)[0]
    return (path.endswith(".py") and path != "setup.py") or first in ROOMS | FOLDERS | {"docs", "vidence"}


def _exists(path: str) -> bool:
    # A section about one folder names its modules alone, such as `mend.py`.
    ending = Path(path).parts
    known = any((root / path).exists() for root in ROOTS)
    return known or any(module.parts[-len(ending) :] == ending for module in MODULES)


def _resolves(parts: list[str]) -> bool:
    """Return whether the names lead through packages and modules to a definition."""
    place = SOURCE
    for index, part in enumerate(parts):
        if (place / part).is_dir():
            place = place / part
            continue
        if (place / f"{part}.py").is_file():
            rest = parts[index + 1 :]
            return not rest or rest[0] in _defined(place / f"{part}.py")
        return (place / "__init__.py").is_file() and part in _defined(place / "__init__.py")
    return True


def _defined(module: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)  # names that `__getattr__` serves, and `__all__`
    return names


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _runs(line: str) -> bool:
    """Return whether the command line's commands and options exist."""
    words = _words(line)
    command: click.Command = cli
    context = click.Context(cli)
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        if word not in command.list_commands(context):
            if not isinstance(command, DefaultGroup):
                return _is_placeholder(word)
            command = command.commands[command.default]
            break
        command = command.get_command(context, word) or command
    known = {option for parameter in [*command.params, *cli.params] for option in parameter.opts} | {"--help"}
    return {word.split("=")[0] for word in words if word.startswith("--")} <= known


def _is_placeholder(word: str) -> bool:
    return word.startswith("…") or word.rstrip("…").isupper()


def _words(line: str) -> list[str]:
    plain = re.split(r"\s#\s|\s[>|]\s|\s&&\s", line)[0]
    try:
        return shlex.split(plain)[1:]
    except ValueError:
        return plain.split()[1:]
