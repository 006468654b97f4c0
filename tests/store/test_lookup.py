"""A video's file is found where it was, or moved nearby; other bytes are never taken for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.store.videos import add, make_file
from vidence.errors import FileProblem, UnknownName
from vidence.schema.catalogue import VideoRecord
from vidence.store.sqlite import SqliteStore


def test_untouched_file_is_where_it_was(store: SqliteStore, video: VideoRecord) -> None:
    assert store.catalogue.locate(video.video_id) == video.path


def test_touched_file_is_confirmed_by_its_content_and_remembered(
    store: SqliteStore, video: VideoRecord
) -> None:
    os.utime(video.path, (1000, 1000))
    assert store.catalogue.locate(video.video_id) == video.path
    assert store.catalogue.get(video.video_id).locations[0].mtime_ns == 1000 * 10**9
    assert store.catalogue.known(video.path) is not None


@pytest.mark.parametrize("target", ["clips/renamed.mp4", "clips/archive/cat.mp4", "other/cat.mp4"])
def test_moved_file_is_found_and_remembered(
    store: SqliteStore, video: VideoRecord, tmp_path: Path, target: str
) -> None:
    add(store, make_file(tmp_path / "other" / "dog.mp4", b"a dog, barking!"))
    moved = tmp_path / target
    moved.parent.mkdir(exist_ok=True)
    video.path.rename(moved)
    assert store.catalogue.locate(video.video_id) == moved
    record = store.catalogue.get(video.video_id)
    assert record.path == record.info.path == moved
    assert store.catalogue.resolve(str(moved)).video_id == video.video_id


def test_moved_file_is_found_among_others_of_its_size(store: SqliteStore, video: VideoRecord) -> None:
    for n in range(5):
        make_file(video.path.with_name(f"{n}.mp4"), bytes([n]) * video.size_bytes)
    video.path.rename(video.path.with_name("9.mp4"))
    assert store.catalogue.locate(video.video_id).name == "9.mp4"


def test_second_copy_serves_when_the_first_is_gone(
    store: SqliteStore, video: VideoRecord, tmp_path: Path
) -> None:
    copy = make_file(tmp_path / "far" / "away" / "copy.mp4", video.path.read_bytes())
    add(store, copy)
    copy.unlink()
    assert store.catalogue.locate(video.video_id) == video.path


@pytest.mark.parametrize("content", [b"MOVING PICTURES", b"shorter", b"", b"a good deal longer than it was"])
def test_replaced_file_is_detected(store: SqliteStore, video: VideoRecord, content: bytes) -> None:
    make_file(video.path, content, age_s=30)
    with pytest.raises(
        FileProblem, match=r"changed since it was added .* Run `vidence index` on it to"
    ) as caught:
        store.catalogue.locate(video.video_id)
    assert str(video.path) in str(caught.value)


def test_replaced_file_is_found_when_the_old_one_lies_beside_it(
    store: SqliteStore, video: VideoRecord
) -> None:
    backup = video.path.with_name("cat.bak.mp4")
    video.path.rename(backup)
    make_file(video.path, b"something else!")
    assert store.catalogue.locate(video.video_id) == backup


def test_gone_file_says_where_it_was(store: SqliteStore, video: VideoRecord) -> None:
    video.path.unlink()
    with pytest.raises(
        FileProblem, match=r"is gone: it was at .*cat\.mp4.* Put it back, or run `vidence add`"
    ):
        store.catalogue.locate(video.video_id)


def test_gone_folder_is_no_crash(store: SqliteStore, video: VideoRecord) -> None:
    video.path.unlink()
    video.path.parent.rmdir()
    with pytest.raises(FileProblem, match="is gone"):
        store.catalogue.locate(video.video_id)


def test_a_folder_or_pipe_in_its_place_is_not_taken_for_it(store: SqliteStore, video: VideoRecord) -> None:
    video.path.unlink()
    os.mkfifo(video.path)
    with pytest.raises(FileProblem, match="is gone"):
        store.catalogue.locate(video.video_id)


def test_freshly_written_file_is_not_trusted_by_its_mtime(store: SqliteStore, tmp_path: Path) -> None:
    # Dated ahead, so that it stays fresh however long the machine takes until it is added.
    path = make_file(tmp_path / "fresh.mp4", b"first bytes", age_s=-600)
    video = add(store, path).video
    stamp = path.stat()
    path.write_bytes(b"other bytes")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with pytest.raises(FileProblem, match="changed since it was added"):
        store.catalogue.locate(video.video_id)


def test_unknown_video_is_an_unknown_name(store: SqliteStore) -> None:
    with pytest.raises(UnknownName):
        store.catalogue.locate("vid_0000000000000000")
