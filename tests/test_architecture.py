"""The rooms of the house import downward only; the AST says so."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "vidence"

RANKS = [
    ["errors"],
    ["schema"],
    ["settings", "registry", "prompts"],
    ["language"],
    ["media", "models", "llm", "store"],
    ["index", "memory", "intel"],
    ["queries", "knowledge"],
    ["ops"],
    ["tools"],
    ["runs"],
    ["agents", "embedded"],
    ["app"],
    ["cli", "web", "mcp", "bench"],
]
RANK = {room: rank for rank, row in enumerate(RANKS) for room in row}
INTERFACES = ("cli", "web", "mcp")
OFFERED = ("app", "schema", "errors")
"""All that an interface may import: `app` offers the rest."""
MAX_LINES = 400


def _imports(tree: ast.AST) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where a name lives"
            assert all(alias.name != "*" for alias in node.names), "star imports hide what a module needs"
            found.append(node.module or "")
            if node.module == "vidence":
                found += [f"vidence.{alias.name}" for alias in node.names]
    return [name for name in found if name.startswith("vidence.")]


def violations(relative: Path, text: str) -> list[str]:
    """Return what `text`, placed at `relative` in the package, may not import."""
    room = relative.parts[0].removesuffix(".py")
    found = []
    for name in _imports(ast.parse(text)):
        other = name.split(".")[1]
        if other in (room, "__version__"):
            continue
        if room not in RANK or other not in RANK:
            found.append(f"{relative}: {room} → {other} is not a room of the house")
        elif RANK[other] >= RANK[room]:
            found.append(f"{relative}: {room} may not import {name}")
        elif room in INTERFACES and other not in OFFERED:
            found.append(f"{relative}: {room} may import {', '.join(OFFERED)} only, not {name}")
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_module_keeps_to_its_room(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    text = path.read_text(encoding="utf-8")
    is_door = relative.name in ("__init__.py", "__main__.py") and len(relative.parts) == 1
    assert is_door or relative.parts[0].removesuffix(".py") in RANK
    if not is_door:
        assert violations(relative, text) == []
    assert text.count("\n") <= MAX_LINES


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("media/x.py", "from vidence.ops import catalogue"),
        ("media/x.py", "import vidence.store.protocols"),
        ("store/x.py", "def f():\n    from vidence import app"),
        ("cli/x.py", "from vidence.bench import shots"),
        ("cli/x.py", "from vidence.store import Store"),
        ("cli/x.py", "def f():\n    from vidence.settings import Settings"),
        ("web/x.py", "import vidence.runs.brief"),
        ("mcp/x.py", "from vidence.ops import OPERATIONS"),
    ],
)
def test_upward_and_sideways_imports_are_caught(module: str, text: str) -> None:
    assert violations(Path(module), text)


def test_downward_imports_pass() -> None:
    assert violations(Path("ops/x.py"), "from vidence.store import Store") == []
    assert violations(Path("cli/x.py"), "from vidence.app import OPERATIONS") == []
    assert violations(Path("cli/x.py"), "from vidence.schema.time import TimeRange") == []


def homonyms(sources: Mapping[Path, str]) -> dict[str, list[str]]:
    """Return the public classes that more than one module defines, with these modules."""
    homes: dict[str, list[str]] = {}
    for relative, text in sources.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(relative))
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_a_class_name_has_one_meaning() -> None:
    assert homonyms(_sources()) == {}
    twice = {Path(f"{room}/x.py"): "class Moment: ...\nclass _Own: ..." for room in ("ops", "llm")}
    assert homonyms(twice) == {"Moment": ["ops/x.py", "llm/x.py"]}


def _sources() -> dict[Path, str]:
    return {path.relative_to(SOURCE): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}


def database_leaks(relative: Path, text: str) -> list[str]:
    """Return what `text` says about the database that only `store/` may know."""
    if relative.parts[0] == "store":
        return []
    tree = ast.parse(text)
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    handles = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "db"]
    found = sorted(name for name in names if name.split(".")[0] == "sqlite3" or "store.sqlite" in name)
    return found + [f"line {node.lineno}: .db" for node in handles]


def test_only_the_store_knows_its_database() -> None:
    leaks = {str(path): database_leaks(path, text) for path, text in _sources().items()}
    assert {path: found for path, found in leaks.items() if found} == {}
    assert database_leaks(Path("app/x.py"), "import sqlite3")
    assert database_leaks(Path("app/x.py"), "from vidence.store.sqlite import Database")
    assert database_leaks(Path("index/x.py"), "with store.db.transaction(): pass")
