"""When something happens: by counting objects where possible, else by search, else by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.objects import TimedDetections, detect_at, spread
from vidence.embedded.recipes.recipe import Inquiry, StepsOf, call, claim, hits_of, segments_of
from vidence.embedded.recipes.spans import apart
from vidence.embedded.recipes.wording import between, pick, seconds
from vidence.language.question import SearchQuery, Target, read_question, targets_of
from vidence.language.question.ordinals import find_ordinal
from vidence.ops.get_temporal_structure import StructureSegment
from vidence.ops.temporal_search import SearchHit
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = [
    "LocateSteps",
    "Located",
    "by_name",
    "by_search",
    "event_query",
    "is_scene",
    "subject_of",
]

_SHARE = 0.6
"""A hit may be the first occurrence from this share of the best hit's confidence on."""
_SNAP_S = 3.0
_NAMED = 0.08
"""The least confidence of a detection by name."""
_NAME_LOOKS, _TEXT_LOOKS = 12, 24
_TEXT_STEP_S = 0.5
_WORDS_ON = re.compile(
    r"\b(?:sign|title|caption|logo|text|word|banner|label|name)s?\b|招牌|标题|字幕|文字|标志", re.IGNORECASE
)
_EVENT_NOUNS = re.compile(
    r"\b(?:removal|appearance|disappearance|arrival|departure|entrance|exit|return|throw|pour(?:ing)?)\b",
    re.IGNORECASE,
)
_SCENE = re.compile(r"\b(?:scene|shot|sequence|part|segment|section)\b|场景|片段|镜头", re.IGNORECASE)
_BEGINS = re.compile(
    r"\b(?:start|starts|begin|begins|started|began|first|onset)\b|开始|第一次|首次|最先", re.IGNORECASE
)


@dataclass(frozen=True)
class Located:
    """The time of an event, its probability and its claims."""

    time_s: float
    start_s: float
    end_s: float
    chance: float
    claims: tuple[Claim, ...] = ()


LocateSteps = StepsOf[Located | None]


def event_query(text: str) -> SearchQuery:
    """Read an event as a search query: what changes, how many, first or last."""
    return read_question(text.replace("-", " ")).search


def subject_of(text: str) -> Target | None:
    """Return the subject of an event, if it is something that can be counted."""
    targets = targets_of(text)
    if targets and targets[0].category is not None:
        return targets[0]
    if targets and not _EVENT_NOUNS.search(text):
        return None
    named = next((one for one in targets if one.category is not None), None)
    if named is not None:
        return named
    head = event_query(text).things.head
    if head is None or len(head.categories) != 1:
        return None
    category = next(iter(head.categories))
    return Target(text=category, head=category, category=category, phrase=category)


def is_scene(text: str) -> bool:
    """Return whether a text names a scene as a whole."""
    return bool(_SCENE.search(text))


def by_search(
    inquiry: Inquiry,
    text: str,
    *,
    asks: bool = False,
    modality: str = "multimodal",
    within: tuple[float, float] | None = None,
) -> LocateSteps:
    """Search for a text; for a first occurrence or a start take the earliest likely hit."""
    question = text if asks else pick(inquiry.form.language, f"When is {text}?", f"{text}是什么时候？")
    searched, parts = yield [
        call("temporal_search", inquiry, query=question, top_k=8, modality=modality, **_range(within)),
        call("get_temporal_structure", inquiry, granularity="fine"),
    ]
    hits = hits_of(searched)
    things = pick(inquiry.form.language, " and ", "和").join(one.phrase for one in targets_of(text)[:2])
    if not hits and things:
        (searched,) = yield [
            call("temporal_search", inquiry, query=things, top_k=8, modality=modality, **_range(within))
        ]
        hits = hits_of(searched)
    if not hits:
        return None
    starts = bool(_BEGINS.search(text)) or event_query(text).order == "first"
    # Something that is shown more than once counts from its first occurrence.
    earliest = starts or not asks
    ordinal = find_ordinal(text)
    if ordinal is not None and ordinal.unit == "time":
        times = apart(hits)
        place = ordinal.of(len(times))
        if place is None:
            return None
        hit, starts = times[place], True
    else:
        likely = [hit for hit in hits if hit.confidence >= _SHARE * hits[0].confidence]
        hit = min(likely, key=lambda one: one.start_time) if earliest else hits[0]
    time_s = _moment(hit, segments_of(parts), starts=starts, scene=is_scene(text))
    told = pick(
        inquiry.form.language,
        f"The search for it leads to {between(hit.start_time, hit.end_time, 'en')}.",
        f"搜索结果指向 {between(hit.start_time, hit.end_time, 'zh')}。",
    )
    claims = claim(told, searched, start_s=hit.start_time, end_s=hit.end_time)
    return Located(time_s, hit.start_time, hit.end_time, hit.confidence, claims)


