"""The on-screen text and speech of a shot, prepared for quoting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from vidence.index.narrate.facts import Said
from vidence.language.identify import HAN, count_han, has_han
from vidence.schema.observations import SeenText, TextSeen
from vidence.schema.speech import Utterance

__all__ = ["quoted", "read_texts", "said", "sentences", "shorten"]

_MIN_TEXT = 0.8
_MIN_SAID = 0.4
_ALIKE = 0.75
_PAUSE_S = 1.5
_TITLE_HEIGHT = 0.06
_SENTENCE = re.compile(rf"(?<=[.!?。！？])(?!(?<=\d\.)\d)\s*(?=[A-Z{HAN}“\"'0-9])|(?<=[。！？])")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|No|vs|etc|[A-Z])\.$")


def read_texts(rows: Iterable[TextSeen]) -> tuple[list[str], float, bool]:
    """Return the distinct lines in order, their confidence, and whether one is a title."""
    kept: list[SeenText] = []
    for line in (line for row in rows for line in _blocks(row.lines)):
        if line.confidence >= _MIN_TEXT and _is_legible(line.text):
            _merge(kept, line)
    sure = sum(line.confidence for line in kept) / len(kept) if kept else 0.0
    return [line.text.strip() for line in kept], sure, any(_is_title(line) for line in kept)


def said(rows: Sequence[Utterance], *, is_heard: bool) -> Said:
    """Return the speech, sentence by sentence."""
    quotes = [
        part for text in _whole([r for r in rows if r.confidence >= _MIN_SAID]) for part in sentences(text)
    ]
    return Said(tuple(quotes), is_heard or bool(quotes))


def _whole(rows: Sequence[Utterance]) -> list[str]:
    """Join utterances that the recogniser split within a sentence."""
    found: list[str] = []
    last_s = 0.0
    for row in rows:
        text = row.text.strip()
        is_broken = found and re.search(r"[a-z,]$", found[-1]) and row.start_time - last_s <= _PAUSE_S
        if is_broken and not has_han(found[-1] + text):
            found[-1] += f" {text}"
        else:
            found.append(text)
        last_s = row.end_time
    return found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each without its full stop; questions keep their mark."""
    parts: list[str] = []
    for part in _SENTENCE.split(" ".join(text.split())):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {part}"
        elif part.strip():
            parts.append(part.strip())
    tidy = (_tidy(part) for part in parts)
    return [part for part in tidy if part]


def quoted(text: str) -> str:
    """Put a text between quotation marks."""
    return f"“{text}”"


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` words (Chinese: one and a half characters a word), cut with an ellipsis."""
    if has_han(text):
        most = max(4, round(limit * 1.5))
        return text if len(text) <= most else f"{text[: most - 1]}…"
    words = text.split()
    return text if len(words) <= limit else f"{' '.join(words[:limit])} …"


def _tidy(part: str) -> str:
    """Remove full stops, which would read as the end of our own sentence."""
    inner = re.sub(r"\.(?=\s)", "", part)
    if has_han(inner):
        inner = inner.replace(",", "，").replace("?", "？")
    return inner.strip().strip("\"“”'「」").rstrip(".。,，;；").strip()


def _is_legible(text: str) -> bool:
    chinese, latin = count_han(text), len(re.findall(r"[A-Za-z]", text))
    digits = len(re.findall(r"\d", text))
    if chinese and latin and chinese + latin < 5:
        return False
    return chinese >= 2 or latin >= 3 or digits >= 2


def _blocks(lines: Sequence[SeenText]) -> list[SeenText]:
    """Join lines of one size below one another: they are one text."""
    blocks: list[SeenText] = []
    last: SeenText | None = None
    for line in lines:
        if last is not None and _continues(last, line):
            blocks[-1] = _together(blocks[-1], line)
        else:
            blocks.append(line)
        last = line
    return blocks


def _continues(above: SeenText, line: SeenText) -> bool:
    x, y, _, height = above.bbox
    gap = line.bbox[1] - (y + height)
    alike = 0.7 <= line.bbox[3] / max(height, 1e-6) <= 1.4
    return alike and abs(line.bbox[0] - x) < 0.02 and -0.5 * height < gap < 1.2 * height


def _together(block: SeenText, line: SeenText) -> SeenText:
    (x, y, width, _), (x2, y2, width2, height2) = block.bbox, line.bbox
    joiner = "" if has_han(block.text + line.text) else " "
    left = min(x, x2)
    right = max(x + width, x2 + width2)
    return SeenText(
        text=f"{block.text}{joiner}{line.text}",
        confidence=min(block.confidence, line.confidence),
        bbox=(left, y, right - left, y2 + height2 - y),
    )


def _is_title(line: SeenText) -> bool:
    x, y, width, height = line.bbox
    return height >= _TITLE_HEIGHT and 0.15 <= y + height / 2 <= 0.75 and abs(x + width / 2 - 0.5) <= 0.2


def _merge(kept: list[SeenText], line: SeenText) -> None:
    """Add a line, or replace a worse reading of the same line."""
    for index, old in enumerate(kept):
        a, b = _bare(old.text), _bare(line.text)
        same = a in b or b in a or SequenceMatcher(None, a, b).ratio() >= _ALIKE
        if same:
            if (len(b), line.confidence) > (len(a), old.confidence):
                kept[index] = line
            return
    kept.append(line)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
