"""The models of a workspace, for those who list and fetch them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vidence.models import catalogue
from vidence.models.cache import ModelCache
from vidence.models.fetch import fetch_model
from vidence.settings import Settings

_HELPERS = ("silero-vad", "whisper-tiny-en", "vidence-audio-events")
"""Models that chosen ones call on: voice activity for speech and sounds, the fast profile's English."""

__all__ = ["fetch_models", "list_models"]


def list_models(settings: Settings) -> list[catalogue.ModelRow]:
    """Return every model with its status, licence and limits."""
    return catalogue.list_models(ModelCache(settings.model_home), chosen=settings.models)


def fetch_models(settings: Settings, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Fetch models (the chosen ones when none are named) and yield each with how many files came."""
    cache = ModelCache(settings.model_home)
    wanted = names or [*(row.model for row in list_models(settings) if row.chosen), *_HELPERS]
    for name in dict.fromkeys(wanted):
        yield name, len(fetch_model(cache, name))
