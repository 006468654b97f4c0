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
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, sentences, stems
from vidence.runs.chapters import chapters_of
from vidence.runs.guard import unfounded
from vidence.runs.notes import Embed, choose_notes, noted_lines
from vidence.runs.reading import READER, READER_SUMMARISE, ask_reader
from vidence.runs.run import Run
from vidence.runs.verify.bearing import is_denial
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim, EvidenceRecord
from vidence.schema.reading import Note, NotedLine, ReaderReply, ReaderVariables
from vidence.schema.summary import SummaryPart, VideoChapter, VideoSummary
from vidence.schema.time import TimeRange

__all__ = ["has_words", "plain_summary", "read_summary", "summarise", "summary_request", "verified"]

_MOST_SAID, _MOST_SEEN, _HIGHLIGHTS, _UNUSUAL = 2, 3, 5, 3
_LONGEST_QUOTE = 160
_TITLE = 48
_SURE, _CLEAR = 0.7, 0.65
_MOST_READ, _ENOUGH_WORDS = 4, 15
"""The most sentences of a reader, and the least words, said or written, that it is asked to read."""
_OF_ONE_NOTE, _SAME = 0.6, 0.7
"""Share of a sentence's words that one note must hold; share by which two sentences say the same."""
_OF_ALL_NOTES, _MOST_CITED = 0.7, 4
"""Share of the words of what it is about that its notes must hold, and the most notes it may cite."""
_NEAR = 0.35
"""The least likeness of a sentence to a note in another language: eight of our summaries reached .28 to .72
on notes of their own video, and at most .27 on those of the others."""
_TOPIC = words_of("stop_words.tsv", "topic")
_TOPIC_STEMS = words_of("stop_words.tsv", "telling") | {stem for word in _TOPIC for stem in stems(word)}
_TOPIC_ZH = re.compile("|".join(sorted(filter(has_han, _TOPIC_STEMS), key=len, reverse=True)))
_ENDS = (".", "!", "?", "。", "！", "？", "”", '"')
_BROKEN = 0.3
"""What half a sentence is worth less."""
_STANDS_OUT = 0.35
"""How much less a note is like the others than they are like each other, to stand out."""
_PLAIN_SOUNDS = frozenset({"music", "音乐", "background music", "背景音乐"})
_CAMERA = re.compile(r"^(?:The camera|The picture is|镜头|画面(?:明亮|较暗|以|是黑白))")


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
                return self.claim(phrase("summary_goes_on", self.language, words), line, words.rstrip("…"))
            said = phrase("summary_said", self.language, words)
            joiner = "" if self.language == "zh" else " "
            return self.claim(f"{who}{joiner}{said}", line, words.rstrip("…"))
        if line.kind == "written":
            return self.claim(phrase("summary_written", self.language, words), line, words.rstrip("…"))
        if line.kind == "heard":
            return self.claim(phrase("summary_heard", self.language, words), line)
        return self.claim(_ended(words, self.language), line)


