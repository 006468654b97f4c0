"""The people of a shot: how many, where, what they wear, how they hold themselves and move."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.evidence import Glimpse
from vidence.index.narrate.facts import People, Person
from vidence.index.narrate.things import DOUBT, SURE, lasting, typical
from vidence.index.narrate.tracks import Track, follow, majority, moved, place_of

__all__ = ["find_people"]

_COUNTED = 0.45
_MAX_EACH = 3
_STEADY = 0.5
"""Share of the frames in which a person must be seen to be described."""
_MIN_TOLD = 2


def find_people(glimpses: Sequence[Glimpse], *, pan: float = 0.0) -> People | None:
    """Return who is in view; None when nobody is, or nobody surely enough to mention."""
    seen = [[o for o in glimpse.objects if o.category == "person"] for glimpse in glimpses]
    best = [max((o.confidence for o in found), default=0.0) for found in seen]
    if not any(best):
        return None
    presence = sum(score > 0 for score in best) / len(best)
    score = lasting(best, len(glimpses)) * (0.75 + 0.25 * presence)
    if score < DOUBT:
        return None
    counted = [[o for o in found if o.confidence >= _COUNTED] or found[:1] for found in seen]
    counts = [len(found) for found in counted if found]
    count = max(1, typical(counts))
    tracks = follow(
        (glimpse.time_s, found) for glimpse, found in zip(glimpses, counted, strict=True) if found
    )
    steady = [t for t in tracks if len(t.sightings) >= _STEADY * len(counts)]
    told = steady[:count] if count <= _MAX_EACH and len(steady) >= count else []
    return People(
        count=count,
        most=max(counts),
        score=min(score, 0.97),
        sure=score >= SURE,
        each=tuple(sorted((_person(track, pan) for track in told), key=_from_left)),
    )


def _person(track: Track, pan: float) -> Person:
    total = len(track.sightings)
    postures = [seen.attributes["posture"] for _, seen in track.sightings if "posture" in seen.attributes]
    return Person(
        place=place_of(track.boxes[total // 2]),
        upper=_agreed(track, "clothing_color"),
        lower=_agreed(track, "lower_clothing_color"),
        posture=majority(postures, total) if len(postures) >= min(_MIN_TOLD, total) else None,
        moved=moved(track, pan),
        area=track.area,
    )


def _agreed(track: Track, attribute: str) -> str | None:
    """Return a colour only when it was told in most of the frames, and told alike."""
    return majority(track.said(attribute), len(track.sightings))


def _from_left(person: Person) -> int:
    return ("left", "centre", "right").index(person.place)
