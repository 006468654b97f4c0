"""The place, time of day and actions of a shot, by the rules of the scene and activity rooms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

import cv2
import numpy as np

from vidence.index.activity.event import action_events, rule_events, snake_case
from vidence.index.activity.evidence import FrameEvidence
from vidence.index.activity.spans import Activity
from vidence.index.narrate.facts import Name, Setting
from vidence.index.narrate.paths import majority
from vidence.index.scene.kind import score_kind
from vidence.index.scene.pixels import read_pixels
from vidence.index.scene.place import SceneEvidence, place, side, time_of_day, weather
from vidence.language.actions import action_families
from vidence.language.tables import read_table
from vidence.schema.observations import ActionsSeen, NamedScore, SeenObject
from vidence.schema.perception import Box, Detection, FloatArray, Rgb
from vidence.schema.time import TimeRange

__all__ = ["actions_in", "read_view", "setting_of"]

_SURE_ACTION = 0.45
_MAX_ACTIONS = 1
_IN_SHARE = 0.6


def read_view(
    objects: Sequence[SeenObject],
    labels: Sequence[NamedScore],
    thumbnail: bytes,
    place_scores: Mapping[str, float] = MappingProxyType({}),
    vector: FloatArray | None = None,
) -> SceneEvidence | None:
    """Return the evidence of a sampled frame for its place, from its rows and its thumbnail.

    Args:
        place_scores: how much the whole frame looks like each place, where that is known.
        vector: the frame's vector by lens, from which it is told whether it was filmed.
    """
    pixels = cv2.imdecode(np.frombuffer(thumbnail, np.uint8), cv2.IMREAD_COLOR_RGB)
    # OpenCV's stubs do not say so, but a damaged file gives None.
    if pixels is None:
        return None
    image: Rgb = np.asarray(pixels, np.uint8)
    return SceneEvidence.gather(
        _detections(objects),
        _scores(labels),
        read_pixels(image),
        place_scores=place_scores,
        drawn=score_kind(image, vector),
    )


def setting_of(views: Sequence[SceneEvidence]) -> Setting:
    """Return the place and time of a shot, as far as its frames agree."""
    sides = [side(view) for view in views]
    places = [place(view, where) for view, where in zip(views, sides, strict=True)]
    times = [time_of_day(view, where) for view, where in zip(views, sides, strict=True)]
    weathers = [weather(view, where) for view, where in zip(views, sides, strict=True)]
    return Setting(
        _named("place", majority(places) or majority(sides)),
        _named("time", majority(times)),
        _named("weather", majority(weathers)),
    )


def actions_in(
    span: TimeRange,
    frames: Sequence[tuple[float, Sequence[SeenObject], Sequence[NamedScore]]],
    clips: Sequence[ActionsSeen],
    *,
    speech: Callable[[float], bool] = lambda time_s: False,
    sure: frozenset[str] | None = None,
) -> tuple[Name, ...]:
    """Return the most confident action that clips and frames both support.

    Args:
        sure: the categories that are surely there; rules go by no others.
    """
    seen = [FrameEvidence(time, _detections(objects), _scores(labels)) for time, objects, labels in frames]
    firm = [
        replace(one, objects=[each for each in one.objects if sure is None or each.category in sure])
        for one in seen
    ]
    shown = [one for one in action_events(clips, seen) if _is_in(one, span)]
    found = [*shown, *rule_events(firm, span=span, speech=speech)]
    ranked = sorted((one for one in found if one.confidence >= _SURE_ACTION), key=lambda one: -one.confidence)
    names = [name for one in ranked if (name := _action_name(one.label)) is not None]
    return tuple(dict.fromkeys(names))[:_MAX_ACTIONS]


def _is_in(activity: Activity, span: TimeRange) -> bool:
    """Tell whether an activity goes on in much of a span, or lies mostly in it."""
    shared = min(activity.end_s, span.end_time) - max(activity.start_s, span.start_time)
    return shared >= _IN_SHARE * min(activity.end_s - activity.start_s, span.duration_s)


def _detections(objects: Sequence[SeenObject]) -> list[Detection]:
    return [Detection(one.category, one.confidence, Box(*one.bbox)) for one in objects]


def _scores(labels: Sequence[NamedScore]) -> dict[str, float]:
    return {item.label: item.score for item in labels}


def _named(kind: str, label: str | None) -> Name | None:
    return _names().get((kind, label)) if label else None


def _action_name(label: str) -> Name | None:
    """Return the words for an activity; there are none for talking, because a voice may be anybody's."""
    return _names().get(("event", label)) or _families().get(label) or _kinetics().get(label)


@lru_cache(maxsize=1)
def _names() -> dict[tuple[str, str], Name]:
    return {(row[0], row[1]): Name(row[2], row[2], row[3]) for row in read_table("scene_names.tsv")}


@lru_cache(maxsize=1)
def _families() -> dict[str, Name]:
    return {one.name: Name(one.english, one.english, one.chinese) for one in action_families()}


@lru_cache(maxsize=1)
def _kinetics() -> dict[str, Name]:
    # Not all of the model's labels are English as they stand ("training dog").
    spoken = {row[0]: row[1] for row in read_table("action_names.tsv")}
    named = ((row[0], spoken.get(row[0], row[0]), row[1]) for row in read_table("kinetics400.tsv"))
    return {snake_case(label): Name(words, words, chinese) for label, words, chinese in named}
