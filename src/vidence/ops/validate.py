"""Validate arguments into a request, and explain every mistake so that the caller can fix it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from vidence.errors import OpRetry

__all__ = ["validate_request"]

_MAX_SHOWN = 80


Requested = TypeVar("Requested", bound=BaseModel, covariant=True)


class Requestable(Protocol[Requested]):
    """Anything called by name with a typed request: an operation or a tool."""

    @property
    def name(self) -> str: ...
    @property
    def request(self) -> type[Requested]: ...


def validate_request(operation: Requestable[Requested], arguments: Mapping[str, Any]) -> Requested:
    """Return the request meant by `arguments`, or raise `OpRetry` naming each mistake and its cure."""
    try:
        return operation.request.model_validate(dict(arguments))
    except ValidationError as exc:
        problems = [_explain(operation.request, error) for error in exc.errors()]
        raise OpRetry(f"{operation.name}: {'; '.join(problems)}") from exc


def _explain(request: type[BaseModel], error: Any) -> str:
    path = [str(part) for part in error["loc"]]
    where, kind, context = ".".join(path), error["type"], error.get("ctx", {})
    message = str(error["msg"]).removeprefix("Value error, ")
    message = f"{message[:1].lower()}{message[1:]}"
    if not path:
        # An error between parameters names them itself.
        return message
    if kind == "missing":
        return f"{where} is required ({_description(request, path)})"
    if kind == "extra_forbidden":
        return _unknown_parameter(_model_of(request, path[:-1]), where, path[-1])
    got = _shorten(repr(error.get("input")))
    if kind in ("literal_error", "enum"):
        return f"{where} is {got}; it must be {context['expected']}"
    if kind == "model_type":
        fields = ", ".join(_fields(_model_of(request, path)))
        return f"{where} is {got}; it must be an object with {fields}"
    return f"{where} is {got}: {message}"


def _unknown_parameter(model: type[BaseModel] | None, where: str, name: str) -> str:
    known = _fields(model)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"known parameters: {', '.join(known)}"
    return f"{where!r} is not a parameter; {hint}"


def _description(request: type[BaseModel], path: list[str]) -> str:
    model = _model_of(request, path[:-1])
    field = model.model_fields.get(path[-1]) if model else None
    return (field.description or "no default") if field else "no default"


def _fields(model: type[BaseModel] | None) -> list[str]:
    return list(model.model_fields) if model else []


def _model_of(model: type[BaseModel], path: list[str]) -> type[BaseModel] | None:
    """Return the model at `path` inside a request, if there is one."""
    for name in path:
        field = model.model_fields.get(name)
        inner = [kind for kind in _kinds(field.annotation if field else None) if _is_model(kind)]
        if not inner:
            return None
        model = inner[0]
    return model


def _kinds(annotation: Any) -> list[Any]:
    return [annotation, *(kind for part in get_args(annotation) for kind in _kinds(part))]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
