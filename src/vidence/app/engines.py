"""The engines of a workspace: the embedded one, or language models with routing and recovery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vidence.app.workspace import Workspace
from vidence.embedded.skills import embedded_skills
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.factory import create_llm_engine, split_name
from vidence.llm.protocol import Engine
from vidence.llm.recovery import Recovering
from vidence.llm.remote import RemoteEngine
from vidence.llm.router import Router, Routes
from vidence.models.cache import ModelCache
from vidence.models.catalogue import MODELS, open_model
from vidence.settings import Settings

__all__ = ["embedded_engine", "open_engine"]

_LOCAL = "qwen2.5-coder-1.5b"
"""The local model when none is named."""
_ENGINE_FIELDS = ("engine", "light", "heavy", "fallback")
_TIERS = ("light", "heavy")
_COMMON = ("temperature", "max_tokens", "timeout_s")
_WITHOUT_COMMON = ("scripted", "replay")
"""Engines that call no model and so take none of its options."""


def open_engine(workspace: Workspace, name: str | None = None) -> Engine:
    """Return the engine called `name` for every task; without a name, what the settings choose."""
    settings = workspace.settings.llm
    chosen = name or settings.engine
    light, heavy = (chosen, chosen) if name else (settings.light or chosen, settings.heavy or chosen)
    made: dict[str, Engine] = {}

    def make(one: str) -> Engine:
        if one not in made:
            made[one] = _robust(workspace, one)
        return made[one]

    if light == heavy and _is_embedded(light) and (name or not settings.tasks):
        return make(light)
    tasks = {} if name else settings.tasks
    routes = Routes(
        {task: target if target in _TIERS else make(target) for task, target in tasks.items()},  # type: ignore[misc]
        settings.heavy_above_chars,
    )
    return Router(make(light), make(heavy), routes=routes, facts=settings.models)


def embedded_engine(workspace: Workspace) -> EmbeddedEngine:
    """Return the engine that needs no language model; its text model is loaded when first used."""

    def embed(texts: Sequence[str]) -> Any:
        return workspace.indexer.shelf.text.embed(texts)

    return EmbeddedEngine(embedded_skills(embed))


def _robust(workspace: Workspace, name: str) -> Engine:
    """Return an engine with retries and the configured fallback."""
    if _is_embedded(name):
        return embedded_engine(workspace)
    settings = workspace.settings.llm
    engine = _bare(workspace, name)
    spare = settings.fallback
    other = None
    if spare and spare != name:
        other = embedded_engine(workspace) if _is_embedded(spare) else _bare(workspace, spare)
    return Recovering(engine, fallback=other) if settings.retries or other else engine


def _bare(workspace: Workspace, name: str) -> Engine:
    settings = workspace.settings.llm
    provider, model = split_name(name)
    own: dict[str, Any] = dict(settings.options.get(provider, {}))
    if provider == "local":
        own = {"threads": workspace.settings.threads, **_local_file(workspace, model or _LOCAL), **own}
        name = f"local:{model or _LOCAL}"
    if provider in _WITHOUT_COMMON:
        return create_llm_engine(name, **own)
    # Unset options keep the engine's own defaults: a local model is slower than a server.
    said = {key: getattr(settings, key) for key in _COMMON if key in settings.model_fields_set}
    engine = create_llm_engine(name, **{"facts": settings.models, **said, **own})
    if isinstance(engine, RemoteEngine):
        engine.chosen_by = _chosen_by(workspace.settings, name, provider)
    return engine


def _chosen_by(settings: Settings, name: str, provider: str) -> str:
    """Return where the name of an engine, its address and its key's name come from."""
    names = [field for field in _ENGINE_FIELDS if getattr(settings.llm, field) == name]
    names += [f"tasks.{task}" for task, target in settings.llm.tasks.items() if target == name]
    options = [f"options.{provider}.{option}" for option in ("base_url", "api_key_env")]
    told = [settings.origins.get(f"llm.{field}") for field in (*names, *options)]
    if not names:
        told.insert(0, "the command line or the caller")
    return ", ".join(dict.fromkeys(one for one in told if one))


def _local_file(workspace: Workspace, model: str) -> dict[str, str]:
    """Return the path of a model of our catalogue; a user's own path is left to the engine."""
    if f"llm/{model}" not in MODELS:
        return {}
    cache = ModelCache(workspace.settings.model_home)
    return {"path": str(open_model("llm", cache, chosen={"llm": model}).path)}


def _is_embedded(name: str) -> bool:
    return split_name(name)[0] == "embedded"
