"""What every store keeps to, whatever database is behind it; only the Protocols are used here.

A new store adds one line to `STORES`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from tests.store.videos import add, make_file, make_record
from vidence.errors import FileProblem, UnknownName, UserError, VidenceError
from vidence.schema.entities import Entity
from vidence.schema.memory import Memory, NewMemory
from vidence.schema.observations import Caption, Segment
from vidence.schema.time import TimeRange
from vidence.schema.topics import MonitorRecord, Page, TopicRun
from vidence.store import Store, VectorRow, open_store

Open = Callable[[Path], Store]
Result = TypeVar("Result")

STORES: dict[str, Open] = {"sqlite": open_store}
SHOT = Segment(segment_id="seg_001", start_time=0.0, end_time=1.0 / 3, type="shot", transition="start")
SCENE = Segment(segment_id="seg_001", start_time=0.0, end_time=2.0, type="scene", transition="start")


@pytest.fixture(params=list(STORES))
def open_(request: pytest.FixtureRequest) -> Open:
    return STORES[request.param]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(open_: Open, home: Path) -> Iterator[Store]:
    with open_(home) as opened:
        yield opened


@pytest.fixture
def video_id(store: Store, tmp_path: Path) -> str:
    return add(store, make_file(tmp_path / "clips" / "cat.mp4")).video.video_id


def elsewhere(action: Callable[[], Result]) -> Result:
    """Run `action` in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(action).result()


def caption(start: float, text: str = "a cat") -> Caption:
    return Caption(
        start_time=start, end_time=start + 1, segment_id="seg_001", en=text, zh="一只猫", confidence=1.0
    )


def entity(video_id: str, entity_id: str) -> Entity:
    return Entity(
        entity_id=entity_id,
        video_id=video_id,
        description="the dog",
        category="dog",
        timestamp=1.0,
        bbox=(0.1, 0.2, 0.3, 0.4),
        confidence=0.9,
        signature="dog:brown",
    )


def remember(store: Store, content: str, *, scope: str = "main", **fields: object) -> Memory:
    new = NewMemory.model_validate({"content": content, **fields})
    return store.memories.add(scope, new, terms=content.encode())


def write_everything(store: Store, video_id: str) -> None:
    """Write one row of every kind."""
    store.stages.begin(video_id, "captions", "toy@1")
    store.segments.replace(video_id, "fine", [SHOT])
    store.observations.append(video_id, "captions", [caption(0)])
    store.vectors.append(video_id, "captions", [VectorRow(0, 1, "x", np.ones(2, np.float32))])
    store.entities.add(video_id, lambda entity_id: entity(video_id, entity_id))
    store.memories.add(f"video:{video_id}", NewMemory(content="a cat"), terms=b"cat", video_id=video_id)
    store.memories.save_state("main", "session", 1, "{}")
    store.results.remember("key", video_id, "op", "{}")
    store.results.record(make_record(video_id, "{}", record_id="rec_1"))


def everything(store: Store, video_id: str) -> list[object]:
    """Return what `write_everything` wrote; all empty or None where nothing was."""
    return [
        store.stages.all(video_id),
        store.segments.load(video_id, "fine"),
        store.observations.load(video_id, "captions", Caption),
        store.vectors.load(video_id, "captions"),
        store.entities.all(video_id),
        store.memories.all(f"video:{video_id}"),
        store.results.cached("key"),
        store.results.records(),
        store.memories.load_state("main", "session", 1),
    ]


def test_a_unit_of_work_commits_all_of_it(open_: Open, home: Path, store: Store, video_id: str) -> None:
    with store.unit_of_work():
        write_everything(store, video_id)
    with open_(home) as again:
        assert all(everything(again, video_id))


def test_an_exception_undoes_every_write_of_a_unit(store: Store, video_id: str) -> None:
    def fail() -> None:
        with store.unit_of_work():
            write_everything(store, video_id)
            assert all(everything(store, video_id)), "a unit sees its own writes"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert not any(everything(store, video_id))


