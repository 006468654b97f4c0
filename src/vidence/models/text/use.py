"""Universal Sentence Encoder, multilingual v3: sentences of 16 languages to vectors, in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import OpenOnce
from vidence.models.text.tokenizer import load_sentencepiece

__all__ = [
    "BRANCH",
    "DIMENSIONS",
    "ORDERS",
    "PieceTable",
    "UseEmbedder",
    "batches",
    "build",
    "normalise",
    "open_pieces",
    "relu",
    "unpack_table",
]

MODEL = "use-multilingual-3"
DIMENSIONS = 512
_BOS, _EOS = 1, 2
_NUM_CHUNKS = 17
"""The embedding table is stored as 17 blocks, piece `i` in block `i % 17`."""
BRANCH = 256
ORDERS = ((2, 0), (3, 1), (5, 2))
"""(window, tokens of it to the left) of the three convolution branches."""
_HALO = 4
"""Two stacked windows of 5 reach this far, so slices of a long text overlap by it."""
_TABLE_BYTES = 66_000_000
_SLICE_TOKENS = 1024
_BATCH_TOKENS = 1536

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class _Slice:
    """Some tokens of one text; the first and last few may only be context."""

    text: int
    ids: Ints
    inner_start: int
    inner_end: int


class PieceTable:
    """Splits texts of any script into sentence pieces and looks up the vector of each."""

    def __init__(self, weights: Path, vocabulary: Path, *, table: Path | None = None) -> None:
        """Take the archive and the vocabulary; `table` is the archive's table as `unpack_table` wrote it."""
        self._tokenizer = OpenOnce(lambda: load_sentencepiece(vocabulary))
        self._stored = OpenOnce(lambda: _load_table(weights, table))

    def ids(self, texts: Sequence[str], *, limit: int | None = None) -> list[Ints]:
        """Return the piece numbers of each text, opening and closing mark included, at most `limit`."""
        encoded = self._tokenizer.get().encode_batch(list(texts), add_special_tokens=False)
        last = None if limit is None else limit - 2
        return [np.array([_BOS, *one.ids[:last], _EOS], dtype=np.int64) for one in encoded]

    def vectors(self, ids: Ints) -> Floats:
        """Return the (pieces, 512) vectors of piece numbers."""
        table, scale, low = self._stored.get()
        chunk = ids % _NUM_CHUNKS
        rows: Floats = table[ids] * scale[chunk, None] + low[chunk, None]
        return rows

    def pieces(self, texts: Sequence[str], *, limit: int) -> list[Floats]:
        """Return the (pieces, 512) vectors of each text, at most `limit` rows each."""
        return [self.vectors(ids) for ids in self.ids(texts, limit=limit)]


class UseEmbedder:
    """Embeds text as 512 numbers; the same meaning in English and Chinese lies close together."""

    model_id = MODEL
    dim = DIMENSIONS

    def __init__(self, weights: Path, pieces: PieceTable) -> None:
        self._pieces = pieces
        self._network = OpenOnce(lambda: _Network(weights, pieces))

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one unit vector per text, as (len(texts), 512) float32."""
        ids = self._pieces.ids(texts)
        network = self._network.get()
        sums = np.zeros((len(ids), network.features), dtype=np.float32)
        slices = (part for index, one in enumerate(ids) for part in _slices(index, one))
        for batch in batches(slices, lambda part: len(part.ids)):
            network.add_token_sums(batch, sums)
        return network.project(sums, np.array([len(one) for one in ids], dtype=np.float32))

    def word_features(self, sentences: Sequence[Sequence[str]]) -> list[Floats]:
        """Return for each sentence the (words, 1280) features of its words, each read in its context."""
        network = self._network.get()
        known = {word: one[1:-1] for word, one in self._word_ids(sentences)}
        ids = [np.concatenate([[_BOS], *(known[word] for word in words), [_EOS]]) for words in sentences]
        lengths = np.array([len(one) for one in ids])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        features = network.token_features(np.concatenate(ids), starts, lengths)
        found = []
        for words, start in zip(sentences, starts, strict=True):
            sizes = np.array([len(known[word]) for word in words])
            first = int(start) + 1 + np.cumsum([0, *sizes[:-1]])
            rows = np.add.reduceat(features[: first[-1] + sizes[-1]], first, axis=0)
            found.append(np.asarray(rows / sizes[:, None], np.float32))
        return found

    def _word_ids(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[str, Ints]]:
        words = list({word for one in sentences for word in one})
        for word, ids in zip(words, self._pieces.ids(words), strict=True):
            yield word, ids if len(ids) > 2 else np.array([_BOS, 0, _EOS])


class _Network:
    """The encoder's weights and its two halves: tokens to a sum, the sum to a vector."""

    features = DIMENSIONS + BRANCH * len(ORDERS)

    def __init__(self, path: Path, pieces: PieceTable) -> None:
        with _reading(path), np.load(path, allow_pickle=False) as archive:
            small = {name: archive[name] for name in archive.files if not name.startswith("q")}
            self._eps = float(small["eps"])
        self._weights: dict[str, Floats] = {name: value.astype(np.float32) for name, value in small.items()}
        self._pieces = pieces

    def add_token_sums(self, batch: Sequence[_Slice], sums: Floats) -> None:
        """Add the features of every inner token to the row of the text it belongs to."""
        ids = np.concatenate([one.ids for one in batch])
        lengths = np.array([len(one.ids) for one in batch])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        features = self.token_features(ids, starts, lengths)
        for one, start in zip(batch, starts, strict=True):
            sums[one.text] += features[start + one.inner_start : start + one.inner_end].sum(axis=0)

    def project(self, sums: Floats, lengths: Floats) -> Floats:
        """Turn token sums into unit vectors."""
        w = self._weights
        mean = np.asarray(
            (sums @ w["cnn_W"] + lengths[:, None] * w["cnn_b"]) / np.sqrt(lengths)[:, None], dtype=np.float32
        )
        first = relu(mean @ w["p1"] + relu(mean @ w["d0"]) @ w["d1"])
        out = np.tanh(first @ w["p3"] + relu(first @ w["d2"]) @ w["d3"])
        norm = np.sqrt(np.maximum(np.einsum("ij,ij->i", out, out), self._eps))
        return np.ascontiguousarray(out / norm[:, None], dtype=np.float32)

    def token_features(self, ids: Ints, starts: Ints, lengths: Ints) -> Floats:
        """Return the (tokens, 1280) features of texts that stand one after another."""
        w = self._weights
        embedded = self._pieces.vectors(ids)
        branches = np.concatenate([embedded @ w[f"proj{n}"] + w[f"proj_b{n}"] for n, _ in ORDERS], axis=1)
        gain = np.concatenate([w[f"ln_g{n}"] for n, _ in ORDERS])
        shift = np.concatenate([w[f"ln_b{n}"] for n, _ in ORDERS])
        branches = normalise(branches, gain, shift, self._eps)
        parts = [embedded]
        for i, (order, left) in enumerate(ORDERS):
            window = _window(starts, lengths, order, left)
            x = branches[:, i * BRANCH : (i + 1) * BRANCH]
            x = x + relu(_gather(x, window) @ w[f"w1_{order}"] + w[f"b1_{order}"])
            parts.append(x + relu(_gather(x, window) @ w[f"w2_{order}"] + w[f"b2_{order}"]))
        return normalise(np.concatenate(parts, axis=1), w["ln_g"], w["ln_b"], self._eps)


