"""Packs what training needs (train and validation rows only) into one folder small enough to travel."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.lens.chinese import gloss, load_tags, tag_text
from training.lens.encoder import Tokeniser, encoder_weights
from training.lens.rows import Row, Rows

__all__ = ["pack"]

SEED = 8
TAG_TEXTS_PER_ROW = 2  # in each language


def pack(rows: Rows, folder: Path) -> None:
    """Write the packed training and validation rows to `folder`. The test part never gets in."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    tokeniser = Tokeniser()
    arrays: dict[str, NDArray[np.generic]] = {}
    used: Counter[int] = Counter()
    for part in ("train", "val"):
        chosen = rows.of(part)
        _write_features(folder / f"{part}.features", rows.features[[row.number for row in chosen]])
        arrays[f"{part}_tags"] = _tag_matrix(chosen)
        for kind, texts in _texts(chosen, rng).items():
            owners, sentences, named = texts
            ids = [tokeniser(sentence) for sentence in sentences]
            used.update(piece for sentence in ids for piece in sentence)
            arrays |= _flat(f"{part}_{kind}", owners, ids)
            arrays[f"{part}_{kind}_named"] = named
    for language in ("en", "zh"):
        ids = [tokeniser(tag.names(language)[0]) for tag in load_tags().values()]
        used.update(piece for sentence in ids for piece in sentence)
        arrays |= _flat(f"names_{language}", range(len(ids)), ids)
    _save(folder / "texts.npz", arrays, np.array(sorted(used)))


def _save(path: Path, arrays: dict[str, NDArray[np.generic]], pieces: NDArray[np.int64]) -> None:
    # Only the pieces that occur travel; ids are renumbered to match.
    for name in [name for name in arrays if name.endswith("_ids")]:
        arrays[name] = np.searchsorted(pieces, arrays[name]).astype(np.uint16)
    np.savez_compressed(path, pieces=pieces, **arrays, **encoder_weights(pieces))  # type: ignore[arg-type]


def _texts(rows: list[Row], rng: random.Random) -> dict[str, tuple[list[int], list[str], NDArray[np.uint8]]]:
    captions = [(i, caption) for i, row in enumerate(rows) for caption in row.captions]
    glosses = [(i, text) for i, caption in captions if (text := gloss(caption))]
    found = {"captions": _plain(captions), "glosses": _plain(glosses)}
    for language in ("en", "zh"):
        tagged = [
            (i, *tag_text(row.tags, language, rng))
            for i, row in enumerate(rows)
            if row.tags
            for _ in range(TAG_TEXTS_PER_ROW)
        ]
        named = _named(names for _, _, names in tagged)
        found[f"tags_{language}"] = ([i for i, _, _ in tagged], [text for _, text, _ in tagged], named)
    return found


def _plain(texts: list[tuple[int, str]]) -> tuple[list[int], list[str], NDArray[np.uint8]]:
    return [i for i, _ in texts], [text for _, text in texts], np.zeros((0, 80), np.uint8)


def _named(sets: Iterable[tuple[str, ...]]) -> NDArray[np.uint8]:
    order = {name: i for i, name in enumerate(load_tags())}
    wanted = list(sets)
    matrix = np.zeros((len(wanted), len(order)), np.uint8)
    for i, names in enumerate(wanted):
        matrix[i, [order[name] for name in names]] = 1
    return matrix


def _tag_matrix(rows: list[Row]) -> NDArray[np.uint8]:
    return _named(row.tags for row in rows)


def _flat(name: str, owners: Iterable[int], ids: list[list[int]]) -> dict[str, NDArray[np.generic]]:
    return {
        f"{name}_owners": np.fromiter(owners, np.int32),
        f"{name}_lengths": np.array([len(sentence) for sentence in ids], np.uint16),
        f"{name}_ids": np.array([piece for sentence in ids for piece in sentence], np.int64),
    }


def _write_features(path: Path, features: NDArray[np.int8]) -> None:
    # Columns one after another, Huffman only: 1280 skewed histograms, no repeats worth searching for.
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)
    path.write_bytes(squeezer.compress(np.ascontiguousarray(features.T).tobytes()) + squeezer.flush())
