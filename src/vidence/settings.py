"""The settings: arguments beat `VIDENCE_*` variables, which beat `vidence.toml`, which beats defaults."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as UnreadableVariable

from vidence.errors import SettingsError

__all__ = ["LlmSettings", "ModelFacts", "Settings", "config_files", "load_settings"]

Language = Literal["auto", "en", "zh"]
OptionValue = str | int | float | bool


class ModelFacts(BaseModel):
    """The facts of the language models whose `provider:model` matches a pattern."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    pattern: str
    vision: bool = False
    json_schema: bool = False
    sampling: bool = True
    """The model takes a temperature."""
    context_tokens: int = Field(default=8192, ge=256)
    input_usd: float | None = Field(default=None, ge=0)
    output_usd: float | None = Field(default=None, ge=0)
    """Prices of a million tokens; None where not known."""


class LlmSettings(BaseModel):
    """The language models, the tasks they answer, and their limits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: str = Field(default="embedded", description="The engine that answers, as provider:model.")
    light: str | None = Field(default=None, description="The engine of light tasks; default: the engine.")
    heavy: str | None = Field(default=None, description="The engine of heavy tasks; default: the engine.")
    fallback: str | None = Field(default=None, description="Asked when an engine cannot be made to answer.")
    tasks: dict[str, str] = Field(
        default_factory=dict, description="Task (or its first part) to light, heavy or an engine."
    )
    heavy_above_chars: int = Field(
        default=5000, ge=0, description="Longer prompts are heavy where no task decides."
    )
    timeout_s: float = Field(default=120, gt=0, description="Seconds one try of a call may take in all.")
    retries: bool = Field(default=True, description="Wait and ask again when a server fails or is busy.")
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=4000, ge=1, description="The longest reply.")
    options: dict[str, dict[str, OptionValue]] = Field(
        default_factory=dict, description="Provider to its options, such as base_url and api_key_env."
    )
    models: tuple[ModelFacts, ...] = Field(
        default=(), description="What you know of your models; beats the shipped table."
    )


class Settings(BaseSettings):
    """All settings of a workspace."""

    model_config = SettingsConfigDict(
        frozen=True,
        env_prefix="VIDENCE_",
        env_nested_delimiter="__",
        extra="forbid",
        env_ignore_empty=True,
    )

    home: Path = Field(default=Path("~/.vidence"), description="Folder of the database, blobs and traces.")
    model_home: Path = Field(
        default=Path("~/.cache/vidence"), description="Folder of the models, shared by all workspaces."
    )
    threads: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Threads for decoding and models.",
    )
    language: Language = Field(default="auto", description="Language of messages: auto follows the question.")
    max_pixels: int = Field(
        default=8192 * 8192,
        ge=1,
        description="Frames larger than this are refused instead of filling memory.",
    )
    profile: Literal["fast", "default", "thorough"] = Field(
        default="default", description="How thoroughly `vidence index` looks when it is not told."
    )
    models: dict[str, str] = Field(
        default_factory=dict,
        description="Capability to model name, where not the default (see `vidence models`).",
    )
    model_options: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Capability to that model's options, such as the path of its file."
    )
    llm: LlmSettings = Field(default=LlmSettings(), description="Language models (see docs/llm.md).")
    cache_results: bool = Field(default=True, description="Keep operation results and serve them again.")

    @field_validator("home", "model_home", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return _expanded(value)

    @field_validator("model_options", mode="before")
    @classmethod
    def _written_out(cls, value: Any) -> Any:
        """Accept numbers and lists of TOML: min_score = 0.3, labels = ["person", "red balloon"]."""
        if not isinstance(value, dict):
            return value
        return {
            name: {key: _as_text(option) for key, option in row.items()} if isinstance(row, dict) else row
            for name, row in value.items()
        }

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources; the `vidence.toml` of the current folder beats the one in the home folder."""
        home = init_settings().get("home")
        files = [TomlConfigSettingsSource(settings_cls, path) for path in config_files(home)]
        return (init_settings, env_settings, *files)


def _as_text(option: Any) -> Any:
    if isinstance(option, list):
        return ", ".join(str(each) for each in option)
    return str(option) if isinstance(option, int | float) else option


def config_files(home: Path | str | None = None) -> list[Path]:
    """Return the `vidence.toml` files in use, the strongest first."""
    folder = _expanded(home or os.environ.get("VIDENCE_HOME") or "~/.vidence")
    candidates = [Path("vidence.toml"), folder / "vidence.toml"]
    return list(dict.fromkeys(path.absolute() for path in candidates if _is_file(path)))


def _expanded(path: Path | str) -> Path:
    # Not Path.expanduser(), which raises for the home of an unknown user.
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # The current folder may not be readable: then it has no settings.
        return False


def load_settings(**overrides: Any) -> Settings:
    """Read the settings; every mistake becomes a SettingsError of one line."""
    try:
        return Settings(**{key: value for key, value in overrides.items() if value is not None})
    except ValidationError as exc:
        first = exc.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            fields = LlmSettings.model_fields if name.startswith("llm.") else Settings.model_fields
            known = ", ".join(sorted(fields))
            raise SettingsError(f"Unknown setting {name!r}. Known settings: {known}.") from exc
        where = f"{name} (VIDENCE_{name.upper().replace('.', '__')} or {name} in vidence.toml)"
        raise SettingsError(f"Setting {where} is {first.get('input')!r}: {first['msg']}.") from exc
    except UnreadableVariable as exc:
        name = next((field for field in Settings.model_fields if f'"{field}"' in str(exc)), "…")
        raise SettingsError(
            f"VIDENCE_{name.upper()} is not valid JSON: {exc.__cause__}. "
            'Write it like VIDENCE_MODELS=\'{"speech": "whisper-base"}\'.'
        ) from exc
    except OSError as exc:
        raise SettingsError(f"{exc.filename} cannot be read: {exc.strerror}.") from exc
    except ValueError as exc:
        raise SettingsError(f"vidence.toml cannot be read: {exc}. Check it is valid TOML.") from exc
