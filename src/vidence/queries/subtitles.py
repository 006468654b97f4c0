"""Writing .srt and .vtt that every player can read: short lines, short cues, no accidental markup."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from vidence.schema.speech import Utterance

__all__ = ["to_srt", "to_vtt"]

_LINE = 42
"""Columns to a line, the usual limit on screen; a Chinese character takes two."""
_CUE_S = 7.0
_SHORTEST_S = 0.5
"""The least time a cue is shown."""
_SENTENCE = re.compile(r"[.!?…。！？][\"'”’)]*$")
_PAUSE = re.compile(r"[,;:，；：、][\"'”’)]*$")
_MARKUP = re.compile(r"<(/?[a-zA-Z][^<>\n]*)>")


def to_srt(utterances: Iterable[Utterance]) -> str:
    """Write SubRip text."""
    blocks = []
    for number, (cue, end_s) in enumerate(_cues(utterances), start=1):
        # SubRip has no escapes, so text that would be read as a tag gets other brackets.
        text = _MARKUP.sub(r"‹\1›", _text(cue))
        blocks.append(f"{number}\n{_stamp(cue.start_time, ',')} --> {_stamp(end_s, ',')}\n{text}\n")
    return "\n".join(blocks)


def to_vtt(utterances: Iterable[Utterance]) -> str:
    """Write WebVTT text, with a voice tag where the speaker is known."""
    blocks = ["WEBVTT\n"]
    for cue, end_s in _cues(utterances):
        voice = f"<v {html.escape(cue.speaker)}>" if cue.speaker else ""
        text = html.escape(_text(cue), quote=False)
        blocks.append(f"{_stamp(cue.start_time, '.')} --> {_stamp(end_s, '.')}\n{voice}{text}\n")
    return "\n".join(blocks)


def _cues(utterances: Iterable[Utterance]) -> Iterator[tuple[Utterance, float]]:
    """Yield what to show and until when: long speech in parts, nothing that ends as it begins."""
    cues = [cue for one in utterances for cue in _parts(one) if cue.text.strip()]
    for cue, following in pairwise([*cues, None]):
        assert cue is not None
        until = cue.start_time + _SHORTEST_S
        if following is not None:
            until = min(until, max(following.start_time, cue.start_time))
        # Two times that are one when rounded would make a cue no player shows.
        yield cue, max(cue.end_time, until, cue.start_time + 0.002)


def _parts(one: Utterance) -> Iterator[Utterance]:
    """Cut recognised speech into cues of two lines; what somebody wrote stays as it is."""
    first = 0
    while one.words and first < len(one.words):
        last = _cut(one, first)
        yield one.between(first, last)
        first = last
    if not one.words:
        yield one


def _cut(one: Utterance, first: int) -> int:
    """Return where a cue that begins with word `first` should end: after a sentence, else at a pause."""
    words = one.words
    last = first + 1
    while last < len(words) and _fits(one.between(first, last + 1)):
        last += 1
    if last == len(words):
        return last
    for mark, least in ((_SENTENCE, 0.3), (_PAUSE, 0.5)):
        ends = [i for i in range(first + 1, last + 1) if mark.search(words[i - 1].text)]
        if ends and ends[-1] - first >= least * (last - first):
            return ends[-1]
    return last


def _fits(cue: Utterance) -> bool:
    return len(_wrap(cue.text)) <= 2 and cue.end_time - cue.start_time <= _CUE_S


def _text(cue: Utterance) -> str:
    """Return text that cannot end a cue early: no blank lines, no arrow."""
    lines = (line for line in cue.text.replace("-->", "→").splitlines() if line.strip())
    return "\n".join(part for line in lines for part in (_wrap(line) if cue.words else [line]))


def _wrap(text: str) -> list[str]:
    """Break a text into lines of about equal length, between words or Chinese characters."""
    pieces = re.findall(r"[ \t]*(?:[⺀-鿿豈-﫿][^\s\w]*|[^\s⺀-鿿豈-﫿]+)", text)
    rows = -(-_columns(text) // _LINE)
    while True:
        lines = _fill(pieces, max(1, rows))
        if rows >= len(pieces) or all(_columns(line) <= _LINE for line in lines):
            return lines
        rows += 1


def _fill(pieces: list[str], rows: int) -> list[str]:
    """Lay pieces into rows, each ending where its share of the whole is reached."""
    total = sum(_columns(piece) for piece in pieces)
    lines, done = [""] * rows, 0
    for piece in pieces:
        middle = done + _columns(piece) / 2
        lines[min(rows - 1, int(middle * rows / max(1, total)))] += piece
        done += _columns(piece)
    return [line.strip() for line in lines if line.strip()]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _stamp(seconds: float, mark: str) -> str:
    millis = round(max(0.0, seconds) * 1000)
    hours, rest = divmod(millis, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"
