"""Tools with their metadata, and the two configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.agents.planner_executor.initializer import Initializer
from vidence.errors import SettingsError, UnknownName
from vidence.llm.scripted import ScriptedEngine
from vidence.ops.catalogue import all_operations


def test_every_operation_is_a_tool() -> None:
    initializer = Initializer()
    assert set(initializer.available_tools) == {one.name for one in all_operations()}
    card = initializer.toolbox_metadata["temporal_search"]
    assert "query" in card.parameters["properties"]
    assert card.description
    assert initializer.toolbox_metadata["write_memory"].writes


def test_only_the_enabled_tools_are_there() -> None:
    initializer = Initializer(["get_transcript", "detect_objects"])
    assert initializer.available_tools == ["detect_objects", "get_transcript"]
    with pytest.raises(UnknownName, match="get_transcript"):
        Initializer(["get_transcrip"])


def test_the_memory_configuration_is_the_seeds() -> None:
    config = Initializer().memory_config
    assert (config.conversation_window_size, config.max_files, config.max_actions) == (3, 100, 1000)
    assert (config.max_memories, config.retriever_config.alpha) == (1000, 0.5)


def test_a_memory_manager_is_built_as_configured(tmp_path: Path) -> None:
    initializer = Initializer(
        memory_config={"conversation_window_size": 1, "storage_dir": str(tmp_path / "m")}
    )
    manager = initializer.memory_manager()
    manager.add_message("user", "My flight leaves on Friday.")
    manager.add_message("assistant", "Noted.")
    assert manager.get_stats()["windows"] == 1
    assert (tmp_path / "m").is_dir()


def test_engines_are_made_with_the_configured_options() -> None:
    made: list[tuple[str, dict[str, object]]] = []

    def create(name: str, **options: object) -> ScriptedEngine:
        made.append((name, options))
        return ScriptedEngine([], name=name)

    initializer = Initializer(llm_config={"engine_name": "gpt-4o", "fixed_engine_name": "dashscope:qwen"})
    main, fixed = initializer.engines(create)
    assert (main.name, fixed.name) == ("gpt-4o", "dashscope:qwen")
    assert made[0][1] == {"temperature": 0.0, "max_tokens": 4000}


@pytest.mark.parametrize("config", [{"alpha": 2}, {"max_memories": 0}, {"retriever_config": {"alpha": 3}}])
def test_impossible_settings_are_named(config: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="memory_config"):
        Initializer(memory_config=config)
