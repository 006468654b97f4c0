"""What speaks for a query, on rows written by hand into a real store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.language.question.search import read_search
from vidence.queries.search.changes import changes_seen
from vidence.queries.search.heard import captions_read, screen_read, sounds_heard, words_heard
from vidence.queries.search.material import Hit, Material
from vidence.queries.search.seen import actions_seen, labels_seen, objects_seen
from vidence.schema.observations import (
    ActionsSeen,
    Caption,
    LabelsSeen,
    NamedScore,
    ObjectsSeen,
    Observation,
    SeenObject,
    SeenText,
    Segment,
    SoundEvent,
    TextSeen,
)
from vidence.schema.speech import Utterance, Word

BOX = (0.1, 0.2, 0.2, 0.5)


def _objects(start: float, *things: SeenObject) -> ObjectsSeen:
    return ObjectsSeen(start_time=start, end_time=start + 1, objects=things)


def _thing(category: str, **attributes: str) -> SeenObject:
    return SeenObject(category=category, confidence=0.9, bbox=BOX, attributes=attributes)


ROWS: dict[str, Sequence[Observation]] = {
    "objects": [
        _objects(0, _thing("person", clothing_color="red")),
        _objects(1, _thing("person", clothing_color="blue"), _thing("dog")),
        _objects(2, _thing("person", clothing_color="blue"), _thing("dog")),
        _objects(3, _thing("person", clothing_color="blue"), _thing("dog"), _thing("dog")),
        _objects(4, _thing("person", clothing_color="blue")),
        _objects(5, _thing("person", clothing_color="blue")),
    ],
    "labels": [LabelsSeen(start_time=0, end_time=6, labels=(NamedScore(label="espresso", score=0.8),))],
    "actions": [
        ActionsSeen(start_time=2, end_time=4, actions=(NamedScore(label="juggling balls", score=0.9),))
    ],
    "ocr": [
        TextSeen(start_time=5, end_time=6, lines=(SeenText(text="WELCOME HQME", confidence=0.9, bbox=BOX),))
    ],
    "captions": [
        Caption(
            start_time=0,
            end_time=6,
            segment_id="seg_001",
            en="A dog runs.",
            zh="一只狗在跑。",
            confidence=0.7,
        )
    ],
    "sounds": [SoundEvent.of("dog_bark", 1, 2, 0.8, "dog"), SoundEvent.of("music", 3, 6, 0.9)],
    "transcript": [
        Utterance(
            start_time=2,
            end_time=5,
            text="good morning to all",
            words=tuple(
                Word(text=text, start_time=2 + n * 0.75, end_time=2.7 + n * 0.75, confidence=0.9)
                for n, text in enumerate(["good", "morning", "to", "all"])
            ),
        )
    ],
}


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory, sample: Path) -> Iterator[Material]:
    with open_workspace(home=tmp_path_factory.mktemp("evidence") / "home") as workspace:
        yield _material(workspace, sample)


def _material(workspace: Workspace, sample: Path) -> Material:
    video_id = workspace.add(sample).video.video_id
    for stage, rows in ROWS.items():
        workspace.store.observations.append(video_id, stage, rows)
    shots = [
        Segment(segment_id="seg_001", start_time=0, end_time=6, type="shot"),
        Segment(segment_id="seg_002", start_time=6, end_time=54, type="shot"),
    ]
    workspace.store.segments.replace(video_id, "fine", shots)
    return Material(workspace.store, video_id)


def _best(hits: Iterator[Hit]) -> Hit:
    return max(hits, key=lambda hit: hit.score)


def test_the_colour_decides_which_person_is_meant(material: Material) -> None:
    red = _best(objects_seen(read_search("a person in red"), material))
    assert (red.source, red.start_s) == ("described", 0.0)
    assert red.end_s == pytest.approx(0.5), "it speaks for the time up to halfway to the next frame"
    blue = [h for h in objects_seen(read_search("a person in blue"), material) if h.score > 0.5]
    assert min(hit.start_s for hit in blue) == pytest.approx(0.5)


def test_as_many_as_were_asked_for_must_be_there(material: Material) -> None:
    [both] = objects_seen(read_search("two dogs"), material)
    assert (both.start_s, both.end_s) == (2.5, 3.5)
    assert list(objects_seen(read_search("a giraffe"), material)) == []


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [("a dog appears", 0.0, 1.0), ("the dog leaves", 3.0, 4.0), ("a hard cut", 5.85, 6.15)],
)
def test_a_change_is_found_when_it_happens(material: Material, query: str, start: float, end: float) -> None:
    best = _best(changes_seen(read_search(query), material))
    assert (best.start_s, best.end_s) == pytest.approx((start, end))
    assert best.score > 0.8


def test_where_the_most_are(material: Material) -> None:
    [most] = changes_seen(read_search("the most dogs"), material)
    assert (most.start_s, most.end_s) == (2.5, 3.5)


def test_labels_and_actions_answer_to_their_words(material: Material) -> None:
    assert _best(labels_seen(read_search("espresso"), material)).score > 0.8
    assert _best(actions_seen(read_search("someone juggling"), material)).start_s == 2
    assert list(labels_seen(read_search("volcano"), material)) == []


def test_quoted_words_are_found_when_they_are_said(material: Material) -> None:
    [hit] = words_heard(read_search('"morning to"'), material)
    assert (hit.start_s, hit.end_s) == pytest.approx((2.35, 4.6))
    assert list(words_heard(read_search('"evening"'), material)) == []


def test_a_misread_letter_does_not_hide_a_word_on_screen(material: Material) -> None:
    assert _best(screen_read(read_search('"welcome home"'), material)).score > 0.7
    assert _best(screen_read(read_search("text on screen"), material)).score >= 0.45


@pytest.mark.parametrize("query", ["barking", "狗叫声"])
def test_a_sound_has_names_in_both_languages(material: Material, query: str) -> None:
    assert (_best(sounds_heard(read_search(query), material))).start_s == 1


def test_captions_are_read_in_both_languages(material: Material) -> None:
    for query in ("dog", "狗在跑"):
        assert _best(captions_read(read_search(query), material)).score == pytest.approx(0.7)
