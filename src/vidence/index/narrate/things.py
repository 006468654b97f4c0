"""The things in a shot: detections and labels merged over its frames, without flickering ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil

from vidence.index.narrate.evidence import SampledFrame
from vidence.index.narrate.facts import Name, Thing
from vidence.index.narrate.naming import (
    category_kind,
    category_name,
    group_name,
    groups_like,
    label_name,
)
from vidence.index.narrate.paths import ObjectPath, follow, majority, moved, place_of
from vidence.language.categories import categories
from vidence.models.vision.imagenet import Label, groups, meanings
from vidence.schema.observations import SeenObject

__all__ = ["find_things", "lasting", "shown_things", "typical"]

SURE, DOUBT = 0.65, 0.5
"""Scores from which a thing is certain, and from which it is mentioned with a doubt."""

_COUNTED = 0.4
_LABEL_SURE, _LABEL_DOUBT = 0.8, 0.65
_LABEL_STRICT = 0.75
_PLAIN_KINDS = frozenset(
    {"animal", "vehicle", "food", "plant", "landscape", "building", "place", "instrument"}
)
"""Kinds a whole picture often shows; a lower score of the labeller is enough for them."""
_NEVER = frozenset({"surface", "graphic", "part", "worn", "person", "thing"})
"""Kinds the labeller gives to mere texture, or that only make sense as part of something else."""
_SPECIFIC = 0.75
_BREED = 0.9
_BREEDS = frozenset({"dog", "cat", "bird", "snake", "monkey", "fish"})
_HELD = frozenset({"sports"})
_HELD_BY = frozenset({"person", "dog"})
_WEARABLE = frozenset({"tie", "handbag", "backpack"})
_TABLEWARE = frozenset(
    {"cup", "bowl", "bottle", "wine glass", "fork", "knife", "spoon", "laptop", "keyboard"}
)
_VESSELS = frozenset({"cup", "bowl", "wine glass", "bottle"})
_CONTENTS = frozenset({"coffee", "drink", "soup"})
_ALONE = 0.75
"""The least score of a thing that belongs to a person where no person is detected."""
_ONE_FRAME, _ONE_OF_FEW, _FEW = 0.9, 0.85, 3
_CONTRADICTED = 0.2
_RIVAL, _PLAIN_RIVAL, _UNDENIED = 0.2, 0.5, 0.85
"""The labeller's scores for another animal that make a doubtful, and a certain, detection just "an animal";
and the detector's score from which its name is kept."""
_SMALL = 0.05
_MAX_AREA_FOR_PLACE = 0.5
_WHOLE, _WHOLE_COLOUR = 0.7, 0.6
_VERY_SURE = 0.9


def find_things(samples: Sequence[SampledFrame], *, pan: float = 0.0) -> list[Thing]:
    """Return the things in a shot other than people, the most confident and largest first.

    Args:
        pan: how far the camera panned to the right over the shot, in picture widths.
    """
    named = _label_scores(samples)
    seen = {thing.words: thing for thing in _detected(samples, named, pan)}
    things = list(seen.values()) + _labelled(samples, named, list(seen.values()))
    things = _filled(things, named, len(samples))
    return sorted(things, key=lambda one: -_weight(one))


def shown_things(things: Iterable[Thing]) -> list[Thing]:
    """Return the few things to be named of a screen or a graphic: a letter looks like many a thing.

    What fills such a picture is the picture itself: a screen looks like a television, a title like a sign.
    """
    return [thing for thing in things if thing.score >= _VERY_SURE and thing.area < _MAX_AREA_FOR_PLACE]


def _weight(thing: Thing) -> float:
    """Return how important a thing is to a reader; furniture is mostly background."""
    behind = 0.3 if thing.kind == "furniture" else 0.0
    return thing.score * (0.35 + min(thing.area, 0.5)) + 0.2 * thing.sure - behind


def lasting(values: Iterable[float], frames: int, *, few: bool = True) -> float:
    """Return the mean score of the best fifth of the frames, at least two: one frame alone is not enough.

    Args:
        few: whether one clear frame of two or three is enough.
    """
    best = sorted(values, reverse=True)
    if frames == 1:
        return best[0] * _ONE_FRAME if best else 0.0
    count = max(2, ceil(frames * 0.2))
    mean = sum(best[:count]) / count
    # In a shot of two or three frames, one clear frame is enough for a doubtful mention.
    return max(mean, best[0] * _ONE_OF_FEW) if few and best and frames <= _FEW else mean


