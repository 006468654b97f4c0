"""Several processes at once, killed at any moment, on a disk that fills up: nothing is lost or half there."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S
from tests.store.processes import FORKSERVER, run_python
from tests.store.videos import add, make_file
from tests.store.workers import add_at_once, write_until_killed
from vidence.errors import BackendError
from vidence.store.sqlite import SqliteStore
from vidence.store.sqlite.migrate import shipped_migrations


def _add_at_once(home: Path, paths: list[Path]) -> list[bool]:
    start = FORKSERVER.Barrier(len(paths))
    told = []
    for path in paths:
        hearer, teller = FORKSERVER.Pipe(duplex=False)
        process = FORKSERVER.Process(target=add_at_once, args=(home, path, start, teller))
        process.start()
        teller.close()
        told.append((hearer, process))
    news = [bool(hearer.recv()) for hearer, _ in told]
    for hearer, process in told:
        hearer.close()
        process.join(PATIENCE_S)
        assert process.exitcode == 0
        process.close()
    return news


def _write_and_kill(home: Path, files: Path, run: int, after: int, after_s: float) -> list[tuple[str, str]]:
    """Kill a writer `after_s` seconds after it told of `after` steps; return all that it told."""
    hearer, teller = FORKSERVER.Pipe(duplex=False)
    process = FORKSERVER.Process(target=write_until_killed, args=(home, files, run, teller))
    process.start()
    teller.close()
    told = [hearer.recv() for _ in range(1 + after)]
    time.sleep(after_s)
    process.kill()
    process.join(PATIENCE_S)
    # A message cut in half by the kill was not told.
    with suppress(EOFError, OSError):
        while True:
            told.append(hearer.recv())
    hearer.close()
    process.close()
    return told


@pytest.mark.parametrize("number", [2, 8])
def test_processes_adding_the_same_video_at_once_make_one(home: Path, tmp_path: Path, number: int) -> None:
    path = make_file(tmp_path / "a.mp4", random.Random(0).randbytes(2_000_000))
    assert sorted(_add_at_once(home, [path] * number)) == [False] * (number - 1) + [True]
    with SqliteStore.open(home) as store:
        (video,) = store.catalogue.list()
        assert [spot.path for spot in video.locations] == [path]
        with store.db.read() as reader:
            applied = reader.execute("SELECT count(*) FROM schema_migrations").fetchone()[0]
        assert applied == len(shipped_migrations()), "each migration ran in one of the processes only"


def test_processes_adding_copies_at_once_make_one_video_with_all_places(home: Path, tmp_path: Path) -> None:
    paths = [make_file(tmp_path / f"{n}.mp4") for n in range(4)]
    assert sum(_add_at_once(home, paths)) == 1
    with SqliteStore.open(home) as store:
        (video,) = store.catalogue.list()
        assert sorted(spot.path for spot in video.locations) == paths


def test_kill_9_at_any_moment_leaves_whole_videos_only(home: Path, tmp_path: Path) -> None:
    moments = random.Random(7)
    told: dict[str, set[str]] = {"ready": set(), "added": set(), "removing": set(), "removed": set()}
    for run in range(25):
        moment = (moments.randrange(12), moments.uniform(0, 0.03))
        for word, video_id in _write_and_kill(home, tmp_path / "files", run, *moment):
            told[word].add(video_id)
        there = _check_whole(home)
        assert told["added"] - told["removing"] <= there
        assert not told["removed"] & there
    assert len(told["added"]) > 25
    assert told["removed"]


def _check_whole(home: Path) -> set[str]:
    with SqliteStore.open(home) as store:
        with store.db.read() as reader:
            assert reader.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert reader.execute("PRAGMA foreign_key_check").fetchall() == []
        videos = store.catalogue.list()
        for video in videos:
            assert len(video.locations) == 1
            assert [row.state for row in store.stages.all(video.video_id)] == ["done"]
            assert len(store.segments.load(video.video_id, "fine")) == 20
            assert len(store.results.records(video_id=video.video_id)) == 1
        there = {video.video_id for video in videos}
        assert set(store.blobs.videos()) <= there
    return there


def test_full_database_says_so_and_loses_nothing(home: Path, tmp_path: Path) -> None:
    with SqliteStore.open(home) as store:
        kept = add(store, make_file(tmp_path / "a.mp4")).video
        with store.db.transaction() as tx:
            pages = tx.execute("PRAGMA page_count").fetchone()[0]
            tx.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(
            BackendError, match=r"No space left for the database .* Free some space"
        ) as caught:
            store.results.remember("k", kept.video_id, "op", "x" * 100_000)
        assert "\n" not in str(caught.value)
        assert store.catalogue.list() == (kept,)
        assert store.results.cached("k") is None
        with store.db.transaction() as tx:
            tx.execute("PRAGMA max_page_count = 1000000")
        store.results.remember("k", kept.video_id, "op", "x" * 100_000)
        assert store.results.cached("k") is not None


def test_disk_that_takes_no_more_says_so_and_loses_nothing(home: Path, tmp_path: Path) -> None:
    code = """
        import resource, sys
        from pathlib import Path
        from tests.store.videos import add, make_file
        from vidence.errors import BackendError
        from vidence.store.sqlite import SqliteStore
        home, files = Path(sys.argv[1]), Path(sys.argv[2])
        with SqliteStore.open(home) as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
            for n in range(2000):
                path = make_file(files / f"{n}.mp4", str(n).encode())
                try:
                    print(add(store, path).video.video_id, flush=True)
                except BackendError as exc:
                    print("error:", exc)
                    assert len(store.catalogue.list()) == n, "what was saved is still there"
                    break
    """
    *saved, told = run_python(code, home, tmp_path / "files").stdout.splitlines()
    assert told.startswith("error: ")
    assert "Free some space and run the same command again" in told
    with SqliteStore.open(home) as store:
        assert [video.video_id for video in store.catalogue.list()] == saved
        assert add(store, make_file(tmp_path / "more.mp4", b"more")).is_new


def test_a_reader_is_not_stopped_by_a_writer(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever has to wait for the writer fails at once.
    monkeypatch.setattr("vidence.store.sqlite.database._PATIENCE_S", 0.0)
    monkeypatch.setattr("vidence.store.sqlite.database._BUSY_TIMEOUT_S", 0.0)
    with SqliteStore.open(home) as store:
        add(store, make_file(tmp_path / "a.mp4"))
        other = sqlite3.connect(home / "vidence.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert len(store.catalogue.list()) == 1
        other.close()
