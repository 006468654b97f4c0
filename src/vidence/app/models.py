"""The models of a workspace, for those who list and fetch them."""

from __future__ import annotations

from pathlib import Path

from vidence.errors import SettingsError, UnknownName
from vidence.models import catalogue
from vidence.models.cache import ModelCache
from vidence.models.fetch import fetch_model
from vidence.settings import Settings

_HELPERS = ("silero-vad", "whisper-tiny-en", "vidence-audio-events")
"""Models that chosen ones call on: voice activity for speech and sounds, the fast profile's English."""

__all__ = ["check_choices", "fetch", "list_models", "models_to_fetch"]


def check_choices(settings: Settings) -> None:
    """Refuse settings that choose a model nobody has: a slip of the pen would quietly mean the default."""
    capabilities = {row.partition("/")[0]: None for row in catalogue.MODELS}
    for capability in (*settings.models, *settings.model_options):
        if capability not in capabilities:
            known = f"Known: {', '.join(sorted(capabilities))}."
            raise SettingsError(
                str(UnknownName("capability of a model", capability, capabilities, remedy=known))
            )
    for capability, name in settings.models.items():
        names = [row.partition("/")[2] for row in catalogue.MODELS if row.startswith(f"{capability}/")]
        if name not in names:
            known = f"Known: {', '.join(sorted(names))}."
            raise SettingsError(str(UnknownName(f"model for {capability}", name, names, remedy=known)))


def list_models(settings: Settings) -> list[catalogue.ModelRow]:
    """Return every model with its status, licence and limits."""
    return catalogue.list_models(ModelCache(settings.model_home), chosen=settings.models)


def models_to_fetch(settings: Settings) -> list[str]:
    """Return the models the settings choose, and those that these call on."""
    chosen = [row.model for row in list_models(settings) if row.chosen]
    return list(dict.fromkeys([*chosen, *_HELPERS]))


def fetch(settings: Settings, model: str, *, archives: Path | None = None) -> int:
    """Fetch one model's files, from the registry or a folder of archives, and return how many came."""
    return len(fetch_model(ModelCache(settings.model_home), model, archives=archives))
