"""detect_audio_events over sounds that are already in the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.errors import OpRetry
from vidence.ops import OpContext
from vidence.ops.detect_audio_events import DetectAudioEventsRequest, run
from vidence.schema.observations import SoundEvent
from vidence.schema.time import TimeRange

HEARD = (
    ("speech", "", 0.0, 5.0),
    ("dog_bark", "dog", 2.0, 3.0),
    ("alarm", "siren", 10.0, 20.0),
    ("alarm", "clock_alarm", 22.0, 23.0),
    ("clipping", "", 22.0, 23.0),
    ("silence", "", 30.0, 40.0),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path_factory.mktemp("sounds") / "home") as workspace:
        yield workspace


@pytest.fixture(scope="module")
def video_id(library: Workspace, sample: Path) -> str:
    added = library.add(sample).video.video_id
    rows = [
        SoundEvent(event_type=kind, description=finer, start_time=start, end_time=end, confidence=0.9)
        for kind, finer, start, end in HEARD
    ]
    library.store.observations.append(added, "sounds", rows)
    return added


def heard(
    library: Workspace, video_id: str, *names: str, span: tuple[float, float] | None = None
) -> list[tuple[str, str | None]]:
    request = DetectAudioEventsRequest(
        video_id=video_id,
        event_types=list(names) or None,
        time_range=TimeRange(start_time=span[0], end_time=span[1]) if span else None,
    )
    found = run(OpContext(library.settings, library.store, library.indexer), request).audio_events
    return [(one.event_type, one.description) for one in found]


def test_without_a_wish_come_the_sounds_and_not_what_the_signal_is_like(
    library: Workspace, video_id: str
) -> None:
    assert heard(library, video_id) == [("dog_bark", "dog"), ("alarm", "siren"), ("alarm", "clock_alarm")]


@pytest.mark.parametrize("name", ["dog_bark", "dog", "barking", "Dog Bark", "狗叫声", "animal"])
def test_a_sound_is_found_by_any_of_its_names(library: Workspace, video_id: str, name: str) -> None:
    assert heard(library, video_id, name) == [("dog_bark", "dog")]


def test_a_finer_name_finds_only_the_finer_sound(library: Workspace, video_id: str) -> None:
    assert heard(library, video_id, "siren") == [("alarm", "siren")]
    assert len(heard(library, video_id, "alarm")) == 2


@pytest.mark.parametrize(
    ("name", "kind"), [("speech", "speech"), ("安静", "silence"), ("distortion", "clipping")]
)
def test_what_is_no_sound_comes_when_named(library: Workspace, video_id: str, name: str, kind: str) -> None:
    assert heard(library, video_id, name) == [(kind, None)]


def test_only_sounds_of_the_span_come(library: Workspace, video_id: str) -> None:
    assert heard(library, video_id, span=(4.0, 15.0)) == [("alarm", "siren")]


def test_a_slip_is_refused_with_the_near_name_and_nonsense_with_all(
    library: Workspace, video_id: str
) -> None:
    with pytest.raises(OpRetry, match="did you mean applause"):
        heard(library, video_id, "aplause")
    with pytest.raises(OpRetry, match=r"known types: airplane, alarm.*wind"):
        heard(library, video_id, "xyzzy")
