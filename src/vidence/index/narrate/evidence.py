"""The index's rows for a span, grouped by its shots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from vidence.index.narrate.scene import read_view
from vidence.index.scene.likeness import PlaceScores
from vidence.index.scene.place import SceneEvidence
from vidence.schema.entities import TrackSeen
from vidence.schema.observations import (
    ActionsSeen,
    FrameSeen,
    LabelsSeen,
    MotionSeen,
    NamedScore,
    ObjectsSeen,
    Observation,
    SeenObject,
    SoundEvent,
    TextSeen,
)
from vidence.schema.speech import Utterance, Word
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["SampledFrame", "ShotEvidence", "gather"]

_Row = TypeVar("_Row", bound=Observation)
_EDGE_S = 0.02
"""Times of shots and frames may differ by less than a frame."""
_VIEWS = 3
_SHORTEST_S = 0.2
"""A shorter part of a shot at the edge of a span is ignored."""
_AROUND_S = 9.0
"""How far outside a span its clips may lie: a little more than their distance."""


@dataclass(frozen=True)
class SampledFrame:
    """One analysed frame, and how many seconds of the span it stands for."""

    time_s: float
    seconds: float
    labels: tuple[NamedScore, ...] = ()
    objects: tuple[SeenObject, ...] = ()
    frame: FrameSeen | None = None


@dataclass(frozen=True)
class ShotEvidence:
    """The rows of one shot, or of the part of it inside the span."""

    span: TimeRange
    samples: tuple[SampledFrame, ...] = ()
    motion: tuple[MotionSeen, ...] = ()
    texts: tuple[TextSeen, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    sounds: tuple[SoundEvent, ...] = ()
    clips: tuple[ActionsSeen, ...] = ()
    """The clips of the shot in the span and next to it: what is done shows in several of them."""
    views: tuple[SceneEvidence, ...] = ()
    """A few of its frames, as evidence for its place."""
    tracks: tuple[TrackSeen, ...] = ()
    """The tracks of people in it, which have more frames than `samples`."""

    @property
    def frame_times(self) -> set[float]:
        """The times of the frames behind it."""
        looked = {round(sample.time_s, 3) for sample in self.samples}
        return looked | {round(row.start_time, 3) for row in self.texts}


def gather(
    store: Store,
    video_id: str,
    span: TimeRange,
    *,
    place_scores: PlaceScores | None = None,
    tracked: bool = False,
) -> list[ShotEvidence]:
    """Return the evidence of each shot inside `span`, in order; a frame never counts for another shot.

    Args:
        place_scores: returns how much the vector of a frame looks like each place.
        tracked: whether to load the tracks, too, which not every profile makes.
    """
    load = store.observations.load
    labels = load(video_id, "labels", LabelsSeen, span=span)
    objects = load(video_id, "objects", ObjectsSeen, span=span)
    frames = load(video_id, "frames", FrameSeen, span=span)
    motion = load(video_id, "motion", MotionSeen, span=span)
    texts = load(video_id, "ocr", TextSeen, span=span)
    said = load(video_id, "transcript", Utterance, span=span)
    sounds = load(video_id, "sounds", SoundEvent, span=span)
    clips = load(video_id, "actions", ActionsSeen, span=_around(span))
    tracks = load(video_id, "tracks", TrackSeen, span=span) if tracked else []
    found = []
    for shot, part in _parts(store, video_id, span):
        found.append(
            ShotEvidence(
                span=part,
                samples=_samples(shot, part, labels, objects, frames),
                motion=tuple(row for row in motion if _share(row, part) >= 0.5),
                texts=tuple(_seen_in(shot, part, texts)),
                utterances=tuple(_mostly_in(part, said)),
                sounds=tuple(row for row in sounds if _is_heard(row, part)),
                clips=tuple(row for row in clips if _is_near(row, part) and _share(row, shot) >= 0.8),
                tracks=tuple(row for row in tracks if row.category == "person" and _touches(row, part)),
            )
        )
    vectors = {row.start_time: row.vector for row in store.vectors.load(video_id, "lens_vectors", span=span)}

    def view(sample: SampledFrame, thumbnail: bytes) -> SceneEvidence | None:
        vector = vectors.get(sample.time_s) if place_scores else None
        seems = place_scores(vector) if place_scores and vector is not None else {}
        return read_view(sample.objects, sample.labels, thumbnail, seems, vector)

    return [replace(shot, views=_views(store, video_id, shot.samples, view)) for shot in found]


def _views(
    store: Store,
    video_id: str,
    samples: Sequence[SampledFrame],
    view: Callable[[SampledFrame, bytes], SceneEvidence | None],
) -> tuple[SceneEvidence, ...]:
    """Return the place evidence of a few frames, spread over the shot."""
    step = max(1, len(samples) // _VIEWS)
    found = []
    for sample in samples[step // 2 :: step][:_VIEWS]:
        if sample.frame and store.blobs.exists(video_id, sample.frame.thumbnail):
            data = store.blobs.read(video_id, sample.frame.thumbnail)
            found.append(view(sample, data))
    return tuple(view for view in found if view is not None)


def _parts(store: Store, video_id: str, span: TimeRange) -> list[tuple[TimeRange, TimeRange]]:
    """Return each shot that overlaps the span, with its part inside the span."""
    found: list[tuple[TimeRange, TimeRange]] = []
    for segment in store.segments.load(video_id, "fine"):
        start, end = max(segment.start_time, span.start_time), min(segment.end_time, span.end_time)
        if end > start:
            whole = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
            found.append((whole, TimeRange(start_time=start, end_time=end)))
    long = [pair for pair in found if pair[1].duration_s >= _SHORTEST_S]
    return long or found or [(span, span)]


def _samples(
    shot: TimeRange,
    part: TimeRange,
    labels: Sequence[LabelsSeen],
    objects: Sequence[ObjectsSeen],
    frames: Sequence[FrameSeen],
) -> tuple[SampledFrame, ...]:
    named = {row.start_time: row.labels for row in _seen_in(shot, part, labels)}
    found = {row.start_time: row.objects for row in _seen_in(shot, part, objects)}
    looks = {row.start_time: row for row in _seen_in(shot, part, frames)}
    ends = {row.start_time: row.end_time for row in (*labels, *objects, *frames)}
    times = sorted({*named, *found, *looks})
    return tuple(
        SampledFrame(
            time,
            max(min(ends[time], part.end_time) - max(time, part.start_time), 0.0),
            named.get(time, ()),
            found.get(time, ()),
            looks.get(time),
        )
        for time in times
    )


def _seen_in(shot: TimeRange, part: TimeRange, rows: Iterable[_Row]) -> list[_Row]:
    """Return the rows whose frame lies in the shot and that hold within the part."""
    return [
        row
        for row in rows
        if shot.start_time - _EDGE_S <= row.start_time < part.end_time and row.end_time > part.start_time
    ]


def _around(part: TimeRange) -> TimeRange:
    return TimeRange(start_time=max(0.0, part.start_time - _AROUND_S), end_time=part.end_time + _AROUND_S)


def _is_near(row: Observation, part: TimeRange) -> bool:
    return _touches(row, _around(part))


def _share(row: Observation, part: TimeRange) -> float:
    """Return the overlap as a share of the shorter of the two."""
    shared = min(row.end_time, part.end_time) - max(row.start_time, part.start_time)
    return shared / max(min(row.end_time - row.start_time, part.duration_s), 1e-6)


def _touches(row: Observation, part: TimeRange) -> bool:
    return row.start_time < part.end_time and row.end_time > part.start_time


def _is_heard(row: SoundEvent, part: TimeRange) -> bool:
    shared = min(row.end_time, part.end_time) - max(row.start_time, part.start_time)
    return shared >= 1.0 or _share(row, part) >= 0.5


def _mostly_in(part: TimeRange, rows: Iterable[Utterance]) -> list[Utterance]:
    """Return the utterances in the part; of a longer one, the words inside the part."""
    found = []
    for row in rows:
        words = [w for w in row.words if part.start_time <= (w.start_time + w.end_time) / 2 < part.end_time]
        if row.start_time >= part.start_time - _EDGE_S and row.end_time <= part.end_time + _EDGE_S:
            found.append(row)
        elif words := words or [
            w for w in row.words if w.start_time < part.end_time and w.end_time > part.start_time
        ]:
            found.append(row if len(words) == len(row.words) else _cut(row, words))
        elif not row.words and _share(row, part) >= 0.5:
            found.append(row)
    return found


def _cut(row: Utterance, words: Sequence[Word]) -> Utterance:
    """Keep some of the words, with an ellipsis where others were cut."""
    joiner = "" if (row.language or "") in ("zh", "ja") else " "
    kept = [word.text.strip() for word in words]
    before = ["…"] if words[0] != row.words[0] else []
    after = ["…"] if words[-1] != row.words[-1] else []
    return row.model_copy(update={"text": joiner.join([*before, *kept, *after])})
