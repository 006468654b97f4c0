"""Training code, which needs torch to run, still names things that exist in vidence."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

FILES = sorted((REPOSITORY / "training").rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_what_training_imports_from_vidence_exists(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    missing = [
        f"{node.module}.{alias.name}"
        for node in imports
        if node.module and node.module.split(".")[0] == "vidence"
        for alias in node.names
        if not _exists(node.module, alias.name)
    ]
    assert missing == []


def _exists(module: str, name: str) -> bool:
    if find_spec(module) is None:
        return False
    return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
