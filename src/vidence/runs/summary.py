"""Summaries of a video from its notes: what it is about, chapters, highlights, and what stands out.

Without a language model the telling notes are chosen and put into sentences; a reader writes the paragraph
`about` better, and each of its sentences is kept only where notes bear it out. Every sentence cites the
record of `get_notes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vidence.language.identify import count_han, has_han
from vidence.language.phrases import phrase
from vidence.language.tokens import sentences, stems
from vidence.runs.chapters import chapters_of
from vidence.runs.notes import Embed, choose_notes, noted_lines
from vidence.runs.reading import READER, READER_SUMMARISE, ask_reader
from vidence.runs.run import Run
from vidence.runs.sentences import kept_sentences
from vidence.runs.shown import is_made, is_telling, lasts, shown
from vidence.runs.told import CLOCK, ToldNotes
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Claim, EvidenceRecord
from vidence.schema.reading import NotedLine, ReaderReply, ReaderVariables
from vidence.schema.summary import SummaryPart, VideoChapter, VideoSummary
from vidence.schema.time import TimeRange

__all__ = [
    "has_words",
    "plain_summary",
    "read_summary",
    "scenes_told",
    "summarise",
    "summary_request",
    "verified",
]

_MOST_SAID, _HIGHLIGHTS, _UNUSUAL = 2, 5, 3
_TITLE = 48
_SURE = 0.9
"""The least confidence of a sound: of seven told below it on clips, four had nothing in view to make them."""
_READ = 0.95
"""The least confidence of text on screen, where any is read so surely."""
_MOMENTS, _OF_SCENE = 6, 3
"""The most moments of a video of one scene, and the most sentences of each of several, told in order."""
_SEVERAL = 3
"""From this many chapters on, what is seen is told one after the other, with times."""
_MOST_READ, _ENOUGH_WORDS = 4, 15
"""The most sentences of a reader, and the least words, said or written, that it is asked to read."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_QUOTED = re.compile(r"“([^”]*)”")
_BROKEN = 0.3
"""What half a sentence is worth less."""
_STANDS_OUT = 0.35
"""How much less a note is like the others than they are like each other, to stand out."""
_PLAIN_SOUNDS = frozenset({"music", "音乐", "background music", "背景音乐"})


def plain_summary(
    record: EvidenceRecord,
    *,
    language: AnswerLanguage,
    embed: Embed,
    span: TimeRange | None = None,
    duration_s: float | None = None,
    scenes: Sequence[float] = (),
) -> VideoSummary:
    """Return a summary put together from the notes alone.

    Args:
        scenes: when each scene begins, for the chapters.
    """
    told = ToldNotes(record, language, embed)
    length = duration_s or told.duration_s
    if not told.lines:
        return VideoSummary(language=language)
    spans = chapters_of(told.lines, told.vectors, length, scenes) if span is None else [span]
    return VideoSummary(
        language=language,
        about=_unique(_about(told, span, spans)),
        chapters=tuple(_chapter(told, part) for part in spans),
        highlights=_unique(_highlights(told, span)),
        unusual=_unique(_unusual(told, span)),
    )


def summary_request(
    record: EvidenceRecord, *, language: AnswerLanguage, embed: Embed, span: TimeRange | None = None
) -> ReaderVariables:
    """Return what a reader is asked to write the paragraph `about` from."""
    wish = phrase("summary_wish", language)
    notes, shared = choose_notes(record, "", embed, language=language, span=span)
    return ReaderVariables(question=wish, language=language, notes=notes, shared=shared)


def read_summary(
    plain: VideoSummary, reply: ReaderReply, asked: ReaderVariables, *, read_by: str, embed: Embed
) -> VideoSummary:
    """Return the summary with the reader's paragraph, as far as the notes bear out its sentences."""
    kept = [one for one in kept_sentences(reply.answer, asked, embed) if _is_of_whole(one, plain, asked)]
    if not kept:
        return plain
    # One sentence says what it is about; what the notes tell follows.
    about = kept[:_MOST_READ] if len(kept) > 1 else [*kept, *plain.about]
    return plain.model_copy(update={"about": tuple(about), "read_by": read_by})


