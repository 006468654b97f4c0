"""The process in which a local model runs: one request a line on stdin, its events a line each on stdout.

llama.cpp's server takes over Ctrl-C, cannot be stopped while it reads a prompt, and aborts the whole process
on some failures. In a process of its own none of that reaches the program that asks.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, TextIO

__all__ = ["main"]


def main(config: dict[str, Any]) -> None:
    """Load the model and answer requests until stdin closes."""
    # Whatever C++ prints must not get into the protocol, so it keeps the old stdout's number, not its pipe.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = sys.stdin
    with tempfile.TemporaryDirectory(prefix="vidence-llm-") as folder:
        try:
            server = _load(config, Path(folder))
        except Exception as exc:
            _say(out, {"event": "failed", "message": str(exc) or type(exc).__name__})
            return
        _say(out, {"event": "ready"})
        for line in requests:
            _answer(server, json.loads(line), out)


def _load(config: dict[str, Any], folder: Path) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = config["path"]
    params.n_ctx = config["context_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = config["threads"]
    # Threads that spin while they wait make every other program on the machine slow, and each other.
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.n_parallel, params.warmup, params.verbosity = 1, False, -1
    # It insists on listening: on a socket in a private folder, not on a port for every page in a browser.
    params.hostnames, params.ui = [str(folder / "socket.sock")], False
    params.api_keys = [os.urandom(16).hex()]
    return xllamacpp.Server(params)


def _answer(server: Any, body: dict[str, Any], out: TextIO) -> None:
    def told(piece: Any) -> bool:
        _say(out, {"event": "piece", "data": piece})
        return False

    try:
        server.handle_chat_completions(body, told)
    except Exception as exc:
        _say(out, {"event": "failed", "message": str(exc) or type(exc).__name__})
        return
    _say(out, {"event": "done"})


def _say(out: TextIO, event: dict[str, Any]) -> None:
    out.write(json.dumps(event, ensure_ascii=True) + "\n")
    out.flush()


def _watch(parent: int) -> None:
    """End with the parent, even in the middle of a prompt: a killed parent closes no pipe in time."""
    while os.getppid() == parent:
        threading.Event().wait(1.0)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    main(json.loads(sys.argv[1]))
