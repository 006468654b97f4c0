"""Results are remembered within bounds; the ledger keeps every run and its result for ever."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.store.videos import make_record
from vidence.errors import BackendError, UserError
from vidence.schema.catalogue import VideoRecord
from vidence.store.sqlite import SqliteResults, SqliteStore


def _bounded(store: SqliteStore, *, max_rows: int = 1000, max_bytes: int = 10**6) -> SqliteResults:
    # A minute passes between any two looks at the clock.
    ticks: Iterator[int] = count(0, 60)
    return SqliteResults(store.db, max_rows=max_rows, max_bytes=max_bytes, clock=lambda: float(next(ticks)))


def _kept(results: SqliteResults, keys: str) -> str:
    return "".join(key for key in keys if results.cached(key) is not None)


def _bodies(store: SqliteStore) -> int:
    with store.db.read() as reader:
        return int(reader.execute("SELECT count(*) FROM results").fetchone()[0])


def test_what_is_remembered_is_served(store: SqliteStore, video: VideoRecord) -> None:
    assert store.results.cached("k") is None
    store.results.remember("k", video.video_id, "op", '{"猫":1}')
    assert store.results.cached("k") == '{"猫":1}'
    store.results.remember("k", video.video_id, "op", "{}")
    assert store.results.cached("k") == "{}"
    assert _bodies(store) == 1, "the body nobody points at is gone"


def test_least_recently_used_rows_go_first(store: SqliteStore) -> None:
    results = _bounded(store, max_rows=3)
    for key in "abc":
        results.remember(key, None, "op", f'"{key}"')
    assert results.cached("a") == '"a"'
    results.remember("d", None, "op", '"d"')
    assert _kept(results, "abcd") == "acd"
    assert _bodies(store) == 3


def test_bytes_are_bounded_too(store: SqliteStore) -> None:
    results = _bounded(store, max_bytes=1000)
    for key in "abcdef":
        results.remember(key, None, "op", f'"{key * 298}"')
    assert _kept(results, "abcdef") == "def"


def test_a_result_larger_than_the_cache_is_not_kept(store: SqliteStore) -> None:
    results = _bounded(store, max_bytes=100)
    results.remember("big", None, "op", "x" * 101)
    assert results.cached("big") is None
    assert _bodies(store) == 0


def test_a_recorded_result_outlives_the_cache(store: SqliteStore, video: VideoRecord) -> None:
    results = _bounded(store, max_rows=1)
    record = make_record(video.video_id, '"first"', record_id="rec_1")
    assert results.remember("a", video.video_id, "op", '"first"') == record.result_hash
    results.record(record)
    results.remember("b", video.video_id, "op", '"second"')
    assert results.cached("a") is None
    assert results.result(record.result_hash) == '"first"'


def test_a_record_brings_its_result_when_the_cache_is_off(store: SqliteStore) -> None:
    record = make_record(None, "{}", record_id="rec_1")
    store.results.record(record, result_json="{}")
    assert store.results.result(record.result_hash) == "{}"
    assert store.results.get_record("rec_1") == record
    assert store.results.get_record("rec_2") is None
    assert store.results.result("0" * 64) is None


def test_a_result_that_is_not_the_recorded_one_is_refused(store: SqliteStore) -> None:
    with pytest.raises(ValueError, match="not the one"):
        store.results.record(make_record(None, "{}", record_id="rec_1"), result_json="[]")
    assert store.results.records() == ()
    assert _bodies(store) == 0


def test_records_come_latest_first_by_video_and_operation(store: SqliteStore, video: VideoRecord) -> None:
    runs = [(video.video_id, "a"), (None, "a"), (video.video_id, "b"), (video.video_id, "a")]
    for n, (video_id, operation) in enumerate(runs):
        store.results.record(make_record(video_id, "{}", record_id=f"rec_{n}", operation=operation))

    def ids(*, video_id: str | None = None, operation: str | None = None, limit: int = 100) -> str:
        found = store.results.records(video_id=video_id, operation=operation, limit=limit)
        return "".join(record.record_id[-1] for record in found)

    assert ids() == "3210"
    assert ids(limit=2) == "32"
    assert ids(video_id=video.video_id) == "320"
    assert ids(operation="a") == "310"
    assert ids(video_id=video.video_id, operation="a") == "30"


def test_a_record_id_is_used_once(store: SqliteStore) -> None:
    record = make_record(None, "{}", record_id="rec_1")
    store.results.record(record)
    with pytest.raises(BackendError, match="UNIQUE"):
        store.results.record(record)
    assert len(store.results.records()) == 1


@pytest.mark.parametrize("statement", ["UPDATE op_records SET operation = 'x'", "DELETE FROM op_records"])
def test_the_ledger_cannot_be_rewritten(store: SqliteStore, video: VideoRecord, statement: str) -> None:
    store.results.record(make_record(video.video_id, "{}", record_id="rec_1"))
    direct = sqlite3.connect(store.db.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        direct.execute(statement)
    direct.close()


def test_records_of_an_unknown_video_are_refused(store: SqliteStore) -> None:
    with pytest.raises(UserError, match="not in the catalogue"):
        store.results.record(make_record("vid_0", "{}", record_id="rec_1"))


def test_the_ledger_survives_reopening(home: Path) -> None:
    record = make_record(None, "{}", record_id="rec_1")
    with SqliteStore.open(home) as store:
        store.results.record(record, result_json="{}")
    with SqliteStore.open(home) as store:
        assert store.results.records() == (record,)
