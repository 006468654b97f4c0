"""What is true of the shared clips beyond their annotations, as people saw it who watched them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ACTIVITIES", "STATIC_CLIPS", "ActivityTruth"]

STATIC_CLIPS: Mapping[str, tuple[float, ...]] = {
    "intel_bottle.mp4": (3.0, 17.5, 32.0),
    "intel_talk.mp4": (10.0, 25.0, 35.0),
    "sam2_dog.mp4": (1.5, 4.0, 7.5),
    "TUD-Campus.avi": (0.7, 1.4, 2.1),
    "TUD-Stadtmitte.avi": (1.5, 3.5, 6.0),
    "vtest.avi": (10.0, 40.0, 70.0),
    "meeting_c3.webm": (3.5, 14.0, 32.0),
}
"""Single shots from a camera on a stand, and times to ask about."""


@dataclass(frozen=True)
class ActivityTruth:
    """A stretch of a clip and the labels that would be right to call it; empty when nothing has a name."""

    video: str
    start_s: float
    end_s: float
    labels: frozenset[str]


def _truth(video: str, start_s: float, end_s: float, *labels: str) -> ActivityTruth:
    return ActivityTruth(video, start_s, end_s, frozenset(labels))


ACTIVITIES: tuple[ActivityTruth, ...] = (
    _truth("TUD-Campus.avi", 0, 2.8, "walking"),
    _truth("TUD-Stadtmitte.avi", 0, 6, "walking"),
    _truth("vtest.avi", 10, 16, "walking"),
    _truth("sam2_dog.mp4", 0, 6, "training_dog", "playing_with_dog", "walking_the_dog"),
    _truth("meeting_c3.webm", 12, 18, "having_a_meeting", "having_a_conversation", "using_computer"),
    _truth("intel_talk.mp4", 20, 26, "talking", "answering_questions", "news_anchoring", "testifying"),
    _truth("sam2_coffee.mp4", 2, 8, "making_coffee", "making_tea", "having_a_drink"),
    _truth("intel_bottle.mp4", 5, 11, "handling_bottles", "opening_bottle"),
    _truth("bikes.mp4", 4, 5.6, "riding_a_bike", "walking"),
    _truth("psd_fades.mp4", 7, 11.5),
    _truth("bbb_480p.mp4", 16, 20),
)
