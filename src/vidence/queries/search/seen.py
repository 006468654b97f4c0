"""Evidence from what models named in frames: labels, objects with attributes, actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from vidence.language.colours import kin_of
from vidence.language.objects import ObjectQuery, Part
from vidence.language.question import SearchQuery
from vidence.language.tables import read_table
from vidence.language.tokens import stems
from vidence.models.vision.imagenet import meanings
from vidence.queries.search.material import Hit, Material, Source
from vidence.schema.observations import SeenObject

__all__ = ["actions_seen", "attribute_fit", "labels_seen", "objects_seen"]

_MIN_OBJECT = 0.35
_WORN = {
    "upper": ("clothing_color",),
    "lower": ("lower_clothing_color",),
    "any": ("clothing_color", "lower_clothing_color", "color"),
}
_MISFIT = 0.25
"""What a thing of the right kind is worth when it is not of the colour or posture asked for."""
_UNTOLD = 0.35
_SIDES = {"left": (0, -1), "right": (0, 1), "top": (1, -1), "bottom": (1, 1)}


def labels_seen(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Match the query's words with image labels and their plain synonyms."""
    wanted = set(query.stems)
    if not wanted:
        return
    for row, span in zip(material.labels, material.place(material.labels), strict=True):
        best = 0.0
        for item in row.labels:
            share = _named(item.label, wanted)
            if share:
                best = max(best, share * min(1.0, 0.3 + item.score))
        if best:
            yield Hit(span.start_s, span.end_s, best, "labels")


def objects_seen(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Match the queried objects with their colours, clothes, postures, places and companions."""
    if query.things.head is None:
        return
    # Words that no attribute can check leave it open whether this is the object meant.
    head, asked = query.things.head, query.things
    untold = [words for words in asked.unchecked if words != head.words]
    # The index does not hold what people wear but for the colours.
    untold += [value for _, value in asked.traits]
    told = 1.0 / (1.0 + _UNTOLD * len(untold))
    # A matching colour, garment or posture is stronger evidence than the category alone.
    source: Source = "described" if head.colours or asked.garments or asked.postures else "objects"
    for row, span in zip(material.objects, material.place(material.objects), strict=True):
        found = [one for one in row.objects if one.confidence >= _MIN_OBJECT]
        fits = sorted(
            (attribute_fit(query.things, one, found) * one.confidence for one in found), reverse=True
        )
        need = query.count or 1
        if len(fits) >= need and fits[need - 1] > 0:
            yield Hit(span.start_s, span.end_s, fits[need - 1] * told, source)


def actions_seen(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Match the query's words with the names of actions."""
    wanted = set(query.stems)
    for row in material.actions:
        best = max((_overlap(_action_stems(a.label), wanted) * a.score for a in row.actions), default=0.0)
        if best > 0.02:
            yield Hit(row.start_time, row.end_time, min(1.0, best), "actions")


def attribute_fit(query: ObjectQuery, thing: SeenObject, others: Sequence[SeenObject]) -> float:
    """Return how well an object matches the head of a query by its attributes; 0 for other categories."""
    if query.head is None or thing.category not in query.head.categories:
        return 0.0
    score = _coloured(thing, "any", query.head.colours)
    for garment, colours in query.garments:
        score = min(score, _coloured(thing, garment, colours))
    for posture in query.postures:
        known = thing.attributes.get("posture")
        score = min(score, 1.0 if known == posture else 0.6 if known is None else _MISFIT)
    for position in query.positions:
        score = min(score, _placed(thing, position))
    for part in query.companions:
        score = min(score, _accompanied(thing, part, others))
    for clause in query.denied:
        score = min(score, max(1.0 - attribute_fit(clause, thing, others), _MISFIT))
    return score


def _coloured(thing: SeenObject, garment: str, colours: Sequence[str]) -> float:
    if not colours:
        return 1.0
    told = {name for key in _WORN[garment] for name in thing.attributes.get(key, "").split(" and ") if name}
    return min(1.0 if c in told else 0.6 if told & kin_of()[c] else _MISFIT for c in colours)


def _placed(thing: SeenObject, position: str) -> float:
    if position not in _SIDES:
        return 1.0
    axis, side = _SIDES[position]
    centre = thing.bbox[axis] + thing.bbox[axis + 2] / 2
    return 1.0 if (centre - 0.5) * side > 0 else 0.4


def _accompanied(thing: SeenObject, part: Part, others: Sequence[SeenObject]) -> float:
    fits = [
        _coloured(one, "any", part.colours)
        for one in others
        if one is not thing and one.category in part.categories
    ]
    return max(fits, default=0.35)


def _named(label: str, wanted: set[str]) -> float:
    return max((_overlap(names, wanted) for names in _label_stems(label)), default=0.0)


def _overlap(names: frozenset[str], wanted: set[str]) -> float:
    """Return the share of a name's words in the query, weighted by how much of the query they cover."""
    shared = len(names & wanted)
    if not shared:
        return 0.0
    return shared / len(names) * (0.5 + 0.5 * shared / max(1, min(len(wanted), 4)))


@lru_cache(maxsize=2048)
def _label_stems(label: str) -> tuple[frozenset[str], ...]:
    names = {label}
    for meaning in meanings(label):
        names |= {meaning.chinese, meaning.group.name, meaning.group.chinese, meaning.group.kind}
    return tuple(frozenset(found) for name in names if (found := stems(name)))


@lru_cache(maxsize=1024)
def _action_stems(label: str) -> frozenset[str]:
    return frozenset(stems(label)) | frozenset(stems(_chinese_actions().get(label, "")))


@lru_cache(maxsize=1)
def _chinese_actions() -> dict[str, str]:
    return {row[0]: row[1] for row in read_table("kinetics400.tsv")}
