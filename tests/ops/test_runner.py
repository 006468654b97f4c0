"""Running an operation: caching, provenance, and what goes wrong, over a real store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from tests.ops.toy import make_toy
from vidence.errors import OpRetry, UnknownName
from vidence.index.pipeline.indexer import Indexer
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.ops import OpContext, run_operation
from vidence.schema.media import MediaInfo, VideoStream
from vidence.settings import Settings, load_settings
from vidence.store import Store, content_id, open_store

ARGUMENTS = {"query": "ball", "time_range": {"start_time": 1, "end_time": 2}}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as store:
        yield store


@pytest.fixture
def video_id(store: Store, tmp_path: Path) -> str:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"any bytes do: the framework never opens the file")
    stream = VideoStream(
        index=0, codec="h264", width=64, height=48, coded_width=64, coded_height=48,
        fps=Fraction(25), num_frames=100, duration_s=4.0,
    )  # fmt: skip
    info = MediaInfo(path=path, container="mp4", size_bytes=48, duration_s=4.0, video=stream)
    return store.catalogue.add(path, info, content_id(path)).video.video_id


def _context(store: Store, settings: Settings | None = None) -> OpContext:
    chosen = settings or load_settings()
    shelf = ModelShelf(ModelCache(chosen.model_home))
    return OpContext(chosen, store, Indexer(store, chosen, shelf))


def test_the_second_call_is_served_from_the_cache(store: Store, video_id: str) -> None:
    operation, ran = make_toy()
    first = run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store))
    second = run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store))
    assert ran == ["ball"]
    assert second.result == first.result
    assert (first.record.cached, second.record.cached) == (False, True)
    assert first.record.result_hash == second.record.result_hash


@pytest.mark.parametrize("change", [{"query": "kite"}, {"top_k": 2}, {"mode": "fast"}])
def test_other_arguments_are_another_result(store: Store, video_id: str, change: dict[str, object]) -> None:
    operation, ran = make_toy()
    for arguments in (ARGUMENTS, {**ARGUMENTS, **change}):
        run_operation(operation, {"video_id": video_id, **arguments}, _context(store))
    assert len(ran) == 2


def test_a_default_and_the_same_value_said_aloud_are_one_call(store: Store, video_id: str) -> None:
    operation, ran = make_toy()
    for arguments in (ARGUMENTS, {**ARGUMENTS, "mode": "slow", "top_k": 10}):
        run_operation(operation, {"video_id": video_id, **arguments}, _context(store))
    assert len(ran) == 1


def test_a_raised_version_is_computed_again(store: Store, video_id: str) -> None:
    for version, times in ((1, 1), (2, 1)):
        operation, ran = make_toy(version=version)
        run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store))
        assert len(ran) == times


def test_a_stateful_operation_always_runs(store: Store, video_id: str) -> None:
    operation, ran = make_toy(stateful=True)
    for _ in range(2):
        run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store))
    assert len(ran) == 2


def test_the_cache_can_be_switched_off(store: Store, video_id: str) -> None:
    operation, ran = make_toy()
    settings = load_settings(cache_results=False)
    for _ in range(2):
        run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store, settings))
    assert len(ran) == 2


def test_the_record_proves_the_result(store: Store, video_id: str) -> None:
    operation, _ = make_toy()
    outcome = run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store))
    record = store.results.get_record(outcome.record.record_id)
    assert record == outcome.record
    assert record is not None
    assert (record.operation, record.video_id, record.models) == ("toy", video_id, ("toy-model@1",))
    assert record.arguments["mode"] == "slow"
    assert record.span is not None
    assert record.span.duration_s == 1
    kept = store.results.result(record.result_hash)
    assert kept is not None
    assert hashlib.sha256(kept.encode()).hexdigest() == record.result_hash
    assert json.loads(kept) == outcome.result.model_dump(mode="json")


def test_a_cached_result_names_the_models_it_rests_on(store: Store, video_id: str) -> None:
    operation, _ = make_toy()
    first, second = (
        run_operation(operation, {"video_id": video_id, **ARGUMENTS}, _context(store)) for _ in range(2)
    )
    assert second.record.cached
    assert second.record.models == first.record.models == ("toy-model@1",)


def test_the_beginning_of_an_id_is_enough_and_recorded_whole(store: Store, video_id: str) -> None:
    operation, _ = make_toy()
    outcome = run_operation(operation, {"video_id": video_id[:9], **ARGUMENTS}, _context(store))
    assert outcome.record.arguments["video_id"] == video_id


def test_an_unknown_video_suggests_a_near_one(store: Store, video_id: str) -> None:
    operation, ran = make_toy()
    wrong = video_id[:-1] + ("0" if video_id[-1] != "0" else "1")
    with pytest.raises(UnknownName, match=video_id):
        run_operation(operation, {"video_id": wrong, **ARGUMENTS}, _context(store))
    assert ran == []


def test_a_bad_call_leaves_no_record(store: Store, video_id: str) -> None:
    operation, _ = make_toy()
    with pytest.raises(OpRetry):
        run_operation(operation, {"video_id": video_id, "query": ""}, _context(store))
    assert list(store.results.records()) == []
