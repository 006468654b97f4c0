"""Text on screen that a question asks for: a title, a sign, a name, a copyright line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, hits_of, segments_of
from vidence.embedded.recipes.screen_text import ScreenLine, gather_lines, person_named
from vidence.embedded.recipes.spans import QuestionSpan, find_span, sample_times
from vidence.embedded.recipes.wording import pick, quoted, seconds, sentence
from vidence.language.tokens import stems
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer"]

_FRAMES, _MOST_FRAMES, _SHOTS = 6, 12, 8
_STEP_S = 0.8
_CLOSEST_S = 0.25
_ENOUGH = 3
_NAMES = 0.4
_NAME_STEMS = frozenset(stems("name title sign shop store film video screen text 名字 姓名 片名 店名 标题"))
_TOGETHER = 5
_EVERYTHING = re.compile(
    r"\b(?:words|text|written|writing|lines)\b|\bsays?\b|哪些字|什么字|文字|写着什么|写了什么", re.IGNORECASE
)
_COPYRIGHT = re.compile(r"copyright|©|\(c\)|版权", re.IGNORECASE)


@dataclass(frozen=True)
class _Cue:
    """The sort of text a question asks for, and the pattern that shows it."""

    pattern: re.Pattern[str]
    name: str


_CUES = tuple(
    _Cue(re.compile(pattern, re.IGNORECASE), name)
    for name, pattern in (
        ("copyright", r"copyright|©|版权"),
        ("address", r"\bweb ?site|\burl\b|\bweb address|\blink\b|网址|网站"),
        ("title", r"\btitle\b|\bheadline\b|标题|片名|题目"),
        ("person", r"\bwho\b|\bwhose\b|\bname of the (?:speaker|person|man|woman)|谁|姓名|人名|名字"),
        ("number", r"\b(?:number|digits?|year|date|score|price|how much)\b|号码|数字|年份|日期|几号|多少"),
        ("sign", r"\b(?:shop|store|brand|company|business|restaurant|hotel|bank)\b|店|品牌|公司|招牌"),
    )
)


def answer(inquiry: Inquiry) -> Steps:
    """Read frames of the span, and choose the line the question asks for."""
    span = yield from find_span(inquiry)
    structure, searched = yield (
        call("get_temporal_structure", inquiry, granularity="fine"),
        call("temporal_search", inquiry, query=_search_words(inquiry), top_k=3, modality="visual"),
    )
    times = _times(span, structure, searched)
    frames = yield _looks(inquiry, times)
    lines = gather_lines(frames)
    if not lines:
        whole = span if span.whole else QuestionSpan(0.0, inquiry.duration_s, whole=True)
        times = (
            _between(_times(whole, structure, searched)) if span.whole else _times(whole, structure, searched)
        )
        frames = yield _looks(inquiry, times)
        lines = gather_lines(frames)
    if not lines:
        return _no_text(inquiry, frames, times)
    if all(len(line.readings) < _ENOUGH for line in lines):
        # Visible only briefly: read just before and after, where a frame may be sharper.
        around = _around(lines, inquiry.duration_s)
        lines = gather_lines([*frames, *(yield _looks(inquiry, around))])
    if not span.whole and _EVERYTHING.search(inquiry.form.text) and not inquiry.form.quoted:
        return _all_of(inquiry, lines, span)
    return _chosen(inquiry, lines)


def _looks(inquiry: Inquiry, times: Sequence[float]) -> list[OperationCall]:
    return [call("detect_objects", inquiry, timestamp=time, query="text") for time in times]


def _between(times: Sequence[float]) -> list[float]:
    return [round((one + other) / 2, 2) for one, other in pairwise(times) if other - one >= 2 * _CLOSEST_S]


def _around(lines: Sequence[ScreenLine], duration_s: float) -> list[float]:
    clearest = max(lines, key=lambda line: line.confidence * line.height)
    middle = clearest.best.time_s
    times = [middle + step for step in (-0.24, -0.12, 0.12, 0.24)]
    return [round(time, 2) for time in times if 0 <= time < duration_s - 0.05]


def _all_of(inquiry: Inquiry, lines: Sequence[ScreenLine], span: QuestionSpan) -> Finding:
    """Return every line shown at the time nearest to the one asked about."""
    times = [one.time_s for line in lines for one in line.readings]
    at = min(times, key=lambda time: abs(time - span.middle_s))
    shown = [line for line in lines if any(one.time_s == at for one in line.readings)][:_TOGETHER]
    return _told(inquiry, " ".join(line.text for line in shown), shown, 0.75)


def _search_words(inquiry: Inquiry) -> str:
    return f'"{inquiry.form.quoted[0]}"' if inquiry.form.quoted else inquiry.form.text


def _times(
    span: QuestionSpan, structure: EvidenceRecord | None, searched: EvidenceRecord | None
) -> list[float]:
    """Return times spread evenly, plus the middles of shots and of search hits."""
    length = span.end_s - span.start_s
    times = sample_times(span, int(min(_MOST_FRAMES, max(_FRAMES, length / _STEP_S))))
    spans = [(one.start_time, one.end_time) for one in hits_of(searched)]
    inside = [(one.start_time, one.end_time) for one in segments_of(structure)]
    for start, end in [*spans, *inside[:: max(1, len(inside) // _SHOTS)]]:
        if end > span.start_s and start < span.end_s:
            middle = (max(start, span.start_s) + min(end, span.end_s)) / 2
            if all(abs(middle - time) >= _CLOSEST_S for time in times):
                times.append(round(middle, 2))
    return sorted(times)


def _chosen(inquiry: Inquiry, lines: Sequence[ScreenLine]) -> Finding:
    text = inquiry.form.text
    cue = next((one.name for one in _CUES if one.pattern.search(text)), "any")
    if inquiry.form.quoted:
        beside = _beside(lines, inquiry.form.quoted[0])
        if beside is not None:
            return _told(inquiry, beside[0].text, beside, 0.85)
    if cue == "copyright":
        owner = [line for line in lines if _COPYRIGHT.search(line.text)]
        if owner:
            return _told(inquiry, _from_copyright(owner[0].text, text), owner[:1], 0.85)
    if cue == "address":
        links = [line for line in lines if re.search(r"www\.|https?:|\.(?:com|org|net|cn)\b", line.text)]
        if links:
            return _told(inquiry, links[0].text, links[:1], 0.9)
    if cue == "person":
        person = person_named(lines)
        if person is not None:
            return _told(inquiry, person[0], [person[1]], 0.85)
    if cue == "number":
        digits = [line for line in lines if re.search(r"\d", line.text)]
        if digits:
            return _told(inquiry, digits[0].text, digits[:1], 0.6)
    best = _ranked(inquiry, lines, cue)
    block = _block(best[0][1], lines) if cue in ("title", "any") else [best[0][1]]
    margin = best[0][0] - best[1][0] if len(best) > 1 else 0.5
    sure = (0.5 + 0.5 * min(0.5, margin)) * min(1.0, best[0][1].confidence + 0.05)
    if best[0][1].confidence < 0.9:
        sure = min(sure, 0.6)
    return _told(inquiry, " ".join(line.text for line in block), block, sure)


def _from_copyright(line: str, question: str) -> str:
    """Return the year or the owner in a copyright line, as asked."""
    year = re.search(r"\b(?:19|20)\d\d\b", line)
    if year and re.search(r"\byear\b|\bwhen\b|\bdate\b|年", question, re.IGNORECASE):
        return year[0]
    name = re.sub(r"copyright|©|\(c\)|版权所有|\b(?:19|20)\d\d\b|[-–,]", " ", line, flags=re.IGNORECASE)
    return " ".join(name.split()) or line


def _ranked(inquiry: Inquiry, lines: Sequence[ScreenLine], cue: str) -> list[tuple[float, ScreenLine]]:
    """Rank lines by size, frequency, confidence and similarity to the question."""
    wanted = set(stems(inquiry.form.text))
    things = _named_things(inquiry)
    vectors = np.asarray(inquiry.embed([inquiry.form.text, *(line.text for line in lines)]))
    near = vectors[1:] @ vectors[0]
    tallest = max(line.height for line in lines)
    most = max(len(line.readings) for line in lines)
    weight = {"title": (0.6, 0.1), "sign": (0.45, 0.15)}.get(cue, (0.3, 0.15))
    scored = []
    for line, likeness in zip(lines, near, strict=True):
        shared = len(wanted & set(stems(line.text))) / max(len(wanted), 1)
        score = weight[0] * line.height / tallest + weight[1] * len(line.readings) / most
        score += 0.2 * line.confidence + 0.3 * max(0.0, float(likeness)) + 0.2 * shared
        # "Chelsea the cat" names the cat; no other line does.
        score += _NAMES * bool(things & set(stems(line.text)))
        scored.append((score, line))
    return sorted(scored, key=lambda pair: -pair[0])


def _named_things(inquiry: Inquiry) -> set[str]:
    """Return the stems of the things whose name is asked for; none when no name is."""
    if not re.search(r"\bnames?\b|\bcalled\b|名|叫什么", inquiry.form.text, re.IGNORECASE):
        return set()
    return {stem for one in inquiry.form.targets for stem in stems(one.head)} - _NAME_STEMS


def _beside(lines: Sequence[ScreenLine], words: str) -> list[ScreenLine] | None:
    """Return the line that holds the quoted words, or else the line nearest to them."""
    plain = words.strip(" .…").lower()
    own = next((line for line in lines if plain and plain in line.text.lower()), None)
    if own is None:
        return None
    if len(own.text) > len(plain) + 3:
        return [own]
    times = {one.time_s for one in own.readings}
    together = [line for line in lines if line is not own and times & {one.time_s for one in line.readings}]
    if not together:
        return [own]
    nearest = min(together, key=lambda line: abs(line.y - own.y))
    return [nearest]


def _block(line: ScreenLine, lines: Sequence[ScreenLine]) -> list[ScreenLine]:
    """Return the line with the lines of the same size right above and below."""
    times = {one.time_s for one in line.readings}
    block = [
        other
        for other in lines
        if times & {one.time_s for one in other.readings}
        and 0.7 < other.height / max(line.height, 1e-6) < 1.4
        and abs(other.y - line.y) < 3.2 * line.height
        and abs(other.x - line.x) < 0.15
    ]
    return sorted(block, key=lambda one: (one.y, one.x)) or [line]


def _told(inquiry: Inquiry, text: str, lines: Sequence[ScreenLine], sure: float) -> Finding:
    language = inquiry.form.language
    proofs: list[Claim] = []
    for line in lines:
        source = line.source
        at = seconds(source.time_s, language)
        words = line.text
        told = pick(
            language,
            f"Text reads {quoted(words, language)} at {at}",
            f"{at}处的文字是{quoted(words, language)}",
        )
        proofs += claim(told, source.record, start_s=source.time_s, end_s=source.time_s, quote=words)
    # Several lines are not one quotation.
    shown = sentence(quoted(text, language) if len(lines) == 1 else text, language)
    return Finding(shown, sure, tuple(proofs), explanation=" / ".join(line.text for line in lines))


def _no_text(inquiry: Inquiry, frames: Sequence[EvidenceRecord | None], times: Sequence[float]) -> Finding:
    language = inquiry.form.language
    text = pick(
        language,
        f"No readable text was found in {len(times)} frames.",
        f"在 {len(times)} 帧画面中没有读到文字。",
    )
    record = next((one for one in frames if one is not None), None)
    plain = pick(language, "No text was read here.", "这里没有读到文字。")
    return Finding(text, 0.15, claim(plain, record), cannot_tell=True)
