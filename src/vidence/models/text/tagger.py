"""Our tagger of English stories: who and what is mentioned (nested spans), and which words tell an event.

Word vectors come from the sentence encoder; two recurrent layers read each sentence both ways; every span of
words is scored by its first and its last word. Trained on LitBank (`training/story/tagger.py`), run in NumPy.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.packed import read_packed, shipped_bytes
from vidence.models.protocols import TextEmbedder
from vidence.models.text.use import UseEmbedder
from vidence.schema.perception import FloatArray

__all__ = ["KINDS", "Sentence", "StoryTagger", "Tagged", "TaggedMention", "open_tagger", "word_flags"]

WEIGHTS, SHA256 = "story-1.npz", "a3186069966ae963127450de8f98f8734b2f04da44e0b2995960cad412863b7a"
KINDS: Final = ("PER", "FAC", "LOC", "GPE", "VEH", "ORG")
LONGEST = 24
"""Words of the longest mention."""
SUFFIXES = 3000
_BATCH = 48
_EVENT = 0.5
_MARKS = frozenset(('"', "“", "”", "``", "''"))
_OPENS = frozenset("\"“`‘'")


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence and where each stands in the text."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TaggedMention:
    """Words `start` up to `end` of a text that mention somebody or something."""

    start: int
    end: int
    kind: str
    score: float = 0.0


@dataclass(frozen=True)
class Tagged:
    """What the tagger found; words are numbered over all sentences."""

    mentions: tuple[TaggedMention, ...]
    events: tuple[int, ...]


class StoryTagger:
    """Tags the sentences of a text."""

    model_id = WEIGHTS

    def __init__(self, embedder: UseEmbedder, content: bytes) -> None:
        """Take the encoder that gives word vectors, and our weights."""
        self._embedder = embedder
        try:
            meta, self._weights = read_packed(content)
            self._vocabulary = {word: number for number, word in enumerate(meta["vocabulary"], start=1)}
        except (OSError, ValueError, KeyError) as exc:
            raise BackendError(
                f"The story tagger's weights cannot be read: {exc}. Reinstall vidence."
            ) from exc

    def tag(self, sentences: Sequence[Sentence]) -> Tagged:
        """Return the mentions and the words that tell events."""
        flags = word_flags([one.words for one in sentences])
        offsets = np.cumsum([0, *(len(one.words) for one in sentences)])
        mentions: list[TaggedMention] = []
        events: list[int] = []
        for batch in _batches([len(one.words) for one in sentences]):
            words = [sentences[at].words for at in batch]
            spans, told = self._run(words, [flags[offsets[at] : offsets[at + 1]] for at in batch])
            for at, found, row in zip(batch, spans, told, strict=True):
                first = int(offsets[at])
                mentions += [
                    TaggedMention(first + a, first + z + 1, kind, score) for a, z, kind, score in found
                ]
                events += [first + int(number) for number in np.flatnonzero(row > _EVENT)]
        return Tagged(tuple(sorted(mentions, key=lambda one: (one.start, -one.end))), tuple(sorted(events)))

    def _run(
        self, sentences: Sequence[Sequence[str]], flags: Sequence[FloatArray]
    ) -> tuple[list[list[tuple[int, int, str, float]]], list[FloatArray]]:
        """Return the spans and event probabilities of sentences of about one length, longest first."""
        w = self._weights
        lengths = np.array([len(one) for one in sentences])
        embedded = self._embedder.word_features(sentences)
        rows = [
            np.concatenate(
                [np.maximum(x @ w["proj.weight"].T + w["proj.bias"], 0), *self._lookups(words), flag], 1
            )
            for x, words, flag in zip(embedded, sentences, flags, strict=True)
        ]
        x = np.zeros((len(rows), int(lengths[0]), rows[0].shape[1]), np.float32)
        for number, row in enumerate(rows):
            x[number, : len(row)] = row
        for layer in range(2):
            x = np.concatenate([self._pass(x, lengths, layer, back) for back in ("", "_reverse")], 2)
        told = _sigmoid(
            np.maximum(x @ w["ev.0.weight"].T + w["ev.0.bias"], 0) @ w["ev.3.weight"].T + w["ev.3.bias"]
        )
        firsts = _with_one(np.maximum(x @ w["st.weight"].T + w["st.bias"], 0))
        lasts = _with_one(np.maximum(x @ w["en.weight"].T + w["en.bias"], 0))
        spans = [self._spans(firsts[at, :n], lasts[at, :n]) for at, n in enumerate(lengths)]
        return spans, [told[at, :n, 0] for at, n in enumerate(lengths)]

    def _lookups(self, words: Sequence[str]) -> list[FloatArray]:
        lower = [word.lower() for word in words]
        known = [self._vocabulary.get(word, 0) for word in lower]
        parts = [(f"s{word[-3:]}", f"t{word[-2:]}", f"p{word[:4]}") for word in lower]
        hashed = np.array([[zlib.crc32(part.encode()) % SUFFIXES for part in row] for row in parts])
        return [
            self._weights["word.weight"][known],
            self._weights["suf.weight"][hashed].reshape(len(words), -1),
        ]

    def _pass(self, x: FloatArray, lengths: NDArray[np.int64], layer: int, back: str) -> FloatArray:
        """Run one direction of one recurrent layer; shorter sentences drop out as they end."""
        w = self._weights
        size = w[f"lstm.weight_hh_l{layer}{back}"].shape[1]
        order = _reversed(lengths, x.shape[1]) if back else None
        x = np.take_along_axis(x, order[:, :, None], 1) if order is not None else x
        gates = x @ w[f"lstm.weight_ih_l{layer}{back}"].T
        gates += w[f"lstm.bias_ih_l{layer}{back}"] + w[f"lstm.bias_hh_l{layer}{back}"]
        recurrent = np.ascontiguousarray(w[f"lstm.weight_hh_l{layer}{back}"].T)
        out = np.zeros((len(x), x.shape[1], size), np.float32)
        hidden = cell = np.zeros((len(x), size), np.float32)
        for step in range(x.shape[1]):
            alive = int((lengths > step).sum())
            now = gates[:alive, step] + hidden[:alive] @ recurrent
            let, keep, give = (_sigmoid(now[:, size * k : size * (k + 1)]) for k in (0, 1, 3))
            cell = keep * cell[:alive] + let * np.tanh(now[:, 2 * size : 3 * size])
            hidden = give * np.tanh(cell)
            out[:alive, step] = hidden
        return np.take_along_axis(out, order[:, :, None], 1) if order is not None else out

    def _spans(self, firsts: FloatArray, lasts: FloatArray) -> list[tuple[int, int, str, float]]:
        """Return the spans that score above nothing, none of them crossing a better one."""
        scores = np.stack([firsts @ each @ lasts.T for each in self._weights["bi"]], 2)
        size = len(firsts)
        apart = np.arange(size)[None, :] - np.arange(size)[:, None]
        scores += self._weights["len"][:, np.clip(apart, 0, LONGEST - 1)].transpose(1, 2, 0)
        best = scores.argmax(2)
        gain = np.where((apart >= 0) & (apart < LONGEST) & (best > 0), scores.max(2) - scores[:, :, 0], 0)
        found: list[tuple[int, int, str, float]] = []
        for at in np.argsort(-gain, axis=None, kind="stable")[: int((gain > 0).sum())]:
            first, last = divmod(int(at), size)
            if all(not (first < a <= last < z or a < first <= z < last) for a, z, _, _ in found):
                found.append((first, last, KINDS[int(best[first, last]) - 1], float(gain[first, last])))
        return found


def word_flags(sentences: Sequence[Sequence[str]]) -> FloatArray:
    """Return what the shape of each word, its place and its other places in the text say."""
    lower: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for words in sentences:
        for at, word in enumerate(words):
            if word[0].islower():
                lower[word] += 1
            elif at and words[at - 1] not in _OPENS:
                inside[word.lower()] += 1
    rows: list[list[float]] = []
    quoted = False
    for words in sentences:
        for at, word in enumerate(words):
            quoted ^= word in _MARKS
            small = word.lower()
            often = inside[small]
            rows.append([
                *_shape(word), at == 0, quoted, lower[small] > 0, often > 0, min(1, often / 5),
                len(word) / 10, len(word) == 1,
            ])  # fmt: skip
    return np.array(rows, np.float32)


def open_tagger(embedder: TextEmbedder | None) -> StoryTagger | None:
    """Return the tagger, or None when another encoder than ours gives the word vectors."""
    if not isinstance(embedder, UseEmbedder):
        return None
    return StoryTagger(embedder, shipped_bytes(WEIGHTS, SHA256))


def _shape(word: str) -> list[bool]:
    return [
        word[0].isupper(),
        word.isupper() and len(word) > 1,
        any(char.isdigit() for char in word),
        not any(char.isalnum() for char in word),
        "-" in word,
        "'" in word or "’" in word,
        word.endswith(".") and len(word) > 1,
        word.islower(),
    ]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of sentences of about one length, the longest of each batch first."""
    order = [at for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]) if lengths[at]]
    for start in range(0, len(order), _BATCH):
        yield order[start : start + _BATCH]


def _reversed(lengths: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    """Return the order that turns each sentence around and leaves what comes after it."""
    at = np.arange(longest)[None, :]
    return np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)


def _with_one(x: FloatArray) -> FloatArray:
    return np.concatenate([x, np.ones((*x.shape[:2], 1), np.float32)], 2)


def _sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)), np.float32)
