"""get_notes over rows already in the index: each sense in order of time, names tied to voices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.ops import OpContext
from vidence.ops.get_notes import GetNotesRequest, run
from vidence.schema.observations import FrameSeen, ObjectsSeen, SeenObject, SeenText, SoundEvent, TextSeen
from vidence.schema.reading import NotedLine
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange

CAPTION = TextSeen(
    start_time=2.0,
    end_time=4.0,
    lines=(
        SeenText(text="Anna Berg", confidence=0.98, bbox=(0.1, 0.8, 0.3, 0.05)),
        SeenText(text="Marine biologist", confidence=0.97, bbox=(0.1, 0.86, 0.3, 0.05)),
    ),
)
SPOKEN = (
    Utterance(start_time=2.0, end_time=3.0, text="The reef lost", confidence=0.9),
    Utterance(start_time=3.1, end_time=4.0, text="30 percent of its coral.", confidence=0.8),
    Utterance(start_time=4.1, end_time=4.5, text="mumble", confidence=0.1),
)
SOUNDS = (
    SoundEvent.of("music", 0.0, 1.0, 0.9),
    SoundEvent.of("music", 2.0, 5.0, 0.9),
    SoundEvent.of("applause", 4.0, 5.0, 0.55),
    SoundEvent.of("speech", 2.0, 4.0, 0.99),
)
DOGS = tuple(
    ObjectsSeen(
        start_time=float(second),
        end_time=second + 1.0,
        objects=(
            SeenObject(
                category="dog", confidence=0.95, bbox=(0.1, 0.3, 0.3, 0.3), attributes={"color": "brown"}
            ),
        ),
    )
    for second in range(5)
)


GREY = tuple(
    FrameSeen(
        start_time=float(second),
        end_time=second + 1.0,
        thumbnail="thumbs/none.jpg",
        brightness=0.5,
        contrast=0.2,
        saturation=0.0,
        sharpness=50.0,
    )
    for second in range(5)
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path_factory.mktemp("notes") / "home") as workspace:
        yield workspace


@pytest.fixture(scope="module")
def video_id(library: Workspace, sample: Path) -> str:
    added = library.add(sample).video.video_id
    store = library.store.observations
    store.append(added, "ocr", [CAPTION])
    store.append(added, "transcript", SPOKEN)
    store.append(added, "sounds", SOUNDS)
    store.append(added, "objects", DOGS)
    store.append(added, "frames", GREY)
    return added


def noted(library: Workspace, video_id: str, language: str = "en", **others: object) -> list[NotedLine]:
    request = GetNotesRequest.model_validate({"video_id": video_id, "language": language, **others})
    return run(OpContext(library.settings, library.store, library.indexer), request).notes


def test_every_sense_is_noted_in_order_of_time(library: Workspace, video_id: str) -> None:
    notes = noted(library, video_id)
    assert [one.start_time for one in notes] == sorted(one.start_time for one in notes)
    assert {one.kind for one in notes} == {"said", "written", "seen", "heard"}


def test_speech_is_whole_sentences_with_the_speakers_name(library: Workspace, video_id: str) -> None:
    [said] = [one for one in noted(library, video_id) if one.kind == "said"]
    assert (said.text, said.name) == ("The reef lost 30 percent of its coral.", "Anna Berg")
    assert (said.start_time, said.end_time, said.confidence) == (2.0, 4.0, 0.8)


def test_a_caption_names_the_person_in_view(library: Workspace, video_id: str) -> None:
    notes = noted(library, video_id)
    assert [one.text for one in notes if one.kind == "written"] == ["Anna Berg Marine biologist"]
    assert any(one.kind == "seen" and "Anna Berg, Marine biologist" in one.text for one in notes)


def test_sounds_are_joined_and_doubtful_ones_are_marked(library: Workspace, video_id: str) -> None:
    heard = [one for one in noted(library, video_id) if one.kind == "heard"]
    assert [(one.text, one.start_time, one.end_time) for one in heard] == [
        ("music", 0.0, 5.0),
        ("perhaps applause", 4.0, 5.0),
    ]


def test_what_is_seen_is_told_in_the_language_asked_for(library: Workspace, video_id: str) -> None:
    assert any("brown dog" in one.text for one in noted(library, video_id))
    chinese = [one.text for one in noted(library, video_id, "zh") if one.kind in ("seen", "heard")]
    assert any("狗" in text for text in chinese)
    assert not any("dog" in text for text in chinese)


def test_a_span_keeps_what_holds_in_it(library: Workspace, video_id: str) -> None:
    span = TimeRange(start_time=0.0, end_time=1.5)
    assert {one.kind for one in noted(library, video_id, time_range=span)} == {"seen", "heard"}


def test_a_picture_without_colour_is_noted_beside_what_it_shows(library: Workspace, video_id: str) -> None:
    seen = [one.text for one in noted(library, video_id) if one.kind == "seen"]
    assert any("dog" in text for text in seen)
    assert "The picture is black and white" in seen
    assert any(
        text.startswith("画面是黑白的") for text in (one.text for one in noted(library, video_id, "zh"))
    )
