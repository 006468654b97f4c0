"""Running the command line in this process, with its real exit codes and streams."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from vidence.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


RunCli = Callable[..., Ran]


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunCli:
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["vidence", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        code = stopped.value.code
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)

    return run