def plain_summary(
    record: EvidenceRecord,
    *,
    language: AnswerLanguage,
    embed: Embed,
    span: TimeRange | None = None,
    duration_s: float | None = None,
) -> VideoSummary:
    """Return a summary put together from the notes alone."""
    told = _Told(record, language, embed)
    length = duration_s or told.duration_s
    if not told.lines:
        return VideoSummary(language=language)
    spans = chapters_of(told.lines, told.vectors, length) if span is None else [span]
    return VideoSummary(
        language=language,
        about=_unique(_about(told, span)),
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
    kept: list[Claim] = []
    for part in sentences(reply.answer):
        claim = _borne_out(part, asked) or _topic(part, asked, embed)
        if claim is not None and not any(_says_the_same(claim.text, other.text) for other in kept):
            kept.append(claim)
    if not kept:
        return plain
    # One sentence says what it is about; what the notes tell follows.
    about = kept[:_MOST_READ] if len(kept) > 1 else [*kept, *plain.about]
    return plain.model_copy(update={"about": tuple(about), "read_by": read_by})


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


def _about(told: _Told, span: TimeRange | None) -> Iterator[Claim]:
    lines = told.inside(span)
    yield from (told.sentence(line) for line in lines if line.name and line.kind == "seen")
    yield from _scene(told, lines)
    yield from _said(told, lines, _MOST_SAID)
    yield from _written(told, lines, 1)
    heard = [line for line in lines if line.kind == "heard" and line.confidence >= _SURE]
    yield from (told.sentence(line) for line in sorted(heard, key=_lasts)[-1:])


def _scene(told: _Told, lines: Sequence[NotedLine]) -> Iterator[Claim]:
    """Yield where it is, what is seen in order, and what is done."""
    places = [line for line in lines if line.kind == "place"]
    yield from (told.sentence(line) for line in sorted(places, key=_lasts)[-1:])
    shown_lines = [line for line in lines if line.kind == "seen" and not line.name]
    seen = [line for line in shown_lines if not _CAMERA.match(line.text)]
    # Where something is sure, guesses are left out.
    seen = [line for line in seen if line.confidence >= _CLEAR] or seen
    best = sorted(seen, key=lambda line: -_lasts(line) * line.confidence)[:_MOST_SEEN]
    shown: dict[str, NotedLine] = {}
    for line in sorted(best, key=lambda one: one.start_time):
        shown.setdefault(line.text, line)
    yield from (told.sentence(line) for line in shown.values())
    actions = [line for line in lines if line.kind == "action"]
    yield from (told.sentence(line) for line in sorted(actions, key=_lasts)[-1:])


def _said(told: _Told, lines: Sequence[NotedLine], most: int, *, apart: bool = False) -> Iterator[Claim]:
    """Yield the sentences that matter: central ones of some length, those with figures or names first."""
    said = [line for line in lines if line.kind == "said"]
    worth: list[tuple[float, NotedLine, str]] = []
    for line, near in zip(said, told.central(said), strict=True):
        for part in sentences(line.text):
            if _size(part) >= 4:
                facts = 0.15 * bool(re.search(r"\d", part)) + min(_size(part), 20) / 100
                worth.append((near + facts - _BROKEN * _is_broken(part), line, part))
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
    # A short line says what a screen is about; a long one lists what is on it.
    near = [
        score - _size(part) / 100
        for score, (_, part) in zip(told.likeness([part for _, part in parts], centre), parts, strict=True)
    ]
    best = sorted(zip(near, parts, strict=True), key=lambda one: -one[0])[:most]
    for _, (line, part) in sorted(best, key=lambda one: one[1][0].start_time):
        yield told.sentence(line, part)


def _chapter(told: _Told, span: TimeRange) -> VideoChapter:
    lines = told.inside(span)
    claims = [*_said(told, lines, 1), *_scene(told, lines), *_written(told, lines, 1)]
    title = next((_bare_title(claim) for claim in claims), phrase("summary_nothing", told.language))
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
    lines = told.inside(span)
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
    for _, line in sorted(odd, key=lambda one: one[0])[: _UNUSUAL - 1]:
        yield told.sentence(line)


def _borne_out(sentence: str, asked: ReaderVariables) -> Claim | None:
    """Return a sentence with the notes that bear it out; None where it says what no note says."""
    words = set(stems(sentence))
    shared = sorted(
        ((len(words & set(stems(note.text))), note) for note in asked.notes), key=lambda one: -one[0]
    )
    cited = [note for count, note in shared[:3] if count]
    reply = ReaderReply(answer=sentence, notes=tuple(note.number for note in cited))
    # Words of several notes can be put together into something that none of them says.
    if not cited or shared[0][0] < _OF_ONE_NOTE * len(words) or not sentence.endswith(_ENDS):
        return None
    if unfounded(reply, asked.model_copy(update={"question": ""})):
        return None
    return Claim(text=_ended(sentence, asked.language), citations=_citations(cited))


def _topic(sentence: str, asked: ReaderVariables, embed: Embed) -> Claim | None:
    """Return a sentence that only says what a video is about, with the notes that hold its words.

    It tells no event, so its words may stand in several notes. Notes in another language are compared by
    meaning.
    """
    is_topic = any(word in sentence.lower() for word in _TOPIC)
    if not is_topic or is_denial(sentence) or len(sentence) > _LONGEST_QUOTE:
        return None
    cited = (
        _nearest(sentence, asked.notes, embed) if _is_foreign(sentence, asked) else _holding(sentence, asked)
    )
    reply = ReaderReply(answer=sentence, notes=tuple(note.number for note in cited))
    if unfounded(reply, asked.model_copy(update={"question": ""})):
        return None
    return Claim(text=_ended(sentence, asked.language), citations=_citations(cited))


def _is_foreign(sentence: str, asked: ReaderVariables) -> bool:
    """Tell whether most of what is said and written is in another language than a sentence."""
    told = [has_han(note.text) for note in asked.notes if note.kind in ("said", "written")]
    return told.count(not has_han(sentence)) > len(told) / 2


def _nearest(sentence: str, notes: Sequence[Note], embed: Embed) -> list[Note]:
    """Return the notes that mean most nearly the same; none where none is near."""
    vectors = np.asarray(embed([sentence, *(note.text for note in notes)]), np.float32)
    near = vectors[1:] @ vectors[0]
    best = np.argsort(-near, kind="stable")[:_MOST_CITED]
    return [notes[index] for index in best] if near[best[0]] >= _NEAR else []


def _holding(sentence: str, asked: ReaderVariables) -> list[Note]:
    """Return the notes that hold most of the words of a sentence; none where they do not."""
    words = _telling(sentence)
    cited, left = list[Note](), set(words)
    while left and len(cited) < _MOST_CITED:
        best = max(asked.notes, key=lambda note: len(left & _telling(note.text)))
        if not left & _telling(best.text):
            break
        cited.append(best)
        left -= _telling(best.text)
    return cited if len(left) <= (1 - _OF_ALL_NOTES) * len(words) else []


def _telling(text: str) -> set[str]:
    """Return what a text says something with: stems of words, and single Chinese characters."""
    plain = _TOPIC_ZH.sub(" ", text)
    found = {term for term in query_terms(plain) if term not in _TOPIC_STEMS}
    return {part for term in found for part in (term if has_han(term) else (term,))}


def _says_the_same(one: str, other: str) -> bool:
    first, second = set(stems(one)), set(stems(other))
    return len(first & second) > _SAME * min(len(first), len(second))


def _citations(notes: Sequence[Note]) -> tuple[Citation, ...]:
    return tuple(
        Citation(record_id=note.record_id, start_time=note.start_s, end_time=note.end_s, quote=note.quote)
        for note in notes
        if note.record_id is not None
    )


def _unique(claims: Iterator[Claim]) -> tuple[Claim, ...]:
    """Return the claims without those that say nothing new, such as a shorter form of an earlier one."""
    kept: list[Claim] = []
    for claim in claims:
        words = set(stems(claim.text))
        if not any(words <= set(stems(other.text)) for other in kept):
            kept.append(claim)
    return tuple(kept)


def _ended(text: str, language: AnswerLanguage) -> str:
    plain = text.strip()
    first = plain[:1].upper() + plain[1:]
    if plain.endswith((".", "!", "?", "。", "！", "？", "…")):
        return first
    return f"{first}。" if language == "zh" else f"{first}."


def _cut(text: str) -> str:
    flat = " ".join(text.split()).strip(" ,，;；")
    limit = _LONGEST_QUOTE // 2 if has_han(flat) else _LONGEST_QUOTE
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _is_broken(text: str) -> bool:
    """Tell whether a line is the end of a sentence that began in another one."""
    return text.strip()[:1].islower()


def _size(text: str) -> float:
    """Return the number of words, a Chinese one having about two characters."""
    return count_han(text) / 2 + len(re.findall(r"[A-Za-z0-9']+", text))


def _lasts(line: NotedLine) -> float:
    return line.end_time - line.start_time


def _middle_in(line: NotedLine, span: TimeRange) -> bool:
    middle = (max(line.start_time, span.start_time) + min(line.end_time, span.end_time)) / 2
    inside = min(line.end_time, span.end_time) - max(line.start_time, span.start_time)
    return span.start_time <= middle <= span.end_time and inside >= min(_lasts(line), span.duration_s) / 3
