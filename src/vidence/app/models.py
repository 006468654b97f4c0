"""The models of a workspace: checking the choices, listing and fetching."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vidence.errors import SettingsError, UnknownName
from vidence.models import catalogue
from vidence.models.cache import ModelCache
from vidence.models.fetch import fetch_model
from vidence.models.hub import fetched_files, is_hub_address
from vidence.models.manifest import load_manifests
from vidence.settings import Settings

__all__ = ["check_choices", "fetch", "list_models", "models_to_fetch"]


def check_choices(settings: Settings) -> None:
    """Refuse settings that name an unknown model: a typo would silently mean the default."""
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

    for capability, options in settings.model_options.items():
        _check_options(capability, settings.models.get(capability), options)


def _check_options(capability: str, name: str | None, options: Mapping[str, str]) -> None:
    """Refuse options that the chosen model does not have."""
    row = f"{capability}/{name or catalogue.DEFAULTS.get(capability, '')}"
    if row not in catalogue.OPTIONS and row.partition("/")[2] not in (*load_manifests(), ""):
        return
    known = catalogue.OPTIONS.get(row, frozenset())
    for option in options:
        others = [one for one, has in catalogue.OPTIONS.items() if _of(one, capability) and option in has]
        # Options of another model are allowed beside a named model; without a name they are a mistake.
        if option not in known and not (name and others):
            remedy = f"It has: {', '.join(sorted(known)) or 'none'}."
            if others:
                names = " or ".join(repr(one.partition("/")[2]) for one in others)
                remedy += f" For {names}, write {capability} = {names} under [models]."
            model = row.partition("/")[2] or f"no model for {capability}"
            raise SettingsError(
                str(
                    UnknownName(
                        f"option of {model} in [model_options.{capability}]", option, known, remedy=remedy
                    )
                )
            )


def _of(row: str, capability: str) -> bool:
    return row.partition("/")[0] == capability


def list_models(settings: Settings) -> list[catalogue.ModelRow]:
    """Return every model with its status, licence and limits."""
    return catalogue.list_models(
        ModelCache(settings.model_home), chosen=settings.models, options=settings.model_options
    )


def models_to_fetch(settings: Settings, *, small: bool = False) -> list[str]:
    """Return the chosen models, those on the hub included, and the models they depend on.

    Args:
        small: leave out the models that vidence works without.
    """
    own = load_manifests()
    chosen = [
        row.model
        for row in list_models(settings)
        if row.chosen
        and (row.model in own or _hub_address(settings, row.capability))
        and not (small and row.capability in catalogue.OPTIONAL)
    ]
    return list(dict.fromkeys([*chosen, *catalogue.HELPERS]))


def fetch(settings: Settings, model: str, *, archives: Path | None = None) -> int:
    """Fetch one model's files from the registry or a folder of archives; return the number fetched."""
    cache = ModelCache(settings.model_home)
    brought = next((row for row in catalogue.PLUGINS if row.partition("/")[2] == model), None)
    if brought is None:
        return len(fetch_model(cache, model, archives=archives))
    capability = brought.partition("/")[0]
    address = _hub_address(settings, capability)
    if not address:
        raise SettingsError(
            f"{model} is a model you bring yourself: say where it is under [model_options.{capability}] in "
            "vidence.toml (docs/models.md shows how)."
        )
    had = fetched_files(address, cache.folder)
    # Opening it fetches it, and shows whether it is usable.
    catalogue.open_model(
        capability, cache, chosen={capability: model}, options=settings.model_options[capability]
    )
    return fetched_files(address, cache.folder) - had


def _hub_address(settings: Settings, capability: str) -> str | None:
    path = settings.model_options.get(capability, {}).get("path", "")
    return path if is_hub_address(path) else None
