"""The examples of docs/api.md, run against a real server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import need_models
from tests.conftest import REPOSITORY
from tests.web.conftest import open_quick, serving

PAGE = (REPOSITORY / "docs" / "api.md").read_text("utf-8")


@pytest.mark.slow
def test_the_examples_get_the_answer(tmp_path: Path) -> None:
    need_models()
    blocks = dict(re.findall(r"```(python|bash)\n(.*?)```", PAGE, re.DOTALL))
    with open_quick(tmp_path / "home") as workspace, serving(workspace) as server:
        for kind, text in blocks.items():
            assert "http://127.0.0.1:8765" in text
            code = text.replace("http://127.0.0.1:8765", server.address)
            if kind == "bash" and (shutil.which("curl") is None or shutil.which("python3") is None):
                continue
            command = [sys.executable, "-c", code] if kind == "python" else ["bash", "-c", code]
            done = subprocess.run(
                command, cwd=REPOSITORY, capture_output=True, text=True, timeout=600, check=False
            )
            assert done.returncode == 0, done.stderr
            assert "rocket" in done.stdout
            assert "event: thinking" in done.stdout