def _is_of_whole(sentence: Claim, plain: VideoSummary, asked: ReaderVariables) -> bool:
    """Tell whether a sentence is about most of several scenes; what is said may tie them together."""
    length = max((one.end_time for one in plain.chapters), default=0.0)
    spoken_s = sum((note.end_s or 0) - (note.start_s or 0) for note in asked.notes if note.kind == "said")
    if len(plain.chapters) < _SEVERAL or 2 * spoken_s > length:
        return True
    times = [cited.start_time for cited in sentence.citations if cited.start_time is not None]
    held = [one for one in plain.chapters if any(one.start_time <= time < one.end_time for time in times)]
    return 2 * sum(one.end_time - one.start_time for one in held) > length


def has_words(record: EvidenceRecord) -> bool:
    """Tell whether enough is said and written to be read; of things seen a reader makes up stories."""
    words = [line.text for line in noted_lines(record) if line.kind in ("said", "written")]
    return sum(_size(text) for text in words) >= _ENOUGH_WORDS


def summarise(
    run: Run[Any], record: EvidenceRecord, *, embed: Embed, span: TimeRange | None = None
) -> VideoSummary:
    """Return the summary within a run: its reader writes the paragraph, its verifier checks each sentence."""
    plain = plain_summary(record, language=run.language, embed=embed, span=span)
    if has_words(record):
        asked = summary_request(record, language=run.language, embed=embed, span=span)
        reply = ask_reader(run, asked, task=READER_SUMMARISE, guard=False)
        if not reply.cannot_tell:
            plain = read_summary(plain, reply, asked, read_by=run.engines[READER].name, embed=embed)
    return verified(plain, run.verifier.check)


def verified(summary: VideoSummary, check: Any) -> VideoSummary:
    """Return a summary without the sentences that the verifier refutes."""

    def held(claims: Sequence[Claim]) -> tuple[Claim, ...]:
        return tuple(claim for claim in claims if check(claim).verdict != "failed")

    parts: dict[str, Any] = {part: held(summary.claims(part)) for part in _PARTS}
    chapters = tuple(one.model_copy(update={"claims": held(one.claims)}) for one in summary.chapters)
    return summary.model_copy(update={**parts, "chapters": chapters})


_PARTS: tuple[SummaryPart, ...] = ("about", "highlights", "unusual")


def scenes_told(
    summary: VideoSummary, record: EvidenceRecord, *, embed: Embed, span: TimeRange | None = None
) -> tuple[Claim, ...]:
    """Return what each scene shows in order, with its time; of a single scene, its moments."""
    told = ToldNotes(record, summary.language, embed)
    if len(summary.chapters) > 1:
        return tuple(_scenes(told, summary.chapters))
    if _is_spoken(told, told.inside(span), span):
        said = list(_said(told, told.inside(span), _MOMENTS, apart=True))
        return tuple(_at(told, claim, claim.citations[0].start_time or 0.0) for claim in said)
    lines = [line for line in told.inside(span) if line.kind in ("seen", "action") and is_telling(line)]
    longest = sorted(lines, key=lambda line: -lasts(line) * line.confidence)[:_MOMENTS]
    if len(longest) < _SEVERAL:
        return tuple(_scenes(told, summary.chapters)) or summary.about
    ordered = sorted(longest, key=lambda line: line.start_time)
    return tuple(_at(told, told.sentence(line), line.start_time) for line in ordered)


def _scenes(told: ToldNotes, chapters: Sequence[VideoChapter]) -> Iterator[Claim]:
    """Yield the first sentences of each chapter, the time before them; nothing is said twice."""
    before: set[str] = set()
    for chapter in chapters:
        claims = [claim for claim in chapter.claims if claim.text not in before] or list(chapter.claims)
        for index, claim in enumerate(claims[:_OF_SCENE]):
            before.add(claim.text)
            yield claim if index else _at(told, claim, chapter.start_time)


def _at(told: ToldNotes, claim: Claim, time_s: float) -> Claim:
    """Return a sentence with a time before it."""
    minutes, seconds = divmod(round(time_s), 60)
    text = phrase("summary_at", told.language, claim.text, at=f"{minutes}:{seconds:02d}")
    return claim.model_copy(update={"text": text})


