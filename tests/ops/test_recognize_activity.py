"""recognize_activity on the sample film and, where the shared media are, on people whose doings are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry
from vidence.ops.recognize_activity import RecognizeActivityResult


def _run(
    workspace: Workspace, video_id: str, start: float, end: float, **more: Any
) -> RecognizeActivityResult:
    arguments = {"video_id": video_id, "start_time": start, "end_time": end, **more}
    result = workspace.run("recognize_activity", arguments).result
    assert isinstance(result, RecognizeActivityResult)
    return result


@pytest.mark.parametrize("granularity", ["event", "atomic"])
def test_results_follow_the_contract(
    film: Workspace, film_id: str, needs_models: Callable[..., None], granularity: str
) -> None:
    needs_models("objects", "pose", "actions", "image_labels")
    result = _run(film, film_id, 26.0, 28.0, granularity=granularity)
    dumped = result.model_dump(mode="json")
    assert set(dumped) == {"activities", "primary_activity"}
    labels = [one.label for one in result.activities]
    assert result.primary_activity in labels if labels else result.primary_activity is None
    for one in result.activities:
        assert one.label == one.label.lower().replace(" ", "_")
        assert 26.0 <= one.start_time < one.end_time <= 28.0
        assert 0.25 <= one.confidence <= 0.95


def test_a_still_photograph_of_coins_shows_no_sport(
    film: Workspace, film_id: str, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose", "actions", "image_labels")
    result = _run(film, film_id, 43.0, 45.0)
    assert all(one.confidence < 0.5 for one in result.activities)
    assert _run(film, film_id, 43.0, 45.0, granularity="atomic").activities == []


def test_people_in_a_street_walk(
    film: Workspace, shared_dir: Path, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose", "actions", "image_labels")
    video_id = film.add(shared_dir / "media" / "videos" / "TUD-Campus.avi").video.video_id
    assert _run(film, video_id, 0, 2.0, granularity="atomic").primary_activity == "walking"
    assert _run(film, video_id, 0, 2.0).primary_activity == "walking"


def test_a_wave_is_seen_when_it_happens(
    film: Workspace, shared_dir: Path, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose")
    video_id = film.add(shared_dir / "media" / "videos" / "meeting_c3.webm").video.video_id
    labels = {one.label for one in _run(film, video_id, 31.5, 33.5, granularity="atomic").activities}
    assert "waving" in labels
    later = {one.label for one in _run(film, video_id, 20, 22, granularity="atomic").activities}
    assert "waving" not in later


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"start_time": 5, "end_time": 5}, ["end_time (5) must be after start_time (5)"]),
        ({"start_time": 9, "end_time": 5}, ["end_time (5) must be after start_time (9)"]),
        ({"start_time": 60, "end_time": 61}, ["start_time is 60", "54.6"]),
        ({"start_time": -1, "end_time": 2}, ["start_time is -1"]),
        ({"start_time": float("nan"), "end_time": 2}, ["start_time"]),
        ({"start_time": 1, "end_time": 2, "granularity": "coarse"}, ["'atomic' or 'event'"]),
        ({"start_time": 1}, ["end_time is required"]),
    ],
)
def test_a_mistake_is_explained(
    film: Workspace, film_id: str, arguments: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(OpRetry) as caught:
        film.run("recognize_activity", {"video_id": film_id, **arguments})
    for word in words:
        assert word in str(caught.value)
