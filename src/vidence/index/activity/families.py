"""Families of actions over clips: people who dance are dancing, whichever dance each clip resembles most."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.activity.evidence import FrameEvidence
from vidence.index.activity.spans import Activity, ScoredSpan, join_spans
from vidence.language.actions import ActionFamily, action_families
from vidence.schema.observations import ActionsSeen

__all__ = ["family_events"]

_CLIPS = 3
"""Fewest clips in a row that a family must lead: two in a row are wrong as often as right."""
_LEAST = 0.5
"""Least score of a family, its labels summed, in the mean of these clips: likelier than all else."""
_MOST = 0.9
_PEOPLE, _HEIGHT = 0.5, 0.35
"""Share of the frames with somebody in them, and how tall the tallest person must be."""


def family_events(
    clips: Sequence[ActionsSeen], frames: Sequence[FrameEvidence], *, gap_s: float
) -> list[Activity]:
    """Return the families that lead in clips after clips of people; of nested families only the smallest.

    Args:
        gap_s: longest gap between clips that follow one another.
    """
    found: list[tuple[ActionFamily, Activity]] = []
    for family in action_families():
        spans = [
            ScoredSpan(clip.start_time, clip.end_time, score)
            for clip in clips
            if (score := _score(family, clip)) and _leads(family, score, clip)
        ]
        for one in join_spans(family.name, spans, gap_s=gap_s):
            inside = [clip for clip in clips if one.start_s <= clip.start_time < one.end_s]
            leading = sum(one.start_s <= span.start_s < one.end_s for span in spans)
            if leading < max(_CLIPS, len(inside)) or one.confidence < _LEAST or not _has_people(frames, one):
                continue
            if not any(smaller.labels < family.labels and one.meets(told) for smaller, told in found):
                found.append((family, one))
    return [Activity(one.label, min(_MOST, one.confidence), one.start_s, one.end_s) for _, one in found]


def _score(family: ActionFamily, clip: ActionsSeen) -> float:
    return sum(action.score for action in clip.actions if action.label in family.labels)


def _leads(family: ActionFamily, score: float, clip: ActionsSeen) -> bool:
    """Tell whether no action outside the family is as likely as all of it."""
    return all(action.score < score for action in clip.actions if action.label not in family.labels)


def _has_people(frames: Sequence[FrameEvidence], activity: Activity) -> bool:
    """Tell whether somebody large enough to be judged is in most frames of an activity."""
    near = [frame for frame in frames if activity.start_s <= frame.time_s <= activity.end_s] or list(frames)
    heights = [max((box.h for box in frame.boxes("person")), default=0.0) for frame in near]
    there = sum(height > 0 for height in heights)
    return there > 0 and there >= _PEOPLE * len(heights) and max(heights) >= _HEIGHT
