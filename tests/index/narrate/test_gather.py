"""Rows of a real store grouped by the shots of a span."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.index.narrate.evidence import ShotEvidence, gather
from vidence.media.jpeg import encode_jpeg
from vidence.schema.entities import TrackPoint, TrackSeen
from vidence.schema.observations import (
    FrameSeen,
    MotionSeen,
    ObjectsSeen,
    Observation,
    SeenObject,
    Segment,
    SoundEvent,
    TextSeen,
)
from vidence.schema.perception import FloatArray
from vidence.schema.speech import Utterance, Word
from vidence.schema.time import TimeRange
from vidence.store import Store, VectorRow

WHOLE = TimeRange(start_time=0, end_time=10)


@pytest.fixture
def film(store: Store, video_id: str) -> Store:
    """A store whose video has a shot of four seconds and one of six."""
    edges = [(0.0, 4.0), (4.0, 10.0)]
    store.segments.replace(
        video_id,
        "fine",
        [
            Segment(segment_id=f"seg_{n:03d}", start_time=start, end_time=end, type="shot")
            for n, (start, end) in enumerate(edges, 1)
        ],
    )
    return store


def _put(store: Store, video_id: str, stage: str, *rows: Observation) -> None:
    store.stages.begin(video_id, stage, "1")
    store.observations.append(video_id, stage, rows)


def _objects(start: float, end: float, name: str) -> ObjectsSeen:
    found = SeenObject(category=name, confidence=0.9, bbox=(0.1, 0.1, 0.2, 0.2))
    return ObjectsSeen(start_time=start, end_time=end, objects=(found,))


def _said(start: float, end: float, *words: str, language: str = "en") -> Utterance:
    step = (end - start) / max(len(words), 1)
    timed = tuple(
        Word(text=word, start_time=start + n * step, end_time=start + (n + 1) * step, confidence=0.9)
        for n, word in enumerate(words)
    )
    return Utterance(start_time=start, end_time=end, text=" ".join(words), language=language, words=timed)


def _names(shot: ShotEvidence) -> list[str]:
    return [found.category for sample in shot.samples for found in sample.objects]


def test_each_shot_gets_its_own_frames(film: Store, video_id: str) -> None:
    _put(film, video_id, "objects", _objects(0, 4, "dog"), _objects(4, 7, "cat"), _objects(7, 10, "cup"))
    first, second = gather(film, video_id, WHOLE)
    assert (_names(first), _names(second)) == (["dog"], ["cat", "cup"])
    assert (first.span.start_time, second.span.end_time) == (0, 10)
    assert second.frame_times == {4.0, 7.0}


def test_a_frame_that_lasts_into_the_next_shot_stays_with_its_own(film: Store, video_id: str) -> None:
    _put(film, video_id, "objects", _objects(0, 6, "dog"), _objects(6, 10, "cat"))
    first, second = gather(film, video_id, WHOLE)
    assert (_names(first), _names(second)) == (["dog"], ["cat"])
    assert first.samples[0].seconds == pytest.approx(4.0)


def test_a_frame_less_than_a_frame_early_belongs_to_the_shot(film: Store, video_id: str) -> None:
    _put(film, video_id, "objects", _objects(3.99, 10, "cat"))
    assert _names(gather(film, video_id, WHOLE)[1]) == ["cat"]


def test_the_rows_of_one_frame_are_one_sample(film: Store, video_id: str) -> None:
    look = FrameSeen(
        start_time=0, end_time=4, thumbnail="-", brightness=0.5, contrast=0.2, saturation=0.5, sharpness=1
    )
    _put(film, video_id, "objects", _objects(0, 4, "dog"))
    _put(film, video_id, "frames", look)
    (sample,) = gather(film, video_id, WHOLE)[0].samples
    assert sample.frame == look
    assert sample.objects[0].category == "dog"


def test_only_the_part_of_a_shot_inside_the_span_counts(film: Store, video_id: str) -> None:
    _put(film, video_id, "objects", _objects(0, 1, "dog"), _objects(1, 4, "cat"))
    (part,) = gather(film, video_id, TimeRange(start_time=2, end_time=4))
    assert (part.span.start_time, part.span.end_time) == (2, 4)
    assert _names(part) == ["cat"], "its frame lies before the span, but is still shown in it"


def test_a_sliver_of_a_shot_at_the_edge_is_ignored_unless_it_is_all(film: Store, video_id: str) -> None:
    assert len(gather(film, video_id, TimeRange(start_time=2, end_time=4.1))) == 1
    (only,) = gather(film, video_id, TimeRange(start_time=3.95, end_time=4.0))
    assert only.span.duration_s == pytest.approx(0.05)


def test_without_shots_the_span_is_one(store: Store, video_id: str) -> None:
    (only,) = gather(store, video_id, WHOLE)
    assert only == ShotEvidence(WHOLE)


def test_motion_and_sounds_belong_to_the_shot_they_mostly_cover(film: Store, video_id: str) -> None:
    def motion(start: float) -> MotionSeen:
        return MotionSeen(start_time=start, end_time=start + 1, dx=0, dy=0, zoom=0, shake=0, activity=0)

    _put(film, video_id, "motion", motion(2.7), motion(3.7), motion(4.7))
    _put(
        film,
        video_id,
        "sounds",
        SoundEvent.of("music", 0, 10, 0.9),
        SoundEvent.of("knock", 3.8, 4.1, 0.9),
    )
    first, second = gather(film, video_id, WHOLE)
    assert [row.start_time for row in first.motion] == [2.7]
    assert [row.start_time for row in second.motion] == [3.7, 4.7]
    assert [row.event_type for row in first.sounds] == ["music", "knock"]
    assert [row.event_type for row in second.sounds] == ["music"]


def test_speech_across_a_cut_is_divided_by_its_words(film: Store, video_id: str) -> None:
    _put(film, video_id, "transcript", _said(3.0, 5.0, "one", "two", "three", "four"))
    first, second = gather(film, video_id, WHOLE)
    assert [row.text for row in first.utterances] == ["one two …"]
    assert [row.text for row in second.utterances] == ["… three four"]


def test_chinese_words_are_joined_without_spaces(film: Store, video_id: str) -> None:
    _put(film, video_id, "transcript", _said(3.0, 5.0, "小马", "走到", "右边", "了", language="zh"))
    assert [row.text for row in gather(film, video_id, WHOLE)[0].utterances] == ["小马走到…"]


def test_speech_without_words_goes_where_most_of_it_is(film: Store, video_id: str) -> None:
    line = Utterance(start_time=3.5, end_time=5.5, text="Hello there.")
    _put(film, video_id, "transcript", line)
    first, second = gather(film, video_id, WHOLE)
    assert (first.utterances, second.utterances) == ((), (line,))


def test_tracks_are_loaded_only_when_asked_for_and_only_of_people(film: Store, video_id: str) -> None:
    def track(name: str, category: str, start: float) -> TrackSeen:
        points = (TrackPoint(start, 0.1, 0.1, 0.1, 0.1, 0.9), TrackPoint(start + 1, 0.1, 0.1, 0.1, 0.1, 0.9))
        return TrackSeen(
            start_time=start,
            end_time=start + 1,
            track_id=name,
            category=category,
            confidence=0.9,
            points=points,
        )

    _put(film, video_id, "tracks", track("a", "person", 1), track("b", "dog", 1), track("c", "person", 6))
    assert gather(film, video_id, WHOLE)[0].tracks == ()
    first, second = gather(film, video_id, WHOLE, tracked=True)
    assert [row.track_id for row in first.tracks] == ["a"]
    assert [row.track_id for row in second.tracks] == ["c"]


def test_a_few_frames_of_a_shot_are_read_as_views_with_their_place_scores(film: Store, video_id: str) -> None:
    image = np.full((90, 160, 3), 128, np.uint8)
    rows = []
    for n in range(12):
        name = f"thumbs/{n}.jpg"
        film.blobs.write(video_id, name, encode_jpeg(image, max_side=160, quality=80))
        time = n / 3
        rows.append(
            FrameSeen(
                start_time=time,
                end_time=time + 1 / 3,
                thumbnail=name,
                brightness=0.5,
                contrast=0.1,
                saturation=0.1,
                sharpness=1,
            )
        )
    _put(film, video_id, "frames", *rows)
    film.stages.begin(video_id, "lens_vectors", "1")
    film.vectors.append(
        video_id,
        "lens_vectors",
        [VectorRow(row.start_time, row.end_time, "frame", np.ones(512, np.float32)) for row in rows],
    )

    def scores(vector: FloatArray) -> dict[str, float]:
        return {"seems_indoor": float(vector.sum()) / 512}

    first, second = gather(film, video_id, WHOLE, place_scores=scores)
    assert len(first.views) == 3
    assert {view.signs["seems_indoor"] for view in first.views} == {1.0}
    assert second.views == ()
    bare = gather(film, video_id, WHOLE)[0].views
    assert all("seems_indoor" not in view.signs for view in bare)


def test_a_missing_thumbnail_is_no_view(film: Store, video_id: str) -> None:
    row = FrameSeen(
        start_time=0, end_time=4, thumbnail="gone.jpg", brightness=0.5, contrast=0.1, saturation=0.1,
        sharpness=1,
    )  # fmt: skip
    _put(film, video_id, "frames", row)
    assert gather(film, video_id, WHOLE)[0].views == ()


def test_texts_count_as_frames_behind_a_description() -> None:
    read = TextSeen(start_time=1.0004, end_time=2, lines=())
    shot = ShotEvidence(WHOLE, texts=(read, read))
    assert shot.frame_times == {1.0}
