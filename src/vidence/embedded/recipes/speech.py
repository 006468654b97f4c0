"""What was said: finding a phrase, completing it, and the sentence that speaks of something."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from vidence.language.identify import HAN
from vidence.language.search_words import stems
from vidence.ops.get_transcript import TranscriptLine

__all__ = [
    "Completion",
    "Mention",
    "Spoken",
    "complete",
    "mentions",
    "named_in",
    "prefixes",
    "sentences_of",
    "words_of",
]

_WORD = re.compile(rf"[\w'’]+(?:-[\w'’]+)*|[{HAN}]")
_GAP = r"(?:\.{2,}|…+|_{2,}|\[\s*\]|\bblank\b|……|＿+|\*{2,})"
_OPEN = re.compile(rf"[\"“'‘「『]?\s*([^\"“”:：?？]*?)\s*{_GAP}\s*([^\"“”?？:：]*)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$|[\"”’])|[。！？…]+|[.!?]|$)[\"”’]?")
_ENDED = re.compile(r"[.!?。！？…][\"”’]?$")
_MAX_PREFIX = 6
_SURE = 0.75


@dataclass(frozen=True)
class Completion:
    """The words that follow a given beginning."""

    words: str
    segment: TranscriptLine
    fit: float


@dataclass(frozen=True)
class Mention:
    """A sentence and how well it speaks of what was asked."""

    segment: TranscriptLine
    score: float


@dataclass(frozen=True)
class Spoken:
    """A word or a sentence, and the line of the transcript it begins in."""

    text: str
    line: TranscriptLine


def words_of(lines: Sequence[TranscriptLine]) -> list[Spoken]:
    """Return all words in the order they are said; Chinese by the character."""
    return [Spoken(match.group(), line) for line in lines for match in _WORD.finditer(line.text)]


def sentences_of(lines: Sequence[TranscriptLine]) -> list[Spoken]:
    """Return all sentences in the order they are said; a recogniser's line may hold several, or a part."""
    found: list[Spoken] = []
    is_open = False
    for line in lines:
        for part in _SENTENCE.findall(line.text):
            text = part.strip()
            if not text:
                continue
            if is_open:
                found[-1] = Spoken(f"{found[-1].text} {text}", found[-1].line)
            else:
                found.append(Spoken(text, line))
            is_open = not _ENDED.search(text)
    return found


def prefixes(text: str, quoted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the beginnings a question wants completed, each with the words after the gap."""
    found = []
    for part in (*quoted, text):
        match = _OPEN.search(part)
        if match and _WORD.search(match[1]):
            found.append((match[1], match[2]))
    return found


def complete(prefix: str, segments: Sequence[TranscriptLine], *, most: int = 3) -> Completion | None:
    """Find the beginning in what was said, letters a little off allowed, and return what follows it."""
    wanted = [word.lower() for word in _WORD.findall(prefix)][-_MAX_PREFIX:]
    best: Completion | None = None
    for segment in segments:
        words = [(match.group(), match.end()) for match in _WORD.finditer(segment.text)]
        for index in range(len(words) - 1):
            fit = _fit(wanted, [word.lower() for word, _ in words[: index + 1]])
            if fit >= _SURE and (best is None or fit > best.fit + 1e-6):
                follow = _following(segment.text, words, index, most)
                best = Completion(follow, segment, fit)
    return best


def mentions(
    question: str, segments: Sequence[TranscriptLine], embed: Callable[[Sequence[str]], Any]
) -> list[Mention]:
    """Rank what was said by how well it answers, by shared words and by meaning."""
    if not segments:
        return []
    wanted = set(stems(question)) - _ASKING
    owned = [set(stems(one.text)) for one in segments]
    weights = {word: 1.0 / (1 + sum(word in own for own in owned)) ** 0.5 for word in wanted}
    total = sum(weights.values()) or 1.0
    vectors = np.asarray(embed([question, *(one.text for one in segments)]))
    near = vectors[1:] @ vectors[0]
    scored = [
        Mention(one, 0.6 * sum(weights[w] for w in wanted & own) / total + 0.4 * max(0.0, float(likeness)))
        for one, own, likeness in zip(segments, owned, near, strict=True)
    ]
    return sorted(scored, key=lambda each: -each.score)


def named_in(text: str, question: str) -> str | None:
    """Return the name in a sentence that the question does not hold itself: what it most likely asks for."""
    known = {word.lower() for word in _WORD.findall(question)}
    names = []
    for match in re.finditer(
        r"(?:[A-Z][\w'’-]+|\d[\w-]*)(?:\s+(?:of|or|and|the|\d[\w-]*|[a-z]+(?=\s+[A-Z])|[A-Z][\w'’-]+))*", text
    ):
        first = match.start() == 0 or text[: match.start()].rstrip().endswith((".", "!", "?"))
        phrase = match.group().strip()
        words = [w for w in _WORD.findall(phrase) if w.lower() not in known]
        capital = any(word[0].isupper() or word[0].isdigit() for word in words)
        if words and capital and not (first and len(words) == 1):
            names.append(phrase)
    return max(names, key=len) if names else None


def _fit(wanted: Sequence[str], said: Sequence[str]) -> float:
    """Compare the end of what was said with the beginning given; the last words count most."""
    own = said[-len(wanted) :]
    if len(own) < min(2, len(wanted)):
        return 0.0
    score = weight = 0.0
    for place, word in enumerate(reversed(wanted)):
        worth = 0.7**place
        weight += worth
        if place < len(own):
            score += worth * _alike(word, own[-1 - place])
    return score / weight


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    ratio = SequenceMatcher(None, one, other).ratio()
    return ratio if ratio >= 0.75 else 0.0


def _following(text: str, words: Sequence[tuple[str, int]], index: int, most: int) -> str:
    rest = text[words[index][1] :]
    clause = re.split(r"[.,;:!?。，；！？]", rest.lstrip(" ,"), maxsplit=1)[0]
    found = list(_WORD.finditer(clause))[:most]
    return clause[: found[-1].end()].strip() if found else ""


_ASKING = frozenset(
    stem
    for word in (
        "what which who say says said speak speaks speaker voice talk talks word words sentence phrase",
        "mention mentions read reads hear heard tell tells video clip man woman person he she they",
        "about according",
    )
    for stem in stems(word)
)
