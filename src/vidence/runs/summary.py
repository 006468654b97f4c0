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
from numpy.typing import NDArray

from vidence.language.identify import count_han, has_han
from vidence.language.phrases import phrase
from vidence.language.tokens import sentences, stems
from vidence.runs.chapters import chapters_of
from vidence.runs.notes import Embed, choose_notes, noted_lines
from vidence.runs.reading import READER, READER_SUMMARISE, ask_reader
from vidence.runs.run import Run
from vidence.runs.sentences import ended, kept_sentences, says_the_same
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim, EvidenceRecord
from vidence.schema.reading import NotedLine, ReaderReply, ReaderVariables
from vidence.schema.summary import SummaryPart, VideoChapter, VideoSummary
from vidence.schema.time import TimeRange

__all__ = ["has_words", "plain_summary", "read_summary", "summarise", "summary_request", "verified"]

_MOST_SAID, _MOST_SEEN, _HIGHLIGHTS, _UNUSUAL = 2, 3, 5, 3
_LONGEST_QUOTE = 160
_TITLE = 48
_SURE, _CLEAR = 0.7, 0.65
_SEVERAL = 3
"""From this many chapters on, what is seen is told one after the other, with times."""
_MOST_READ, _ENOUGH_WORDS = 4, 15
"""The most sentences of a reader, and the least words, said or written, that it is asked to read."""
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_BROKEN = 0.3
"""What half a sentence is worth less."""
_STANDS_OUT = 0.35
"""How much less a note is like the others than they are like each other, to stand out."""
_PLAIN_SOUNDS = frozenset({"music", "音乐", "background music", "背景音乐"})
_CLOCK = re.compile(r"[\d\s/.:：–年月日-]+")
"""The time that a camera writes into its picture."""
_CAMERA = re.compile(r"^(?:The camera|The picture is (?!a )|镜头|画面(?:明亮|较暗|以|是黑白))")


class _Told:
    """The notes of one video with their vectors, and how they become sentences."""

    def __init__(self, record: EvidenceRecord, language: AnswerLanguage, embed: Embed) -> None:
        self.record, self.language = record, language
        self.lines = noted_lines(record)
        texts = [line.text for line in self.lines] or [""]
        self.vectors: NDArray[np.float32] = np.asarray(embed(texts), np.float32)
        self._embed = embed

    @property
    def duration_s(self) -> float:
        return max((line.end_time for line in self.lines), default=0.0)

    def inside(self, span: TimeRange | None) -> list[NotedLine]:
        """Return the lines that mostly lie in a span."""
        if span is None:
            return self.lines
        return [line for line in self.lines if _middle_in(line, span)]

    def central(self, lines: Sequence[NotedLine]) -> list[float]:
        """Return how near each line is to what all of them are about."""
        if not lines:
            return []
        known = {id(line): index for index, line in enumerate(self.lines)}
        vectors = self.vectors[[known[id(line)] for line in lines]]
        return [float(one) for one in vectors @ vectors.mean(axis=0)]

    def likeness(self, texts: Sequence[str], centre: NDArray[np.float32]) -> list[float]:
        """Return how near texts are to a centre."""
        vectors = np.asarray(self._embed(list(texts)), np.float32)
        return [float(one) for one in vectors @ centre]

    def claim(self, text: str, line: NotedLine, quote: str | None = None) -> Claim:
        """Return a sentence that cites a line."""
        return Claim(
            text=text,
            citations=(
                Citation(
                    record_id=self.record.record_id,
                    start_time=line.start_time,
                    end_time=line.end_time,
                    quote=quote or line.text,
                ),
            ),
        )

    def sentence(self, line: NotedLine, text: str | None = None, *, goes_on: bool = False) -> Claim:
        """Return a line as a sentence of its kind; `goes_on`: of a voice that spoke just before."""
        words = _cut(text or line.text)
        if line.kind == "said":
            who = line.name or phrase("summary_voice", self.language)
            if goes_on:
                said = phrase("summary_goes_on", self.language, words)
            else:
                joiner = "" if self.language == "zh" else " "
                said = f"{who}{joiner}{phrase('summary_said', self.language, words)}"
            stop = "" if words.endswith(_STOPS) else "。" if self.language == "zh" else "."
            return self.claim(f"{said}{stop}", line, words.rstrip("…"))
        if line.kind == "written":
            name = "summary_clock" if _CLOCK.fullmatch(words) else "summary_written"
            return self.claim(phrase(name, self.language, words), line, words.rstrip("…"))
        if line.kind == "heard":
            return self.claim(phrase("summary_heard", self.language, words), line)
        return self.claim(ended(words, self.language), line)


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
    told = _Told(record, language, embed)
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


