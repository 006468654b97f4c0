from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry, UnknownName
from vidence.ops.temporal_search import TemporalSearchRequest

Search = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def search(film: Workspace, film_id: str, needs_models: Callable[..., None]) -> Search:
    needs_models("objects", "image_labels", "image_text", "text_embeddings", "speech", "sounds", "ocr")

    def run(query: str, **options: Any) -> list[dict[str, Any]]:
        outcome = film.run("temporal_search", {"video_id": film_id, "query": query, **options})
        assert outcome.result.search_time_ms > 0
        found: list[dict[str, Any]] = outcome.result.model_dump()["results"]
        return found

    return run


def _inside(hit: dict[str, Any], start: float, end: float) -> bool:
    return bool(hit["start_time"] >= start - 0.6 and hit["end_time"] <= end + 0.6)


@pytest.mark.parametrize(
    ("query", "modality", "span"),
    [
        ("a cat", "visual", (4.0, 10.0)),
        ("红色的杯子", "visual", (10.0, 17.0)),
        ("宇航员", "visual", (25.0, 31.6)),
        ("一匹黑马穿过草地", "visual", (37.0, 42.4)),
        ("a rocket on its launch pad", "visual", (17.0, 25.0)),
        ('"wooden table"', "audio", (10.4, 15.2)),
        ("coins", "visual", (42.4, 48.4)),
    ],
)
def test_finds_what_is_there(search: Search, query: str, modality: str, span: tuple[float, float]) -> None:
    found = search(query, modality=modality)
    assert found
    assert _inside(found[0], *span)
    assert found[0]["matched_modality"] == modality
    assert found[0]["confidence"] >= 0.25


def test_finds_every_appearance(search: Search) -> None:
    found = search("a cat")
    assert _inside(found[0], 4.0, 10.0) or _inside(found[1], 4.0, 10.0)
    assert any(_inside(hit, 48.4, 51.6) for hit in found[:2])


@pytest.mark.parametrize(
    "query", ["a pizza with cheese", '"merry christmas"', "sneezing", "长颈鹿在动物园里"]
)
def test_what_is_not_there_is_not_found(search: Search, query: str) -> None:
    assert search(query, modality="multimodal") == []


@pytest.mark.parametrize("query", ["someone playing the guitar", "飞机场", "a sailing boat"])
def test_a_lead_that_is_wrong_is_not_called_sure(search: Search, query: str) -> None:
    assert all(hit["confidence"] < 0.5 for hit in search(query, modality="multimodal"))


def test_results_stay_inside_time_range_and_apart(search: Search) -> None:
    found = search("a cat", time_range={"start_time": 6.0, "end_time": 20.0}, modality="multimodal")
    assert found
    for hit in found:
        assert 6.0 <= hit["start_time"] < hit["end_time"] <= 20.0
        assert hit["duration"] == pytest.approx(hit["end_time"] - hit["start_time"], abs=2e-3)
    ordered = sorted(found, key=lambda hit: hit["start_time"])
    assert all(a["end_time"] <= b["start_time"] for a, b in pairwise(ordered))
    assert [hit["confidence"] for hit in found] == sorted((h["confidence"] for h in found), reverse=True)


def test_top_k_is_an_upper_bound(search: Search) -> None:
    assert len(search("a cat", top_k=1)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": ""}, "query"),
        ({"query": "🐱🐱"}, "no words"),
        ({"query": "\x00\x07"}, "no words"),
        ({"query": "word " * 5000}, "at most 2000"),
        ({"query": "cat", "top_k": 0}, "top_k"),
        ({"query": "cat", "top_k": -3}, "top_k"),
        ({"query": "cat", "top_k": 10**6}, "top_k"),
        ({"query": "cat", "modality": "smell"}, "modality"),
        ({"query": "cat", "time_range": {"start_time": 9, "end_time": 3}}, "must be after"),
    ],
)
def test_bad_input_says_what_is_wrong(
    film: Workspace, film_id: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(OpRetry, match=message):
        film.run("temporal_search", {"video_id": film_id, **arguments})


def test_an_unknown_video_is_named(film: Workspace, film_id: str) -> None:
    with pytest.raises(UnknownName, match="vid_nothing"):
        film.run("temporal_search", {"video_id": "vid_nothing", "query": "cat"})


def test_a_range_outside_the_video_is_refused(search: Search) -> None:
    with pytest.raises(OpRetry, match="outside the video"):
        search("cat", time_range={"start_time": 500, "end_time": 600})


def test_defaults_are_the_ones_documented() -> None:
    request = TemporalSearchRequest(video_id="vid_x", query="cat")
    assert (request.top_k, request.time_range, request.modality) == (10, None, "visual")
