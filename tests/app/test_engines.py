"""The engine of a workspace: what the settings choose, and what a name overrides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from vidence.app import Workspace, open_workspace
from vidence.app.engines import embedded_engine, open_engine, open_reader
from vidence.errors import FileProblem, SettingsError, UnknownName
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.router import Router
from vidence.models.cache import ModelCache
from vidence.prompts import Prompt
from vidence.runs.reading import reader_prompt
from vidence.schema.agent import RunInput
from vidence.schema.message import Message
from vidence.schema.reading import Note, ReaderVariables
from vidence.settings import load_settings


@contextmanager
def workspace(home: Path, **llm: Any) -> Iterator[Workspace]:
    with open_workspace(load_settings(home=home, llm=llm)) as opened:
        yield opened


def prompt(task: str, text: str = "How many people are there?") -> Prompt:
    return Prompt(task, (Message(role="user", text=text),), RunInput(question=text, language="en"))


def routed(home: Path, task: str, text: str = "Hello", **llm: Any) -> str:
    """Return the name of the engine that a task goes to."""
    with workspace(home, **llm) as opened:
        engine = open_engine(opened)
        assert isinstance(engine, Router)
        return engine.route(prompt(task, text)).engine.name


def test_without_settings_the_embedded_engine_answers(tmp_path: Path) -> None:
    with workspace(tmp_path) as opened:
        engine = open_engine(opened)
        assert isinstance(engine, EmbeddedEngine)
        assert engine.capabilities == embedded_engine(opened).capabilities
        assert engine.capabilities.max_videos == 1
        assert not engine.capabilities.metered


def test_a_name_wins_over_the_settings(tmp_path: Path) -> None:
    with workspace(tmp_path, engine="ollama:qwen3", tasks={"solver": "ollama:other"}) as opened:
        assert isinstance(open_engine(opened, "embedded"), EmbeddedEngine)
        named = open_engine(opened, "ollama:llama3")
        assert isinstance(named, Router)
        assert {named.route(prompt(task)).engine.name for task in ("solver.step", "synthesis")} == {
            "ollama:llama3"
        }


def test_one_engine_for_light_and_heavy_tasks_is_made_once(tmp_path: Path) -> None:
    with workspace(tmp_path, engine="ollama:qwen3") as opened:
        engine = open_engine(opened)
        assert isinstance(engine, Router)
        assert engine.light is engine.heavy
        assert engine.name == "ollama:qwen3"


def test_light_and_heavy_tasks_go_to_their_own_engines(tmp_path: Path) -> None:
    chosen = {"light": "ollama:small", "heavy": "ollama:large"}
    assert routed(tmp_path, "simple_qa", **chosen) == "ollama:small"
    assert routed(tmp_path, "deep_analysis", **chosen) == "ollama:large"


def test_a_tier_that_is_not_set_is_the_engine(tmp_path: Path) -> None:
    chosen = {"engine": "ollama:middle", "heavy": "ollama:large"}
    assert routed(tmp_path, "simple_qa", **chosen) == "ollama:middle"
    assert routed(tmp_path, "synthesis", **chosen) == "ollama:large"


def test_a_long_prompt_of_no_known_task_is_heavy(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"light": "ollama:small", "heavy": "ollama:large", "heavy_above_chars": 20}
    assert routed(tmp_path, "other", "短", **chosen) == "ollama:small"
    assert routed(tmp_path, "other", "x" * 21, **chosen) == "ollama:large"


@pytest.mark.parametrize(
    ("target", "engine"),
    [
        ("heavy", "ollama:large"),
        ("light", "ollama:small"),
        ("ollama:own", "ollama:own"),
        ("embedded", "embedded"),
    ],
)
def test_the_settings_send_a_task_to_a_tier_or_an_engine_of_its_own(
    tmp_path: Path, target: str, engine: str
) -> None:
    chosen: dict[str, Any] = {"light": "ollama:small", "heavy": "ollama:large", "tasks": {"checker": target}}
    assert routed(tmp_path, "checker.evaluate", **chosen) == engine


def test_the_embedded_engine_may_have_a_model_for_one_task(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"tasks": {"checker": "ollama:judge"}}
    assert routed(tmp_path, "checker.evaluate", **chosen) == "ollama:judge"
    assert routed(tmp_path, "solver.step", **chosen) == "embedded"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("opnai:gpt-4o", UnknownName, "Did you mean 'openai'"),
        ("openai:gpt-4o", SettingsError, "OPENAI_API_KEY"),
        ("scripted", SettingsError, "replies"),
        ("local:nowhere.gguf", FileProblem, r"nowhere\.gguf"),
        ("replay:nowhere.json", FileProblem, "nowhere"),
    ],
)
def test_an_engine_that_cannot_be_made_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception], message: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with workspace(tmp_path) as opened, pytest.raises(error, match=message):
        open_engine(opened, name)


def test_a_fallback_that_cannot_be_made_is_noticed_before_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with (
        workspace(tmp_path, engine="ollama:qwen3", fallback="openai:gpt-4o") as opened,
        pytest.raises(SettingsError, match="OPENAI_API_KEY"),
    ):
        open_engine(opened)


def test_the_options_of_a_provider_reach_its_engine(tmp_path: Path) -> None:
    wrong = {"ollama": {"base_urll": "http://127.0.0.1:9"}}
    with workspace(tmp_path, options=wrong) as opened, pytest.raises(SettingsError, match="base_url"):
        open_engine(opened, "ollama:qwen3")


def test_what_the_user_knows_of_a_model_beats_the_table(tmp_path: Path) -> None:
    facts = [{"pattern": "ollama:qwen3", "context_tokens": 123_456}]
    with workspace(tmp_path, models=facts) as opened:
        assert open_engine(opened, "ollama:qwen3").capabilities.context_tokens == 123_456


def test_the_embedded_engine_is_opened_without_loading_a_model(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path, model_home=tmp_path / "empty")) as opened:
        assert embedded_engine(opened).name == "embedded"
        assert not (tmp_path / "empty").exists()


def fetched_reader(home: Path) -> None:
    status = ModelCache(load_settings(home=home).model_home).status("qwen2.5-coder-1.5b")
    if status == "missing":
        pytest.skip("the local model is not here; get it with: vidence models fetch")


def test_the_local_model_reads_for_the_embedded_engine_and_stays_open(tmp_path: Path) -> None:
    fetched_reader(tmp_path)
    with workspace(tmp_path) as opened:
        reader = open_reader(opened, open_engine(opened))
        assert reader.name == "local:qwen2.5-coder-1.5b"
        assert open_reader(opened, open_engine(opened)) is reader


def test_without_the_local_model_the_embedded_engine_reads(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path, model_home=tmp_path / "models")) as opened:
        engine = open_engine(opened)
        assert open_reader(opened, engine) is engine


def test_a_language_model_reads_itself(tmp_path: Path) -> None:
    with workspace(tmp_path, engine="ollama:qwen3") as opened:
        engine = open_engine(opened)
        assert open_reader(opened, engine) is engine


def test_the_settings_can_choose_another_reader_or_none(tmp_path: Path) -> None:
    for chosen in ("ollama:qwen3", "embedded"):
        with workspace(tmp_path, tasks={"reader": chosen}) as opened:
            engine = open_engine(opened)
            assert open_reader(opened, engine) is engine
            assert isinstance(engine, Router)
            assert engine.route(prompt("reader.answer")).engine.name == chosen


@pytest.mark.slow
def test_a_reader_that_is_late_is_replaced_by_extraction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched_reader(tmp_path)
    notes = (Note(number=1, text="Narrator: Anna Berg studies the reef."),)
    asked = ReaderVariables(question="Who studies the reef?", language="en", notes=notes, answer_type="name")
    monkeypatch.setattr("vidence.app.engines._READER_TIMEOUT_S", 0.01)
    with workspace(tmp_path) as opened:
        late = open_reader(opened, open_engine(opened)).answer(reader_prompt(asked))
        assert late.engine == "embedded"
        assert "Anna Berg" in late.text
