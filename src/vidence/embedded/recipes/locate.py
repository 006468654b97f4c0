"""When something happens: by counting objects where possible, else by search, else by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.recipe import Inquiry, StepsOf, call, claim, has_cue, hits_of, segments_of
from vidence.embedded.recipes.shown import plain_letters
from vidence.embedded.recipes.spans import APART_S, apart
from vidence.embedded.recipes.wording import between, pick, seconds
from vidence.language.question import SearchQuery, Target, read_question, targets_of
from vidence.language.question.ordinals import find_ordinal
from vidence.ops.get_temporal_structure import StructureSegment
from vidence.ops.temporal_search import SearchHit
from vidence.runs.notes import noted_lines
from vidence.schema.evidence import Claim

__all__ = [
    "LocateSteps",
    "Located",
    "by_search",
    "by_words",
    "event_query",
    "subject_of",
]

_SHARE = 0.8
"""A hit may be the first occurrence from this share of the best hit's confidence on."""
_NOWHERE = 0.15
"""What it weighs that an event is nowhere, as odds."""
_SUREST, _UNBEGUN = 0.9, 0.6
"""The most a search says, and what it says counts where a thing that begins was there from the start."""
_SNAP_S = 3.0
_NAMES = re.compile(r"(?<=[a-z] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_READ, _FIRST = 0.7, 0.45
"""How probable it is that the words, or that the first of several texts, are meant."""
_CAPTION_S = 1.0


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
    if targets and targets[0].category is None and not has_cue("event_noun", text):
        return None
    named = next((one for one in targets if one.category is not None), None)
    if named is not None:
        return named
    head = event_query(text).things.head
    if head is None or len(head.categories) != 1:
        return None
    category = next(iter(head.categories))
    return Target(text=category, head=category, category=category, phrase=category)


def by_search(
    inquiry: Inquiry,
    text: str,
    *,
    asks: bool = False,
    modality: str = "multimodal",
    within: tuple[float, float] | None = None,
) -> LocateSteps:
    """Search for a text; for a first occurrence or a start take the earliest likely hit."""
    more: dict[str, object] = {"top_k": 8, "modality": modality}
    if within is not None:
        more["time_range"] = {"start_time": round(within[0], 3), "end_time": round(within[1], 3)}
    question = text if asks else inquiry.say("when_is", text)
    searched, parts = yield [
        call("temporal_search", inquiry, query=question, **more),
        call("get_temporal_structure", inquiry, granularity="fine"),
    ]
    hits = hits_of(searched)
    things = pick(inquiry.language, " and ", "和").join(one.phrase for one in targets_of(text)[:2])
    if not hits and things:
        (searched,) = yield [call("temporal_search", inquiry, query=things, **more)]
        hits = hits_of(searched)
    event, shots, turns = event_query(text), segments_of(parts), has_cue("turns_to", text)
    if turns:  # Nothing changes to what is there from the start.
        hits = [hit for hit in hits if hit.start_time >= max(one.end_time for one in shots[:1])] or hits
    if not hits:
        return None
    scene = turns or has_cue("scene", text)
    starts = turns or has_cue("begins", text) or event.order == "first" or event.change == "appear"
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
    # What begins first comes first.
    time_s = _moment(hit, shots, starts=starts, scene=scene) if asks or scene else hit.start_time
    told = inquiry.say("search_leads", between(hit.start_time, hit.end_time, inquiry.language))
    rivals = [one for one in hits if one.segment_id != hit.segment_id] if scene else hits
    chance = _chance(hit, rivals) * (_UNBEGUN if starts and time_s > hit.start_time else 1.0)
    return Located(time_s, hit.start_time, hit.end_time, chance, claim(told, searched, hit))


def _chance(hit: SearchHit, hits: Sequence[SearchHit]) -> float:
    """Return how probable it is that an event is at a hit, not at one apart from it and not nowhere.

    `training.search.sequences` measures it.
    """
    rivals = [
        one for one in hits if max(hit.start_time - one.end_time, one.start_time - hit.end_time) > APART_S
    ]
    odds, *others = (one.confidence / (1.005 - one.confidence) for one in (hit, *rivals))
    return min(_SUREST, odds / (odds + sum(others) + _NOWHERE))


def by_words(inquiry: Inquiry, text: str) -> LocateSteps:
    """Find when words that a text quotes or names are first on screen, or any where it only says "title"."""
    # Names are capitalised words that follow one another within a sentence.
    named = [plain_letters(one) for one in (*read_question(text).form.quoted, *_NAMES.findall(text))]
    wanted = [letters for letters in named if len(letters) > 1]
    if not wanted and not has_cue("text_comes", text):
        return None
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    written = [line for line in noted_lines(record) if line.kind == "written"] if record is not None else []
    if wanted:
        meant = [line for line in written if any(word in plain_letters(line.text) for word in wanted)]
    else:
        hint = event_query(text).hint
        start_s, end_s = hint.seconds(inquiry.duration_s) if hint else (0.0, inquiry.duration_s)
        written = [line for line in written if line.start_time < end_s and line.end_time > start_s]
        # A caption is read in several frames, and what comes was not there from the start.
        lasting = [line for line in written if line.end_time - line.start_time >= _CAPTION_S]
        meant = [line for line in lasting if line.start_time >= _CAPTION_S] or lasting
    if not meant:
        return None
    line, chance = meant[0], _READ if wanted or len(meant) == 1 else _FIRST
    told = inquiry.say("screen_reads_at", line.text, at=seconds(line.start_time, inquiry.language))
    proof = claim(told, record, line, quote=line.text)
    return Located(line.start_time, line.start_time, line.end_time, chance, proof)


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
