"""`detect_objects` by names the detector does not know, by lists of names, and for text, on the sample."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vidence.app import Workspace
from vidence.ops.detect_objects import DetectObjectsResult


@pytest.mark.slow
def test_of_a_list_of_names_the_one_that_is_there_comes_first(
    film: Workspace, film_id: str, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "image_labels", "image_text")
    arguments = {"video_id": film_id, "timestamp": 42.0, "query": "a kettle, horse or tripod"}
    result = film.run("detect_objects", {**arguments, "confidence_threshold": 0.0}).result
    assert isinstance(result, DetectObjectsResult)
    assert result.objects[0].category == "horse"
    assert {one.category for one in result.objects} == {"kettle", "horse", "tripod"}
    assert result.note is not None
    assert "kettle" in result.note


@pytest.mark.slow
def test_asked_for_text_only_lines_of_text_come_back(
    film: Workspace, film_id: str, needs_models: Callable[..., None]
) -> None:
    needs_models("ocr")
    result = film.run("detect_objects", {"video_id": film_id, "timestamp": 42.0, "query": "text"}).result
    assert isinstance(result, DetectObjectsResult)
    assert all(one.category == "text" and one.attributes["text"] for one in result.objects)
