"""Turning what an SDK raises into a ServiceError that says who failed, how, and what to do; never a key."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

from vidence.errors import ErrorType, ServiceError
from vidence.llm.options import Target

__all__ = ["fault", "translate"]

_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|input.{0,20}too long|exceed.{0,30}(token|context)|token count.{0,30}exceed",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"(invalid|incorrect|expired|not valid).{0,30}key|key.{0,30}(invalid|expired|not valid)", re.I
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not.{0,3}(exist|found)|unknown|is not supported)|unknown model|no such model", re.I
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|arrearage", re.I
)
_DELAY = re.compile(r'"retryDelay":\s*"([\d.]+)s"')
_MESSAGE_CHARS = 300


def fault(
    target: Target, error_type: ErrorType, what: str, *, retry_after_s: float | None = None
) -> ServiceError:
    """Return an error about `target` without its key in it."""
    text = f"{target.name} at {target.host}: {_clean(what, target.key)}"
    return ServiceError(text, error_type, service=target.name, retry_after_s=retry_after_s)


def translate(exc: Exception, target: Target, sdk: ModuleType, *, timeout_s: float) -> ServiceError:
    """Return the ServiceError an SDK's exception means."""
    if isinstance(exc, ServiceError):
        return exc
    import httpx2

    if isinstance(exc, sdk.APITimeoutError | httpx2.TimeoutException):
        return fault(target, ErrorType.API_TIMEOUT, f"no answer within {timeout_s:g} s.")
    if isinstance(exc, sdk.APIConnectionError | httpx2.TransportError):
        return fault(target, ErrorType.NETWORK_ERROR, _network(exc, target))
    if isinstance(exc, sdk.APIStatusError) and exc.status_code >= 300:
        return _status(exc, target)
    if isinstance(exc, sdk.APIError):
        # An error inside a stream that began well: it has a message but no status.
        message = _message(getattr(exc, "body", None), str(exc))
        return fault(target, _in_stream(message), f"the server broke off: {message}")
    return fault(target, ErrorType.INVALID_REPLY, f"the answer is in an unknown form ({type(exc).__name__}).")


def _network(exc: Exception, target: Target) -> str:
    cause = exc.__cause__ or exc
    return (
        f"the server cannot be reached or hung up ({type(cause).__name__}: {cause}). "
        f"Is it running at {target.base_url}, and is this machine online?"
    )


def _in_stream(message: str) -> ErrorType:
    return ErrorType.CONTEXT_TOO_LONG if _LONG.search(message) else ErrorType.SERVER_ERROR


def _status(exc: Any, target: Target) -> ServiceError:
    status, message = int(exc.status_code), _message(exc.body, str(exc))
    body = _text(exc.body)
    error_type, advice = _kind(status, f"{message} {body}", target)
    said = f"{status}: {message}".strip().rstrip(".")
    wait = _retry_after(exc.response.headers, body) if status in (429, 503, 529) else None
    return fault(target, error_type, f"{advice} ({said}).", retry_after_s=wait)


def _kind(status: int, said: str, target: Target) -> tuple[ErrorType, str]:
    where = f"Check {target.key_env}" if target.key_env else "Name the variable of its key with api_key_env"
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(said)):
        return ErrorType.AUTHENTICATION, f"the key was refused. {where}"
    if status == 413 or (status in (400, 422) and _LONG.search(said)):
        return ErrorType.CONTEXT_TOO_LONG, "the prompt is too long for this model"
    if status == 404 or (status == 400 and _NO_MODEL.search(said)):
        return ErrorType.UNKNOWN_MODEL, f"there is no model {target.model!r} (or no such path)"
    if status in (402, 429) and _NO_CREDIT.search(said):
        return ErrorType.REQUEST_REFUSED, "the account has no credit or quota left"
    if status == 429:
        return ErrorType.API_RATE_LIMIT, "too many requests"
    if status in (408, 504):
        return ErrorType.API_TIMEOUT, "the server gave up waiting"
    if status >= 500:
        return ErrorType.SERVER_ERROR, "the server failed"
    if 300 <= status < 400:
        return ErrorType.REQUEST_REFUSED, "it redirects elsewhere, which is not followed because of the key"
    return ErrorType.REQUEST_REFUSED, "the request was refused"


def _message(body: object, otherwise: str) -> str:
    found = body[0] if isinstance(body, list) and body else body
    for key in ("error", "message"):
        if isinstance(found, dict):
            found = found.get(key, found)
    text = found if isinstance(found, str) else otherwise
    return " ".join(text.split())[:_MESSAGE_CHARS]


def _text(body: object) -> str:
    try:
        return json.dumps(body, ensure_ascii=False)[:20_000]
    except (TypeError, ValueError, RecursionError):
        return ""


def _retry_after(headers: Any, body: str) -> float | None:
    """Return the seconds a server asked us to wait: milliseconds, seconds, a date, or Gemini's field."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(float(milliseconds) / 1000, 0.0)
        if told := headers.get("retry-after"):
            if re.fullmatch(r"\s*\d+(\.\d+)?\s*", told):
                return float(told)
            return max(parsedate_to_datetime(told).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
    delay = _DELAY.search(body)
    return float(delay.group(1)) if delay else None


def _clean(text: str, key: str) -> str:
    return text.replace(key, "…") if key else text