def typical(counts: Sequence[int]) -> int:
    """Return how many are usually in view: above the median, because detectors miss more than they invent."""
    ranked = sorted(counts)
    return ranked[min(len(ranked) - 1, int(len(ranked) * 0.65))] if ranked else 0


def _detected(samples: Sequence[SampledFrame], named: dict[str, list[float]], pan: float) -> Iterable[Thing]:
    frames = len(samples)
    present = {found.category for sample in samples for found in sample.objects}
    rival = _unexplained(named, present, frames)
    for category in sorted(present - {"person"}):
        best = [
            max((o.confidence for o in sample.objects if o.category == category), default=0.0)
            for sample in samples
        ]
        presence = sum(score > 0 for score in best) / frames
        score = lasting(best, frames) * (0.75 + 0.25 * presence)
        support = [
            sum(scores)
            for scores in zip(*(named[g] for g in groups_like(category) if g in named), strict=True)
        ]
        score += 0.25 * min(1.0, lasting(support, frames) / 0.5) if support else 0.0
        score += _company(category, present)
        score -= (
            _CONTRADICTED if rival and score < _ALONE and _usual_area(category, samples) < _SMALL else 0.0
        )
        needed = _ALONE if _is_out_of_place(category, present) else DOUBT
        if score >= needed:
            yield _thing(category, min(score, 0.97), samples, named, pan)


def _unexplained(named: dict[str, list[float]], present: set[str], frames: int) -> bool:
    """Tell whether the labeller is confident of something that no detection explains."""
    explained = {group for category in present for group in groups_like(category)}
    others = (scores for name, scores in named.items() if name in groups() and name not in explained)
    return any(lasting(scores, frames) >= 0.5 for scores in others)


