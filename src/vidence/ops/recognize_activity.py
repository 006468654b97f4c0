"""API-5 `recognize_activity`: what is being done in a stretch of a video."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from vidence.index.activity.event import EVENTS_ID, Activity, action_events, rule_events
from vidence.index.activity.evidence import FrameEvidence
from vidence.media import VideoReader
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.activity.atomic import ATOMIC_ID, atomic_activities, clip_to, merge_same
from vidence.queries.activity.clips import glance_at, missing_clips, recognize_clip, without_cuts
from vidence.queries.activity.people import burst_times, follow_people
from vidence.schema.frozen import Frozen
from vidence.schema.observations import ActionsSeen, LabelsSeen, MotionSeen, ObjectsSeen
from vidence.schema.perception import Box, Detection
from vidence.schema.speech import Utterance
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "RecognizeActivityRequest", "RecognizeActivityResult", "RecognizedActivity"]

_MAX_ACTIVITIES = 6
_MIN_CONFIDENCE = 0.25
_GLANCE_EVERY_S = 2.0
_MAX_GLANCES = 8
_KNOWN_EVERY_S, _MAX_KNOWN = 1.0, 48
_MOVING = ("walking", "running")
_LEAST_MOVING_S, _LEAST_MOVING_SHARE = 1.0, 0.3
_SURE_EVENT = 0.45
_STILL_SHARE, _STILL = 0.02, 0.01
"""Most activity and most camera motion of a scene in which nothing happens."""


class RecognizeActivityRequest(Request):
    """Which stretch, and how fine."""

    start_time: Seconds = Field(description="Start of the span, in seconds.")
    end_time: Seconds = Field(description="End of the span, in seconds; must be after start_time.")
    granularity: Literal["atomic", "event"] = Field(
        default="event",
        description="atomic: what bodies do (walking, sitting, reaching, waving). "
        "event: what goes on (cooking, having a meeting, playing basketball).",
    )


class RecognizedActivity(Frozen):
    """One activity."""

    label: str
    confidence: float
    start_time: float
    end_time: float


class RecognizeActivityResult(Result):
    """The activities, the surest first; several may go on at once."""

    activities: list[RecognizedActivity]
    primary_activity: str | None = Field(description="The main one; null when nothing was recognised.")


def run(context: OpContext, request: RecognizeActivityRequest) -> RecognizeActivityResult:
    """Track people densely for atomic actions; weigh clips against other evidence for events."""
    span = context.check_span(request.video_id, request.start_time, request.end_time)
    with context.open(request.video_id) as reader:
        if request.granularity == "atomic":
            found = _atomic(context, reader, span)
        else:
            found = _events(context, reader, request.video_id, span)
    kept = [one for one in clip_to(found, span) if one.confidence >= _MIN_CONFIDENCE]
    return _result(sorted(kept, key=lambda one: -_weight(one, span))[:_MAX_ACTIVITIES])


def _atomic(context: OpContext, reader: VideoReader, span: TimeRange) -> list[Activity]:
    shelf = context.shelf
    bursts = burst_times(span)
    pause_s = bursts[1][0] - bursts[0][-1] if len(bursts) > 1 else 0.0
    tracks = [track for burst in bursts for track in follow_people(reader.at(burst), shelf)]
    for model_id in (shelf.detector.model_id, shelf.pose.model_id, ATOMIC_ID):
        context.used(model_id)
    return atomic_activities(tracks, gap_s=max(0.5, pause_s * 1.1))


def _events(context: OpContext, reader: VideoReader, video_id: str, span: TimeRange) -> list[Activity]:
    shelf, load = context.shelf, context.store.observations.load
    model = shelf.actions
    known = [
        clip
        for clip in load(video_id, "actions", ActionsSeen, span=span)
        if clip.start_time >= span.start_time - 0.1 and clip.end_time <= span.end_time + 0.1
    ]
    glances = _glances(context, reader, video_id, span)
    length_s = min(model.clip_frames / model.clip_fps, span.duration_s)
    shots = [
        TimeRange(start_time=shot.start_time, end_time=shot.end_time)
        for shot in context.store.segments.load(video_id, "fine")
    ]
    wanted = without_cuts(missing_clips(span, known, length_s), shots)
    fresh = [recognize_clip(reader, clip, shelf) for clip in wanted]
    clips = sorted([*known, *fresh], key=lambda clip: clip.start_time)
    for model_id in (model.model_id, shelf.detector.model_id, shelf.labeller.model_id, EVENTS_ID):
        context.used(model_id)
    spoken = load(video_id, "transcript", Utterance, span=span)
    still = _stillness(load(video_id, "motion", MotionSeen, span=span))
    events = action_events(clips, glances, is_still=still) + rule_events(
        glances, span=span, speech=lambda time_s: any(u.start_time <= time_s <= u.end_time for u in spoken)
    )
    if not any(one.confidence >= _SURE_EVENT for one in events):
        # When nothing else happens, people walking or running are the event.
        least_s = max(min(_LEAST_MOVING_S, 0.5 * span.duration_s), _LEAST_MOVING_SHARE * span.duration_s)
        moving = [
            one
            for one in _atomic(context, reader, span)
            if one.label in _MOVING and one.end_s - one.start_s >= least_s
        ]
        events += moving if any(glance.boxes("person") for glance in glances) else []
    return merge_same(events, gap_s=_GLANCE_EVERY_S)


def _glances(context: OpContext, reader: VideoReader, video_id: str, span: TimeRange) -> list[FrameEvidence]:
    """Return frames of the span as evidence, from the index where it has them."""
    load = context.store.observations.load
    done = {
        row.stage
        for row in context.store.stages.all(video_id)
        if row.is_done and row.stage in ("objects", "labels")
    }
    # Rows of the index are cheap, so more of them are used.
    every_s, most = (_GLANCE_EVERY_S, _MAX_GLANCES) if len(done) < 2 else (_KNOWN_EVERY_S, _MAX_KNOWN)
    count = int(np.clip(round(span.duration_s / every_s), 1, most))
    times = [span.start_time + (n + 0.5) * span.duration_s / count for n in range(count)]
    if len(done) < 2:
        return glance_at(reader, times, context.shelf)
    objects = load(video_id, "objects", ObjectsSeen, span=span)
    labels = load(video_id, "labels", LabelsSeen, span=span)
    return [_glance(time_s, objects, labels) for time_s in times]


def _stillness(motion: Sequence[MotionSeen]) -> Callable[[float, float], bool]:
    """Return a function that tells whether nothing moves in a span; False where motion was not measured."""
    rows = [(row.start_time, row.end_time, row.reliable and _is_still(row)) for row in motion]

    def is_still(start_s: float, end_s: float) -> bool:
        there = [still for row_start, row_end, still in rows if row_start < end_s and start_s < row_end]
        return bool(there) and all(there)

    return is_still


def _is_still(row: MotionSeen) -> bool:
    return row.activity <= _STILL_SHARE and abs(row.dx) + abs(row.dy) + abs(row.zoom) + row.shake <= _STILL


def _glance(time_s: float, objects: Sequence[ObjectsSeen], labels: Sequence[LabelsSeen]) -> FrameEvidence:
    seen = [row for row in objects if row.start_time <= time_s < row.end_time]
    named = [row for row in labels if row.start_time <= time_s < row.end_time]
    return FrameEvidence(
        time_s,
        [Detection(one.category, one.confidence, Box(*one.bbox)) for row in seen for one in row.objects],
        {item.label: item.score for row in named for item in row.labels},
    )


def _weight(activity: Activity, span: TimeRange) -> float:
    """Rank by confidence and, with less weight, by duration."""
    share = (activity.end_s - activity.start_s) / span.duration_s
    return float(activity.confidence * (0.5 + 0.5 * min(1.0, share)))


def _result(found: Sequence[Activity]) -> RecognizeActivityResult:
    activities = [
        RecognizedActivity(
            label=one.label,
            confidence=round(one.confidence, 3),
            start_time=round(one.start_s, 3),
            end_time=round(one.end_s, 3),
        )
        for one in found
    ]
    primary = activities[0].label if activities else None
    ranked = sorted(activities, key=lambda one: -one.confidence)
    return RecognizeActivityResult(activities=ranked, primary_activity=primary)


OPERATION = Operation(
    name="recognize_activity",
    category="perception",
    purpose=(
        "Recognise the activities in a span of a video, with times and confidences: body actions (atomic) "
        "or events (event)."
    ),
    request=RecognizeActivityRequest,
    result=RecognizeActivityResult,
    run=run,
    version=3,
    also_reads=("actions", "objects", "labels", "motion", "transcript", "shots"),
    capabilities=("actions", "objects", "pose", "image_labels"),
    notes=(
        "`atomic` tracks people in seven frames a second (in bursts when the span is long) and recognises "
        "walking, running, standing, sitting, bending, lying, waving, raising_hand, reaching and gesturing "
        "from their joints and motion. `event` runs a model of 400 actions on clips of the span. It trusts "
        "the model only as far as clips agree and the objects that the action needs are visible (no "
        "basketball without a ball). Kinds of one thing that clip after clip shows are summed up: several "
        "dances are `dancing`. Some events are derived from what is in the frame together (a person and a "
        "dog). If nothing else is found, walking and running count. Verify anything with a confidence below "
        "0.5. An empty list means that nothing was recognised, not that nothing happens."
    ),
    example={"start_time": 0, "end_time": 5},
    span=lambda request: TimeRange(start_time=request.start_time, end_time=request.end_time),
)
