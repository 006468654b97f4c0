"""Turning arguments into a request, and every mistake into words a caller can act on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from vidence.errors import OpRetry
from vidence.ops.operation import Operation, Req, Res

__all__ = ["validate_request"]

_MAX_SHOWN = 80


def validate_request(operation: Operation[Req, Res], arguments: Mapping[str, Any]) -> Req:
    """Return the request meant by `arguments`, or raise `OpRetry` naming each mistake and its cure."""
    try:
        return operation.request.model_validate(dict(arguments))
    except ValidationError as exc:
        problems = [_explain(operation.request, error) for error in exc.errors()]
        raise OpRetry(f"{operation.name}: {'; '.join(problems)}") from exc


def _explain(request: type[BaseModel], error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "arguments"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return f"{where} is required ({_description(request, where)})"
    if kind == "extra_forbidden":
        return _unknown_parameter(request, where)
    got = _shorten(repr(error.get("input")))
    if kind in ("literal_error", "enum"):
        return f"{where} is {got}; it must be {context['expected']}"
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{where} is {got}: {message[:1].lower()}{message[1:]}"


def _unknown_parameter(request: type[BaseModel], name: str) -> str:
    known = list(request.model_fields)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"known parameters: {', '.join(known)}"
    return f"{name!r} is not a parameter; {hint}"


def _description(request: type[BaseModel], name: str) -> str:
    field = request.model_fields.get(name)
    return (field.description or "no default") if field else "no default"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
