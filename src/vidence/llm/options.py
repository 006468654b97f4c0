"""The options of an engine: checked, and resolved to an address, a key and facts."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidence.errors import SettingsError
from vidence.llm.facts import Provider, capabilities_of, facts_of
from vidence.llm.protocol import Capabilities
from vidence.settings import ModelFacts

__all__ = ["CommonOptions", "Endpoint", "EngineRequest", "HttpOptions", "find_endpoint", "read_options"]


class CommonOptions(BaseModel):
    """The options of every language model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=4000, ge=1)
    timeout_s: float = Field(default=120.0, gt=0)
    context_tokens: int | None = Field(default=None, ge=256)
    facts: tuple[ModelFacts, ...] = ()
    """The user's own rows of the model table."""


class HttpOptions(CommonOptions):
    """The options of a model behind HTTP."""

    base_url: str = ""
    api_key_env: str | None = None
    """The environment variable that holds the key; "" for a server without one."""
    vision: bool | None = None
    structured: Literal["text", "schema"] | None = None
    stream: bool = True


@dataclass(frozen=True)
class EngineRequest:
    """The engine to build: the argument of a `build` function."""

    provider: str
    model: str
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


@dataclass(frozen=True)
class Endpoint:
    """The address of a model, its key and its facts."""

    name: str
    model: str
    base_url: str
    host: str
    key_env: str
    facts: ModelFacts
    structured: Literal["text", "schema"]
    max_tokens_field: str

    @property
    def key(self) -> str:
        """The key, read from the environment each time so that no object holds it; "" for none."""
        return os.environ.get(self.key_env, "").strip() if self.key_env else ""

    @property
    def is_remote(self) -> bool:
        """Whether requests leave this machine; a name that is not the loopback's may be anywhere."""
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"

    @property
    def capabilities(self) -> Capabilities:
        return capabilities_of(self.facts)


Options = TypeVar("Options", bound=CommonOptions)


def read_options(request: EngineRequest, kind: type[Options]) -> Options:
    """Return the options as `kind`; SettingsError names the wrong one."""
    try:
        return kind.model_validate(dict(request.options))
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        option = str(first["loc"][0]) if first["loc"] else "?"
        if first["type"] == "extra_forbidden":
            known = sorted(kind.model_fields)
            near = difflib.get_close_matches(option, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."
            if option in ("api_key", "key"):
                hint = "Keys stay in the environment: name the variable with api_key_env."
            raise SettingsError(f"Engine {request.name!r} has no option {option!r}. {hint}") from None
        raise SettingsError(f"Engine {request.name!r}, option {option!r}: {first['msg']}.") from exc


def find_endpoint(request: EngineRequest, provider: Provider, options: HttpOptions) -> Endpoint:
    """Return the endpoint of a request; SettingsError says what is missing."""
    if not (model := request.model or provider.model):
        raise SettingsError(
            f"Say which model of {request.provider!r} to use, like '{request.provider}:MODEL' "
            "(the server lists them at /v1/models)."
        )
    base_url = options.base_url or _from_environment(provider) or provider.base_url
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"The base_url of {request.provider!r} is {base_url!r}: use an http(s) address.")
    return Endpoint(
        name=f"{request.provider}:{model}",
        model=model,
        base_url=base_url,
        host=parts.hostname,
        key_env=_key_variable(f"{request.provider}:{model}", provider, options),
        facts=_facts(f"{request.provider}:{model}", provider, options),
        structured=options.structured or provider.structured,
        max_tokens_field=provider.max_tokens_field,
    )


def _from_environment(provider: Provider) -> str:
    """Return the address that the vendor's own variable names, as its SDK would take it."""
    return os.environ.get(provider.base_url_env, "").strip() if provider.base_url_env else ""


def _key_variable(name: str, provider: Provider, options: HttpOptions) -> str:
    if options.api_key_env is not None:
        wanted: tuple[str, ...] = (options.api_key_env,) if options.api_key_env else ()
    elif options.base_url and _is_elsewhere(provider, options):
        # A vendor's key is for that vendor and must not go to another host.
        wanted = ()
    elif _is_elsewhere(provider, options):
        # Address and key come from the same environment: they belong together, and a server may want none.
        return next((one for one in provider.key_env if os.environ.get(one, "").strip()), "")
    else:
        wanted = provider.key_env
    for variable in wanted:
        if os.environ.get(variable, "").strip():
            return variable
    if wanted:
        either = " or ".join(wanted)
        raise SettingsError(
            f"{name} needs a key in the environment variable {either}, which is not set. "
            "Set it, or choose another engine (--engine embedded works without any key)."
        )
    return ""


def _is_elsewhere(provider: Provider, options: HttpOptions) -> bool:
    """Tell whether the user's address is another host than the vendor's."""
    own = options.base_url or _from_environment(provider)
    hosts = {urlsplit(url).hostname for url in (own, provider.base_url)}
    return bool(own and provider.key_env) and len(hosts) > 1


def _facts(name: str, provider: Provider, options: HttpOptions) -> ModelFacts:
    # A vendor's model name at another host says nothing about sight or price.
    known = f"custom:{name.partition(':')[2]}" if _is_elsewhere(provider, options) else name
    changes = options.model_dump(include={"vision", "context_tokens"}, exclude_none=True)
    return facts_of(known, options.facts).model_copy(update=changes)
