"""The settings: arguments beat `VIDENCE_*` variables, which beat `vidence.toml`, which beats defaults.

The file in the home folder is the user's own and may hold any setting. The one in the current folder may have
come with someone else's videos, so it may only hold harmless settings; the rest is ignored and named.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as UnreadableVariable

from vidence.errors import SettingsError

__all__ = [
    "PROJECT_SETTINGS",
    "LlmSettings",
    "ModelFacts",
    "MonitorSettings",
    "Settings",
    "StorySettings",
    "config_files",
    "load_settings",
]

Language = Literal["auto", "en", "zh"]
OptionValue = str | int | float | bool

PROJECT_SETTINGS = frozenset({"cache_results", "language", "profile", "threads"})
"""What the `vidence.toml` of the current folder may set: no address, key, file or limit."""
_MAX_FILE_BYTES = 64_000
_MAX_DEPTH = 8
"""The deepest nesting of a settings file; the settings themselves need four levels."""

logger = logging.getLogger(__name__)


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


class MonitorSettings(BaseModel):
    """Where monitors look, and how they fetch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: tuple[str, ...] = Field(
        default=(), description="Sources when none are named: folders, feeds, archives, search services."
    )
    own_hosts: tuple[str, ...] = Field(
        default=(),
        description="Services of your own network that may be fetched, as host:port; else only public ones.",
    )
    rsshub: str = Field(default="", description="Address of your RSSHub, for platforms without feeds.")
    proxies: tuple[str, ...] = Field(
        default=(), description="Proxies to switch to when a site blocks us; none by default."
    )
    timeout_s: float = Field(default=20, gt=0, le=600, description="Seconds one fetch may take.")
    max_bytes: int = Field(default=5_000_000, ge=1000, description="The largest page that is fetched.")
    patience_s: float = Field(
        default=60, ge=0, le=3600, description="Seconds that all tries of one address may take."
    )
    options: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Platform to its options, such as key_env of a search service."
    )


class StorySettings(BaseModel):
    """Where the knowledge of stories is kept, and who plays which role."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    graph: str = Field(default="sqlite", description="Where graphs are kept: sqlite or neo4j.")
    vectors: str = Field(
        default="sqlite", description="Where vectors of passages are kept: sqlite or qdrant."
    )
    options: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Store to its options, such as url, user and password_env."
    )
    engines: dict[Literal["agent", "grader", "refiner", "extractor"], str] = Field(
        default_factory=dict,
        description="Role to its engine as provider:model; an extractor reads stories when they are added.",
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
    monitor: MonitorSettings = Field(
        default=MonitorSettings(), description="Monitors of topics (see docs/monitor.md)."
    )
    story: StorySettings = Field(default=StorySettings(), description="Stories (see docs/stories.md).")
    cache_results: bool = Field(default=True, description="Keep operation results and serve them again.")
    _origins: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _ignored: tuple[str, ...] = PrivateAttr(default=())

    @property
    def origins(self) -> Mapping[str, str]:
        """Where each setting that is not the default comes from: `llm.engine` to a file or a variable."""
        return self._origins

    @property
    def ignored(self) -> tuple[str, ...]:
        """The settings in the `vidence.toml` of the current folder that only the user's own file may hold."""
        return self._ignored

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
        files = [InitSettingsSource(settings_cls, values) for _, values in _file_layers(home)]
        return (init_settings, env_settings, *files)


def _as_text(option: Any) -> Any:
    if isinstance(option, list):
        return ", ".join(str(each) for each in option)
    return str(option) if isinstance(option, int | float) else option


def config_files(home: Path | str | None = None) -> list[Path]:
    """Return the `vidence.toml` files in use, the strongest first: the current folder's, then the user's."""
    candidates = [Path("vidence.toml"), _user_file(home)]
    return list(dict.fromkeys(path.absolute() for path in candidates if _is_file(path)))


def _user_file(home: Path | str | None) -> Path:
    return _expanded(home or os.environ.get("VIDENCE_HOME") or "~/.vidence") / "vidence.toml"


def _file_layers(home: Path | str | None) -> list[tuple[Path, dict[str, Any]]]:
    """Return what each file may set, the strongest first."""
    own = _user_file(home)
    return [
        (path, values if path == own else {name: values[name] for name in values if _may_set(name)})
        for path in config_files(home)
        for values in [_read_file(path)]
    ]


def _may_set(name: str) -> bool:
    """Let a project's file set what is harmless, and fail on what is no setting at all."""
    return name in PROJECT_SETTINGS or name not in Settings.model_fields


def _ignored_settings(home: Path | str | None) -> list[str]:
    """Return the settings of the current folder's file that it may not set."""
    (*project,) = (path for path in config_files(home) if path != _user_file(home))
    return [
        name for path in project for name in sorted(_leaves(_read_file(path))) if not _may_set(_first(name))
    ]


def _read_file(path: Path) -> dict[str, Any]:
    """Read a settings file within bounds: it may have been written to exhaust whoever reads it."""
    with path.open("rb") as file:
        data = file.read(_MAX_FILE_BYTES + 1)
    if len(data) > _MAX_FILE_BYTES:
        raise SettingsError(f"{path} is larger than {_MAX_FILE_BYTES:,} bytes, which no settings need.")
    try:
        values = tomllib.loads(data.decode())
    except RecursionError:
        raise SettingsError(f"{path} is nested too deeply to be read.") from None
    except ValueError as exc:
        raise SettingsError(f"{path} cannot be read: {exc}. Check it is valid TOML.") from exc
    if _is_deeper(values, _MAX_DEPTH):
        raise SettingsError(f"{path} is nested deeper than {_MAX_DEPTH} levels, which no settings need.")
    return values


def _is_deeper(values: object, depth: int) -> bool:
    inner = values.values() if isinstance(values, dict) else values if isinstance(values, list) else ()
    return depth < 0 or any(_is_deeper(each, depth - 1) for each in inner)


def _leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all settings in nested values."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _first(name: str) -> str:
    return name.partition(".")[0]


def _origins_of(overrides: Mapping[str, Any]) -> dict[str, str]:
    """Return where each setting comes from, the strongest source first."""
    found = dict.fromkeys(_leaves(overrides), "the command line or the caller")
    for name in _leaves(EnvSettingsSource(Settings)()):
        found.setdefault(name, _variable(name))
    for path, values in _file_layers(overrides.get("home")):
        for name in _leaves(values):
            found.setdefault(name, str(path))
    return found


def _variable(name: str) -> str:
    """Return the environment variable that sets `name`: its own, or the one of a whole group as JSON."""
    given = {variable.upper() for variable in os.environ}
    parts = name.upper().split(".")
    names = [f"VIDENCE_{'__'.join(parts[:size])}" for size in range(len(parts), 0, -1)]
    return next((variable for variable in names if variable in given), names[-1])


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
    given = {key: value for key, value in overrides.items() if value is not None}
    try:
        settings = Settings(**given)
        settings._origins = _origins_of(given)
        settings._ignored = tuple(_ignored_settings(given.get("home")))
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
    except RecursionError:
        raise SettingsError("A VIDENCE_* variable is JSON that is nested too deeply to be read.") from None
    except OSError as exc:
        raise SettingsError(f"{exc.filename} cannot be read: {exc.strerror}.") from exc
    if settings.ignored:
        logger.warning(_told(settings))
    return settings


def _told(settings: Settings) -> str:
    return (
        f"{Path('vidence.toml').absolute()} sets {', '.join(settings.ignored)}: ignored, since a file that "
        f"lies beside videos may be anyone's. If you mean it, put it into {settings.home / 'vidence.toml'}."
    )
