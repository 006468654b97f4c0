"""Every exception vidence raises, split by who can act on it.

VidenceError
├── UserError              bad input: the message names the value and the remedy
│   ├── MediaError         a file that cannot be read as a video
│   │   ├── NotAVideo      no picture stream: empty, text, an image, audio only
│   │   └── DamagedMedia   truncated or corrupt: cannot be decoded
│   ├── FileProblem        a path is missing, a folder, not permitted, or vanished while being read
│   │   └── MissingFile    there is no such file; suggests similar ones
│   ├── UnknownName        an unknown id or name; suggests similar ones
│   ├── SettingsError      a setting with an impossible value
│   ├── BadTool            a tool that cannot be run: the message names the step and the field
│   └── NewerDatabase      the workspace was written by a newer vidence
├── BackendError           a model, server, disk or network failed: the message says which
│   ├── MissingExtra       an optional dependency is not installed: the message says how to install it
│   ├── ExtensionError     an engine or a function that was handed in raised an error of its own
│   └── ServiceError       a service failed in a known way (ErrorType), which decides the recovery
├── OpRetry                the caller (an LLM, a person) can correct the call and try again
└── OpFailed               the call was correct and still cannot be answered
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum

__all__ = [
    "BackendError",
    "BadTool",
    "DamagedMedia",
    "ErrorType",
    "ExtensionError",
    "FileProblem",
    "MediaError",
    "MissingExtra",
    "MissingFile",
    "NewerDatabase",
    "NotAVideo",
    "OpFailed",
    "OpRetry",
    "ServiceError",
    "SettingsError",
    "UnknownName",
    "UserError",
    "VidenceError",
]


class VidenceError(Exception):
    """The root of all errors: `str(error)` is one line that says what was wrong and what to do."""

    exit_code = 1


class UserError(VidenceError):
    """The input was wrong; the message names the value and the remedy."""


class MediaError(UserError):
    """A file cannot be read as a video."""


class NotAVideo(MediaError):
    """The file has no picture stream."""


class DamagedMedia(MediaError):
    """The file is truncated or corrupt and cannot be decoded."""


class FileProblem(UserError):
    """A path is missing, a folder, not permitted, or vanished while being read."""


class MissingFile(FileProblem):
    """There is no such file."""

    def __init__(self, name: str, near: Iterable[str] = (), *, remedy: str = "") -> None:
        self.name, self.suggestions = name, list(near)
        hint = _did_you_mean(self.suggestions) if self.suggestions else remedy or "Check the path."
        super().__init__(f"No such file: {name!r}. {hint}")


def _did_you_mean(names: Iterable[str]) -> str:
    return f"Did you mean {' or '.join(repr(name) for name in names)}?"


class UnknownName(UserError):
    """An id or name is unknown."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), *, remedy: str = "") -> None:
        self.kind, self.name = kind, name
        self.suggestions = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
        parts = [f"Unknown {kind} {name!r}."]
        if self.suggestions:
            parts.append(_did_you_mean(self.suggestions))
        if remedy:
            parts.append(remedy)
        super().__init__(" ".join(parts))


class SettingsError(UserError):
    """A setting has an impossible value."""

    exit_code = 2


class BadTool(UserError):
    """A tool is wrong; the message names the step and the field."""


class NewerDatabase(UserError):
    """The workspace was written by a newer vidence than this one."""


class BackendError(VidenceError):
    """A model, server, disk or network failed."""


class MissingExtra(BackendError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional package. Install it with: pip install '.[{extra}]' in the folder of "
            f"your clone, or pip install 'vidence[{extra}]' where vidence comes from a package index."
        )


class ExtensionError(BackendError):
    """An engine or a function that was handed in raised an error of its own."""

    def __init__(self, what: str, exc: Exception) -> None:
        super().__init__(f"{what} failed: {type(exc).__name__}: {exc}".rstrip(": "))


class ErrorType(StrEnum):
    """How a service failed; it alone decides the recovery."""

    API_RATE_LIMIT = "api_rate_limit"
    API_TIMEOUT = "api_timeout"
    NETWORK_ERROR = "network_error"
    SERVER_ERROR = "server_error"
    AUTHENTICATION = "authentication"
    UNKNOWN_MODEL = "unknown_model"
    CONTEXT_TOO_LONG = "context_too_long"
    REQUEST_REFUSED = "request_refused"
    INVALID_REQUEST = "invalid_request"
    INVALID_REPLY = "invalid_reply"
    CRAWLER_BLOCKED = "crawler_blocked"
    CRAWLER_CAPTCHA = "crawler_captcha"


class ServiceError(BackendError):
    """A service failed in a known way; `service` names it, `retry_after_s` is the wait it asked for."""

    def __init__(
        self, message: str, error_type: ErrorType, *, service: str = "", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.service = service
        self.retry_after_s = retry_after_s
        self.attempts = 1
        """How often the service was asked."""


class OpRetry(VidenceError):
    """The call was malformed; the message says how to correct it."""

    exit_code = 2


class OpFailed(VidenceError):
    """The call was correct and still cannot be answered."""