def _usual_area(category: str, samples: Sequence[SampledFrame]) -> float:
    """Return the median area of its most confident detections."""
    finds = [[o for o in sample.objects if o.category == category] for sample in samples]
    areas = [o.bbox[2] * o.bbox[3] for found in finds for o in found if o is max(found, key=_confidence)]
    return sorted(areas)[len(areas) // 2]


def _confidence(found: SeenObject) -> float:
    return found.confidence


def _company(category: str, present: set[str]) -> float:
    """Return a bonus for things found together: a table is likelier with cups on it."""
    return 0.15 if category == "dining table" and present & _TABLEWARE else 0.0


def _is_out_of_place(category: str, present: set[str]) -> bool:
    held = category_kind(category) in _HELD or category in _WEARABLE
    return held and not present & _HELD_BY


def _thing(
    category: str, score: float, samples: Sequence[SampledFrame], named: dict[str, list[float]], pan: float
) -> Thing:
    frames = [
        (g.time_s, [o for o in g.objects if o.category == category and o.confidence >= _COUNTED])
        for g in samples
    ]
    frames = [(time, found) for time, found in frames if found] or [
        (g.time_s, [o for o in g.objects if o.category == category]) for g in samples
    ]
    tracks = follow(frames)
    count = typical([len(found) for _, found in frames if found])
    main = tracks[0]
    sure = score >= SURE
    name, words = _best_name(category, named, len(samples))
    other = _other_animal(category, named, len(samples)) if category_kind(category) == "animal" else 0.0
    if other >= (_PLAIN_RIVAL if score >= SURE else _RIVAL) and score < _UNDENIED:
        # The detector knows ten animals and calls a deer a cow; both models agree that it is an animal.
        name, words = group_name(groups()["animal"]), {"animal"}
    return Thing(
        name=name,
        kind=category_kind(category),
        words=frozenset({name.en, *words} if "animal" in words else {category, name.en, *words}),
        score=score,
        sure=sure,
        count=count,
        area=max(track.area for track in tracks),
        colour=_whole_colour(samples) if main.area >= _WHOLE else _colour(tracks[:count]),
        place=place_of(main.boxes[len(main.boxes) // 2]) if _is_placed(main, count) else None,
        moved=moved(main, pan) if count == 1 else None,
        share=sum(any(o.category == category for o in g.objects) for g in samples) / len(samples),
    )


def _is_placed(track: ObjectPath, count: int) -> bool:
    return count == 1 and track.area < _MAX_AREA_FOR_PLACE


def _colour(tracks: Sequence[ObjectPath]) -> str | None:
    """Return the colour all of them share, when the frames agree on it."""
    found = {majority(track.said("color"), len(track.sightings)) for track in tracks}
    return found.pop() if len(found) == 1 else None


def _whole_colour(samples: Sequence[SampledFrame]) -> str | None:
    """Return the colour most of the picture has, for a thing that is most of the picture."""
    tops = [g.frame.colours[0] for g in samples if g.frame and g.frame.colours]
    return majority([top.label for top in tops if top.score >= _WHOLE_COLOUR], len(samples))


def _other_animal(category: str, named: dict[str, list[float]], frames: int) -> float:
    """Return the labeller's score for another animal."""
    others = (name for name, group in groups().items() if group.kind == "animal")
    same = groups_like(category)
    return max((lasting(named.get(name, ()), frames) for name in others if name not in same), default=0.0)


def _best_name(category: str, named: dict[str, list[float]], frames: int) -> tuple[Name, set[str]]:
    """Return the finer name where the labeller is confident of it: a water bottle, a golden retriever."""
    plain = category_name(category)
    finer = _finer(groups_like(category), named, frames, other_than=plain.zh)
    return (label_name(finer), {finer.name, finer.group.name}) if finer else (plain, set())


def _labelled(
    samples: Sequence[SampledFrame], named: dict[str, list[float]], seen: Sequence[Thing]
) -> list[Thing]:
    """Return the things that only the labeller names, where the detector does not contradict it."""
    frames, found = len(samples), []
    known = {group for thing in seen for word in thing.words for group in groups_like(word)}
    taken = {thing.kind for thing in seen if thing.sure or thing.kind == "animal"}
    has_person = any(o.category == "person" and o.confidence >= _COUNTED for g in samples for o in g.objects)
    for name, group in groups().items():
        score = lasting(named.get(name, ()), frames, few=False)
        blocked = group.kind in _NEVER or group.kind in taken or name in known or name == "object"
        if blocked or score < _label_needed(name, group.kind, has_person):
            continue
        finer = _finer([name], named, frames)
        found.append(
            Thing(
                name=label_name(finer) if finer else group_name(group),
                kind=group.kind,
                words=frozenset({name, finer.name} if finer else {name}),
                score=min(score, 0.95),
                sure=score >= _LABEL_SURE,
                area=0.3,
            )
        )
    return found


def _label_needed(group: str, kind: str, has_person: bool) -> float:
    """Return the least score of a group; the detector would have found its own categories."""
    if group in _detectable() or has_person:
        return _LABEL_SURE
    return _LABEL_DOUBT if kind in _PLAIN_KINDS else _LABEL_STRICT


@lru_cache(maxsize=1)
def _detectable() -> frozenset[str]:
    """Return the groups that mean one of the detector's categories."""
    return frozenset().union(*(groups_like(category.name) for category in categories().values()))


def _finer(
    groups: Collection[str], named: dict[str, list[float]], frames: int, *, other_than: str = ""
) -> Label | None:
    """Return the label in one of `groups` that the labeller is confident of."""
    for key, scores in named.items():
        label = _meaning(key.removeprefix("label:")) if key.startswith("label:") else None
        if label is None or label.group.name not in groups or label.chinese == other_than:
            continue
        needed = _BREED if label.group.name in _BREEDS else _SPECIFIC
        if label.group.name not in _CONTENTS and sum(scores) / frames >= needed:
            return label
    return None


def _filled(things: list[Thing], named: dict[str, list[float]], frames: int) -> list[Thing]:
    """Add contents to a vessel: the coffee in the cup."""
    inside = [g for g in _CONTENTS if lasting(named.get(g, ()), frames) >= 0.5]
    if not inside:
        return things
    contents = groups()[inside[0]]
    vessels = [thing for thing in things if thing.words & _VESSELS]
    if not vessels:
        return things
    # The colour measured inside the box is that of the drink.
    full = replace(vessels[0], contents=group_name(contents), colour=None)
    return [full if thing is vessels[0] else thing for thing in things if contents.name not in thing.words]


def _label_scores(samples: Sequence[SampledFrame]) -> dict[str, list[float]]:
    """Return the score of each group, and of each `label:NAME`, in every frame."""
    scores: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(samples))
    for index, sample in enumerate(samples):
        kinds = {
            m.group.kind for s in sample.labels for m in meanings(s.label) if len(meanings(s.label)) == 1
        }
        for scored in sample.labels:
            meaning = _meaning(scored.label, kinds)
            if meaning is not None:
                scores[meaning.group.name][index] += scored.score
                scores[f"label:{scored.label}"][index] += scored.score
    return dict(scores)


def _meaning(label: str, company: Iterable[str] = ()) -> Label | None:
    """Return the meaning of a label; of two meanings, the one whose kind is in `company`."""
    possible = meanings(label)
    if len({one.group.name for one in possible}) <= 1:
        return possible[0] if possible else None
    fitting = [one for one in possible if one.group.kind in set(company)]
    return fitting[0] if len(fitting) == 1 else None