def _about(told: ToldNotes, span: TimeRange | None, chapters: Sequence[TimeRange]) -> Iterator[Claim]:
    lines = told.inside(span)
    yield from (told.sentence(line) for line in lines if line.name and line.kind == "seen")
    in_order = list(_in_order(told, chapters)) if len(chapters) >= _SEVERAL else []
    seen = in_order or list(_scene(told, lines))
    said = _said(told, lines, _MOST_SAID)
    # Where somebody speaks for most of the time, what is said matters most.
    yield from (*said, *seen) if _is_spoken(told, lines, span) else (*seen, *said)
    yield from _written(told, lines, 1)
    heard = [line for line in lines if line.kind == "heard" and line.confidence >= _SURE]
    yield from (told.sentence(line) for line in sorted(heard, key=lasts)[-1:])


def _in_order(told: ToldNotes, chapters: Sequence[TimeRange]) -> Iterator[Claim]:
    """Yield with its time what is done in each chapter, else what is seen, else where it is."""
    for part in chapters:
        places, seen, actions = shown(told.inside(part))
        for line in (actions or [one for one in seen if not is_made(one)] or places)[:1]:
            yield _at(told, told.sentence(line), max(line.start_time, part.start_time))


def _scene(told: ToldNotes, lines: Sequence[NotedLine]) -> Iterator[Claim]:
    """Yield where it is, what is seen in order, and what is done."""
    for part in shown(lines):
        yield from (told.sentence(line) for line in part)


def _said(told: ToldNotes, lines: Sequence[NotedLine], most: int, *, apart: bool = False) -> Iterator[Claim]:
    """Yield the sentences that matter: central ones of some length, those with figures or names first."""
    said = [line for line in lines if line.kind == "said"]
    worth: list[tuple[float, NotedLine, str]] = []
    for line, near in zip(said, told.central(said), strict=True):
        for part in sentences(line.text):
            if _size(part) >= 4:
                facts = 0.15 * bool(re.search(r"\d", part)) + min(_size(part), 20) / 100
                worth.append((near + facts - _BROKEN * (_is_broken(part) or _is_cut(part)), line, part))
    best = sorted(worth, key=lambda one: -one[0])[:most]
    ordered = sorted(best, key=lambda one: one[1].start_time)
    for index, (_, line, part) in enumerate(ordered):
        same = not apart and index > 0 and ordered[index - 1][1].name == line.name
        yield told.sentence(line, part, goes_on=same)


def _written(told: ToldNotes, lines: Sequence[NotedLine], most: int) -> Iterator[Claim]:
    """Yield the text that says most: the part of a crowded screen nearest to what the video is about."""
    written = [line for line in lines if line.kind == "written"]
    written = [line for line in written if line.confidence >= _READ] or written
    parts = [(line, part) for line in written for part in line.text.split(" | ") if _size(part) >= 2]
    # A letter or two beside a word is mostly a part of something that was not read.
    parts = [one for one in parts if has_han(one[1]) or len(_WORD.findall(one[1])) > 1] or parts
    if not parts:
        return
    centre = told.vectors.mean(axis=0)
    # A short line says what a screen is about; a long one lists what is on it; a clock says least.
    near = [
        score - _size(part) / 100 - bool(CLOCK.fullmatch(part))
        for score, (_, part) in zip(told.likeness([part for _, part in parts], centre), parts, strict=True)
    ]
    best = sorted(zip(near, parts, strict=True), key=lambda one: -one[0])[:most]
    for _, (line, part) in sorted(best, key=lambda one: one[1][0].start_time):
        yield told.sentence(line, part)


def _is_spoken(told: ToldNotes, lines: Sequence[NotedLine], span: TimeRange | None) -> bool:
    """Tell whether somebody speaks for most of the time."""
    spoken_s = sum(lasts(line) for line in lines if line.kind == "said")
    return 2 * spoken_s > (told.duration_s if span is None else span.duration_s)


