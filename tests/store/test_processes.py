"""Several processes at once, killed at any moment, on a disk that fills up: nothing is lost or half there."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.store.processes import run_python, start_python
from tests.store.videos import add, make_file
from vidence.errors import BackendError
from vidence.store import Store

ADDER = """
    import sys
    from pathlib import Path
    from tests.store.videos import add
    from vidence.store import Store
    print("ready", flush=True)
    sys.stdin.readline()
    with Store.open(Path(sys.argv[1])) as store:
        print(add(store, Path(sys.argv[2])).is_new)
"""

WRITER = """
    import itertools, sys
    from pathlib import Path
    from tests.store.videos import make_file, make_info, make_record
    from vidence.schema.structure import Segment
    from vidence.store import Store, content_id
    home, files, run = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    shots = [
        Segment(segment_id=f"seg_{n:03d}", start_time=n, end_time=n + 1, type="shot") for n in range(20)
    ]
    with Store.open(home) as store:
        print("ready", flush=True)
        for n in itertools.count():
            path = make_file(files / f"{run}-{n}.mp4", f"{run}-{n}".encode())
            with store.db.transaction() as tx:
                video_id = store.catalogue.add(path, make_info(path), content_id(path)).video.video_id
                store.stages.begin(video_id, "shots", "m1")
                store.segments.replace(video_id, "fine", shots)
                store.stages.finish(video_id, "shots", connection=tx)
                store.results.record(make_record(video_id, "{}", record_id=f"{run}-{n}"), result_json="{}")
            print("added", video_id, flush=True)
            if n % 3 == 2:
                store.blobs.write(video_id, "thumb.jpg", b"jpeg")
                print("removing", video_id, flush=True)
                store.catalogue.remove(video_id)
                print("removed", video_id, flush=True)
"""


def _release(processes: list[subprocess.Popen[str]]) -> list[str]:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = []
    for process in processes:
        stdout, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr
        told.append(stdout.strip())
    return told


@pytest.mark.parametrize("number", [2, 8])
def test_processes_adding_the_same_video_at_once_make_one(home: Path, tmp_path: Path, number: int) -> None:
    path = make_file(tmp_path / "a.mp4", random.Random(0).randbytes(2_000_000))
    told = _release([start_python(ADDER, home, path) for _ in range(number)])
    assert sorted(told) == ["False"] * (number - 1) + ["True"]
    with Store.open(home) as store:
        (video,) = store.catalogue.list()
        assert [spot.path for spot in video.locations] == [path]


def test_processes_adding_copies_at_once_make_one_video_with_all_places(home: Path, tmp_path: Path) -> None:
    paths = [make_file(tmp_path / f"{n}.mp4") for n in range(4)]
    told = _release([start_python(ADDER, home, path) for path in paths])
    assert told.count("True") == 1
    with Store.open(home) as store:
        (video,) = store.catalogue.list()
        assert sorted(spot.path for spot in video.locations) == paths


@pytest.mark.slow
def test_kill_9_at_any_moment_leaves_whole_videos_only(home: Path, tmp_path: Path) -> None:
    moments = random.Random(7)
    told: dict[str, set[str]] = {"added": set(), "removing": set(), "removed": set()}
    for run in range(15):
        writer = start_python(WRITER, home, tmp_path / "files", run)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(moments.uniform(0, 0.25))
        writer.kill()
        for line in writer.communicate()[0].splitlines(keepends=True):
            if line.endswith("\n"):
                word, video_id = line.split()
                told[word].add(video_id)
        there = _check_whole(home)
        assert told["added"] - told["removing"] <= there
        assert not told["removed"] & there
    assert len(told["added"]) > 15
    assert told["removed"]


def _check_whole(home: Path) -> set[str]:
    with Store.open(home) as store:
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
    with Store.open(home) as store:
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
        from vidence.store import Store
        home, files = Path(sys.argv[1]), Path(sys.argv[2])
        with Store.open(home) as store:
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
    with Store.open(home) as store:
        assert [video.video_id for video in store.catalogue.list()] == saved
        assert add(store, make_file(tmp_path / "more.mp4", b"more")).is_new


def test_a_reader_is_not_stopped_by_a_writer(home: Path, tmp_path: Path) -> None:
    with Store.open(home) as store:
        add(store, make_file(tmp_path / "a.mp4"))
        other = sqlite3.connect(home / "vidence.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        assert len(store.catalogue.list()) == 1
        assert time.monotonic() - started < 1
        other.close()
