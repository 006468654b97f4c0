"""Settings: arguments beat variables, variables beat files, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from vidence.errors import SettingsError
from vidence.settings import load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIDENCE_THREADS", raising=False)
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path / "home"))


def test_home_comes_from_the_environment_and_is_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VIDENCE_HOME", "here")
    assert load_settings().home == tmp_path / "here"


def test_each_source_beats_the_one_below_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "vidence.toml").write_text("threads = 3\nmax_pixels = 5\n")
    assert load_settings().threads == 3
    (tmp_path / "vidence.toml").write_text("threads = 4\n")
    assert (load_settings().threads, load_settings().max_pixels) == (4, 5)
    monkeypatch.setenv("VIDENCE_THREADS", "5")
    assert load_settings().threads == 5
    assert load_settings(threads=6).threads == 6


def test_settings_are_frozen() -> None:
    settings = load_settings()
    with pytest.raises(ValidationError):
        settings.threads = 9


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_an_impossible_value_names_the_setting(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("VIDENCE_THREADS", value)
    with pytest.raises(SettingsError, match="VIDENCE_THREADS"):
        load_settings()


def test_an_unknown_setting_in_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "vidence.toml").write_text("thread = 3\n")
    with pytest.raises(SettingsError, match=r"'thread'.*threads"):
        load_settings()


def test_the_home_named_on_the_command_line_has_its_own_file(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "vidence.toml").write_text("threads = 7\n")
    assert load_settings(home=other).threads == 7


def test_a_variable_that_is_not_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_MODELS", "{bad")
    with pytest.raises(SettingsError, match=r"VIDENCE_MODELS is not valid JSON"):
        load_settings()


def test_a_broken_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "vidence.toml").write_text("threads = = 3\n")
    with pytest.raises(SettingsError, match=r"vidence\.toml"):
        load_settings()


def test_language_models_are_set_one_by_one_or_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vidence.toml").write_text(
        '[llm]\nengine = "ollama:qwen3"\nheavy = "openai:gpt-4o"\n'
        '[llm.options.ollama]\nbase_url = "http://127.0.0.1:9999/v1"\n'
        '[[llm.models]]\npattern = "ollama:*"\ncontext_tokens = 32768\n'
        '[llm.tasks]\nchecker = "heavy"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("VIDENCE_LLM__ENGINE", "gpt-4o")
    monkeypatch.setenv("VIDENCE_LLM__TIMEOUT_S", "30")
    llm = load_settings(home=tmp_path).llm
    assert (llm.engine, llm.heavy, llm.timeout_s) == ("gpt-4o", "openai:gpt-4o", 30)
    assert llm.tasks == {"checker": "heavy"}
    assert llm.options["ollama"]["base_url"] == "http://127.0.0.1:9999/v1"
    assert llm.models[0].context_tokens == 32768


def test_without_settings_no_language_model_is_asked(tmp_path: Path) -> None:
    assert load_settings(home=tmp_path).llm.engine == "embedded"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("VIDENCE_LLM__TIMEOUT_S", "soon", "VIDENCE_LLM__TIMEOUT_S"),
        ("VIDENCE_LLM__ENGIN", "x", "Unknown setting 'llm.engin'. Known settings: engine"),
        ("VIDENCE_LLM", "{", "VIDENCE_LLM is not valid JSON"),
    ],
)
def test_a_wrong_language_model_setting_is_named(
    name: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings(home=tmp_path)
    assert told in str(caught.value)
