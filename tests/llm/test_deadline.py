"""Work is waited for no longer than agreed, and can always be left."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from tests.llm.fault_server import FaultServer, hang
from tests.llm.made import PATIENCE_S
from tests.processes import press_ctrl_c, wait_until
from vidence.llm.deadline import Abandoned, DeadlinePassed, run_within
from vidence.llm.protocol import OnText


def test_the_result_comes_back_with_its_pieces_in_order() -> None:
    def work(emit: OnText) -> int:
        for word in "abc":
            emit(word)
        return 7

    pieces: list[str] = []
    assert run_within(PATIENCE_S, work, on_text=pieces.append, stop=lambda: None) == 7
    assert pieces == ["a", "b", "c"]


def test_pieces_are_told_in_the_callers_thread() -> None:
    threads: set[int] = set()
    run_within(
        PATIENCE_S,
        lambda emit: emit("x"),
        on_text=lambda _: threads.add(threading.get_ident()),
        stop=lambda: None,
    )
    assert threads == {threading.get_ident()}


def test_late_work_is_left_and_told_so() -> None:
    left = threading.Event()

    def work(emit: OnText) -> None:
        try:
            while True:
                time.sleep(0.01)
                emit("drip")
        except Abandoned:
            left.set()

    stopped: list[bool] = []
    with pytest.raises(DeadlinePassed):
        run_within(0.1, work, stop=lambda: stopped.append(True))
    assert left.wait(PATIENCE_S)
    assert stopped == [True]


def test_a_failure_is_raised_where_it_was_asked() -> None:
    def work(emit: OnText) -> None:
        raise ValueError("inside")

    stopped: list[bool] = []
    with pytest.raises(ValueError, match="inside"):
        run_within(None, work, stop=lambda: stopped.append(True))
    assert stopped == [], "there is nothing left to stop"


def test_silence_is_broken_by_empty_pieces_so_that_a_listener_can_stop() -> None:
    beats: list[str] = []
    stopped = threading.Event()

    def listen(piece: str) -> None:
        beats.append(piece)
        if len(beats) == 2:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        run_within(PATIENCE_S, lambda emit: stopped.wait(), on_text=listen, stop=stopped.set)
    assert beats == ["", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_hanging_call(server: FaultServer) -> None:
    server.script = [hang]
    code = (
        "from vidence.llm.factory import create_llm_engine\n"
        f"engine = create_llm_engine('vllm:m', base_url='{server.url}/v1')\n"
        "try: engine(['hello'])\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        wait_until(lambda: server.seen or process.poll() is not None)
        assert press_ctrl_c(process) == "stopped\n"
    assert process.returncode == 0
