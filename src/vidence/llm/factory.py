"""Engines by name: `provider:model`, or a model whose name shows its vendor."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from vidence.errors import SettingsError, UnknownName, UserError
from vidence.llm.options import EngineRequest
from vidence.llm.protocol import Engine
from vidence.registry import Registry

__all__ = ["ENGINES", "as_engine", "create_llm_engine", "split_name"]

ENGINES = Registry(
    "engine",
    {
        "openai": "vidence.llm.openai:build",
        "gemini": "vidence.llm.openai:build",
        "dashscope": "vidence.llm.openai:build",
        "vllm": "vidence.llm.openai:build",
        "ollama": "vidence.llm.openai:build",
        "llamacpp": "vidence.llm.openai:build",
        "anthropic": "vidence.llm.anthropic:build",
        "local": "vidence.llm.local:build",
        "embedded": "vidence.embedded.skills:build",
        "scripted": "vidence.llm.scripted:build",
        "replay": "vidence.llm.replay:build",
    },
    group="vidence.engines",
)
"""Provider to the function that builds its engines from an EngineRequest."""

_VENDORS = (
    ("gpt-*", "openai"),
    ("chatgpt-*", "openai"),
    ("o[1-9]*", "openai"),
    ("claude-*", "anthropic"),
    ("gemini-*", "gemini"),
    ("qwen-*", "dashscope"),
    ("*.gguf", "local"),
)
"""Patterns of model names that need no provider, with their vendor."""


def create_llm_engine(name: str, **options: Any) -> Engine:
    """Return the engine called `name`, such as `gpt-4o`, `ollama:qwen3` or `local:model.gguf`.

    Args:
        options: the options of the provider: temperature, max_tokens, timeout_s, base_url, api_key_env, …
    """
    provider, model = split_name(name)
    engine: Engine = ENGINES.resolve(provider)(EngineRequest(provider, model, options))
    return engine


def as_engine(engine: Engine | str) -> Engine:
    """Return an engine given as an object or by its name; UserError for anything else."""
    if isinstance(engine, str):
        return create_llm_engine(engine)
    if not isinstance(engine, Engine):
        raise UserError(
            f"{engine!r} is no engine: give a name like 'embedded' or 'openai:gpt-4o', or an object that has "
            "name, capabilities and answer()."
        )
    return engine


def split_name(name: str) -> tuple[str, str]:
    """Return provider and model of an engine's name; the model is "" where only the provider is named."""
    name = name.strip()
    if not name:
        raise SettingsError("An engine needs a name, like 'openai:gpt-4o' or 'embedded'.")
    provider, colon, model = name.partition(":")
    if provider in ENGINES:
        return provider, model
    for pattern, vendor in _VENDORS:
        if fnmatchcase(name.lower(), pattern):
            return vendor, name
    known = sorted(ENGINES)
    remedy = f"Known: {', '.join(known)}."
    if not colon:
        remedy = f"Write provider:model. {remedy}"
    raise UnknownName("engine", provider if colon else name, known, remedy=remedy)
