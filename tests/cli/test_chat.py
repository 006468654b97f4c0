"""`vidence chat`, piped."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, RunCli
from tests.processes import PATIENCE_S, press_ctrl_c


@pytest.fixture
def talk(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> RunCli:
    def run(text: str, *arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        # Words alone find what is told here, and no model has to be loaded.
        return run_cli("chat", "--words", *arguments)

    return run


def test_a_piped_talk_is_remembered_by_the_next(talk: RunCli) -> None:
    first = talk("my dog is called Rex\n\n")
    assert (first.code, first.out) == (0, "Noted (mem_001): you said “my dog is called Rex”.\n")
    second = talk("What is my dog called?\n/quit\nnever reached\n").out
    assert "recalled: mem_001" in second
    assert "Your dog is called Rex. You told me on" in second
    assert "  mem_001 memory: “my dog is called Rex”" in second
    assert "never reached" not in second


def test_every_reply_is_a_line_of_json(talk: RunCli) -> None:
    ran = talk("我的狗叫雷克斯\n我的狗叫什么？\n/videos\n/memory 狗\n/nope\n", "--json")
    noted, answered, videos, memories, wrong = (json.loads(line) for line in ran.out.splitlines())
    assert (noted["kind"], noted["memory_id"]) == ("noted", "mem_001")
    assert answered["from_memory"]
    assert "雷克斯" in answered["text"]
    assert answered["answer"]["evidence"][0]["record_id"] == "mem_001"
    assert videos == {"command": "/videos", "videos": []}
    assert memories["memories"][0]["content"] == "我的狗叫雷克斯"
    assert "/nope" in wrong["error"]


def test_commands_work_and_mistakes_do_not_end_the_talk(talk: RunCli, sample: Path) -> None:
    ran = talk(f"/help\n/forget\n/forget mem_777\n/videos {sample}\n/videos nowhere.mp4\n/new\n/memory\n")
    assert ran.code == 0
    assert "/forget ID" in ran.out
    assert sample.name in ran.out
    assert "mem_777" in ran.err
    assert "nowhere.mp4" in ran.err


def test_a_memory_is_forgotten_on_demand(talk: RunCli) -> None:
    ran = talk("my dog is called Rex\n/forget mem_001\nWhat is my dog called?\n")
    assert "mem_001  forgotten" in ran.out
    assert "Rex" not in ran.out.splitlines()[-1]


def test_an_unknown_engine_is_named(talk: RunCli) -> None:
    assert "opnai" in talk("What is my dog called?\n", "--engine", "opnai:gpt-4o").err


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["Ctrl-D", "Ctrl-C"])
def test_at_a_terminal_the_talk_ends_cleanly_and_is_kept(tmp_path: Path, ending: str) -> None:
    command = [sys.executable, "-c", "from vidence.cli import main; main()", "--home", str(tmp_path)]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "chat", "--words"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as talk:
        os.close(theirs)
        try:
            _until(ours, b"you> ")
            os.write(ours, "我的狗叫雷克斯\n".encode())
            _until(ours, b"you> ")
            if ending == "Ctrl-C":
                press_ctrl_c(talk)
            else:
                os.write(ours, b"\x04")
                talk.wait(PATIENCE_S)
            assert talk.returncode == 0
        finally:
            talk.kill()
    os.close(ours)
    kept = subprocess.run([*command, "memory", "list", "--json"], capture_output=True, check=True)
    types = [row["memory_type"] for row in json.loads(kept.stdout)]
    assert types == ["observation", "conversation_summary"]


def _until(terminal: int, wanted: bytes) -> None:
    seen = b""
    deadline = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        assert time.monotonic() < deadline, seen
        if select.select([terminal], [], [], 1.0)[0]:
            seen += os.read(terminal, 4096)


@pytest.mark.slow
def test_a_real_video_is_talked_about_with_evidence(talk: RunCli, sample: Path) -> None:
    ran = talk("Is there a cat?\nWhen does it appear?\n", sample, "--json")
    first, second = (json.loads(line) for line in ran.out.splitlines())
    assert first["answer"]["evidence"]
    assert second["question"] == "When does the cat appear?"
