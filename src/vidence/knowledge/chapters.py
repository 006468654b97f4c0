"""Chapters and passages: the units that a citation names and that a search finds."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vidence.knowledge.sources import SourceText
from vidence.language.identify import has_han
from vidence.schema.story import Chapter, Moment, Quote

__all__ = ["Passage", "line_of", "paragraphs", "passages", "quote_at", "sentence_spans", "split_chapters"]

_NUMBER = "[零〇一二三四五六七八九十百千两0-9０-９]{1,7}"
_ROMAN = r"(?:[IVXLC]{1,8}|\d{1,4})"
_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty)(?:[- ]\w+)?"
    r"|the\s+(?:first|last|second|third|fourth|fifth))"
)
_HEADING = re.compile(
    rf"^[ \t\u3000]*(?:[#＃]{{1,3}}[ \t]+)?[【\[（(]?(?P<label>第{_NUMBER}[回章节節幕场場集卷部篇话話折]"
    rf"|(?i:chapter|scene|episode|act|part|book|canto|letter|task)[ \t]+(?:{_ROMAN}|{_WORD})\b"
    r"|(?i:prologue|epilogue|preface|introduction)\b|楔子|序章|序言|尾声|番外"
    r"|(?:INT|EXT|INT/EXT)\.[ \t]+\S[^\n]{0,60}|S\d{1,2}E\d{1,3}\b)"
    r"[】\]）)]?(?P<rest>[^\n]{0,60})$",
    re.MULTILINE,
)
_MARKDOWN = re.compile(r"^#{1,3}[ \t]+(?P<label>[^\n]{1,80})$", re.MULTILINE)
_PART_CHARS = 40_000
"""A text without chapters is cut at paragraphs into parts of this length."""
_LEAST_CHARS, _LEAST_HAN = 200, 40
"""A heading followed by less than this is a line of a table of contents."""
_ENDED = 0.7
"""Share of long lines that end a sentence, from which a line is a paragraph."""
_LATIN_CHARS, _HAN_CHARS = 700, 260
"""The length of a passage."""
_SENTENCE = re.compile(
    r"[^\n。！？!?；;….]*(?:[。！？!?；;…]+|\.(?=[\s\"”’')\]]|$)|\.(?=\S)|\n|$)[”’\"'」』）)\]]*"
)
_GOES_ON = re.compile(r"[ \t\n]*[a-z]")
"""After a quotation that ends in a mark of its own, as in: “Why?” asked Anne."""
_CLOSED = "”\"’'"
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Esq|Jr|Sr|Rev|Hon|Col|Capt|Gen|Lieut|Prof|vs|etc|No)|\b[A-Z])\.$"
)


@dataclass(frozen=True)
class Passage:
    """A few sentences of a chapter."""

    start: int
    end: int
    paragraph: int


def split_chapters(document: SourceText) -> list[Chapter]:
    """Cut a document at its chapter headings; without any, into parts of a readable length."""
    cuts = _cuts(document.text)
    if not cuts:
        cuts = list(_parts(document))
    chapters: list[Chapter] = []
    ends = [start for start, _, _ in cuts[1:]] + [len(document.text)]
    if cuts[0][0] > 0 and len(document.text[: cuts[0][0]].strip()) >= _LEAST_CHARS:
        cuts.insert(0, (0, "前言" if has_han(document.text[:200]) else "Preface", ""))
        ends.insert(0, cuts[1][0])
    for (start, label, title), end in zip(cuts, ends, strict=True):
        begin = 0 if not chapters else start
        text = document.text[begin:end]
        chapters.append(_chapter(document, len(chapters), label, title, begin, text))
    return chapters


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Return where each paragraph begins and ends: lines with words, joined where blank lines part them."""
    pattern = r"[^\n](?:[^\n]|\n(?!\s*\n))*" if "\n\n" in text and _is_wrapped(text) else r"[^\n]+"
    return [found.span() for found in re.finditer(pattern, text) if found[0].strip()]


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return where each sentence of a part of a text begins and ends."""
    stop = len(text) if end is None else end
    found: list[tuple[int, int]] = []
    position = start
    for match in _SENTENCE.finditer(text, start, stop):
        piece = text[position : match.end()]
        if not piece.strip():
            position = match.end() if not found else position
            continue
        goes_on = _GOES_ON.match(text, match.end(), stop) is not None and piece[-1] in _CLOSED
        wrapped = piece.endswith("\n") and match.end() < stop
        decimal = piece[-1] == "." and match.end() < stop and not text[match.end()].isspace()
        if (
            wrapped
            or decimal
            or goes_on
            or (_ABBREVIATION.search(piece.rstrip("\"”’')")) and match.end() < stop)
        ):
            continue
        found.append(_trim(text, position, match.end()))
        position = match.end()
    if text[position:stop].strip():
        found.append(_trim(text, position, stop))
    return found


def passages(text: str) -> list[Passage]:
    """Return the passages of a chapter: whole sentences, as many as fit, short paragraphs together."""
    size = _HAN_CHARS if has_han(text[:2000]) else _LATIN_CHARS
    found: list[Passage] = []
    start = end = number = 0
    for index, (first, last) in enumerate(paragraphs(text), start=1):
        if index == 1 and (_HEADING.match(text, first, last) or _MARKDOWN.match(text, first, last)):
            continue
        for begin, stop in sentence_spans(text, first, last):
            if end > start and stop - start > size:
                found.append(Passage(start, end, number))
                start = end = begin
            if end == start:
                start, number = begin, index
            end = stop
    if end > start:
        found.append(Passage(start, end, number))
    return found


def _moments(moments: Sequence[Moment], start: int, end: int) -> tuple[Moment, ...]:
    """Return the times that hold from one place to another, counted from the first."""
    if not moments:
        return ()
    first = max(bisect_right([one.offset for one in moments], start) - 1, 0)
    held = [moments[first], *(one for one in moments[first + 1 :] if one.offset < end)]
    return tuple(one.model_copy(update={"offset": max(0, one.offset - start)}) for one in held)


def quote_at(
    chapter: Chapter, start: int, end: int, *, speaker: str | None = None, starts: Sequence[int] = ()
) -> Quote:
    """Return words of a chapter with their place; `starts` are its paragraphs, where they are known."""
    first, last = _trim(chapter.text, start, end)
    begun = starts or [one for one, _ in paragraphs(chapter.text)]
    moments = _moments(chapter.moments, first, last)
    return Quote(
        text=chapter.text[first:last],
        chapter=chapter.number,
        label=chapter.label,
        document=chapter.document,
        paragraph=max(1, bisect_right(begun, first)),
        start=first,
        end=last,
        speaker=speaker,
        video_id=chapter.video_id,
        time_s=moments[0].time_s if moments else None,
        end_s=moments[-1].end_s if moments else None,
        moments=moments if len(moments) > 1 else (),
    )


def line_of(quote: Quote, words: str) -> Quote:
    """Return the part of a timed quotation that holds these words, with its own times; else the quotation."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    found = re.search(pattern, quote.text) if quote.moments and pattern else None
    if found is None:
        return quote
    moments = _moments(quote.moments, *found.span())
    return quote.model_copy(
        update={
            "text": found[0],
            "start": quote.start + found.start(),
            "end": quote.start + found.end(),
            "time_s": moments[0].time_s,
            "end_s": moments[-1].end_s,
            "moments": moments if len(moments) > 1 else (),
        }
    )


