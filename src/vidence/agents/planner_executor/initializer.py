"""Which tools there are, and how memory and language models are set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidence.errors import SettingsError, UnknownName
from vidence.llm.protocol import Engine
from vidence.memory import LongMemory, MemoryManager
from vidence.models.protocols import TextEmbedder
from vidence.ops.catalogue import OPERATIONS, get_operation
from vidence.ops.llm_schema import parameters_schema
from vidence.schema.planning import ToolCard

__all__ = ["Initializer", "LLMConfig", "MemoryConfig", "RetrieverSettings"]

CreateEngine = Callable[..., Engine]
"""`create_llm_engine("provider:model", temperature=…, max_tokens=…)`."""


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


C = TypeVar("C", bound=_Config)


class RetrieverSettings(_Config):
    """How memories are found again."""

    use_api_embedding: bool = False
    """Ask the embeddings API of the configured provider, if it has one; otherwise the embedded encoder."""
    alpha: float = Field(default=0.5, ge=0, le=1)
    """How much meaning counts beside words."""


class MemoryConfig(_Config):
    """The seed's `memory_config`."""

    conversation_window_size: int = Field(default=3, ge=1)
    max_files: int = Field(default=100, ge=1)
    max_actions: int = Field(default=1000, ge=1)
    storage_dir: Path = Path("./memory_store")
    max_memories: int = Field(default=1000, ge=1)
    retriever_config: RetrieverSettings = RetrieverSettings()


class LLMConfig(_Config):
    """The seed's `llm_config`."""

    engine_name: str = "embedded"
    fixed_engine_name: str | None = None
    """The engine of checks and outputs; the main one when not given."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=4000, ge=1)


class Initializer:
    """Loads the tools a planner may choose from and builds what the configurations describe."""

    def __init__(
        self,
        enabled_tools: Sequence[str] = ("all",),
        *,
        memory_config: MemoryConfig | Mapping[str, Any] | None = None,
        llm_config: LLMConfig | Mapping[str, Any] | None = None,
    ) -> None:
        self.memory_config = _config(MemoryConfig, "memory_config", memory_config)
        self.llm_config = _config(LLMConfig, "llm_config", llm_config)
        self.toolbox_metadata = {name: _card(name) for name in _chosen(enabled_tools)}

    @property
    def available_tools(self) -> list[str]:
        """The names of the tools, in catalogue order."""
        return list(self.toolbox_metadata)

    @property
    def tools(self) -> tuple[ToolCard, ...]:
        """The tools as a planner sees them."""
        return tuple(self.toolbox_metadata.values())

    def memory_manager(
        self,
        *,
        embedder: TextEmbedder | None = None,
        long_memory: LongMemory | None = None,
        session_id: str | None = None,
    ) -> MemoryManager:
        """Open the memory the configuration describes; `long_memory` puts it in a workspace's store."""
        config = self.memory_config
        return MemoryManager(
            long_memory,
            storage_dir=config.storage_dir,
            conversation_window_size=config.conversation_window_size,
            max_files=config.max_files,
            max_actions=config.max_actions,
            max_memories=config.max_memories,
            retriever_config=config.retriever_config.model_dump(),
            embedder=embedder,
            session_id=session_id,
        )

    def engines(self, create: CreateEngine) -> tuple[Engine, Engine]:
        """Return the main and the fixed engine, made by `create`."""
        config = self.llm_config
        options = {"temperature": config.temperature, "max_tokens": config.max_tokens}
        main = create(config.engine_name, **options)
        if config.fixed_engine_name in (None, config.engine_name):
            return main, main
        return main, create(config.fixed_engine_name, **options)


def _chosen(names: Sequence[str]) -> list[str]:
    known = list(OPERATIONS)
    if list(names) == ["all"]:
        return known
    for name in names:
        if name not in known:
            raise UnknownName("tool", name, known, remedy=f"Known: {', '.join(known)}.")
    return [name for name in known if name in names]


def _card(name: str) -> ToolCard:
    operation = get_operation(name)
    return ToolCard(
        name=name,
        category=operation.category,
        description=operation.purpose,
        parameters=parameters_schema(operation),
        example=dict(operation.example),
        writes=name == "write_memory",
    )


def _config(kind: type[C], name: str, given: C | Mapping[str, Any] | None) -> C:
    if isinstance(given, kind):
        return given
    try:
        return kind.model_validate(dict(given or {}))
    except ValidationError as exc:
        problem = exc.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        known = ", ".join(kind.model_fields)
        raise SettingsError(f"{name}: {where}: {problem['msg']}. Known: {known}.") from exc
