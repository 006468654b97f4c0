"""A lock has one holder at a time, and a killed holder lets go of it."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S
from tests.store.processes import start_python
from vidence.errors import UserError
from vidence.store.files import FileLocks

HOLDER = """
    import sys
    from pathlib import Path
    from vidence.store.files import FileLocks
    with FileLocks(Path(sys.argv[1])).hold("vid_1"):
        print("held", flush=True)
        sys.stdin.readline()
"""

WAITER = """
    import sys
    from pathlib import Path
    from vidence.store.files import FileLocks
    try:
        with FileLocks(Path(sys.argv[1])).hold("vid_1", waiting=lambda: print("waiting", flush=True)):
            print("held")
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_ctrl_c_stops_the_waiting_and_leaves_the_lock_with_its_holder(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path)
    with locks.hold("vid_1"):
        waiter = start_python(WAITER, tmp_path)
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "waiting\n"
        waiter.send_signal(signal.SIGINT)
        said, _ = waiter.communicate(timeout=PATIENCE_S)
        assert said == "interrupted\n"
        assert locks.is_held("vid_1")
    assert not locks.is_held("vid_1")


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    holder = start_python(HOLDER, tmp_path)
    assert holder.stdout is not None
    holder.stdout.readline()
    waited = []

    def kill() -> None:
        waited.append(True)
        holder.kill()

    with FileLocks(tmp_path).hold("vid_1", waiting=kill):
        assert waited == [True]
    holder.communicate()


def test_other_names_and_released_locks_are_free(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path)
    waited: list[str] = []
    with locks.hold("vid_1"), locks.hold("vid_2", waiting=lambda: waited.append("vid_2")):
        assert locks.is_held("vid_1")
        assert locks.is_held("vid_2")
    assert not locks.is_held("vid_1")
    assert not locks.is_held("vid_2")
    with locks.hold("vid_1", waiting=lambda: waited.append("vid_1")):
        assert locks.is_held("vid_1")
        assert not locks.is_held("vid_2")
    assert waited == []


def test_threads_exclude_each_other_too(tmp_path: Path) -> None:
    locks, inside, most = FileLocks(tmp_path), 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with locks.hold("vid_1"):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "locks").touch()
    with (
        pytest.raises(UserError, match="a file where a folder should be"),
        FileLocks(tmp_path / "locks").hold("x"),
    ):
        pass
