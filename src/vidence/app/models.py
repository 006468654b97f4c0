"""The models of a workspace, for those who list and fetch them."""

from __future__ import annotations

from vidence.models import catalogue
from vidence.models.cache import ModelCache
from vidence.models.fetch import fetch_model
from vidence.settings import Settings

_HELPERS = ("silero-vad", "whisper-tiny-en", "vidence-audio-events")
"""Models that chosen ones call on: voice activity for speech and sounds, the fast profile's English."""

__all__ = ["fetch", "list_models", "models_to_fetch"]


def list_models(settings: Settings) -> list[catalogue.ModelRow]:
    """Return every model with its status, licence and limits."""
    return catalogue.list_models(ModelCache(settings.model_home), chosen=settings.models)


def models_to_fetch(settings: Settings) -> list[str]:
    """Return the models the settings choose, and those that these call on."""
    chosen = [row.model for row in list_models(settings) if row.chosen]
    return list(dict.fromkeys([*chosen, *_HELPERS]))


def fetch(settings: Settings, model: str) -> int:
    """Fetch one model's files and return how many came; none when all were here."""
    return len(fetch_model(ModelCache(settings.model_home), model))
