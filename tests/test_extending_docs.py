"""Every Python block of docs/extending.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

_SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TEXT = (REPOSITORY / "docs" / "extending.md").read_text("utf-8")
SECTIONS = {name: _BLOCK.findall(text) for name, text in _SECTION.findall(_TEXT)}


@pytest.mark.parametrize("name", SECTIONS)
def test_the_example_runs_and_is_short(
    name: str, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path))
    assert SECTIONS[name], "a section shows a working example"
    variables: dict[str, object] = {"__name__": "example", "home": tmp_path, "sample": sample}
    for block in SECTIONS[name]:
        assert block.count("\n") <= 40
        exec(compile(block, f"docs/extending.md ({name})", "exec", dont_inherit=True), variables)  # noqa: S102
    assert any("assert " in block for block in SECTIONS[name])
