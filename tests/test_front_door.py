"""`import vidence`: every public name is there, and the examples of docs/python-api.md run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vidence
from tests.conftest import REPOSITORY
from vidence import errors

PAGE = (REPOSITORY / "docs" / "python-api.md").read_text("utf-8")


@pytest.mark.parametrize("name", vidence.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(vidence, name) is not None
    assert name in dir(vidence)
    assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", PAGE), f"docs/python-api.md does not name {name}"


def test_every_error_is_public() -> None:
    assert set(errors.__all__) <= set(vidence.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        vidence.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_index_can_be_called_before_and_after_its_room_is_imported(tmp_path: Path) -> None:
    code = (
        "import vidence\n"
        "def call():\n"
        "    try: vidence.index('nowhere/a.mp4', home=home)\n"
        "    except vidence.FileProblem as exc: print(exc)\n"
        f"home = {str(tmp_path)!r}\n"
        "call()\nimport vidence.index.pipeline.stages as stages\ncall()\nprint(len(stages.STAGES) > 5)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second, last = ran.stdout.splitlines()
    assert "nowhere/a.mp4" in first
    assert (second, last) == (first, "True")


def test_python_m_vidence_is_the_command_line() -> None:
    ran = subprocess.run([sys.executable, "-m", "vidence", "--version"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, f"vidence, version {vidence.__version__}")


def test_the_examples_of_the_page_run(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(plain, tmp_path / "talk.mp4")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path / "home"))
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/python-api.md", "exec"), names)  # noqa: S102
    assert "confidence" in capsys.readouterr().out
