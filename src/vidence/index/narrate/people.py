"""The people of a shot: their number, places, clothes, postures and motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.index.narrate.evidence import SampledFrame
from vidence.index.narrate.facts import People, Person
from vidence.index.narrate.paths import ObjectPath, follow, majority, moved, place_of, stays, walks
from vidence.index.narrate.things import DOUBT, SURE, lasting, typical
from vidence.schema.entities import TrackSeen
from vidence.schema.observations import SeenObject
from vidence.schema.perception import Box
from vidence.schema.time import TimeRange

__all__ = ["ShotMotion", "find_people"]

_COUNTED = 0.45
_MAX_EACH = 3
_STEADY = 0.5
"""Share of the frames in which a person must be detected to be described."""
_MIN_TOLD = 2
_OFTEN, _MIN_OFTEN, _LARGE = 0.5, 3, 0.25
_PASSING = 0.6
_FOLLOWED_S = 0.7
"""How long a track must be to tell whether its person walks."""
_AROUND_S = 1.0
_SAME_IOU = 0.5


@dataclass(frozen=True)
class ShotMotion:
    """The motion of the camera, the picture and the people in a shot."""

    span: TimeRange
    pan: float = 0.0
    """How far the camera panned to the right, in picture widths."""
    stirring: bool = False
    """Whether anything moves in front of the camera."""
    tracks: tuple[TrackSeen, ...] = ()
    """The tracks of its people; empty where tracks were not made."""

    def walk(self, track: TrackSeen) -> bool | None:
        """Tell whether someone walks; None when the track is too short."""
        # A single time does not show it, so some time around the shot is included.
        around_s = max(0.0, _AROUND_S - self.span.duration_s / 2)
        start_s, end_s = self.span.start_time - around_s, self.span.end_time + around_s
        points = [(p.time_s, Box(*p.bbox)) for p in track.points if start_s <= p.time_s <= end_s]
        if len(points) < 2 or points[-1][0] - points[0][0] < _FOLLOWED_S:
            return None
        return walks(points, self.pan)

    def most_walk(self) -> bool:
        """Tell whether most of the tracked people walk."""
        judged = [found for track in self.tracks if (found := self.walk(track)) is not None]
        return len(judged) > 1 and sum(judged) > len(judged) / 2


def find_people(samples: Sequence[SampledFrame], stir: ShotMotion) -> People | None:
    """Return the people in view; None when there are none, or none is confident enough."""
    seen = [[o for o in sample.objects if o.category == "person"] for sample in samples]
    best = [max((o.confidence for o in found), default=0.0) for found in seen]
    if not any(best):
        return None
    presence = sum(score > 0 for score in best) / len(best)
    score = lasting(best, len(samples)) * (0.75 + 0.25 * presence)
    if presence >= _OFTEN and _is_large(seen):
        # A body without a head scores low in every frame, but nothing else is detected as one for long.
        score = max(score, DOUBT)
    if score < DOUBT:
        return None
    counted = [[o for o in found if o.confidence >= _COUNTED] or found[:1] for found in seen]
    counts = [len(found) for found in counted if found]
    count = max(1, typical(counts))
    tracks = follow((sample.time_s, found) for sample, found in zip(samples, counted, strict=True) if found)
    steady = [t for t in tracks if len(t.sightings) >= _STEADY * len(counts)]
    lasted = [_person(track, stir) for track in steady]
    told = steady[:count] if count <= _MAX_EACH and len(steady) >= count else []
    return People(
        count=count,
        most=max(counts),
        score=min(score, 0.97),
        sure=score >= SURE,
        each=tuple(sorted((_person(track, stir) for track in told), key=_from_left)),
        walking=stir.most_walk(),
        followed=(*lasted, *_passing(tracks, {person.upper for person in lasted}, stir)),
    )


def _is_large(seen: Sequence[Sequence[SeenObject]]) -> bool:
    areas = sorted(max(o.bbox[2] * o.bbox[3] for o in found) for found in seen if found)
    return len(areas) >= _MIN_OFTEN and areas[len(areas) // 2] >= _LARGE


def _passing(tracks: Sequence[ObjectPath], known: set[str | None], stir: ShotMotion) -> list[Person]:
    """Return one confident person for each colour of clothes that none of the `known` wears."""
    plain = [pair for track in tracks for pair in track.sightings if pair[1].confidence >= _PASSING]
    found: dict[str, Person] = {}
    for pair in sorted(plain, key=lambda pair: -pair[1].confidence):
        person = _person(ObjectPath([pair]), stir)
        if person.upper is not None and person.upper not in known:
            found.setdefault(person.upper, person)
    return list(found.values())


def _person(track: ObjectPath, stir: ShotMotion) -> Person:
    return Person(
        place=place_of(track.boxes[len(track.sightings) // 2]),
        upper=_agreed(track, "clothing_color"),
        lower=_agreed(track, "lower_clothing_color"),
        posture=_posture(track, stir),
        moved=moved(track, stir.pan),
        area=track.area,
    )


def _posture(track: ObjectPath, stir: ShotMotion) -> str | None:
    """Return a person's posture; an upright person stands only if they stay in their place."""
    total = len(track.sightings)
    told = [seen.attributes["posture"] for _, seen in track.sightings if "posture" in seen.attributes]
    posture = majority(told, total) if len(told) >= min(_MIN_TOLD, total) else None
    if posture != "standing":
        return posture
    judged = [found for one in stir.tracks if _is_same(track, one) and (found := stir.walk(one)) is not None]
    if judged:
        return "walking" if all(judged) else posture
    return posture if not stir.stirring or stays(track.points) else None


def _is_same(track: ObjectPath, followed: TrackSeen) -> bool:
    """Tell whether a path and a track are of the same person."""
    time_s, box = track.points[len(track.sightings) // 2]
    place = followed.box_at(time_s)
    return place is not None and box.iou(Box(*place)) >= _SAME_IOU


def _agreed(track: ObjectPath, attribute: str) -> str | None:
    """Return a colour only when most of the frames agree on it."""
    return majority(track.said(attribute), len(track.sightings))


def _from_left(person: Person) -> int:
    return ("left", "centre", "right").index(person.place)