def _chapter(told: ToldNotes, span: TimeRange) -> VideoChapter:
    lines = told.inside(span)
    has_speech = _is_spoken(told, lines, span)
    claims = [*_said(told, lines, 1), *_scene(told, lines), *_written(told, lines, 1)]
    places, seen, actions = shown(lines)
    # A place says least of what a chapter is about.
    best = [told.sentence(line) for line in (*actions, *seen, *places)]
    titles = [*(_said(told, lines, 1) if has_speech else ()), *best, *claims]
    title = next((_bare_title(claim) for claim in titles), phrase("summary_nothing", told.language))
    return VideoChapter(
        start_time=span.start_time, end_time=span.end_time, title=title, claims=_unique(iter(claims))
    )


def _bare_title(claim: Claim) -> str:
    quote = claim.citations[0].quote or claim.text
    flat = quote.strip().rstrip(".。")
    limit = _TITLE // 2 if has_han(flat) else _TITLE
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _highlights(told: ToldNotes, span: TimeRange | None) -> Iterator[Claim]:
    """Yield the notes that tell most: named people, actions, sentences that matter, sudden sounds."""
    # The running clock of a camera is no highlight.
    lines = [line for line in told.inside(span) if not CLOCK.fullmatch(line.text)]
    picked = [line for line in lines if line.kind == "action" or (line.name and line.kind == "seen")]
    heard = [line for line in lines if line.kind == "heard" and line.confidence >= _SURE]
    picked += [line for line in heard if line.text.lower() not in _PLAIN_SOUNDS][:1]
    claims = [told.sentence(line) for line in picked]
    claims += [*_said(told, lines, _MOST_SAID + 1, apart=True), *_written(told, lines, 2)]
    if len(claims) < _HIGHLIGHTS:
        claims += [*_scene(told, lines)]
    best = list(_unique(iter(claims)))[:_HIGHLIGHTS]
    yield from sorted(best, key=lambda claim: claim.citations[0].start_time or 0.0)


def _unusual(told: ToldNotes, span: TimeRange | None) -> Iterator[Claim]:
    """Yield what is least like the rest: rare sounds, and short notes far from all others."""
    lines = told.inside(span)
    rare = [line for line in lines if line.kind == "heard" and lasts(line) < 2 and line.confidence >= _SURE]
    yield from (told.sentence(line) for line in rare[:1])
    others = [
        line
        for line in lines
        if line.kind in ("seen", "action", "said") and is_telling(line) and not _is_broken(line.text)
    ]
    near = told.central(others)
    if len(others) < 4:
        return
    usual = float(np.median(near))
    odd = [
        (score, line)
        for score, line in zip(near, others, strict=True)
        if usual - score > _STANDS_OUT * usual and lasts(line) < told.duration_s / 3
    ]
    oddest = [line for _, line in sorted(odd, key=lambda one: one[0])[: _UNUSUAL - 1]]
    yield from (told.sentence(line) for line in sorted(oddest, key=lambda line: line.start_time))


def _unique(claims: Iterator[Claim]) -> tuple[Claim, ...]:
    """Return the claims without those that say nothing new, such as a text that an earlier one quotes."""
    kept: list[Claim] = []
    for claim in claims:
        # A title of which more was read stands for the shorter reading.
        quotes = _quoted_words(claim)
        kept = [one for one in kept if not (own := _quoted_words(one)) or not own < quotes]
        quoted, said = set(stems(claim.citations[0].quote or "")), set(stems(claim.text))
        # One word may stand in a sentence about something else.
        words = quoted if len(quoted) > 1 else said
        if not any(words <= set(stems(other.text)) for other in kept):
            kept.append(claim)
    return tuple(kept)


def _quoted_words(claim: Claim) -> set[str]:
    """Return the words between the quotation marks of a sentence."""
    return set(stems(" ".join(_QUOTED.findall(claim.text))))


def _is_broken(text: str) -> bool:
    """Tell whether a line is the end of a sentence that began in another one."""
    return text.strip()[:1].islower()


def _is_cut(text: str) -> bool:
    """Tell whether a sentence that begins as one ends in another line."""
    return text[:1].isupper() and not text.rstrip("\"'”’)").endswith((".", "!", "?", "…"))


def _size(text: str) -> float:
    """Return the number of words, a Chinese one having about two characters."""
    return count_han(text) / 2 + len(re.findall(r"[A-Za-z0-9']+", text))
