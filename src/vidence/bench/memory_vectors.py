"""Sentence vectors computed once: kept in a file between runs, and shared by what is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import FileProblem
from vidence.models.protocols import TextEmbedder

__all__ = ["KeptEmbedder"]

_BATCH = 64


class KeptEmbedder:
    """An embedder that never computes the same text twice; half precision, as the database keeps it."""

    def __init__(self, embedder: TextEmbedder, path: Path | None = None) -> None:
        self.real = embedder
        self.model_id, self.dim = embedder.model_id, embedder.dim
        self._path = path
        self._known: dict[str, NDArray[np.float16]] = {}
        if path is not None and path.exists():
            self._read(path)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        self.prepare(texts)
        return np.stack([self._known[text] for text in texts]).astype(np.float32)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute what is not known yet, many at once and alike in length."""
        missing = sorted({text for text in texts if text not in self._known}, key=len)
        for start in range(0, len(missing), _BATCH):
            some = missing[start : start + _BATCH]
            self._known.update(zip(some, self.real.embed(some).astype(np.float16), strict=True))

    def save(self) -> None:
        """Write what is known to the file, where one was named."""
        if self._path is None or not self._known:
            return
        # Texts are data of any length and script; as UTF-8 in one block they need no pickling.
        encoded = [text.encode(errors="surrogatepass") for text in self._known]
        np.savez(
            self._path,
            model=np.frombuffer(self.model_id.encode(), np.uint8),
            lengths=np.array([len(text) for text in encoded], np.int64),
            texts=np.frombuffer(b"".join(encoded), np.uint8),
            vectors=np.stack(list(self._known.values())),
        )

    def _read(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as archive:
                model = archive["model"].tobytes().decode()
                ends = np.cumsum(archive["lengths"]).tolist()
                body, vectors = archive["texts"].tobytes(), archive["vectors"]
        except (OSError, ValueError, KeyError) as exc:
            raise FileProblem(f"{path} holds no sentence vectors: {exc}. Name another file.") from exc
        if model != self.model_id:
            raise FileProblem(f"{path} holds vectors of {model}, not of {self.model_id}. Name another file.")
        for start, end, vector in zip([0, *ends], ends, vectors, strict=False):
            self._known[body[start:end].decode(errors="surrogatepass")] = vector
