"""detect_objects on the sample film, whose objects and their places are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vidence.app import Workspace, open_workspace
from vidence.errors import BackendError, OpRetry
from vidence.models.cache import ModelCache
from vidence.ops import OpContext
from vidence.ops.detect_objects import DetectObjectsResult, earlier_objects, number_objects
from vidence.queries.objects.match import Measured
from vidence.schema.perception import Box, Detection


@pytest.fixture
def detect(
    film: Workspace, film_id: str, needs_models: Callable[..., None]
) -> Callable[..., DetectObjectsResult]:
    needs_models("objects", "pose")

    def call(timestamp: float, **arguments: Any) -> DetectObjectsResult:
        result = film.run("detect_objects", {"video_id": film_id, "timestamp": timestamp, **arguments}).result
        assert isinstance(result, DetectObjectsResult)
        return result

    return call


def _truth_box(truth: dict[str, Any], label: str, time: float) -> Box:
    found = [
        o for shot in truth["shots"] for o in shot["objects"] if o["label"] == label and o["time"] == time
    ]
    return Box(*found[0]["box"])


@pytest.mark.parametrize(
    ("label", "time"), [("cat", 7.0), ("cup", 13.48), ("person", 28.28), ("horse", 39.68)]
)
def test_what_is_there_is_found_where_it_is(
    detect: Callable[..., DetectObjectsResult], truth: dict[str, Any], label: str, time: float
) -> None:
    result = detect(time)
    assert abs(result.timestamp - time) < 0.05
    best = [one for one in result.objects if one.category == label]
    assert best
    assert Box(*best[0].bbox).iou(_truth_box(truth, label, time)) > 0.5
    assert result.note is None


def test_results_follow_the_contract(detect: Callable[..., DetectObjectsResult]) -> None:
    result = detect(28.28)
    dumped = result.model_dump(mode="json")
    assert set(dumped) == {"timestamp", "objects"}
    assert set(dumped["objects"][0]) == {"object_id", "category", "bbox", "confidence", "attributes"}
    assert [one.object_id for one in result.objects] == [
        f"obj_tmp_{number:03d}" for number in range(1, len(result.objects) + 1)
    ]
    for one in result.objects:
        x, y, w, h = one.bbox
        assert x >= 0
        assert y >= 0
        assert x + w <= 1.001
        assert y + h <= 1.001
        assert one.confidence >= 0.3
        assert "gender" not in one.attributes
        assert "age_group" not in one.attributes


@pytest.mark.parametrize("category", ["animal", "cats", "猫", "动物", "kitten"])
def test_a_category_is_understood_by_its_many_names(
    detect: Callable[..., DetectObjectsResult], category: str
) -> None:
    assert {one.category for one in detect(7.0, category=category).objects} == {"cat"}


def test_a_category_leaves_the_others_out(detect: Callable[..., DetectObjectsResult]) -> None:
    assert detect(7.0, category="vehicle").objects == []


@pytest.mark.parametrize("query", ["person wearing orange", "穿橙色衣服的人", "someone in an orange suit"])
def test_clothes_are_matched_by_colour(detect: Callable[..., DetectObjectsResult], query: str) -> None:
    assert [one.category for one in detect(31.4, query=query).objects][:1] == ["person"]


@pytest.mark.parametrize("query", ["person wearing green", "穿绿衣服的人", "small person", "dog"])
def test_what_does_not_fit_is_not_returned(detect: Callable[..., DetectObjectsResult], query: str) -> None:
    assert detect(31.4, query=query).objects == []


def test_where_it_stands_counts(detect: Callable[..., DetectObjectsResult]) -> None:
    assert detect(37.6, query="horse on the left").objects
    assert not detect(37.6, query="horse on the right").objects
    assert detect(42.0, query="右边的马").objects


def test_words_that_cannot_be_checked_are_named(detect: Callable[..., DetectObjectsResult]) -> None:
    known = detect(31.4, query="woman in orange")
    assert known.objects
    assert known.note is not None
    assert "'woman'" in known.note
    unknown = detect(31.4, query="a teapot")
    assert unknown.objects == []
    assert unknown.note is not None
    assert "teapot" in unknown.note


def test_the_threshold_is_kept(detect: Callable[..., DetectObjectsResult]) -> None:
    assert all(one.confidence >= 0.6 for one in detect(13.48, confidence_threshold=0.6).objects)


def test_an_id_leads_back_to_its_object(
    detect: Callable[..., DetectObjectsResult], context: OpContext, film_id: str
) -> None:
    first = detect(7.0, query="cat")
    again = detect(7.0, query="cat")
    assert first == again
    (known,) = {one.object_id: one for one in earlier_objects(context, film_id, first.timestamp)}.values()
    assert known == first.objects[0]
    assert earlier_objects(context, film_id, 1.234) == []


def test_an_object_keeps_its_id_whichever_query_finds_it(detect: Callable[..., DetectObjectsResult]) -> None:
    everything = detect(13.48)
    ids = {tuple(one.bbox): one.object_id for one in everything.objects}
    assert len(set(ids.values())) == len(everything.objects) > 1
    for one in everything.objects:
        again = detect(13.48, category=one.category)
        assert {each.object_id for each in again.objects} <= set(ids.values())
        assert all(ids[tuple(each.bbox)] == each.object_id for each in again.objects)


def test_a_new_object_of_a_frame_gets_an_id_that_no_other_has() -> None:
    def measured(x: float) -> Measured:
        return Measured(Detection("person", 0.9, Box(x, 0.1, 0.2, 0.5)), {})

    first = number_objects([measured(0.1), measured(0.5)], [])
    second = number_objects([measured(0.7), measured(0.5)], first)
    assert [one.object_id for one in first] == ["obj_tmp_001", "obj_tmp_002"]
    assert [one.object_id for one in second] == ["obj_tmp_003", "obj_tmp_002"]


def test_the_record_names_the_models(
    film: Workspace, film_id: str, detect: Callable[..., DetectObjectsResult]
) -> None:
    record = film.run("detect_objects", {"video_id": film_id, "timestamp": 28.28}).record
    assert any("ssd" in model for model in record.models)
    assert record.span is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"timestamp": 99}, ["timestamp is 99", "54.6"]),
        ({"timestamp": -1}, ["timestamp is -1", "greater than or equal to 0"]),
        ({"timestamp": float("nan")}, ["timestamp"]),
        ({"timestamp": 1, "category": "anmal"}, ["'anmal'", "'animal'"]),
        ({"timestamp": 1, "category": "cat", "query": "cat"}, ["category or query, not both"]),
        ({"timestamp": 1, "query": "  "}, ["query"]),
        ({"timestamp": 1, "confidence_threshold": 2}, ["confidence_threshold", "less than or equal to 1"]),
        ({}, ["timestamp is required"]),
    ],
)
def test_a_mistake_is_explained(
    film: Workspace, film_id: str, arguments: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(OpRetry) as caught:
        film.run("detect_objects", {"video_id": film_id, **arguments})
    for word in words:
        assert word in str(caught.value)


def test_a_missing_model_says_how_to_get_it(
    tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIDENCE_MODEL_HOME", str(tmp_path / "none"))
    with open_workspace(home=tmp_path / "home") as workspace:
        video_id = workspace.add(sample).video.video_id
        if ModelCache(workspace.settings.model_home).status("ssd-mobilenet-v2-coco") != "missing":
            pytest.skip("the model is installed as a package here, so it cannot be missing")
        with pytest.raises(BackendError, match="vidence models fetch"):
            workspace.run("detect_objects", {"video_id": video_id, "timestamp": 7.0})