def _cuts(text: str) -> list[tuple[int, str, str]]:
    """Return the headings: where each stands, its label and its title."""
    for pattern in (_HEADING, _MARKDOWN):
        rows = [
            (found.start(), " ".join(found["label"].split()), _title(found))
            for found in pattern.finditer(text)
        ]
        if not rows:
            continue
        # A table of contents lists all headings with nothing between them.
        ends = [start for start, _, _ in rows[1:]] + [len(text)]
        least = _LEAST_HAN if has_han(text[:2000]) else _LEAST_CHARS
        kept = [row for row, end in zip(rows, ends, strict=True) if end - row[0] >= least]
        if kept and (len(kept) > 1 or pattern is _HEADING):
            return kept
    return []


def _title(found: re.Match[str]) -> str:
    rest = found.groupdict().get("rest") or ""
    return " ".join(rest.strip(" \t\u3000.:：—-*#").split())


def _parts(document: SourceText) -> Iterator[tuple[int, str, str]]:
    """Yield the parts of a text without headings; a short one is a single part named like its document."""
    text = document.text
    stem = document.name.rsplit("/", 1)[-1].rsplit(".", 1)[0] or document.name
    if len(text) <= _PART_CHARS * 1.5:
        yield 0, stem, ""
        return
    word = "第{}部分" if has_han(text[:2000]) else "Part {}"
    start = number = 0
    for first, last in paragraphs(text):
        if number == 0 or last - start > _PART_CHARS:
            number += 1
            start = first if number > 1 else 0
            yield start, f"{stem}, {word.format(number)}", ""


def _chapter(document: SourceText, index: int, label: str, title: str, start: int, text: str) -> Chapter:
    moments = tuple(
        one.model_copy(update={"offset": one.offset - start})
        for one in document.moments
        if start <= one.offset < start + len(text)
    )
    digest = hashlib.sha256(f"{document.name}\0{label}\0{text.rstrip()}".encode()).hexdigest()
    return Chapter(
        number=index + 1,
        document=document.name,
        index=index,
        label=label,
        title=title,
        sha256=digest,
        num_chars=len(text),
        kind=document.kind,
        video_id=document.video_id,
        text=text,
        moments=moments,
    )


def _is_wrapped(text: str) -> bool:
    """Say whether lines are broken within paragraphs, as in plain-text editions of printed books."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()]
    long = [line for line in lines if len(line) > 40]
    ended = sum(
        line.rstrip().endswith((".", "!", "?", '"', "”", "。", "！", "？", "’", "'")) for line in long
    )
    return bool(long) and ended < _ENDED * len(long)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
