"""The embedder of memories that the settings describe: a provider's API, the embedded encoder, or none."""

from __future__ import annotations

import logging
from typing import Any, cast

from vidence.errors import BackendError, UserError
from vidence.llm.embeddings import open_api_embedder
from vidence.llm.factory import split_name
from vidence.models.protocols import TextEmbedder
from vidence.models.shelf import ModelShelf
from vidence.settings import Settings, load_settings

__all__ = ["open_embedder"]

_LOGGER = logging.getLogger(__name__)


def open_embedder(*, use_api: bool = False, settings: Settings | None = None) -> TextEmbedder | None:
    """Return the configured provider's embedder if wanted, else the embedded one; None if neither opens."""
    chosen = settings or load_settings()
    if use_api:
        try:
            found = _api(chosen)
        except (BackendError, UserError) as exc:
            _LOGGER.warning("the embedded encoder is used, not the embeddings API: %s", exc)
            found = None
        if found is not None:
            return found
    try:
        return ModelShelf.of(chosen).text
    except BackendError as exc:
        _LOGGER.warning("memories are searched by words alone: %s", exc)
        return None


def _api(settings: Settings) -> TextEmbedder | None:
    name = settings.llm.engine
    options: dict[str, Any] = dict(settings.llm.options.get(split_name(name)[0], {}))
    model = str(options.pop("embedding_model", ""))
    return cast("TextEmbedder | None", open_api_embedder(name, model=model, **options))