def test_adding_and_removing_a_video_can_be_undone(store: Store, video_id: str, tmp_path: Path) -> None:
    def fail() -> None:
        with store.unit_of_work():
            add(store, make_file(tmp_path / "dog.mp4", b"dog"))
            store.catalogue.remove(video_id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [video.video_id for video in store.catalogue.list()] == [video_id]


def test_an_inner_unit_fails_alone_and_is_kept_with_the_outer_one(store: Store, video_id: str) -> None:
    def fail() -> None:
        with store.unit_of_work():
            store.observations.append(video_id, "captions", [caption(1, "undone")])
            raise ZeroDivisionError

    with store.unit_of_work():
        store.observations.append(video_id, "captions", [caption(0, "kept")])
        with pytest.raises(ZeroDivisionError):
            fail()
        with store.memories.unit_of_work():
            store.observations.append(video_id, "captions", [caption(2, "kept too")])
    rows = store.observations.load(video_id, "captions", Caption)
    assert [row.en for row in rows] == ["kept", "kept too"]


def test_a_failed_outer_unit_takes_the_inner_one_with_it(store: Store, video_id: str) -> None:
    def fail() -> None:
        with store.unit_of_work():
            with store.memories.unit_of_work():
                write_everything(store, video_id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not any(everything(store, video_id))


def test_an_open_unit_is_seen_by_nobody_else(open_: Open, home: Path, store: Store, video_id: str) -> None:
    with open_(home) as other:
        with store.unit_of_work():
            write_everything(store, video_id)
            assert not any(elsewhere(lambda: everything(store, video_id)))
            assert not any(elsewhere(lambda: everything(other, video_id)))
        assert all(everything(other, video_id))


def test_two_stores_know_nothing_of_each_other(
    open_: Open, store: Store, video_id: str, tmp_path: Path
) -> None:
    write_everything(store, video_id)
    store.blobs.write(video_id, "thumb.jpg", b"jpeg")
    with open_(tmp_path / "second") as other, store.locks.hold(video_id):
        assert other.catalogue.list() == ()
        assert not any(everything(other, video_id))
        assert not other.blobs.exists(video_id, "thumb.jpg")
        assert not other.locks.is_held(video_id)


def test_a_closed_store_says_so(open_: Open, home: Path) -> None:
    store = open_(home)
    store.close()
    with pytest.raises(VidenceError, match="closed"):
        store.catalogue.list()


def test_everything_about_a_video_goes_with_it(open_: Open, home: Path, store: Store, video_id: str) -> None:
    write_everything(store, video_id)
    store.blobs.write(video_id, "thumb.jpg", b"jpeg")
    store.catalogue.remove(video_id)
    with open_(home) as again:
        *of_video, state = everything(again, video_id)
        assert not any(of_video)
        assert state == "{}", "the state of a session is not about a video"
        assert list(again.blobs.videos()) == []


def test_rows_of_an_unknown_video_are_refused(store: Store) -> None:
    for write in (
        lambda: store.stages.begin("vid_0", "captions", "toy@1"),
        lambda: store.segments.replace("vid_0", "fine", [SHOT]),
        lambda: store.observations.append("vid_0", "captions", [caption(0)]),
        lambda: store.entities.add("vid_0", lambda entity_id: entity("vid_0", entity_id)),
        lambda: store.results.record(make_record("vid_0", "{}", record_id="rec_1")),
    ):
        with pytest.raises(UserError, match="not in the catalogue"):
            write()


def test_a_video_is_known_by_its_content(store: Store, tmp_path: Path) -> None:
    path, copy = make_file(tmp_path / "a" / "cat.mp4"), make_file(tmp_path / "b" / "copy.mp4")
    first, second = add(store, path), add(store, copy)
    assert (first.is_new, second.is_new) == (True, False)
    video = first.video
    assert store.catalogue.get(video.video_id).locations[0].path == copy
    assert store.catalogue.known(path) == store.catalogue.at(path) == second.video
    assert store.catalogue.known(make_file(tmp_path / "dog.mp4", b"dog")) is None
    for ref in (video.video_id, video.video_id[:9], str(path), "cat.mp4", "CAT"):
        assert store.catalogue.resolve(ref).video_id == video.video_id
    with pytest.raises(UnknownName):
        store.catalogue.resolve("horse")
    with pytest.raises(UnknownName):
        store.catalogue.get("vid_0")


def test_a_moved_file_is_found_and_a_replaced_one_noticed(
    store: Store, video_id: str, tmp_path: Path
) -> None:
    path = store.catalogue.locate(video_id)
    moved = path.rename(path.with_name("renamed.mp4"))
    assert store.catalogue.locate(video_id) == moved
    make_file(moved, b"something else")
    with pytest.raises(FileProblem, match="changed since"):
        store.catalogue.at(moved)
    with pytest.raises(FileProblem):
        store.catalogue.locate(video_id)


def test_a_stage_is_begun_advanced_failed_resumed_and_finished(store: Store, video_id: str) -> None:
    stages = store.stages
    assert stages.get(video_id, "ocr") is None
    assert stages.begin(video_id, "ocr", "m1").cursor is None
    stages.advance(video_id, "ocr", progress=0.5, cursor={"time": 12.5, "词": ["猫", None]})
    stages.fail(video_id, "ocr", "the model broke")
    failed = stages.get(video_id, "ocr")
    assert failed is not None
    assert (failed.state, failed.error) == ("failed", "the model broke")
    resumed = stages.begin(video_id, "ocr", "m1")
    assert (resumed.state, resumed.progress, resumed.error) == ("running", 0.5, None)
    assert resumed.cursor == {"time": 12.5, "词": ["猫", None]}
    unfinished = stages.index_version(video_id, ["ocr"])
    stages.finish(video_id, "ocr")
    assert stages.begin(video_id, "ocr", "m1").is_done
    assert stages.index_version(video_id, ["ocr"]) != unfinished
    assert stages.begin(video_id, "ocr", "m2").progress == 0
    assert [row.stage for row in stages.all(video_id)] == ["ocr"]
    stages.reset(video_id, "ocr")
    assert stages.all(video_id) == ()


def test_a_stage_nobody_runs_cannot_advance(store: Store, video_id: str) -> None:
    with pytest.raises(VidenceError, match="not under way"):
        store.stages.advance(video_id, "ocr", progress=0.1)
    store.stages.begin(video_id, "ocr", "m1")
    store.stages.finish(video_id, "ocr")
    with pytest.raises(VidenceError, match="taken over"):
        store.stages.advance(video_id, "ocr", progress=0.1)
    with pytest.raises(ValueError, match="progress"):
        store.stages.advance(video_id, "ocr", progress=1.5)


def test_segments_are_replaced_whole(store: Store, video_id: str) -> None:
    assert store.segments.load(video_id, "fine") == ()
    later = Segment(
        segment_id="seg_002", start_time=1.0 / 3, end_time=2.002, type="shot", transition="dissolve"
    )
    store.segments.replace(video_id, "fine", [SHOT, later])
    store.segments.replace(video_id, "coarse", [SCENE])
    assert store.segments.load(video_id, "fine") == (SHOT, later)
    store.segments.replace(video_id, "fine", [later])
    assert store.segments.load(video_id, "fine") == (later,)
    assert store.segments.load(video_id, "coarse") == (SCENE,)


def test_observations_are_read_in_time_order_and_by_span(store: Store, video_id: str) -> None:
    assert store.observations.at(video_id, "captions", Caption, 1.0) is None
    store.observations.append(video_id, "captions", [caption(2), caption(4)])
    store.observations.append(video_id, "captions", [caption(3)])

    def starts(span: TimeRange | None = None) -> list[float]:
        rows = store.observations.load(video_id, "captions", Caption, span=span)
        return [row.start_time for row in rows]

    assert starts() == [2, 3, 4]
    assert starts(TimeRange(start_time=3, end_time=4)) == [3], "touching ends do not overlap"
    at = [store.observations.at(video_id, "captions", Caption, time_s) for time_s in (0.0, 3.5, 99.0)]
    assert [row and row.start_time for row in at] == [2, 3, 4]
    store.observations.clear(video_id, "captions")
    assert starts() == []


def test_words_are_found_as_they_stand(store: Store, video_id: str) -> None:
    store.observations.append(video_id, "captions", [caption(0, "100% wool")])

    def naming(words: str, *stages: str) -> list[str]:
        return store.observations.videos_naming(words, stages or ["captions"], limit=5)

    assert naming("100%") == naming("猫") == [video_id]
    assert naming("1_0") == naming("wool", "ocr") == []


def test_vectors_keep_half_precision_and_time_order(store: Store, video_id: str) -> None:
    body = np.array([0.25, -1.5, 1 / 3], np.float32)
    rows = [VectorRow(start, start + 1, f"frame {start}", body) for start in (1.0, 0.0)]
    store.vectors.append(video_id, "lens", rows)
    loaded = store.vectors.load(video_id, "lens")
    assert [row.label for row in loaded] == ["frame 0.0", "frame 1.0"]
    np.testing.assert_allclose(loaded[0].vector, body, rtol=1e-3)
    assert loaded[0].vector.dtype == np.float32
    span = TimeRange(start_time=0, end_time=1)
    assert [row.start_time for row in store.vectors.load(video_id, "lens", span=span)] == [0]
    store.vectors.clear(video_id, "lens")
    assert store.vectors.load(video_id, "lens") == []


def test_the_video_with_the_nearest_vector_comes_first(store: Store, tmp_path: Path) -> None:
    def index(name: str, vectors: list[list[float]]) -> str:
        video_id = add(store, make_file(tmp_path / name, name.encode())).video.video_id
        store.stages.begin(video_id, "lens", "toy@1")
        rows = [VectorRow(n, n + 1, "frame", np.array(v, np.float32)) for n, v in enumerate(vectors)]
        store.vectors.append(video_id, "lens", rows)
        return video_id

    query = np.array([0, 1], np.float32)
    one, two = index("one.mp4", [[1, 0], [0.5, 0.5]]), index("two.mp4", [[0, 1]])
    assert store.vectors.best_videos("lens", query, depth=5) == [], "no stage is finished"
    store.stages.finish(one, "lens")
    assert store.vectors.best_videos("lens", query, depth=5) == [one]
    store.stages.finish(two, "lens")
    assert store.vectors.best_videos("lens", query, depth=5) == [two, one]
    assert store.vectors.best_videos("lens", np.ones(3, np.float32), depth=5) == [], "another length"
    store.catalogue.remove(two)
    assert store.vectors.best_videos("lens", query, depth=5) == [one]


def test_entities_are_numbered_within_a_video_and_never_twice(
    open_: Open, home: Path, store: Store, video_id: str, tmp_path: Path
) -> None:
    with pytest.raises(UnknownName, match="Register one with register_entity"):
        store.entities.get(video_id, "ent_001")
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(lambda _: store.entities.add(video_id, lambda i: entity(video_id, i)), range(12))
        ids = sorted(one.entity_id for one in made)
    assert ids == [f"ent_{n:03d}" for n in range(1, 13)]
    with open_(home) as again:
        assert [one.entity_id for one in again.entities.all(video_id)] == ids
    other = add(store, make_file(tmp_path / "dog.mp4", b"dog")).video.video_id
    assert store.entities.add(other, lambda i: entity(other, i)).entity_id == "ent_001"
    assert store.entities.get(video_id, "ent_002") == entity(video_id, "ent_002")
    with pytest.raises(UnknownName, match=r"Did you mean 'ent_0.*the dog"):
        store.entities.get(video_id, "ent_1")


def test_a_memory_is_read_back_as_it_was_written(store: Store) -> None:
    memories, before = store.memories, store.memories.now()
    vectors = np.array([[0.5, 0.25], [1, 0]], np.float32)
    new = NewMemory(content="Ａ cat", importance=0.9, metadata={"词": ["猫"]})
    memory = memories.add("main", new, terms=b"cat", vectors=vectors, model_id="toy")
    assert (memory.memory_id, memory.number, memory.state) == ("mem_001", 1, "active")
    assert before <= memory.created_at <= memories.now()
    assert memory.said_at == memory.created_at
    assert memories.get("main", "mem_001") == memory
    assert memories.same_content("main", "a  CAT") == memory
    assert memories.same_content("other", "a cat") is None
    (row,) = memories.changes("main", 0)
    assert (row.memory, row.terms, row.model_id) == (memory, b"cat", "toy")
    assert row.vectors is not None
    np.testing.assert_array_equal(row.vectors, vectors)
    assert memories.terms("main", 1) == b"cat"
    assert memories.scopes() == ["main"]
    with pytest.raises(UnknownName, match="mem_001"):
        memories.get("main", "mem_002")


def test_every_change_of_a_scope_has_a_revision(store: Store) -> None:
    memories = store.memories
    assert memories.revision("main") == 0
    one, two = remember(store, "one"), remember(store, "two")
    remember(store, "elsewhere", scope="other")
    seen = memories.revision("main")
    memories.update(one.model_copy(update={"state": "superseded", "superseded_by": two.memory_id}))
    memories.set_vectors(two, "toy", np.ones((1, 2), np.float32))
    changed = memories.changes("main", seen)
    assert [row.memory.memory_id for row in changed] == ["mem_001", "mem_002"]
    assert max(row.revision for row in changed) == memories.revision("main") == seen + 2
    assert [row.content for row in memories.all("main")] == ["two"]
    assert [row.content for row in memories.all("main", state=None)] == ["one", "two"]
    assert (memories.count("main"), memories.count("main", "superseded")) == (1, 1)
    first, last = memories.positions("main", 1, 2)
    assert 0 <= first < last
    assert memories.positions("main", 1, 99) == (first, -1)


def test_what_is_erased_is_gone_and_its_id_with_it(store: Store) -> None:
    memory = remember(store, "a secret", subject="secrets")
    gone = store.memories.erase(memory, "asked to")
    assert (gone.content, gone.subject, gone.state, gone.reason) == ("", None, "forgotten", "asked to")
    assert store.memories.get("main", "mem_001") == gone
    assert store.memories.terms("main", 1) == b""
    assert store.memories.same_content("main", "a secret") is None
    assert remember(store, "another").memory_id == "mem_002"


def test_the_least_important_unpinned_memory_goes_first_but_never_the_newest(store: Store) -> None:
    assert store.memories.least_kept("main") is None
    remember(store, "pinned", importance=0.0, pinned=True)
    remember(store, "key", importance=1.0)
    remember(store, "small talk", importance=0.1)
    remember(store, "newest", importance=0.0)
    least = store.memories.least_kept("main")
    assert least is not None
    assert least.content == "small talk"


def test_a_state_of_a_newer_version_is_refused(store: Store) -> None:
    assert store.memories.load_state("main", "session", 1) is None
    store.memories.save_state("main", "session", 1, "old")
    store.memories.save_state("main", "session", 2, "new")
    assert store.memories.load_state("main", "session", 2) == "new"
    with pytest.raises(UserError, match="newer vidence"):
        store.memories.load_state("main", "session", 1)


def test_forgetting_empties_the_cache_of_one_video_and_keeps_the_ledger(store: Store, video_id: str) -> None:
    results = store.results
    kept = results.remember("key", video_id, "op", '{"kept":1}')
    lost = results.remember("lost", video_id, "op", '{"lost":1}')
    results.remember("other", None, "op", '{"other":1}')
    results.record(make_record(video_id, '{"kept":1}', record_id="rec_1"))
    results.forget(video_id)
    assert (results.cached("key"), results.cached("lost")) == (None, None)
    assert results.cached("other") == '{"other":1}'
    assert results.result(kept) == '{"kept":1}'
    assert results.result(lost) is None, "no cache row and no record names it"


def test_results_are_cached_and_every_run_is_recorded(store: Store, video_id: str) -> None:
    results = store.results
    assert results.cached("key") is None
    result_hash = results.remember("key", video_id, "op", '{"猫":1}')
    assert results.cached("key") == results.result(result_hash) == '{"猫":1}'
    results.remember("key", video_id, "op", "[]")
    assert results.cached("key") == "[]"
    assert results.result(result_hash) is None, "no cache row and no record names it"
    first = make_record(video_id, "{}", record_id="rec_1", operation="a")
    second = make_record(None, "{}", record_id="rec_2", operation="b")
    results.record(first, result_json="{}")
    results.record(second)
    assert results.result(first.result_hash) == "{}"
    assert results.records() == (second, first)
    assert results.records(video_id=video_id) == results.records(operation="a") == (first,)
    assert results.records(limit=1) == (second,)
    assert (results.get_record("rec_1"), results.get_record("rec_9")) == (first, None)
    with pytest.raises(ValueError, match="not the one"):
        results.record(make_record(None, "{}", record_id="rec_3"), result_json="[]")
    with pytest.raises(VidenceError):
        results.record(first)
    assert len(results.records()) == 2


def test_blobs_are_read_back_and_removed_with_their_video(store: Store) -> None:
    for data in (b"old", b"new"):
        store.blobs.write("vid_1", "thumbs/0001.jpg", data)
        assert store.blobs.read("vid_1", "thumbs/0001.jpg") == data
    assert store.blobs.sweep() == 0
    assert list(store.blobs.videos()) == ["vid_1"]
    store.blobs.remove_video("vid_1")
    assert not store.blobs.exists("vid_1", "thumbs/0001.jpg")
    with pytest.raises(FileProblem, match="Nothing is stored"):
        store.blobs.read("vid_1", "thumbs/0001.jpg")
    with pytest.raises(UserError, match="not a blob name"):
        store.blobs.write("vid_1", "../escape", b"")


def test_a_lock_has_one_holder_among_stores_and_threads(open_: Open, home: Path, store: Store) -> None:
    entered: list[str] = []
    waiting = threading.Event()

    def second() -> None:
        with open_(home) as other, other.locks.hold("vid_1", waiting=waiting.set):
            entered.append("second")

    with ThreadPoolExecutor(1) as pool, store.locks.hold("vid_1"):
        done = pool.submit(second)
        assert waiting.wait(60)
        assert store.locks.is_held("vid_1")
        assert not store.locks.is_held("vid_2")
        entered.append("first")
    done.result()
    assert entered == ["first", "second"]
    assert not store.locks.is_held("vid_1")


def test_a_job_keeps_its_state_and_counts_its_events(open_: Open, home: Path, store: Store) -> None:
    job = store.jobs.add("ask", {"question": "谁？"}, subject="vid_1", thread="th_1")
    numbers = [store.jobs.append(job.job_id, "thinking", {"text": text}).number for text in "ab"]
    store.jobs.update(job.model_copy(update={"state": "done", "result": {"answer": [1, None]}}))
    with open_(home) as again:
        kept = again.jobs.get(job.job_id)
        assert (kept.state, kept.given, kept.result) == ("done", {"question": "谁？"}, {"answer": [1, None]})
        assert again.jobs.append(job.job_id, "end", {}).number == 3
        later = again.jobs.events(job.job_id, after=1)
    assert numbers == [1, 2]
    assert [(one.number, one.kind, one.data) for one in later] == [
        (2, "thinking", {"text": "b"}),
        (3, "end", {}),
    ]


def test_jobs_are_paged_by_what_they_are_about(store: Store) -> None:
    jobs = [store.jobs.add("ask", {}, subject=f"vid_{n % 2}", thread="t") for n in range(5)]
    jobs.append(store.jobs.add("index", {}, subject="vid_0"))
    page, total = store.jobs.page(kind="ask", subject="vid_0", limit=2)
    assert (len(page), total) == (2, 3)
    assert store.jobs.page(states=("done",)) == ((), 0)
    assert store.jobs.page(thread="t", limit=1, offset=4)[0] == (jobs[0],)
    assert store.jobs.page()[1] == 6


def test_a_removed_job_takes_its_events_along(store: Store) -> None:
    job = store.jobs.add("ask", {})
    store.jobs.append(job.job_id, "thinking", {})
    store.jobs.remove(job.job_id)
    assert store.jobs.events(job.job_id) == []
    with pytest.raises(UnknownName):
        store.jobs.get(job.job_id)


def test_videos_are_paged_and_found_by_name(store: Store, tmp_path: Path) -> None:
    for name in ("cat_1.mp4", "cat%1.mp4", "dog.mp4"):
        path = tmp_path / "clips" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(name.encode())
        add(store, path)
    found, total = store.catalogue.page(offset=0, limit=2)
    assert (len(found), total) == (2, 3)
    assert store.catalogue.page(offset=0, limit=9, name="cat%")[1] == 1
    assert [one.name for one in store.catalogue.page(offset=0, limit=9, name="DOG")[0]] == ["dog.mp4"]


def test_pages_are_found_by_any_of_their_terms_and_replaced_whole(store: Store) -> None:
    topics = store.topics
    old = Page(url="https://x.org/a", title="R1", text="old", published=date(2025, 1, 20))
    topics.put_page("news", old, stamp="1", passages=["deepseek r1 模型", "price"])
    topics.put_page("other", Page(url="https://y.org/b", text="b"), stamp="1", passages=["deepseek"])
    assert {hit.url for hit in topics.search_passages(["deepseek"])} == {"https://x.org/a", "https://y.org/b"}
    assert [hit.place for hit in topics.search_passages(["price", "none"], sources=["news"])] == [1]
    assert [hit.url for hit in topics.search_passages(["模型"])] == ["https://x.org/a"]
    assert topics.search_passages(["deepseek"], sources=["news"], since=date(2025, 2, 1)) == []
    assert len(topics.search_passages(["deepseek"], sources=["other"], since=date(2025, 2, 1))) == 1
    assert topics.search_passages(['"quoted" OR (term)']) == []
    topics.put_page("news", old.model_copy(update={"text": "new"}), stamp="2", passages=["changed"])
    assert topics.search_passages(["price"]) == []
    assert (topics.stamps("news"), topics.count_pages()) == ({"https://x.org/a": "2"}, 2)
    kept = topics.page("https://x.org/a", ["news"])
    assert kept is not None
    assert kept.text == "new"
    topics.remove_pages("news", ["https://x.org/a"])
    assert topics.search_passages(["changed"]) == []
    assert topics.page("https://x.org/a") is None


def test_the_journal_of_a_run_lasts_until_it_is_over(store: Store) -> None:
    topics = store.topics
    topics.save_monitor(MonitorRecord(monitor_id="mon_1", command="x", created_at=1.0))
    run = TopicRun(run_id="mon_1-1", monitor_id="mon_1", started_at=1.0, given="{}")
    topics.save_run(run)
    topics.note("mon_1-1", "call:1", "first")
    topics.note("mon_1-1", "call:1", "second")
    assert topics.noted("mon_1-1", "call:1") == "first"
    assert topics.noted("mon_1-1", "call:2") is None
    topics.save_run(run.model_copy(update={"status": "finished", "briefing": "{}"}))
    assert topics.noted("mon_1-1", "call:1") is None
    assert [one.status for one in topics.runs("mon_1")] == ["finished"]
    with pytest.raises(UnknownName):
        topics.run("mon_2-1")
