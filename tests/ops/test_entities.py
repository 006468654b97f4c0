"""The entity operations on the sample film: a cat that comes back, a horse that crosses the picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from vidence.app import Workspace, open_workspace
from vidence.bench.tracking import count_distinct
from vidence.errors import OpRetry, UnknownName, VidenceError
from vidence.queries.entities.identities import load_identities
from vidence.schema.evidence import canonical_json, hash_of
from vidence.schema.perception import Box
from vidence.settings import load_settings


@pytest.fixture
def op(film: Workspace, film_id: str, needs_models: Callable[..., None]) -> Callable[..., dict[str, Any]]:
    needs_models("objects", "pose", "image_vectors", "image_labels")

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        told = film.run(name, {"video_id": film_id, **arguments}).result.model_dump(mode="json")
        assert isinstance(told, dict)
        return told

    return call


@pytest.fixture
def cat(op: Callable[..., dict[str, Any]]) -> str:
    return str(op("register_entity", initial_timestamp=7.0, description="the cat")["entity_id"])


@pytest.fixture
def horse(op: Callable[..., dict[str, Any]]) -> str:
    return str(op("register_entity", initial_timestamp=39.68, description="黑色的马")["entity_id"])


def test_registering_follows_the_contract(op: Callable[..., dict[str, Any]]) -> None:
    told = op("register_entity", initial_timestamp=31.4, description="woman in orange suit")
    assert set(told) == {"entity_id", "matched_bbox", "confidence", "visual_signature"}
    assert told["entity_id"].startswith("ent_")
    assert Box(*told["matched_bbox"]).iou(Box(0, 0, 0.83, 1)) > 0.5
    assert 0 < told["confidence"] < 1
    assert told["visual_signature"].startswith("person:")


def test_the_same_thing_keeps_its_name(op: Callable[..., dict[str, Any]], cat: str) -> None:
    assert op("register_entity", initial_timestamp=6.0, description="猫")["entity_id"] == cat
    again = op("register_entity", initial_timestamp=50.0, description="cat")
    assert again["entity_id"] == cat, "it is the same cat 40 seconds and seven shots later"


def test_an_object_id_is_taken_as_it_is(op: Callable[..., dict[str, Any]], horse: str) -> None:
    found = op("detect_objects", timestamp=40.0, category="horse")["objects"][0]
    told = op("register_entity", initial_timestamp=40.0, object_id=found["object_id"])
    assert told["matched_bbox"] == found["bbox"]
    assert told["entity_id"] == horse


def test_a_later_query_of_the_frame_does_not_change_what_an_id_means(
    op: Callable[..., dict[str, Any]],
) -> None:
    found = op("detect_objects", timestamp=13.48)["objects"]
    assert len(found) > 1
    for one in reversed(found):
        op("detect_objects", timestamp=13.48, category=one["category"])
        told = op("register_entity", initial_timestamp=13.48, object_id=one["object_id"])
        assert told["matched_bbox"] == one["bbox"]


def test_an_id_that_means_two_objects_is_refused(
    op: Callable[..., dict[str, Any]], film: Workspace, film_id: str
) -> None:
    first = film.run("detect_objects", {"video_id": film_id, "timestamp": 13.0})
    elsewhere = [one.model_copy(update={"bbox": (0.9, 0.9, 0.05, 0.05)}) for one in first.result.objects]
    older = first.result.model_copy(update={"objects": elsewhere}).model_dump(mode="json")
    record = first.record.model_copy(update={"record_id": "rec_older", "result_hash": hash_of(older)})
    film.store.results.record(record, result_json=canonical_json(older))
    with pytest.raises(OpRetry, match="ambiguous"):
        op("register_entity", initial_timestamp=13.0, object_id=first.result.objects[0].object_id)


def test_an_object_id_of_another_frame_is_refused(op: Callable[..., dict[str, Any]]) -> None:
    op("detect_objects", timestamp=40.5)
    with pytest.raises(OpRetry, match=r"40\.48 s.*holds for its own frame only"):
        op("register_entity", initial_timestamp=38.0, object_id="obj_tmp_001")


def test_a_description_that_fits_nothing_says_what_was_seen(op: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(OpRetry, match=r"Nothing that fits 'red car'.*Seen there: .*cat"):
        op("register_entity", initial_timestamp=7.0, description="red car")
    with pytest.raises(OpRetry, match=r"Nothing that fits 'blorp'.*Seen there"):
        op("register_entity", initial_timestamp=7.0, description="blorp")


def test_tracking_tells_appearances_and_gaps(op: Callable[..., dict[str, Any]], cat: str) -> None:
    told = op("track_entity", entity_id=cat)
    assert set(told) == {"entity_id", "appearances", "summary"}
    first, second = told["appearances"]
    assert set(first) == {
        "appearance_id", "start_time", "end_time", "segment_id", "duration", "trajectory_summary", "avg_bbox"
    }  # fmt: skip
    assert [one["appearance_id"] for one in told["appearances"]] == ["app_001", "app_002"]
    assert 4 <= first["start_time"] < first["end_time"] <= 10
    assert 48.4 <= second["start_time"] < second["end_time"] <= 51.6
    assert first["segment_id"] != second["segment_id"]
    summary = told["summary"]
    assert summary["total_appearances"] == 2
    assert summary["total_duration"] == pytest.approx(first["duration"] + second["duration"], abs=0.002)
    (gap,) = summary["disappearance_periods"]
    assert (gap["start_time"], gap["end_time"]) == (first["end_time"], second["start_time"])


def test_how_it_moves_is_told_in_the_seeds_words(op: Callable[..., dict[str, Any]], horse: str) -> None:
    (appearance,) = op("track_entity", entity_id=horse)["appearances"]
    assert appearance["trajectory_summary"] == "moving left to right"


def test_a_time_range_limits_what_is_told(op: Callable[..., dict[str, Any]], cat: str) -> None:
    told = op("track_entity", entity_id=cat, time_range={"start_time": 5.0, "end_time": 8.0})
    (one,) = told["appearances"]
    assert 5.0 <= one["start_time"] < one["end_time"] <= 8.0
    nowhere = op("track_entity", entity_id=cat, time_range={"start_time": 20.0, "end_time": 24.0})
    assert nowhere["appearances"] == []
    assert nowhere["summary"]["first_appearance"] is None


def test_a_question_is_answered_where_the_entity_is(op: Callable[..., dict[str, Any]], horse: str) -> None:
    told = op("query_entity_state", entity_id=horse, timestamp=39.68, query="Where is it going?")
    assert set(told) == {"answer", "confidence", "bbox", "timestamp"}
    assert told["answer"] == "The horse is moving left to right."
    assert Box(*told["bbox"]).iou(Box(0.3671, 0.4065, 0.2604, 0.3796)) > 0.5
    chinese = op("query_entity_state", entity_id=horse, timestamp=39.68, query="它是什么颜色？")
    assert "黑" in chinese["answer"]


def test_what_cannot_be_told_is_not_invented(op: Callable[..., dict[str, Any]], cat: str) -> None:
    told = op("query_entity_state", entity_id=cat, timestamp=7.0, query="What is its name?")
    assert told["answer"].startswith("Cannot tell")
    assert told["confidence"] < 0.2


def test_an_absent_entity_says_when_it_is_there(
    op: Callable[..., dict[str, Any]], cat: str, horse: str
) -> None:
    with pytest.raises(OpRetry, match=r"not in the picture at 20 s.*seen at 4"):
        op("query_entity_state", entity_id=cat, timestamp=20.0, query="What colour is it?")
    with pytest.raises(OpRetry, match="not in the picture"):
        op("spatial_relation", entity_id_1=horse, entity_id_2=cat, timestamp=40.0)


def test_relations_follow_the_contract(op: Callable[..., dict[str, Any]]) -> None:
    cup = op("register_entity", initial_timestamp=14.5, description="the cup")["entity_id"]
    table = op("register_entity", initial_timestamp=14.5, description="table")["entity_id"]
    told = op("spatial_relation", entity_id_1=cup, entity_id_2=table, timestamp=14.5)
    assert set(told) == {"timestamp", "entities", "relations", "confidence"}
    assert told["entities"]["entity_1"]["entity_id"] == cup
    assert set(told["relations"]) == {
        "direction", "distance", "distance_normalized", "interaction", "relative_size"
    }  # fmt: skip
    assert told["relations"]["distance"] == "close"
    assert told["relations"]["relative_size"] == "entity_1 is smaller than entity_2"
    only = op(
        "spatial_relation", entity_id_1=cup, entity_id_2=table, timestamp=14.5, relation_type="direction"
    )
    assert set(only["relations"]) == {"direction"}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("register_entity", {"initial_timestamp": 1.0}, "give a description"),
        ("register_entity", {"initial_timestamp": 999.0, "description": "cat"}, "outside the video"),
        ("register_entity", {"initial_timestamp": -1, "description": "cat"}, "initial_timestamp"),
        ("register_entity", {"initial_timestamp": 1.0, "description": "x" * 500}, "at most 200"),
        ("register_entity", {"initial_timestamp": 1.0, "description": "   "}, "at least 1"),
        ("register_entity", {"initial_timestamp": 7.0, "description": "🙂\x07"}, "Nothing that fits"),
        ("track_entity", {"entity_id": "ent_999"}, "Unknown entity"),
        (
            "track_entity",
            {"entity_id": "ent_001", "time_range": {"start_time": 5, "end_time": 2}},
            "must be after",
        ),
        ("query_entity_state", {"entity_id": "ent_001", "timestamp": 7, "query": ""}, "at least 1"),
        ("spatial_relation", {"entity_id_1": "a", "entity_id_2": "a", "timestamp": 7}, "two different"),
        (
            "spatial_relation",
            {"entity_id_1": "a", "entity_id_2": "b", "timestamp": 7, "relation_type": "love"},
            "must be",
        ),
    ],
)
def test_a_mistake_is_explained(
    op: Callable[..., dict[str, Any]], name: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(VidenceError, match=words) as caught:
        op(name, **arguments)
    assert isinstance(caught.value, OpRetry | UnknownName)


def test_things_are_counted_once(film: Workspace, film_id: str, cat: str) -> None:
    assert count_distinct(film.store, film_id, {"cat"}) == 1, "the same cat twice is one cat"
    assert count_distinct(film.store, film_id, {"giraffe"}) == 0
    cats = [one for one in load_identities(film.store, film_id) if one.category == "cat"]
    assert [sum(one.box_at(time_s) is not None for one in cats) for time_s in (7.0, 20.0)] == [1, 0]


class _Oracle(ThreadingHTTPServer):
    """A vision model that always says the same, and keeps what it was asked."""

    def __init__(self, says: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.says = says
        self.asked: list[Any] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Oracle

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked["messages"][0]["content"])
        body = json.dumps({"choices": [{"message": {"content": self.server.says}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(params=["It looks content.", "Cannot tell."])
def oracle(request: pytest.FixtureRequest) -> Iterator[_Oracle]:
    server = _Oracle(str(request.param))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_free_questions_go_to_a_configured_vision_model(
    film: Workspace, film_id: str, cat: str, oracle: _Oracle
) -> None:
    options = {"base_url": f"http://127.0.0.1:{oracle.server_port}/v1", "model": "tiny"}
    settings = load_settings(
        home=film.settings.home, models={"captions": "vision-llm"}, model_options={"captions": options}
    )
    ask = {"video_id": film_id, "entity_id": cat, "timestamp": 7.0}
    with open_workspace(settings) as workspace:
        told = workspace.run("query_entity_state", {**ask, "query": "What mood is it in?"}).result
        assert told.answer == oracle.says
        assert (told.confidence < 0.2) == oracle.says.startswith("Cannot tell")
        (content,) = oracle.asked
        assert "What mood is it in?" in content[0]["text"]
        assert "cat" in content[0]["text"]
        assert [part["type"] for part in content[1:]] == ["image_url", "image_url"]
        workspace.run("query_entity_state", {**ask, "query": "Where is it?"})
        assert len(oracle.asked) == 1, "what was measured surely is not asked again"
