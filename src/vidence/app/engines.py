"""The engines of a workspace: the embedded one, or language models with routing and recovery."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

from vidence.app.workspace import Workspace
from vidence.embedded.skills import embedded_skills
from vidence.errors import BackendError, ErrorType
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.factory import create_llm_engine, split_name
from vidence.llm.protocol import Engine
from vidence.llm.recovery import FallbackStrategy, Recovering, RecoveryStrategy, RetryManager
from vidence.llm.remote import RemoteEngine
from vidence.llm.router import Router, Routes
from vidence.models.cache import ModelCache
from vidence.models.catalogue import MODELS, open_model
from vidence.runs.reading import READER_ANSWER
from vidence.settings import Settings

__all__ = ["embedded_engine", "open_engine", "open_local_reader", "open_reader"]

_LOCAL = "qwen2.5-coder-1.5b"
"""The local model when none is named."""
_READER_CONTEXT = 4096
"""Tokens: notes, question and answer; a longer context would take more memory than it is worth."""
_READER_TIMEOUT_S = 45.0
_READ_STATES = "read"
"""The folder of a workspace that keeps what the reader has read."""
_NO_SECOND_TRY: dict[ErrorType, tuple[RecoveryStrategy, ...]] = dict.fromkeys(
    ErrorType, (FallbackStrategy(),)
)
"""A reader that fails is not waited for again: extraction answers at once."""
_LOGGER = logging.getLogger(__name__)
_ENGINE_FIELDS = ("engine", "light", "heavy", "fallback")
_TIERS = ("light", "heavy")
_COMMON = ("temperature", "max_tokens", "timeout_s")
_WITHOUT_COMMON = ("scripted", "replay")
"""Engines that call no model and so take none of its options."""


def open_engine(workspace: Workspace, name: str | None = None, **options: Any) -> Engine:
    """Return the engine called `name` for every task; without a name, what the settings choose.

    Args:
        options: temperature, max_tokens and timeout_s in place of those of the settings.
    """
    if options:
        changed = workspace.settings.llm.model_copy(update=options)
        other = Workspace(workspace.settings.model_copy(update={"llm": changed}), workspace.store)
        other.indexer = workspace.indexer
        return open_engine(other, name)
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
    return Router(make(light), make(heavy), routes=routes)


def open_reader(workspace: Workspace, engine: Engine) -> Engine:
    """Return who reads notes for a run: its language model, else the local one, else plain extraction.

    The local model is opened once for a workspace and stays warm until the workspace is closed.
    """
    tasks = workspace.settings.llm.tasks
    if engine.capabilities.reads_text or not {"reader", READER_ANSWER}.isdisjoint(tasks):
        return engine
    return workspace.local_reader or engine


def open_local_reader(workspace: Workspace) -> Engine | None:
    """Return the local model as a reader that extraction stands in for; None where it is not fetched."""
    settings = workspace.settings
    if find_spec("xllamacpp") is None or ModelCache(settings.model_home).status(_LOCAL) == "missing":
        return None
    try:
        file = _local_file(workspace, _LOCAL)
    except BackendError as exc:
        _LOGGER.warning("The local reader cannot be used: %s", exc)
        return None
    reader = create_llm_engine(
        f"local:{_LOCAL}",
        threads=settings.threads,
        context_tokens=_READER_CONTEXT,
        timeout_s=_READER_TIMEOUT_S,
        states=str(settings.home / _READ_STATES),
        **file,
    )
    return Recovering(reader, fallback=embedded_engine(workspace), manager=RetryManager(_NO_SECOND_TRY))


def embedded_engine(workspace: Workspace) -> EmbeddedEngine:
    """Return the engine that needs no language model; its text model is loaded when first used."""
    return EmbeddedEngine(embedded_skills(workspace.embed))


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
    own.pop("embedding_model", None)
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
