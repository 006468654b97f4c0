"""Fit the tagger of English stories on LitBank: nested mentions and events.

    python -m training.story.tagger --shared FOLDER --out src/vidence/models/weights/story-1.npz

Needs torch. Books `fold, fold + folds, …` are left out and scored; the shipped weights are those of fold 0
of 5. About 15 minutes on one core.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vidence.bench.litbank import Book, load_books, score
from vidence.models.shelf import ModelShelf
from vidence.models.text.tagger import KINDS, LONGEST, SUFFIXES, StoryTagger, word_flags
from vidence.models.text.use import UseEmbedder
from vidence.schema.perception import FloatArray
from vidence.settings import load_settings

HIDDEN, PROJECTED, WORD, SUFFIX, HEAD, EVENT = 128, 128, 48, 16, 100, 64
FLAGS = 15
LEAST_WORD = 8
BATCH_WORDS = 700


@dataclass(frozen=True)
class Row:
    """One sentence as the network takes it."""

    vectors: FloatArray
    flags: FloatArray
    words: NDArray[np.int64]
    parts: NDArray[np.int64]
    spans: list[tuple[int, int, int]]
    events: FloatArray


class Network(nn.Module):
    """What `vidence.models.text.tagger` runs in NumPy."""

    def __init__(self, size: int, vocabulary: int) -> None:
        super().__init__()
        self.proj = nn.Linear(size, PROJECTED)
        self.word = nn.Embedding(vocabulary + 1, WORD, padding_idx=0)
        self.suf = nn.Embedding(SUFFIXES, SUFFIX)
        width = PROJECTED + WORD + 3 * SUFFIX + FLAGS
        self.lstm = nn.LSTM(width, HIDDEN, num_layers=2, bidirectional=True, batch_first=True, dropout=0.4)
        self.drop = nn.Dropout(0.4)
        self.st, self.en = nn.Linear(2 * HIDDEN, HEAD), nn.Linear(2 * HIDDEN, HEAD)
        self.bi = nn.Parameter(torch.randn(1 + len(KINDS), HEAD + 1, HEAD + 1) * 0.02)
        self.len = nn.Parameter(torch.zeros(1 + len(KINDS), LONGEST))
        self.ev = nn.Sequential(nn.Linear(2 * HIDDEN, EVENT), nn.ReLU(), nn.Dropout(0.3), nn.Linear(EVENT, 1))

    def forward(
        self, x: Tensor, flags: Tensor, words: Tensor, parts: Tensor, lengths: Tensor
    ) -> tuple[Tensor, Tensor]:
        if self.training:
            # Names of other books are not known: some words lose their vector.
            x = x * (torch.rand(x.shape[:2]) > 0.08).float()[..., None]
            words = words * (torch.rand(words.shape) > 0.15)
        parts_ = self.suf(parts).flatten(2)
        row = torch.cat([torch.relu(self.proj(self.drop(x))), self.word(words), parts_, flags], 2)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(row), lengths, batch_first=True, enforce_sorted=False
        )
        out = self.drop(nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0])
        one = torch.ones(*out.shape[:2], 1)
        first = torch.cat([self.drop(torch.relu(self.st(out))), one], 2)
        last = torch.cat([self.drop(torch.relu(self.en(out))), one], 2)
        scores = torch.einsum("bid,cde,bje->bijc", first, self.bi, last)
        at = torch.arange(out.shape[1])
        apart = (at[None] - at[:, None]).clamp(0, LONGEST - 1)
        return scores + self.len[:, apart].permute(1, 2, 0), self.ev(out)[..., 0]


def rows_of(books: Sequence[Book], embedder: UseEmbedder, vocabulary: Mapping[str, int]) -> list[Row]:
    """Return the sentences of books."""
    found: list[Row] = []
    for book in books:
        flags = word_flags([one.words for one in book.sentences])
        first = 0
        for one in book.sentences:
            lower = [word.lower() for word in one.words]
            last = first + len(lower)
            parts = [(f"s{word[-3:]}", f"t{word[-2:]}", f"p{word[:4]}") for word in lower]
            spans = [
                (start - first, end - 1 - first, KINDS.index(kind) + 1)
                for (start, end), kind in book.mentions.items()
                if first <= start and end <= last and end - start <= LONGEST
            ]
            found.append(Row(
                embedder.word_features([one.words])[0], flags[first:last],
                np.array([vocabulary.get(word, 0) for word in lower]),
                np.array([[zlib.crc32(part.encode()) % SUFFIXES for part in row] for row in parts]), spans,
                np.array([at in book.events for at in range(first, last)], np.float32),
            ))  # fmt: skip
            first = last
    return found


def fit(rows: Sequence[Row], vocabulary: int, *, epochs: int, rate: float = 2e-3) -> Network:
    """Return the network fitted to sentences."""
    torch.manual_seed(1)
    random.seed(1)
    network = Network(rows[0].vectors.shape[1], vocabulary)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    weights = torch.tensor([1.0, *[1.5] * len(KINDS)])
    steps, done = len(_batches(rows)) * epochs, 0
    for epoch in range(epochs):
        network.train()
        total = 0.0
        for batch in _batches(rows):
            done += 1
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, done / 100) * max(0.02, 1 - done / steps)
            loss = _loss(network, batch, weights)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimiser.step()
            total += float(loss.detach())
        print(f"epoch {epoch}: {total * epochs / steps:.4f}", flush=True)
    return network


def _batches(rows: Sequence[Row]) -> list[list[Row]]:
    found: list[list[Row]] = []
    batch: list[Row] = []
    for row in sorted(rows, key=lambda row: len(row.words) + 4 * random.random()):
        if batch and max(len(row.words), len(batch[-1].words)) * (len(batch) + 1) > BATCH_WORDS:
            found.append(batch)
            batch = []
        batch.append(row)
    found.append(batch)
    random.shuffle(found)
    return found


def _loss(network: Network, batch: Sequence[Row], weights: Tensor) -> Tensor:
    longest = max(len(row.words) for row in batch)
    pad = [longest - len(row.words) for row in batch]

    def stacked(name: str) -> Tensor:
        arrays = [getattr(row, name) for row in batch]
        rows = [
            np.pad(array, [(0, more), *[(0, 0)] * (array.ndim - 1)])
            for array, more in zip(arrays, pad, strict=True)
        ]
        return torch.from_numpy(np.stack(rows))

    lengths = torch.tensor([len(row.words) for row in batch])
    labels = torch.zeros(len(batch), longest, longest, dtype=torch.long)
    for at, row in enumerate(batch):
        for first, last, kind in row.spans:
            labels[at, first, last] = kind
    scores, told = network(stacked("vectors"), stacked("flags"), stacked("words"), stacked("parts"), lengths)
    there = torch.arange(longest)[None] < lengths[:, None]
    apart = torch.arange(longest)[None] - torch.arange(longest)[:, None]
    spans = there[:, :, None] & there[:, None, :] & ((apart >= 0) & (apart < LONGEST))[None]
    size = there.sum()
    mentions = functional.cross_entropy(scores[spans], labels[spans], reduction="sum", weight=weights) / size
    events = functional.binary_cross_entropy_with_logits(
        told, stacked("events"), reduction="none", pos_weight=torch.tensor(2.0)
    )
    return mentions + (events * there).sum() / size


def pack(meta: dict[str, Any], arrays: Mapping[str, FloatArray]) -> bytes:
    """Return the form `vidence.models.packed` reads: matrices in 8 bits with a scale per output."""
    stored: dict[str, NDArray[Any]] = {"meta": np.array(json.dumps(meta))}
    for name, array in arrays.items():
        if array.ndim < 2:
            stored[name] = array.astype(np.float32)
            continue
        scale = np.maximum(np.abs(array).max(axis=-1, keepdims=True), 1e-9) / 127
        stored[name] = np.round(array / scale).astype(np.int8)
        stored[f"{name}.scale"] = scale.astype(np.float32)
    content = io.BytesIO()
    np.savez_compressed(content, **stored)  # type: ignore[arg-type]
    return content.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    embedder = ModelShelf.of(load_settings()).text
    if not isinstance(embedder, UseEmbedder):
        raise SystemExit("The tagger needs the embedded sentence encoder.")
    books = load_books(arguments.shared)
    train = [book for at, book in enumerate(books) if at % arguments.folds != arguments.fold]
    counts = Counter(word.lower() for book in train for word in book.words)
    words = sorted(word for word, number in counts.items() if number >= LEAST_WORD)
    vocabulary = {word: number for number, word in enumerate(words, start=1)}
    network = fit(rows_of(train, embedder, vocabulary), len(words), epochs=arguments.epochs)
    arrays = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    content = pack({"vocabulary": words}, arrays)
    arguments.out.write_bytes(content)
    scores = score(books[arguments.fold :: arguments.folds], StoryTagger(embedder, content))
    for kind in ("entities", "nouns", "layer", "events"):
        print(f"{kind}: F1 {scores.f1(kind):.4f}")


if __name__ == "__main__":
    main()