def _about(told: _Told, span: TimeRange | None, chapters: Sequence[TimeRange]) -> Iterator[Claim]:
    lines = told.inside(span)
    yield from (told.sentence(line) for line in lines if line.name and line.kind == "seen")
    yield from _in_order(told, chapters) if len(chapters) >= _SEVERAL else _scene(told, lines)
    yield from _said(told, lines, _MOST_SAID)
    yield from _written(told, lines, 1)
    heard = [line for line in lines if line.kind == "heard" and line.confidence >= _SURE]
    yield from (told.sentence(line) for line in sorted(heard, key=_lasts)[-1:])


def _in_order(told: _Told, chapters: Sequence[TimeRange]) -> Iterator[Claim]:
    """Yield with its time what is done in each chapter, else what is seen, else where it is."""
    for part in chapters:
        places, seen, actions = _shown(told.inside(part))
        for line in (actions or seen or places)[:1]:
            minutes, seconds = divmod(round(max(line.start_time, part.start_time)), 60)
            at = phrase(
                "summary_at", told.language, ended(line.text, told.language), at=f"{minutes}:{seconds:02d}"
            )
            yield told.claim(at, line)


def _scene(told: _Told, lines: Sequence[NotedLine]) -> Iterator[Claim]:
    """Yield where it is, what is seen in order, and what is done."""
    for part in _shown(lines):
        yield from (told.sentence(line) for line in part)


def _shown(lines: Sequence[NotedLine]) -> tuple[list[NotedLine], ...]:
    """Return the place, what is seen in order, and the action: those that last longest."""
    starts, ends = [line.start_time for line in lines], [line.end_time for line in lines]
    length = max(ends, default=0.0) - min(starts, default=0.0)
    # Where a moment of it is, is not where it is.
    places = [line for line in lines if line.kind == "place" and _lasts(line) >= length / 4]
    actions = [line for line in lines if line.kind == "action"]
    shown_lines = [line for line in lines if line.kind == "seen" and not line.name]
    seen = [line for line in shown_lines if not _CAMERA.match(line.text)]
    # Where something is sure, guesses are left out.
    seen = [line for line in seen if line.confidence >= _CLEAR] or seen
    longest = sorted(seen, key=lambda line: -_lasts(line) * line.confidence)
    best: list[NotedLine] = []
    for line in longest:
        if len(best) < _MOST_SEEN and not any(says_the_same(line.text, other.text) for other in best):
            best.append(line)
    # What is told of one moment stays in its order: "two people … one …, the other …".
    order = {id(line): index for index, line in enumerate(lines)}
    best.sort(key=lambda one: (one.start_time, order[id(one)]))
    return sorted(places, key=_lasts)[-1:], best, sorted(actions, key=_lasts)[-1:]


def _said(told: _Told, lines: Sequence[NotedLine], most: int, *, apart: bool = False) -> Iterator[Claim]:
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


def _written(told: _Told, lines: Sequence[NotedLine], most: int) -> Iterator[Claim]:
    """Yield the text that says most: the part of a crowded screen nearest to what the video is about."""
    written = [line for line in lines if line.kind == "written"]
    parts = [(line, part) for line in written for part in line.text.split(" | ") if _size(part) >= 2]
    if not parts:
        return
    centre = told.vectors.mean(axis=0)
    # A short line says what a screen is about; a long one lists what is on it; a clock says least.
    near = [
        score - _size(part) / 100 - bool(_CLOCK.fullmatch(part))
        for score, (_, part) in zip(told.likeness([part for _, part in parts], centre), parts, strict=True)
    ]
    best = sorted(zip(near, parts, strict=True), key=lambda one: -one[0])[:most]
    for _, (line, part) in sorted(best, key=lambda one: one[1][0].start_time):
        yield told.sentence(line, part)


