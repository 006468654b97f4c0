"""Our HTTP servers: one configuration of uvicorn for the page and for MCP, with limits on slow clients."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from vidence.app.guard import Asgi
from vidence.errors import UserError

__all__ = ["bind", "http_server"]

HEAD_PATIENCE_S = 20.0
"""The longest time a client may take to send the head of a request."""
_GRACE_S = 3
_KEEP_ALIVE_S = 15
_MOST_CONNECTIONS = 2000
_MAX_HEAD_BYTES = 64 << 10


class _PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on a client that does not finish the head of a request in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._wait()
        super().data_received(data)
        if not self._is_idle():
            self._end_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        if self._waiting is None and self._is_idle():
            self._waiting = self.loop.call_later(HEAD_PATIENCE_S, self._hang_up)

    def _end_wait(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _hang_up(self) -> None:
        if self._is_idle():
            self.transport.close()


def http_server(app: Asgi, *, tls: tuple[Path, Path] | None = None) -> uvicorn.Server:
    """Return a server, ready to run on a socket of its own; by itself it takes a free port of this machine.

    Args:
        tls: The files of a certificate and of its key, to serve https.
    """
    cert, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        port=0,
        http=_PatientProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        ssl_certfile=cert,
        ssl_keyfile=key,
        lifespan="on",
    )
    try:
        config.load()
    except OSError as exc:  # An SSLError is one too.
        raise UserError(f"The certificate {cert} with the key {key} cannot be used: {exc}.") from exc
    return uvicorn.Server(config)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket for a server, so that a taken port is an error of one line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as exc:
        bound.close()
        raise UserError(
            f"Port {port} of {host} cannot be used: {exc.strerror}. Choose another with --port."
        ) from exc
    return bound
