"""Sentence vectors from an embeddings API of the OpenAI kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vidence.errors import SettingsError
from vidence.llm.factory import create_llm_engine, split_name
from vidence.llm.facts import providers
from vidence.llm.openai import OpenAiEngine
from vidence.schema.perception import FloatArray

__all__ = ["ApiEmbedder", "open_api_embedder"]

_AT_ONCE = 128


class ApiEmbedder:
    """Asks `{base_url}/embeddings` of the server that an engine talks to."""

    def __init__(self, engine: OpenAiEngine, model: str) -> None:
        self._engine, self._model = engine, model
        self.model_id = f"{engine.endpoint.name.partition(':')[0]}:{model}"

    @cached_property
    def dim(self) -> int:
        """The length of a vector, asked for once."""
        return int(self.embed(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return one unit vector per text."""
        rows: list[Any] = []
        for first in range(0, len(texts), _AT_ONCE):
            rows += self._engine.embeddings(self._model, list(texts[first : first + _AT_ONCE]))
        found = np.asarray(rows, np.float32)
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-9), np.float32)


def open_api_embedder(engine_name: str, *, model: str = "", **options: Any) -> ApiEmbedder | None:
    """Return the embedder of an engine's provider; None where it has no embeddings API.

    Args:
        model: the embedding model; by default the provider's.
        options: the provider's options, as for `create_llm_engine`.
    """
    provider, _ = split_name(engine_name)
    row = providers().get(provider)
    chosen = model or (row.embedding_model if row is not None else "")
    if not chosen:
        return None
    engine = create_llm_engine(engine_name, **options)
    if not isinstance(engine, OpenAiEngine):
        raise SettingsError(f"{engine_name!r} has no embeddings API; leave its embedding model out.")
    return ApiEmbedder(engine, chosen)
