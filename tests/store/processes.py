"""Real processes for tests: Python run from a piece of text, or forked from a server with no threads."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.processes import PATIENCE_S

_ROOT = Path(__file__).parent.parent.parent

FORKSERVER = multiprocessing.get_context("forkserver")
FORKSERVER.set_forkserver_preload(["tests.store.workers"])


def start_python(code: str, *args: object) -> subprocess.Popen[str]:
    """Start a Python process that runs `code` with `args` in `sys.argv[1:]`."""
    search = os.pathsep.join([str(_ROOT), str(_ROOT / "src")])
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": search},
    )


def run_python(code: str, *args: object) -> subprocess.CompletedProcess[str]:
    """Run `code` to its end, which must be a good one."""
    process = start_python(code, *args)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, stderr
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)
