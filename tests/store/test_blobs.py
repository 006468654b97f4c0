"""FileBlobs are whole or absent, and never outside their video's folder."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S
from tests.store.processes import FORKSERVER, run_python
from tests.store.workers import write_blobs_until_killed
from vidence.errors import BackendError, FileProblem, UserError
from vidence.store.files import FileBlobs

VIDEO = "vid_0123456789abcdef"


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    root = tmp_path / "blobs"
    root.mkdir()
    return FileBlobs(root)


@pytest.mark.parametrize("name", ["a.jpg", "thumbs/0001.jpg", "第一幕/猫.jpg", "🎬", "..almost", "a..b", " "])
def test_what_is_written_is_read(blobs: FileBlobs, name: str) -> None:
    assert not blobs.exists(VIDEO, name)
    blobs.write(VIDEO, name, b"one")
    assert blobs.path(VIDEO, name).read_bytes() == b"one"
    blobs.write(VIDEO, name, b"two")
    assert blobs.exists(VIDEO, name)
    assert blobs.read(VIDEO, name) == b"two"
    assert list((blobs.root / ".unfinished").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a/..",
        "a/./b",
        "nul\0",
        "a\\b",
        "..\\x",
        "\udcff",
    ],
)
def test_names_that_lead_elsewhere_are_refused(blobs: FileBlobs, name: str) -> None:
    for action in (blobs.path, blobs.exists, blobs.read, lambda v, n: blobs.write(v, n, b"")):
        with pytest.raises(UserError, match="is not a blob name"):
            action(VIDEO, name)
    assert list(blobs.root.iterdir()) == []


@pytest.mark.parametrize("video_id", ["", ".", "..", "/tmp", "../x", ".unfinished", "a/b", "x\0", "x" * 101])
def test_ids_that_lead_elsewhere_are_refused(blobs: FileBlobs, video_id: str) -> None:
    with pytest.raises(UserError, match="is not a video id"):
        blobs.write(video_id, "a", b"")
    with pytest.raises(UserError, match="is not a video id"):
        blobs.remove_video(video_id)


def test_missing_blob_is_a_file_problem(blobs: FileBlobs) -> None:
    with pytest.raises(FileProblem, match="Nothing is stored as 'a'"):
        blobs.read(VIDEO, "a")


def test_name_too_long_for_the_disk_is_said(blobs: FileBlobs) -> None:
    with pytest.raises(BackendError, match="File name too long"):
        blobs.write(VIDEO, "x" * 300, b"")


def test_removal_takes_all_of_one_video(blobs: FileBlobs) -> None:
    blobs.write(VIDEO, "a/b/c", b"x")
    blobs.write("vid_2", "a", b"y")
    blobs.remove_video(VIDEO)
    blobs.remove_video(VIDEO)
    assert list(blobs.videos()) == ["vid_2"]


def test_leftovers_of_dead_writers_are_swept_and_live_ones_kept(blobs: FileBlobs) -> None:
    blobs.write(VIDEO, "a", b"x")
    old, young = blobs.root / ".unfinished" / "old", blobs.root / ".unfinished" / "young"
    old.touch()
    young.touch()
    os.utime(old, (time.time() - 7200,) * 2)
    assert blobs.sweep() == 1
    assert not old.exists()
    assert young.exists()


def test_a_killed_writer_leaves_the_blob_whole(blobs: FileBlobs) -> None:
    for moment, heard in [
        (0.0, 1),
        (0.004, 1),
        (0.01, 1),
        (0.02, 1),
        (0.0, 2),
        (0.01, 2),
        (0.03, 2),
        (0.05, 2),
    ]:
        hearer, teller = FORKSERVER.Pipe(duplex=False)
        writer = FORKSERVER.Process(target=write_blobs_until_killed, args=(blobs.root, teller))
        writer.start()
        for _ in range(heard):
            hearer.recv()
        time.sleep(moment)
        writer.kill()
        writer.join(PATIENCE_S)
        for resource in (writer, hearer, teller):
            resource.close()
        if blobs.exists("vid_1", "frame.bin"):
            data = blobs.read("vid_1", "frame.bin")
            assert data == data[:1] * 300_000
    assert blobs.exists("vid_1", "frame.bin")


def test_full_disk_keeps_the_old_blob_and_says_what_to_do(blobs: FileBlobs) -> None:
    blobs.write(VIDEO, "a", b"old")
    code = """
        import resource, sys
        from pathlib import Path
        from vidence.errors import BackendError
        from vidence.store.files import FileBlobs
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            FileBlobs(Path(sys.argv[1])).write(sys.argv[2], "a", bytes(1_000_000))
        except BackendError as exc:
            print(exc)
    """
    told = run_python(code, blobs.root, VIDEO).stdout
    assert "No space left to write" in told
    assert "Free some space" in told
    assert blobs.read(VIDEO, "a") == b"old"
    assert list((blobs.root / ".unfinished").iterdir()) == []
