"""Captions made ready for comparison: plain, in sentences and words, with their vectors."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from vidence.embedded.recipes.recipe import Embed
from vidence.language.identify import HAN
from vidence.language.tokens import sentences, terms
from vidence.schema.agent import MemoryUnit

__all__ = [
    "CaptionIndex",
    "ContentWord",
    "Embed",
    "Floats",
    "VectorCache",
    "clauses",
    "content_words",
    "gather",
    "plain_caption",
    "telling",
]

Floats = NDArray[np.float32]
_KEPT = 30_000
"""Vectors kept: 60 MB of 512 numbers each."""
# Narration data marks who acts: "#C C" the wearer of the camera, "#O" others, "#unsure" what was not clear.
_MARKS = re.compile(r"#\s?(?:unsure|[A-Za-z])\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\b(?:the|this|an?)\s+(?:image|picture|photo|photograph|frame|scene|video|clip)\s+"
    r"(?:showcases?|shows?|depicts?|displays?|features?|captures?|presents?|contains?|is of)\s+",
    re.IGNORECASE,
)
_OPENING_ZH = re.compile(
    r"(?:这张|这幅|该)?(?:图片|画面|图像|照片|镜头|视频)(?:中|里)?(?:显示|展示|呈现)了?[:：，,]?"
)
_CLAUSE = re.compile(r"(?<=[.!?;,])\s+|(?<=[。！？；，、])")
_TOKEN = re.compile(rf"[\u3040-\u30ff{HAN}]+|[^\W_]+")
_BLANKS = re.compile(r"\s+")
_TOLD, _ALIKE = 5, 0.85
"""How many sentences a reader is told, none as similar to another as this."""
_WINDOW = 15
"""Captions in one window of an activity; half of them are shared with the next."""


class VectorCache:
    """An embedder with a cache; call it like the embedder."""

    def __init__(self, embed: Embed, *, kept: int = _KEPT) -> None:
        self._embed = embed
        self._kept = kept
        self._vectors: OrderedDict[str, Floats] = OrderedDict()
        self._lock = Lock()

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return one unit vector per text."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if new:
                found = np.asarray(self._embed(new), dtype=np.float32)
                self._vectors.update(zip(new, found, strict=True))
            rows = [self._vectors[text] for text in texts]
            for text in texts:
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)
        return np.stack(rows) if rows else np.zeros((0, 1), np.float32)


@dataclass(frozen=True)
class ContentWord:
    """A content word as written, for its meaning, and its stem, for counting."""

    surface: str
    stem: str


def plain_caption(text: str) -> str:
    """Return a caption without narration marks and stock openings."""
    text = _OPENING_ZH.sub("", _OPENING.sub("", _MARKS.sub(" ", text)))
    return _BLANKS.sub(" ", text).strip()


def _sentences(caption: str) -> list[str]:
    """Return the sentences of a plain caption; none of an empty one."""
    return [one for one in sentences(caption) if one.strip()]


def clauses(option: str) -> list[str]:
    """Return the parts of an option between punctuation marks, or the whole option."""
    found = [part.strip() for part in _CLAUSE.split(option) if part and any(c.isalnum() for c in part)]
    return found or [option]


@lru_cache(maxsize=1 << 14)
def content_words(text: str) -> tuple[ContentWord, ...]:
    """Return the content words of a text, in order and with repetitions."""
    found: list[ContentWord] = []
    for token in _TOKEN.findall(text.lower()):
        if token.isascii() and len(token) == 1 and not token.isdigit():
            continue  # "C does", "person X": names of roles, in every caption and every option.
        stems = list(terms(token))
        spelt = [token] if len(stems) == 1 and token.isascii() else stems
        found += [ContentWord(surface, stem) for surface, stem in zip(spelt, stems, strict=True)]
    return tuple(found)


@dataclass(frozen=True)
class CaptionIndex:
    """Captions in order of time, with their sentences, word counts and vectors."""

    units: tuple[MemoryUnit, ...]
    sentences: tuple[str, ...]
    unit_of: Floats
    """The index of each sentence's caption."""
    vectors: Floats
    """(sentences, D)."""
    stretches: Floats
    """(windows, D): mean vectors over several captions."""
    stems: tuple[Counter[str], ...]
    """The stem counts of each caption."""
    counts: Counter[str]
    """The number of captions that hold each stem."""
    vocabulary: tuple[str, ...]
    shares: Floats
    """The share of captions that hold each word of the vocabulary."""
    vocabulary_vectors: Floats

    def per_unit(self, scores: Floats) -> Floats:
        """Return the best of each caption's sentences: (sentences, K) scores become (captions, K)."""
        best = np.full((len(self.units), scores.shape[1]), -1.0, np.float32)
        np.maximum.at(best, self.unit_of.astype(np.intp), scores)
        return best


def gather(units: Sequence[MemoryUnit], embed: Embed) -> CaptionIndex | None:
    """Return an index of the captions; None when all are empty."""
    told = sorted(((unit, plain_caption(unit.caption)) for unit in units), key=lambda one: _when(one[0]))
    told = [(unit, text) for unit, text in told if _sentences(text)]
    if not told:
        return None
    spoken = [(index, sentence) for index, (_, text) in enumerate(told) for sentence in _sentences(text)]
    vectors = np.asarray(embed([sentence for _, sentence in spoken]), np.float32)
    unit_of = np.array([index for index, _ in spoken], np.float32)
    words = [content_words(text) for _, text in told]
    stems = tuple(Counter(word.stem for word in held) for held in words)
    in_captions = Counter(word.surface for held in words for word in set(held))
    vocabulary = tuple(in_captions)
    return CaptionIndex(
        units=tuple(unit for unit, _ in told),
        sentences=tuple(sentence for _, sentence in spoken),
        unit_of=unit_of,
        vectors=vectors,
        stretches=_stretches(vectors, unit_of, len(told)),
        stems=stems,
        counts=Counter(stem for held in stems for stem in held),
        vocabulary=vocabulary,
        shares=np.array([in_captions[word] / len(told) for word in vocabulary], np.float32),
        vocabulary_vectors=np.asarray(embed(vocabulary), np.float32),
    )


def telling(text: str, evidence: CaptionIndex, embed: Embed) -> list[str]:
    """Return the few sentences nearest to a text, in order of time and without near repetitions."""
    near = evidence.vectors @ np.asarray(embed([text]), np.float32)[0]
    chosen: list[int] = []
    for index in np.argsort(-near):
        if len(chosen) < _TOLD and all(
            evidence.vectors[index] @ evidence.vectors[one] < _ALIKE for one in chosen
        ):
            chosen.append(int(index))
    return [evidence.sentences[index] for index in sorted(chosen)]


def _when(unit: MemoryUnit) -> tuple[float, int]:
    return (unit.timestamp_s if unit.timestamp_s is not None else float(unit.frame_id), unit.frame_id)


def _stretches(vectors: Floats, unit_of: Floats, number: int) -> Floats:
    step = max(1, _WINDOW // 2)
    rows = []
    for start in range(0, max(1, number - step), step):
        inside = (unit_of >= start) & (unit_of < start + _WINDOW)
        mean = vectors[inside].mean(axis=0)
        rows.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
    return np.stack(rows).astype(np.float32)
