"""The catalogue knows a video by its content, wherever its file lies."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.store.videos import add, make_file, make_info, make_record
from vidence.errors import BackendError, FileProblem, MissingFile, UnknownName, UserError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.observations import Segment
from vidence.store import content_id
from vidence.store.sqlite import SqliteStore


def test_same_file_added_twice_is_one_video(store: SqliteStore, tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4")
    assert add(store, path).is_new
    again = add(store, path)
    assert not again.is_new
    assert len(store.catalogue.list()) == len(again.video.locations) == 1


def test_what_was_probed_comes_back_whole(store: SqliteStore, tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4")
    before = time.time()
    video = add(store, path).video
    assert video.info == make_info(path)
    assert before <= video.added_at <= time.time()
    assert store.catalogue.get(video.video_id) == video


def test_copies_are_one_video_with_several_locations(store: SqliteStore, tmp_path: Path) -> None:
    first = add(store, make_file(tmp_path / "a.mp4")).video
    second = add(store, make_file(tmp_path / "copies" / "b.mp4"))
    assert not second.is_new
    assert second.video.video_id == first.video_id
    assert [spot.path.name for spot in second.video.locations] == ["b.mp4", "a.mp4"]
    assert second.video.info.path == tmp_path / "copies" / "b.mp4"


def test_list_keeps_the_order_of_adding(store: SqliteStore, tmp_path: Path) -> None:
    ids = [add(store, make_file(tmp_path / f"{n}.mp4", bytes([n]))).video.video_id for n in range(5)]
    assert [video.video_id for video in store.catalogue.list()] == ids


def test_known_path_is_not_read_again(store: SqliteStore, video: VideoRecord) -> None:
    # Other bytes under the same size and mtime: whoever read them would notice.
    times = (video.path.stat().st_atime_ns, video.locations[0].mtime_ns)
    video.path.write_bytes(bytes(video.size_bytes))
    os.utime(video.path, ns=times)
    assert store.catalogue.known(video.path) == video
    assert store.catalogue.locate(video.video_id) == video.path


def test_known_doubts_a_touched_file(store: SqliteStore, video: VideoRecord) -> None:
    os.utime(video.path, (1, 1))
    assert store.catalogue.known(video.path) is None


def test_known_doubts_a_file_added_in_the_moment_it_was_written(store: SqliteStore, tmp_path: Path) -> None:
    # Dated ahead, so that it stays fresh however long the machine takes until it is added.
    path = make_file(tmp_path / "fresh.mp4", age_s=-600)
    add(store, path)
    assert store.catalogue.known(path) is None


def test_known_of_a_missing_file_says_so(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"No such file: .*nowhere\.mp4"):
        store.catalogue.known(tmp_path / "nowhere.mp4")


def test_a_symlink_and_its_target_are_one_location(
    store: SqliteStore, video: VideoRecord, tmp_path: Path
) -> None:
    link = tmp_path / "latest.mp4"
    link.symlink_to(video.path)
    assert len(add(store, link).video.locations) == 1
    assert store.catalogue.resolve(str(link)).video_id == video.video_id


@pytest.mark.parametrize(
    "name", ["with space.mp4", "猫の動画.mp4", "🎬 film.mp4", 'it\'s "quoted".mp4', "%s.mp4"]
)
def test_odd_file_names_are_fine(store: SqliteStore, tmp_path: Path, name: str) -> None:
    video = add(store, make_file(tmp_path / name)).video
    assert video.name == name
    assert store.catalogue.resolve(name) == video
    assert store.catalogue.locate(video.video_id) == tmp_path / name


def test_a_name_that_is_not_unicode_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.mp4"))
    info = make_info(make_file(tmp_path / "a.mp4"))
    make_file(path)
    with pytest.raises(FileProblem, match="not valid Unicode"):
        store.catalogue.add(path, info, content_id(path))
    assert store.catalogue.list() == ()


def test_resolve_takes_id_prefix_path_name_and_stem(
    store: SqliteStore, video: VideoRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for ref in (video.video_id, video.video_id[:8], str(video.path), "clips/cat.mp4", "cat.mp4", "Cat"):
        assert store.catalogue.resolve(ref).video_id == video.video_id, ref


def test_resolve_suggests_near_names(store: SqliteStore, video: VideoRecord) -> None:
    with pytest.raises(MissingFile, match=r"No such file: 'cta\.mp4'\. Did you mean 'cat\.mp4'\?"):
        store.catalogue.resolve("cta.mp4")
    typo = video.video_id[:-1] + "x"
    with pytest.raises(UnknownName, match=video.video_id):
        store.catalogue.resolve(typo)
    with pytest.raises(UnknownName, match=video.video_id):
        store.catalogue.get(typo)


@pytest.mark.parametrize("ref", ["", ".", "/", "vid_", "\0", "\udcff", "x" * 5000, "' OR 1=1 --"])
def test_resolve_of_nonsense_is_a_user_error(store: SqliteStore, ref: str) -> None:
    with pytest.raises(UserError) as caught:
        store.catalogue.resolve(ref)
    assert "\n" not in str(caught.value)


def test_resolve_of_a_file_not_yet_added_says_to_add_it(store: SqliteStore, tmp_path: Path) -> None:
    path = make_file(tmp_path / "new.mp4")
    with pytest.raises(UnknownName, match="vidence add"):
        store.catalogue.resolve(str(path))


def test_ambiguous_name_lists_what_it_may_mean(store: SqliteStore, tmp_path: Path) -> None:
    videos = [add(store, make_file(tmp_path / d / "a.mp4", d.encode())).video for d in ("one", "two")]
    with pytest.raises(UserError, match=r"'a\.mp4' may mean 2 videos") as caught:
        store.catalogue.resolve("a.mp4")
    assert all(video.video_id in str(caught.value) for video in videos)
    with pytest.raises(UserError, match="may mean 2 videos"):
        store.catalogue.resolve("vid_")


def test_replaced_path_resolves_to_what_lies_there_now(store: SqliteStore, tmp_path: Path) -> None:
    path = make_file(tmp_path / "a.mp4", b"old")
    add(store, path)
    new = add(store, make_file(path, b"new content"))
    assert new.is_new
    assert store.catalogue.resolve(str(path)).video_id == new.video.video_id


def test_removal_takes_everything_of_that_video_and_nothing_else(
    store: SqliteStore, video: VideoRecord, tmp_path: Path
) -> None:
    other = add(store, make_file(tmp_path / "dog.mp4", b"dog")).video
    for one in (video, other):
        _fill(store, one.video_id)
    kept = _rows(store, other.video_id)
    store.catalogue.remove(video.video_id)
    assert set(_rows(store, video.video_id).values()) == {0}
    assert _rows(store, other.video_id) == kept
    assert not store.blobs.exists(video.video_id, "thumb.jpg")
    assert store.blobs.read(other.video_id, "thumb.jpg") == b"jpeg"
    with store.db.read() as reader:
        assert reader.execute("SELECT count(*) FROM results").fetchone()[0] == 2, "its own body is gone"
    assert video.path.exists(), "the file itself is not ours to delete"


def test_removing_an_unknown_video_says_so(store: SqliteStore) -> None:
    with pytest.raises(UnknownName, match="Unknown video 'vid_0'"):
        store.catalogue.remove("vid_0")


def test_blobs_of_a_removal_cut_short_go_when_opened_again(
    home: Path, video: VideoRecord, store: SqliteStore
) -> None:
    store.blobs.write("vid_0123456789abcdef", "thumb.jpg", b"orphan")
    store.blobs.write(video.video_id, "thumb.jpg", b"kept")
    with SqliteStore.open(home) as again:
        assert list(again.blobs.videos()) == [video.video_id]


def _fill(store: SqliteStore, video_id: str) -> None:
    store.stages.begin(video_id, "shots", "f1")
    shot = Segment(segment_id="seg_001", start_time=0, end_time=1, type="shot", transition="start")
    store.segments.replace(video_id, "fine", [shot])
    store.blobs.write(video_id, "thumb.jpg", b"jpeg")
    for body in ('{"shared": true}', f'{{"video": "{video_id}"}}'):
        store.results.remember(video_id + body, video_id, "get_video_info", body)
        store.results.record(make_record(video_id, body, record_id=video_id + body), result_json=body)


def _rows(store: SqliteStore, video_id: str) -> dict[str, int]:
    tables = ("videos", "video_locations", "stages", "segments", "result_cache", "op_records")
    with store.db.read() as reader:
        return {
            table: reader.execute(f"SELECT count(*) FROM {table} WHERE video_id = ?", (video_id,)).fetchone()[
                0
            ]
            for table in tables
        }


def test_a_record_that_cannot_be_read_is_mended_by_adding_the_file_again(
    store: SqliteStore, tmp_path: Path
) -> None:
    path = make_file(tmp_path / "cat.mp4", b"moving pictures", age_s=30)
    video = add(store, path).video
    with store.db.transaction() as tx:
        tx.execute("UPDATE videos SET info = '{}'")
    with pytest.raises(BackendError, match=r"cannot be read. Run `vidence add` .*cat\.mp4"):
        store.catalogue.list()
    assert store.catalogue.known(path) is None
    assert add(store, path).video.info == video.info
    assert [one.video_id for one in store.catalogue.list()] == [video.video_id]