def build(context: ModelContext) -> UseEmbedder:
    """Build the embedded sentence encoder."""
    return UseEmbedder(context.cache.path(MODEL, "weights"), open_pieces(context))


def open_pieces(context: ModelContext) -> PieceTable:
    """Return the encoder's table of pieces, unpacked into the cache the first time."""
    weights = context.cache.path(MODEL, "weights")
    table: Path | None = None
    # On a full disk the table is unpacked in memory, this once.
    with suppress(BackendError):
        table = context.cache.built(
            MODEL, "table-v1.npy", lambda target: unpack_table(weights, target), size_bytes=_TABLE_BYTES
        )
    return PieceTable(weights, context.cache.path(MODEL, "vocabulary"), table=table)


def unpack_table(weights: Path, target: Path) -> None:
    """Write the archive's table of pieces to `target`, to be read a row at a time."""
    with _reading(weights), np.load(weights, allow_pickle=False) as archive, target.open("wb") as out:
        np.save(out, _unpacked(archive))


def _load_table(path: Path, table: Path | None) -> tuple[NDArray[np.uint8], Floats, Floats]:
    """Return the 8-bit table (on disk where it was unpacked), its scales and its offsets."""
    with _reading(path), np.load(path, allow_pickle=False) as archive:
        rows = _unpacked(archive) if table is None else np.load(table, mmap_mode="r")
        return rows, archive["scale"].astype(np.float32), archive["lo"].astype(np.float32)


def _unpacked(archive: Mapping[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    table = np.empty((_NUM_CHUNKS * archive["q1"].shape[0], DIMENSIONS), dtype=np.uint8)
    for chunk in range(_NUM_CHUNKS):
        table[chunk::_NUM_CHUNKS] = archive[f"q{chunk + 1}"]
    return table


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError) as exc:
        raise BackendError(
            f"The text encoder's weights {path} cannot be read: {exc}. Reinstall its package."
        ) from exc


def batches(items: Iterable[T], length: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield the items in lists of about 1,500 tokens: more at once gains nothing and takes memory."""
    batch: list[T] = []
    tokens = 0
    for one in items:
        if batch and tokens + length(one) > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(one)
        tokens += length(one)
    if batch:
        yield batch


def _slices(text: int, ids: Ints) -> Iterator[_Slice]:
    for start in range(0, len(ids), _SLICE_TOKENS):
        end = min(start + _SLICE_TOKENS, len(ids))
        first = max(0, start - _HALO)
        yield _Slice(text, ids[first : end + _HALO], start - first, end - first)


def _window(starts: Ints, lengths: Ints, order: int, left: int) -> Ints:
    """Return, per token, the rows its window covers; -1 (a row of zeros) where it leaves the slice."""
    position = np.arange(int(lengths.sum()))[:, None]
    rows = position + np.arange(-left, order - left)
    first = np.repeat(starts, lengths)[:, None]
    inside = (rows >= first) & (rows < first + np.repeat(lengths, lengths)[:, None])
    return np.where(inside, rows, -1)


def _gather(x: Floats, window: Ints) -> Floats:
    padded = np.concatenate([x, np.zeros((1, x.shape[1]), dtype=np.float32)])
    return padded[window].reshape(len(x), -1)


def relu(x: Floats) -> Floats:
    """Return the values with negative ones set to 0."""
    return np.maximum(x, np.float32(0.0))


def normalise(x: Floats, gain: Floats | np.float32, shift: Floats | np.float32, eps: float) -> Floats:
    """Return the rows with mean 0 and variance 1, then scaled and shifted (layer normalisation)."""
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred) / x.shape[1]
    scaled: Floats = centred / np.sqrt(variance + np.float32(eps))[:, None] * gain + shift
    return scaled
