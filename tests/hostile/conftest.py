"""The command line as a stranger's files, servers and disks meet it: real processes, a home of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.app.conftest import make_sign, need_models
from tests.llm.fault_server import FaultServer, running
from tests.processes import PATIENCE_S

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `make test-hostile` and no other target runs it."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.hostile)


@dataclass(frozen=True)
class Finished:
    """What a process left behind."""

    code: int
    out: str
    err: str

    @property
    def is_clean(self) -> bool:
        """Whether it ended by itself, with an answer or with one clear line."""
        return self.code in (0, 1, 2) and "Traceback" not in self.err


@dataclass(frozen=True)
class Vidence:
    """Runs `vidence` in a process of its own."""

    home: Path
    folder: Path
    environment: Mapping[str, str]

    def command(self, *arguments: str | Path) -> list[str]:
        code = "from vidence.cli import main; main()"
        return [sys.executable, "-c", code, *map(str, arguments)]

    def start(self, *arguments: str | Path, **more: str) -> subprocess.Popen[bytes]:
        """Start a command that may be killed."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __call__(
        self, *arguments: str | Path, before: Callable[[], None] | None = None, **more: str
    ) -> Finished:
        """Run a command to its end; `before` is called in the new process."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **more},
            capture_output=True,
            timeout=PATIENCE_S,
            preexec_fn=before,
            check=False,
        )
        return Finished(
            done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        )


@pytest.fixture
def vidence(tmp_path: Path) -> Vidence:
    """The command line with an empty home, started in a folder of its own."""
    return make_vidence(tmp_path)


def make_vidence(root: Path) -> Vidence:
    """Return the command line with its home and its folder under `root`."""
    home, folder = root / "home", root / "work"
    folder.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VIDENCE_")}
    for name in ("VIDENCE_MODEL_HOME",):
        if name in os.environ:
            kept[name] = os.environ[name]
    return Vidence(home, folder, {**kept, "VIDENCE_HOME": str(home), "NO_COLOR": "1"})


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short film that shows one word."""
    need_models()
    return make_sign(tmp_path_factory.mktemp("film") / "bakery.mp4", "BAKERY")


@pytest.fixture
def server() -> Iterator[FaultServer]:
    """A server on the loopback that fails as told."""
    with running() as started:
        yield started
