"""The sample video, indexed once from nothing by the real command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.browser import Visit, browsing
from vidence.app import Workspace, list_models, open_workspace
from vidence.settings import load_settings

MAIN = "from vidence.cli import main; main()"


@pytest.fixture(scope="session")
def indexed_home(tmp_path_factory: pytest.TempPathFactory, sample: Path) -> Path:
    missing = [row.model for row in list_models(load_settings()) if row.chosen and row.status == "missing"]
    if missing:
        pytest.skip(f"models are not here: {', '.join(missing)}; run `vidence models fetch`")
    home = tmp_path_factory.mktemp("indexed")
    command = [sys.executable, "-c", MAIN, "--home", str(home), "index", str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def indexed(indexed_home: Path) -> Iterator[Workspace]:
    with open_workspace(home=indexed_home) as workspace:
        yield workspace


@pytest.fixture
def visit(address: str) -> Iterator[Visit]:
    """A browser on the server of a test module, whose page asks nobody else and reports no error."""
    with browsing(address) as found:
        yield found
        assert found.outside == []
        assert found.errors == []
