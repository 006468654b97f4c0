"""How many cuts, fades and dissolves there are, and when one scene cuts to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.locate import by_search
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    StepsOf,
    call,
    claim,
    has_cue,
    hits_of,
    segments_of,
    untold,
)
from vidence.embedded.recipes.spans import QuestionSpan, find_span
from vidence.embedded.recipes.wording import joined, pick, seconds
from vidence.language.question import Ordinal, QuestionForm
from vidence.ops.get_temporal_structure import Gradual, StructureSegment
from vidence.ops.temporal_search import SearchHit
from vidence.schema.evidence import EvidenceRecord

__all__ = ["answer"]

_NEAR_S = 0.6
_LEAST_S = 0.05
_LISTED = 8
_GRADUAL = 0.5
_BY_LINE = re.compile(
    r"\b(?:scene|picture|image|shot|view|footage|video|screen)(?: of)?\b|\b(?:the|a|an|it)\b"
    r"|^black$|^黑[屏色]?$|的?(?:画面|场景|镜头|图像)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Sort:
    """A kind of transition between shots."""

    name: str
    transitions: tuple[Gradual | None, ...]
    """How the later shot begins; None is a hard cut."""

    def word(self, inquiry: Inquiry) -> str:
        return inquiry.say(f"sort_{self.name}")

    def number(self, value: int, inquiry: Inquiry) -> str:
        """Return "1 fade", "3 次淡入淡出"."""
        word, plural = self.word(inquiry), "" if value == 1 else "s"
        return pick(inquiry.language, f"{value} {word}{plural}", f"{value} 次{word}")


_FADE, _DISSOLVE, _CUT = _Sort("fade", ("fade",)), _Sort("dissolve", ("dissolve",)), _Sort("cut", (None,))
_CHANGE = _Sort("change", (None, "fade", "dissolve"))


def answer(inquiry: Inquiry) -> Steps:
    """Count the shot boundaries, or find the one asked for."""
    form = inquiry.form
    span = yield from _part(inquiry)
    (record,) = yield [call("get_temporal_structure", inquiry, granularity="fine")]
    shots = segments_of(record)
    if record is None or not shots:
        return untold(inquiry, "no_cuts")
    inside = [shot for shot in shots[1:] if span.start_s < shot.start_time < span.end_s]
    if form.wants_seconds:
        return (yield from _when(inquiry, shots, inside, record))
    if has_cue("many_shots", form.text):
        return _count_shots(inquiry, shots, inside, record)
    return _count(inquiry, inside, record)


def _part(inquiry: Inquiry) -> StepsOf[QuestionSpan]:
    """Return the span asked about; "first" and "last" mean cuts here, not parts of the video."""
    anchor = inquiry.form.anchor("at", "before", "after")
    if anchor is None or (anchor.start_s is None and inquiry.form.wants_seconds):
        return QuestionSpan(0.0, inquiry.duration_s, whole=True)
    return (yield from find_span(inquiry))


def _asked(form: QuestionForm) -> _Sort:
    """Return the kind that a question names, the first that fits; a fade or a dissolve is no cut."""
    named = (sort for sort in (_FADE, _DISSOLVE, _CHANGE) if has_cue(f"sort_{sort.name}", form.text))
    return next(named, _CUT)


def _count_shots(
    inquiry: Inquiry,
    shots: Sequence[StructureSegment],
    inside: Sequence[StructureSegment],
    record: EvidenceRecord,
) -> Finding:
    value = len(inside) + 1
    text = pick(inquiry.language, f"{value} shot{'' if value == 1 else 's'}", f"{value} 个镜头")
    said = inquiry.say("video_has", text) if value == len(shots) else _listed(inside, _CHANGE, inquiry)
    return Finding(text, _sureness(value), claim(said, record), said)


def _count(inquiry: Inquiry, inside: Sequence[StructureSegment], record: EvidenceRecord) -> Finding:
    """Count the transitions of the kind asked for, and mention those of other kinds."""
    form, language, sort = inquiry.form, inquiry.language, _asked(inquiry.form)
    found = [shot for shot in inside if shot.transition in sort.transitions]
    text = sort.number(len(found), inquiry)
    if has_cue("is_there", form.asked) and not has_cue("how_many", form.text):
        text = pick(language, f"Yes: {text}" if found else "No", f"有，{text}" if found else "没有")
    others = [
        (other, number)
        for other in (_CUT, _FADE, _DISSOLVE)
        if (number := sum(shot.transition in other.transitions for shot in inside if shot not in found))
    ]
    if others:
        beside = joined([other.number(number, inquiry) for other, number in others], language)
        text += inquiry.say("and_beside", beside)
    said = _listed(found, sort, inquiry)
    # A fade from or to black within a shot, as at a video's ends, is no transition and is not counted.
    sure = _GRADUAL if sort in (_FADE, _DISSOLVE) else _sureness(len(found))
    return Finding(text, sure, claim(said, record), said)


def _listed(found: Sequence[StructureSegment], sort: _Sort, inquiry: Inquiry) -> str:
    """Return a sentence with the times of the first few transitions."""
    language, word = inquiry.language, sort.word(inquiry)
    if not found:
        return inquiry.say("no_sort", word)
    times = ", ".join(seconds(shot.start_time, language) for shot in found[:_LISTED])
    more = pick(language, " and later", "等处") if len(found) > _LISTED else ""
    lie = f"{word} lies" if len(found) == 1 else f"{word}s lie"
    return pick(language, f"The {lie} at {times}{more}.", f"{word}发生在 {times}{more}。")


def _sureness(value: int) -> float:
    return 0.85 if value == 0 else max(0.5, 0.8 - 0.02 * value)


def _when(
    inquiry: Inquiry,
    shots: Sequence[StructureSegment],
    cuts: Sequence[StructureSegment],
    record: EvidenceRecord,
) -> Steps:
    form = inquiry.form
    named = [shot for shot in cuts if shot.transition in _asked(form).transitions]
    # "Cut" is used for any change of picture; a fade is only meant when it is named.
    cuts = named or ([] if _asked(form) in (_FADE, _DISSOLVE) else cuts)
    if not cuts:
        words = _listed([], _asked(form), inquiry)
        return Finding(words, 0.5, claim(words, record), words)
    if form.ordinal is not None and form.ordinal.unit in ("cut", "time"):
        return _counted_to(inquiry, form.ordinal, cuts, record)
    scored, basis = yield from _scored(inquiry, shots, cuts)
    best = max(scored, key=lambda pair: pair[1])
    rest = sorted((score for _, score in scored), reverse=True)
    margin = rest[0] - rest[1] if len(rest) > 1 else 1.0
    at = seconds(best[0].start_time, form.language)
    said = inquiry.say("cut_at", at)
    probability = 0.9 if len(cuts) == 1 else min(0.85, 0.35 + 0.6 * margin) if basis else 0.35
    found = Finding(at, probability, claim(said, record), said)
    if len(form.items) < 2 or _bare(form.items[0]) or not _bare(form.items[1]):
        return found
    # Only what it cuts to is named: a search for that may tell the time more surely.
    to = yield from by_search(inquiry, inquiry.say("when_changes", form.items[1]), asks=True)
    if to is None or to.chance <= probability:
        return found
    at = seconds(to.time_s, form.language)
    return Finding(at, to.chance, (*to.claims, *claim(_listed(cuts, _CHANGE, inquiry), record)), at)


def _counted_to(
    inquiry: Inquiry, ordinal: Ordinal, cuts: Sequence[StructureSegment], record: EvidenceRecord
) -> Finding:
    """Return the time of the transition the question names by number, or report that there are too few."""
    place, sort = ordinal.of(len(cuts)), _asked(inquiry.form)
    if place is None:
        words = inquiry.say("only_so_many", sort.number(len(cuts), inquiry))
        return Finding(words, 0.6, claim(_listed(cuts, sort, inquiry), record))
    at = seconds(cuts[place].start_time, inquiry.language)
    said = inquiry.say("sort_at", at, sort=sort.word(inquiry))
    return Finding(at, 0.8, claim(said, record), said)


def _scored(
    inquiry: Inquiry, shots: Sequence[StructureSegment], cuts: Sequence[StructureSegment]
) -> StepsOf[tuple[list[tuple[StructureSegment, float]], bool]]:
    """Score each cut by how well the shots before and after it fit the question."""
    form = inquiry.form
    sides = [_bare(side) or side for side in form.items]
    asked = [form.text, *(side for side in sides if side)]
    records = yield [
        call("temporal_search", inquiry, query=query, top_k=8, modality="visual") for query in asked
    ]
    hits = dict(zip(asked, (hits_of(one) for one in records), strict=True))
    if not sides:
        last = form.anchor("last") is not None
        pointed = hits[form.text]
        if last or form.anchor("first") is not None or not pointed:
            ordered = reversed(cuts) if last else cuts
            return [(cut, 1.0 - 0.3 * index) for index, cut in enumerate(ordered)], True
        return [(cut, _near(cut.start_time, pointed)) for cut in cuts], True
    scored = []
    for cut in cuts:
        earlier = shots[shots.index(cut) - 1]
        score = 0.5 * _near(cut.start_time, hits[form.text])
        if sides[0]:
            score += _ends(earlier, hits[sides[0]]) - 0.5 * _begins(cut, hits[sides[0]])
        if len(sides) > 1 and sides[1]:
            score += _begins(cut, hits[sides[1]]) - 0.5 * _ends(earlier, hits[sides[1]])
        scored.append((cut, score))
    return scored, any(hits[side] for side in sides if side)


def _bare(side: str) -> str:
    """Return what a side of a cut shows, without the words for any picture or plain colour."""
    return " ".join(_BY_LINE.sub(" ", side).split())


def _near(time_s: float, hits: Sequence[SearchHit]) -> float:
    short = [hit for hit in hits if hit.end_time - hit.start_time < 4 * _NEAR_S]
    near = [hit for hit in short if hit.start_time - _NEAR_S <= time_s <= hit.end_time + _NEAR_S]
    return max((hit.confidence for hit in near), default=0.0)


def _ends(shot: StructureSegment, hits: Sequence[SearchHit]) -> float:
    """Return the confidence that a shot shows something."""
    return max((hit.confidence for hit in hits if _overlap(shot, hit)), default=0.0)


def _begins(shot: StructureSegment, hits: Sequence[SearchHit]) -> float:
    """Return the confidence that a shot shows something from its beginning on."""
    within = [hit for hit in hits if _overlap(shot, hit)]
    early = [1.0 if hit.start_time - shot.start_time < _NEAR_S else 0.6 for hit in within]
    return max((hit.confidence * share for hit, share in zip(within, early, strict=True)), default=0.0)


def _overlap(shot: StructureSegment, hit: SearchHit) -> bool:
    return min(shot.end_time, hit.end_time) - max(shot.start_time, hit.start_time) > _LEAST_S
