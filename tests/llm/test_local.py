"""The local engine with its real model: on time, stoppable, and nobody else's port."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.llm.made import Verdict, prompt
from tests.processes import press_ctrl_c, wait_until
from vidence.errors import ErrorType, ServiceError
from vidence.llm.factory import create_llm_engine
from vidence.llm.local import LocalEngine
from vidence.llm.structured import parse_reply
from vidence.models.cache import ModelCache
from vidence.schema.agent import SolverResponse
from vidence.schema.reading import ChoiceReply, ReaderReply
from vidence.settings import load_settings

MODEL = "qwen2.5-coder-1.5b"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def weights() -> Path:
    cache = ModelCache(load_settings().model_home)
    if cache.status(MODEL) == "missing":
        pytest.skip(f"the model is not here; get it with: vidence models fetch {MODEL}")
    return cache.path(MODEL, "weights")


@pytest.fixture(scope="module")
def engine(weights: Path) -> Iterator[LocalEngine]:
    made = create_llm_engine(f"local:{MODEL}", path=str(weights), max_tokens=160, threads=2)
    assert isinstance(made, LocalEngine)
    yield made
    made.close()


def test_a_reply_keeps_to_the_schema_and_thinks_first(engine: LocalEngine) -> None:
    asked = prompt("Frame 1: two men sit at a table. How many men sit at the table?", response=Verdict)
    reply = engine.answer(asked)
    parsed = parse_reply(reply.text, Verdict)
    assert isinstance(parsed.value, Verdict)
    assert parsed.thinking


def test_the_solvers_protocol_is_kept(engine: LocalEngine) -> None:
    asked = prompt("问题：桌旁有几个人？\nFrame 1: two men sit at a table.", response=SolverResponse)
    assert isinstance(parse_reply(engine.answer(asked).text, SolverResponse).value, SolverResponse)


def test_a_prompt_too_long_is_told_and_the_process_lives(engine: LocalEngine) -> None:
    engine.answer(prompt("Say hi."))
    before = engine.process.pid
    with pytest.raises(ServiceError) as caught:
        engine.answer(prompt("word " * 9000))
    assert caught.value.error_type is ErrorType.CONTEXT_TOO_LONG
    assert engine.process.pid == before


def test_a_late_call_ends_its_process_and_the_next_starts_another(engine: LocalEngine) -> None:
    engine.answer(prompt("Say hi."))
    before = engine.process.pid
    with pytest.raises(ServiceError) as caught:
        engine.answer(prompt("word " * 6000), timeout_s=0.5)
    assert caught.value.error_type is ErrorType.API_TIMEOUT
    assert before is not None
    assert not Path(f"/proc/{before}").exists()
    assert engine.answer(prompt("Say hi.")).text
    assert engine.process.pid != before


def test_what_was_read_is_kept_for_the_next_process(weights: Path, tmp_path: Path) -> None:
    notes = "\n".join(
        f"[{number}] said: the shop number {number} sells {number * 7} lamps" for number in range(1, 60)
    )
    question = "How many lamps does the shop number 3 sell?"
    form = 'Reply with one JSON object: {"answer": "…", "notes": [the number of the note]}'
    asked = replace(
        prompt(f"{notes}\n{question} {form}", response=ReaderReply), is_direct=True, source="the shops"
    )
    replies = []
    for round_ in range(3):
        made = create_llm_engine(
            f"local:{MODEL}", path=str(weights), max_tokens=60, threads=2, states=str(tmp_path)
        )
        assert isinstance(made, LocalEngine)
        replies.append(made.answer(asked))
        # The state is written after the reply; the next call waits for it.
        made.answer(prompt("Say yes.", response=Verdict))
        made.close()
        (kept,) = tmp_path.iterdir()
        if round_ == 1:
            kept.write_bytes(kept.read_bytes()[:1000])
    assert len({reply.text for reply in replies}) == 1
    assert "21" in replies[0].text
    assert all(reply.confidence is not None and 0.1 < reply.confidence <= 1 for reply in replies)


def test_no_port_is_opened(engine: LocalEngine) -> None:
    engine.answer(prompt("Say hi."))
    if not Path("/proc/net/tcp").exists():
        pytest.skip("no /proc here")
    sockets = {
        str(fd.readlink()) for fd in Path(f"/proc/{engine.process.pid}/fd").iterdir() if fd.is_symlink()
    }
    listening = {
        f"socket:[{row.split()[9]}]"
        for table in ("tcp", "tcp6")
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if row.split()[3] == "0A"
    }
    assert not sockets & listening


def test_ctrl_c_ends_a_call_and_its_process(weights: Path) -> None:
    code = (
        "from vidence.llm.factory import create_llm_engine\n"
        f"engine = create_llm_engine('local:x', path={str(weights)!r}, threads=2)\n"
        "engine(['Say hi.'])\n"
        "try: print(engine.process.pid, flush=True); engine(['word ' * 6000])\n"
        "except KeyboardInterrupt: print('stopped', engine.process.pid)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        worker = int(asking.stdout.readline())
        before = _worked(worker)
        wait_until(lambda: _worked(worker) > before + os.sysconf("SC_CLK_TCK") // 2)
        assert press_ctrl_c(asking) == "stopped None\n"
    assert not Path(f"/proc/{worker}").exists()


def _worked(process: int) -> int:
    """Return the clock ticks a process has used."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])


def test_a_killed_program_leaves_no_model_behind(weights: Path) -> None:
    code = (
        "from vidence.llm.factory import create_llm_engine\n"
        f"engine = create_llm_engine('local:x', path={str(weights)!r}, threads=2)\n"
        "engine(['Say hi.']); print(engine.process.pid, flush=True)\n"
        "engine(['word ' * 6000])\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert asking.stdout is not None
    worker = int(asking.stdout.readline())
    asking.kill()
    asking.communicate()
    wait_until(lambda: not Path(f"/proc/{worker}").exists())


def test_a_choice_is_answered_with_the_probability_of_each_letter(engine: LocalEngine) -> None:
    text = "Which of these is an animal?\nA. a chair\nB. a dog\nC. a spoon\nReply with the letter only."
    reply = engine.answer(replace(prompt(text), letters="ABC"))
    shares = parse_reply(reply.text, ChoiceReply).value.shares
    assert set(shares) == set("ABC")
    assert sum(shares.values()) == pytest.approx(1, abs=1e-4)
    assert max(shares, key=shares.__getitem__) == "B"
    assert (reply.truncated, reply.usage.output_tokens) == (False, 1)
