"""Errors as `application/problem+json` (RFC 9457): one clear line in `detail`."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from vidence.errors import (
    FileProblem,
    MediaError,
    MissingExtra,
    OpFailed,
    OpRetry,
    ServiceError,
    UnknownName,
    UserError,
    VidenceError,
)

__all__ = ["add_handlers", "status_of"]

_log = logging.getLogger(__name__)
_STATUSES: tuple[tuple[type[VidenceError], int], ...] = (
    (UnknownName, 404),
    (FileProblem, 404),
    (MediaError, 415),
    (UserError, 400),
    (OpRetry, 422),
    (OpFailed, 409),
    (MissingExtra, 501),
    (ServiceError, 502),
)


def status_of(error: VidenceError) -> int:
    """Return the HTTP status of an error, by who can act on it."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def add_handlers(app: FastAPI) -> None:
    """Answer every error of the app with a problem."""

    @app.exception_handler(VidenceError)
    async def known(request: Request, exc: VidenceError) -> JSONResponse:
        return _problem(request, status_of(exc), str(exc), kind=type(exc).__name__)

    @app.exception_handler(HTTPException)
    async def http(request: Request, exc: HTTPException) -> JSONResponse:
        return _problem(request, exc.status_code, str(exc.detail))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, exc: RequestValidationError) -> JSONResponse:
        first = exc.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
        return _problem(request, 422, f"{where or 'The request'}: {first['msg']}")

    @app.exception_handler(Exception)
    async def unknown(request: Request, exc: Exception) -> JSONResponse:
        _log.error("%s %s failed", request.method, request.url.path, exc_info=exc)
        return _problem(
            request, 500, f"An unexpected error, {type(exc).__name__}. The server's log says more."
        )


def _problem(request: Request, status: int, detail: str, *, kind: str = "about:blank") -> JSONResponse:
    return JSONResponse(
        {
            "type": kind,
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": detail,
            "instance": request.url.path,
        },
        status_code=status,
        media_type="application/problem+json",
    )