def _range(within: tuple[float, float] | None) -> dict[str, object]:
    if within is None:
        return {}
    return {"time_range": {"start_time": round(within[0], 3), "end_time": round(within[1], 3)}}


def by_name(inquiry: Inquiry, text: str) -> LocateSteps:
    """Detect what a text names, or read text on screen, all over the video; take the best shot."""
    targets = targets_of(text)
    if not targets:
        return None
    written = bool(_WORDS_ON.search(text))
    query = "text on the sign" if written else targets[0].head
    asked = Target(text=query, head=query, phrase=query)
    (parts,) = yield [call("get_temporal_structure", inquiry, granularity="fine")]
    times = _dense(inquiry.duration_s) if written else _by_shot(segments_of(parts), inquiry.duration_s)
    looks = yield from detect_at(inquiry, times, asked, threshold=_NAMED)
    words = set(re.findall(r"\w{3,}", text.lower())) if written else None
    scored = [(one, *_fit(one, words)) for one in looks]
    seen = [row for row in scored if row[1] > 0]
    if not seen:
        return None
    best, fit, what = max(
        seen, key=lambda row: (row[1] if written else _in_shot(row[0], scored, parts), row[1])
    )
    told = pick(
        inquiry.form.language,
        f"At {seconds(best.time_s, 'en')} it is seen: “{what}”.",
        f"{seconds(best.time_s, 'zh')}时可以看到：“{what}”。",
    )
    return Located(best.time_s, best.time_s, best.time_s, min(0.9, 0.3 + fit), claim(told, best.record))


def _dense(duration_s: float) -> list[float]:
    """Return times close together: text may be visible only briefly, and the index has missed it."""
    return spread(0.0, duration_s, min(_TEXT_LOOKS, int(duration_s / _TEXT_STEP_S)), duration_s)


def _by_shot(shots: Sequence[StructureSegment], duration_s: float) -> list[float]:
    """Return a few times in every shot, or one each of the first shots when there are many."""
    if not shots:
        return spread(0.0, duration_s, _NAME_LOOKS, duration_s)
    each = max(1, _NAME_LOOKS // len(shots))
    return [
        round(shot.start_time + shot.duration * (index + 0.5) / each, 2)
        for shot in shots[: 2 * _NAME_LOOKS]
        for index in range(each)
    ]


def _fit(one: TimedDetections, words: set[str] | None) -> tuple[float, str]:
    """Return the confidence of the best detection and its name; words must be among the text read."""
    best = (0.0, "")
    for thing in one.objects:
        text = thing.attributes.get("text", "")
        if words is not None and not words & set(re.findall(r"\w{3,}", text.lower())):
            continue
        best = max(best, (thing.confidence, text or thing.category))
    return best


def _in_shot(
    one: TimedDetections, scored: Sequence[tuple[TimedDetections, float, str]], parts: EvidenceRecord | None
) -> float:
    """Return the mean fit of the shot at a time: a single detection is easily wrong."""
    shot = next((s for s in segments_of(parts) if s.start_time <= one.time_s < s.end_time), None)
    if shot is None:
        return 0.0
    inside = [fit for look_, fit, _ in scored if shot.start_time <= look_.time_s < shot.end_time]
    return sum(inside) / len(inside)


def _moment(hit: SearchHit, shots: Sequence[StructureSegment], *, starts: bool, scene: bool) -> float:
    """Return the time of a hit: its start, the start of its shot, or its middle."""
    middle = (hit.start_time + hit.end_time) / 2
    if not starts:
        return middle
    shot = next((one for one in shots if one.start_time <= hit.start_time < one.end_time), None)
    if shot is None:
        return hit.start_time
    near = hit.start_time - shot.start_time <= _SNAP_S
    if scene:
        return shot.start_time if near else hit.start_time
    # At the very start of the video a hit's start says nothing about when the event began.
    return middle if hit.start_time - shot.start_time < 0.05 and shot.start_time < 0.05 else hit.start_time
