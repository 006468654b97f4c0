"""A file's identity is all of its bytes, read while they hold still."""

from __future__ import annotations

import hashlib
import os
import random
import socket
import threading
from pathlib import Path

import pytest

from tests.store.processes import run_python
from tests.store.videos import make_file
from vidence.errors import FileProblem
from vidence.store import content_id


def test_identity_is_the_sha256_of_everything(tmp_path: Path) -> None:
    data = random.Random(1).randbytes(3_000_001)
    path = make_file(tmp_path / "a.mp4", data)
    seen: list[tuple[int, int]] = []
    content = content_id(path, progress=lambda done, total: seen.append((done, total)))
    assert content.sha256 == hashlib.sha256(data).hexdigest()
    assert content.video_id == "vid_" + content.sha256[:16]
    assert (content.size_bytes, content.mtime_ns) == (len(data), path.stat().st_mtime_ns)
    assert seen[-1] == (len(data), len(data))
    assert seen == sorted(seen)


def test_last_byte_counts(tmp_path: Path) -> None:
    one = content_id(make_file(tmp_path / "a.mp4", bytes(5_000_000) + b"a"))
    two = content_id(make_file(tmp_path / "b.mp4", bytes(5_000_000) + b"b"))
    assert one.video_id != two.video_id


def test_empty_file_has_an_identity(tmp_path: Path) -> None:
    assert content_id(make_file(tmp_path / "a.mp4", b"")).size_bytes == 0


def test_what_is_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    monkeypatch.chdir(tmp_path)  # A socket's path may have 108 bytes.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.mp4")
    (tmp_path / "loop.mp4").symlink_to("loop.mp4")
    (tmp_path / "file.mp4").touch()
    cases = {
        "nowhere.mp4": "No such file",
        "file.mp4/inside": "No such file",
        ".": "is a folder",
        "pipe.mp4": "a pipe, socket or device",
        "s.mp4": "a pipe, socket or device",
        "loop.mp4": "cannot be read",
        "x" * 300: "cannot be read",
        "nul\0.mp4": "cannot be read",
    }
    for name, word in cases.items():
        with pytest.raises(FileProblem, match=word) as caught:
            content_id(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_unreadable_file_says_how_to_mend_it(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4")
    path.chmod(0)
    code = """
        import os, sys
        from pathlib import Path
        from vidence.errors import FileProblem
        from vidence.store import content_id
        folder = os.open(Path(sys.argv[1]).parent, os.O_RDONLY)
        os.fchdir(folder)
        if os.getuid() == 0:
            os.setuid(65534)  # root may read anything
        try:
            content_id(Path("a.mp4"))
        except FileProblem as exc:
            print(exc)
    """
    path.parent.chmod(0o755)
    assert "may not be read. Change its permissions (chmod +r)" in run_python(code, path).stdout


def test_file_growing_while_read_is_refused(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", bytes(4_000_000))

    def grow(done: int, total: int) -> None:
        with path.open("ab") as file:
            file.write(b"more")

    with pytest.raises(FileProblem, match="keeps changing while it is read"):
        content_id(path, progress=grow)


def test_file_changed_once_while_read_is_read_again(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", bytes(4_000_000))
    changes = iter([b"new and final"])

    def change(done: int, total: int) -> None:
        if data := next(changes, None):
            path.write_bytes(data)

    assert content_id(path, progress=change).sha256 == hashlib.sha256(b"new and final").hexdigest()


def test_file_replaced_by_another_of_its_size_while_read_is_read_again(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", bytes(4_000_000))
    other = make_file(tmp_path / "b.mp4", bytes(3_999_999) + b"!")
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    wanted = content_id(other).sha256

    def replace(done: int, total: int) -> None:
        if other.exists():
            other.replace(path)

    assert content_id(path, progress=replace).sha256 == wanted


def test_file_vanishing_while_read_is_a_file_problem(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", bytes(4_000_000))
    with pytest.raises(FileProblem, match="No such file"):
        content_id(path, progress=lambda done, total: path.unlink(missing_ok=True))


def test_truncation_by_another_thread_is_noticed(tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", bytes(8_000_000))
    go, cut = threading.Event(), threading.Event()

    def truncate() -> None:
        go.wait()
        os.truncate(path, 10)
        cut.set()

    thread = threading.Thread(target=truncate)
    thread.start()

    def pause(done: int, total: int) -> None:
        go.set()
        cut.wait()

    assert content_id(path, progress=pause).size_bytes == 10
    thread.join()