def _chapter(told: _Told, span: TimeRange) -> VideoChapter:
    lines = told.inside(span)
    spoken_s = sum(_lasts(line) for line in lines if line.kind == "said")
    has_speech = 2 * spoken_s > span.duration_s
    claims = [*_said(told, lines, 1), *_scene(told, lines), *_written(told, lines, 1)]
    places, seen, actions = _shown(lines)
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


def _highlights(told: _Told, span: TimeRange | None) -> Iterator[Claim]:
    """Yield the notes that tell most: named people, actions, sentences that matter, sudden sounds."""
    # The running clock of a camera is no highlight.
    lines = [line for line in told.inside(span) if not _CLOCK.fullmatch(line.text)]
    picked = [line for line in lines if line.kind == "action" or (line.name and line.kind == "seen")]
    picked += [line for line in lines if line.kind == "heard" and line.text.lower() not in _PLAIN_SOUNDS][:1]
    claims = [told.sentence(line) for line in picked]
    claims += [*_said(told, lines, _MOST_SAID + 1, apart=True), *_written(told, lines, 2)]
    if len(claims) < _HIGHLIGHTS:
        claims += [*_scene(told, lines)]
    best = list(_unique(iter(claims)))[:_HIGHLIGHTS]
    yield from sorted(best, key=lambda claim: claim.citations[0].start_time or 0.0)


def _unusual(told: _Told, span: TimeRange | None) -> Iterator[Claim]:
    """Yield what is least like the rest: rare sounds, and short notes far from all others."""
    lines = told.inside(span)
    rare = [line for line in lines if line.kind == "heard" and _lasts(line) < 2 and line.confidence >= _SURE]
    yield from (told.sentence(line) for line in rare[:1])
    others = [
        line
        for line in lines
        if line.kind in ("seen", "action", "said") and not (_CAMERA.match(line.text) or _is_broken(line.text))
    ]
    near = told.central(others)
    if len(others) < 4:
        return
    usual = float(np.median(near))
    odd = [
        (score, line)
        for score, line in zip(near, others, strict=True)
        if usual - score > _STANDS_OUT * usual and _lasts(line) < told.duration_s / 3
    ]
    oddest = [line for _, line in sorted(odd, key=lambda one: one[0])[: _UNUSUAL - 1]]
    yield from (told.sentence(line) for line in sorted(oddest, key=lambda line: line.start_time))


def _unique(claims: Iterator[Claim]) -> tuple[Claim, ...]:
    """Return the claims without those that say nothing new, such as a text that an earlier one quotes."""
    kept: list[Claim] = []
    for claim in claims:
        quoted, said = set(stems(claim.citations[0].quote or "")), set(stems(claim.text))
        # One word may stand in a sentence about something else.
        words = quoted if len(quoted) > 1 else said
        if not any(words <= set(stems(other.text)) for other in kept):
            kept.append(claim)
    return tuple(kept)


def _cut(text: str) -> str:
    flat = " ".join(text.split()).strip(" ,，;；")
    limit = _LONGEST_QUOTE // 2 if has_han(flat) else _LONGEST_QUOTE
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _is_broken(text: str) -> bool:
    """Tell whether a line is the end of a sentence that began in another one."""
    return text.strip()[:1].islower()


def _is_cut(text: str) -> bool:
    """Tell whether a sentence that begins as one ends in another line."""
    return text[:1].isupper() and not text.rstrip("\"'”’)").endswith((".", "!", "?", "…"))


def _size(text: str) -> float:
    """Return the number of words, a Chinese one having about two characters."""
    return count_han(text) / 2 + len(re.findall(r"[A-Za-z0-9']+", text))


def _lasts(line: NotedLine) -> float:
    return line.end_time - line.start_time


def _middle_in(line: NotedLine, span: TimeRange) -> bool:
    middle = (max(line.start_time, span.start_time) + min(line.end_time, span.end_time)) / 2
    inside = min(line.end_time, span.end_time) - max(line.start_time, span.start_time)
    return span.start_time <= middle <= span.end_time and inside >= min(_lasts(line), span.duration_s) / 3
