from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry

Find = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def find(film: Workspace, film_id: str, needs_models: Callable[..., None]) -> Find:
    needs_models("objects", "image_labels", "image_text", "image_vectors")

    def run(start: float, end: float, **options: Any) -> list[dict[str, Any]]:
        arguments = {
            "video_id": film_id,
            "reference_segment": {"start_time": start, "end_time": end},
            **options,
        }
        result = film.run("find_similar_segments", arguments).result.model_dump()
        assert result["reference_segment"] == {"start_time": start, "end_time": end, "duration": end - start}
        found: list[dict[str, Any]] = result["similar_segments"]
        return found

    return run


@pytest.mark.parametrize("kind", ["semantic", "visual"])
def test_the_cat_comes_back(find: Find, kind: str) -> None:
    found = find(4.0, 10.0, similarity_type=kind)
    assert len(found) == 1
    assert found[0]["start_time"] == pytest.approx(48.4, abs=0.2)
    assert "cat" in found[0]["similarity_explanation"]


def test_shots_the_camera_zooms_into_alike(find: Find) -> None:
    found = find(4.0, 10.0, similarity_type="motion")
    assert {hit["segment_id"] for hit in found[:2]} == {"seg_001", "seg_008"}
    assert all("zooms in" in hit["similarity_explanation"] for hit in found[:2])


def test_the_reference_is_never_among_the_results(find: Find) -> None:
    for hit in find(5.0, 7.0, similarity_type="visual", top_k=50):
        assert hit["end_time"] <= 5.0 + 2e-3 or hit["start_time"] >= 7.0 - 2e-3


def test_results_stay_inside_time_range(find: Find) -> None:
    span = {"start_time": 0.0, "end_time": 30.0}
    found = find(4.0, 10.0, similarity_type="motion", time_range=span, top_k=1)
    assert [hit["segment_id"] for hit in found] == ["seg_001"]


def test_nothing_alike_is_an_empty_list(find: Find) -> None:
    assert find(17.0, 25.0) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reference_segment": {"start_time": 9, "end_time": 3}}, "must be after"),
        ({"reference_segment": {"start_time": 900, "end_time": 903}}, "outside the video"),
        ({"reference_segment": {"start_time": 1, "end_time": 3}, "top_k": 0}, "top_k"),
        (
            {"reference_segment": {"start_time": 1, "end_time": 3}, "similarity_type": "taste"},
            "similarity_type",
        ),
        ({}, "reference_segment is required"),
    ],
)
def test_bad_input_says_what_is_wrong(
    find: Find, film: Workspace, film_id: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(OpRetry, match=message):
        film.run("find_similar_segments", {"video_id": film_id, **arguments})
