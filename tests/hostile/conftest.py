"""The command line as a stranger's files, servers and disks meet it, with a home of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from tests.app.conftest import make_sign, need_models
from tests.llm.fault_server import FaultServer, running
from tests.processes import PATIENCE_S
from vidence.cli import main

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
    """Runs `vidence` with a home, a folder and an environment of its own."""

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
        """Run a command to its end in this process; where `before` is given, in a new one that it sets up."""
        if before is None:
            return self._here(*map(str, arguments), **more)
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

    def _here(self, *arguments: str, **more: str) -> Finished:
        out, err = io.StringIO(), io.StringIO()
        code = 0
        with (
            mock.patch.dict(os.environ, {**self.environment, **more}, clear=True),
            mock.patch.object(sys, "argv", ["vidence", *arguments]),
            chdir(self.folder),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as exc:
                code = exc.code if isinstance(exc.code, int) else 1
            except BaseException:
                code = 70
                err.write(traceback.format_exc())
        return Finished(code, out.getvalue(), err.getvalue())


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
