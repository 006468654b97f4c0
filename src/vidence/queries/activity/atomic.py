"""Body actions from joints and motion: walking, standing, sitting, bending, waving."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import hypot, log

import numpy as np

from vidence.index.activity.event import Activity, ScoredSpan, join_spans
from vidence.models.vision.attributes import posture
from vidence.queries.activity.people import PersonSighting, PersonTrack
from vidence.schema.perception import BodyPose, FloatArray
from vidence.schema.time import TimeRange

__all__ = ["ATOMIC_ID", "atomic_activities", "clip_to", "merge_same"]

ATOMIC_ID = "pose-motion@1"

_REACH_S = 0.6
"""Motion is measured over this time before and after."""
_ARM_REACH_S = 0.9
_MIN_HEIGHT_FOR_ARMS = 0.3
_HAND_MOVES = 0.12
"""Least hand motion between frames, in shoulder widths."""
_MIN_SIGHTINGS = 4
_MIN_LENGTH_S = 0.4
_GAP_S = 0.5

_WALK_SPEED, _RUN_SPEED = 0.22, 1.8
"""Body heights a second: a stroll is 0.6, a jog 1.8."""
_BLIND_WALK_SPEED = 0.8
"""Least walking speed when the legs are not visible."""
_GAIT = 0.05
_APPROACH = 0.08
_STILL_SPEED = 0.15
_MAX_CONFIDENCE = 0.92


def atomic_activities(tracks: Sequence[PersonTrack], *, gap_s: float = _GAP_S) -> list[Activity]:
    """Return the activities of the people; the same action by several people is one activity.

    Args:
        gap_s: longest gap between samples that does not end an activity.
    """
    found: list[Activity] = []
    for track in tracks:
        if len(track.sightings) >= _MIN_SIGHTINGS:
            found += _of_one(track)
    return merge_same(found, gap_s=gap_s)


def _of_one(track: PersonTrack) -> list[Activity]:
    spans: dict[str, list[ScoredSpan]] = defaultdict(list)
    step_s = _step_s(track)
    for sighting in track.sightings:
        seen = _body(track, sighting, _window(track, sighting, _REACH_S))
        # Arms swing by themselves in walking, and are too small to read on distant people.
        if "walking" not in seen and "running" not in seen and sighting.box.h >= _MIN_HEIGHT_FOR_ARMS:
            seen |= _arms(track, sighting, _window(track, sighting, _ARM_REACH_S))
        for label, certainty in seen.items():
            confidence = min(_MAX_CONFIDENCE, certainty * _seen_well(sighting))
            spans[label].append(ScoredSpan(sighting.time_s, sighting.time_s + step_s, confidence))
    joined = [one for label, run in spans.items() for one in join_spans(label, run, gap_s=_GAP_S)]
    return [one for one in joined if one.end_s - one.start_s >= _MIN_LENGTH_S]


def _step_s(track: PersonTrack) -> float:
    times = [one.time_s for one in track.sightings]
    return float(np.median(np.diff(times)))


def _window(track: PersonTrack, sighting: PersonSighting, reach_s: float) -> list[PersonSighting]:
    return [one for one in track.sightings if abs(one.time_s - sighting.time_s) <= reach_s]


def _seen_well(sighting: PersonSighting) -> float:
    return min(1.0, 0.55 + 0.25 * sighting.confidence + 0.35 * sighting.pose.score)


def _body(track: PersonTrack, sighting: PersonSighting, window: Sequence[PersonSighting]) -> dict[str, float]:
    stance = posture(sighting.pose, aspect=track.aspect)
    speed = _speed(track, window)
    if speed is None:
        return {stance: 0.8} if stance else {}
    walks = speed >= (_WALK_SPEED if stance else _BLIND_WALK_SPEED)
    steps = _gait(track, window) > _GAIT and (speed > _STILL_SPEED / 2 or _growth(window) > _APPROACH)
    if stance in ("lying", "bending", "sitting") and not (walks and stance != "lying"):
        return {stance: 0.8}
    if speed >= _RUN_SPEED:
        return {"running": 0.75}
    if walks or steps:
        return {"walking": min(1.0, 0.6 + 0.5 * min(speed, 0.6) + (0.15 if steps else 0.0))}
    return {"standing": 0.9 if speed < _STILL_SPEED else 0.65} if stance == "standing" else {}


def _speed(track: PersonTrack, window: Sequence[PersonSighting]) -> float | None:
    """Return the speed of the body over the ground, in its own heights a second."""
    times = np.array([one.time_s for one in window])
    if len(window) < 3 or times[-1] - times[0] < 0.25:
        return None
    across = np.array([(one.box.centre[0] + one.camera[0]) * track.aspect for one in window])
    along = np.array([one.box.y + one.box.h + one.camera[1] for one in window])
    height = float(np.median([one.box.h for one in window]))
    slopes = [float(np.polyfit(times - times[0], values, 1)[0]) for values in (across, along)]
    # Feet leave and enter the picture and boxes breathe, so vertical motion counts for less.
    return hypot(slopes[0], 0.5 * slopes[1]) / height


def _growth(window: Sequence[PersonSighting]) -> float:
    first, last = window[0], window[-1]
    return abs(log(last.box.h / first.box.h)) / max(last.time_s - first.time_s, 1e-3)


def _gait(track: PersonTrack, window: Sequence[PersonSighting]) -> float:
    """Return how much the distance between the ankles changes, in body heights."""
    gaps = []
    for one in window:
        left, right = one.pose.find("left_ankle"), one.pose.find("right_ankle")
        if left and right:
            gaps.append((left.x - right.x) * track.aspect / one.box.h)
    return float(np.std(gaps)) if len(gaps) >= 4 else 0.0


def _arms(track: PersonTrack, sighting: PersonSighting, window: Sequence[PersonSighting]) -> dict[str, float]:
    found: dict[str, float] = {}
    for side in ("left", "right"):
        path = [point for one in window if (point := _hand(one.pose, side, track.aspect)) is not None]
        now = _hand(sighting.pose, side, track.aspect)
        if now is None or len(path) < 3:
            continue
        for label, certainty in _gesture(now, np.array(path, np.float32)).items():
            found[label] = max(found.get(label, 0.0), certainty)
    if "waving" in found:
        return {"waving": found["waving"]}
    return found


def _gesture(now: tuple[float, float], path: FloatArray) -> dict[str, float]:
    """Name the gesture of a hand; positions are in shoulder widths from the shoulder, right and down."""
    across, down = now
    swing, highest, level = float(np.ptp(path[:, 0])), float(path[:, 1].min()), float(path[:, 1].mean())
    travel = float(np.hypot(*np.diff(path, axis=0).T).mean())
    # A slow wave swings the hand below the shoulder at its ends.
    if swing > 0.45 and highest < -0.28 and level < 0.3 and down < 0.55 and travel > _HAND_MOVES:
        return {"waving": 0.85}
    if down < -0.35:
        return {"raising_hand": 0.8} if level < -0.25 else {}
    if abs(across) > 1.5 and abs(down) < 0.9 and swing > 0.5:
        return {"reaching": 0.7}
    return {"gesturing": 0.7} if travel > _HAND_MOVES and abs(across) < 1.5 and down < 1.3 else {}


def _hand(pose: BodyPose, side: str, aspect: float) -> tuple[float, float] | None:
    """Return the position of a wrist, in shoulder widths from its shoulder; None if not visible."""
    wrist, shoulder = pose.find(f"{side}_wrist"), pose.find(f"{side}_shoulder")
    left, right = pose.find("left_shoulder"), pose.find("right_shoulder")
    if not (wrist and shoulder and left and right):
        return None
    width = hypot((left.x - right.x) * aspect, left.y - right.y)
    if width < 0.02:
        return None
    return (wrist.x - shoulder.x) * aspect / width, (wrist.y - shoulder.y) / width


def merge_same(activities: Iterable[Activity], *, gap_s: float) -> list[Activity]:
    """Join activities of one label that overlap or nearly touch, keeping the highest confidence."""
    merged: list[Activity] = []
    for one in sorted(activities, key=lambda each: (each.label, each.start_s)):
        last = merged[-1] if merged else None
        if last is not None and last.label == one.label and one.start_s - last.end_s <= gap_s:
            merged[-1] = Activity(
                one.label, max(last.confidence, one.confidence), last.start_s, max(last.end_s, one.end_s)
            )
        else:
            merged.append(one)
    return merged


def clip_to(activities: Iterable[Activity], span: TimeRange) -> list[Activity]:
    """Cut activities at the ends of `span` and drop those outside."""
    cut = [
        Activity(one.label, one.confidence, max(one.start_s, span.start_time), min(one.end_s, span.end_time))
        for one in activities
    ]
    return [one for one in cut if one.end_s > one.start_s]
