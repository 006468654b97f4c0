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


@pytest.mark.parametrize(
    "line",
    [
        'home = "elsewhere"',
        'model_home = "elsewhere"',
        "max_pixels = 1000000000000",
        '[llm]\nengine = "openai:gpt-4o"',
        '[llm.options.openai]\nbase_url = "http://thief.example/v1"',
        '[llm.options.openai]\napi_key_env = "AWS_SECRET_ACCESS_KEY"',
        '[models]\ncaptions = "vision-llm"',
        '[model_options.captions]\nbase_url = "http://thief.example/v1"',
    ],
)
def test_the_file_of_the_current_folder_sets_nothing_that_matters(
    tmp_path: Path, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "vidence.toml").write_text(f"threads = 3\n{line}\n")
    found = load_settings()
    (tmp_path / "vidence.toml").unlink()
    assert found.model_dump(exclude={"threads"}) == load_settings().model_dump(exclude={"threads"})
    assert found.threads == 3
    assert len(found.ignored) == 1
    assert found.ignored[0] in caplog.text


def test_each_setting_knows_where_it_comes_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "vidence.toml").write_text('max_pixels = 5\nprofile = "fast"\n[models]\nocr = "x"\n')
    (tmp_path / "vidence.toml").write_text('profile = "thorough"\n')
    monkeypatch.setenv("VIDENCE_LLM", '{"engine": "ollama:m"}')
    monkeypatch.setenv("VIDENCE_LLM__TIMEOUT_S", "9")
    found = load_settings(threads=2)
    own, project = str(home / "vidence.toml"), str(tmp_path / "vidence.toml")
    assert found.origins == {
        "threads": "the command line or the caller",
        "home": "VIDENCE_HOME",
        "llm.engine": "VIDENCE_LLM",
        "llm.timeout_s": "VIDENCE_LLM__TIMEOUT_S",
        "max_pixels": own,
        "models.ocr": own,
        "profile": project,
    }


@pytest.mark.parametrize(
    "bomb",
    [
        "x = " + "[" * 20_000,
        "x = " + "[" * 2_000 + "]" * 2_000,
        ".".join(["a"] * 20_000) + " = 1",
        "x = " + "{a = " * 5_000,
        "# " + "x" * 100_000,
    ],
)
def test_a_bomb_in_a_settings_file_is_one_clear_error(tmp_path: Path, bomb: str) -> None:
    (tmp_path / "vidence.toml").write_text(bomb)
    with pytest.raises(SettingsError, match=r"vidence\.toml") as caught:
        load_settings()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_bomb_in_a_variable_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_LLM", "[" * 50_000)
    with pytest.raises(SettingsError):
        load_settings()
