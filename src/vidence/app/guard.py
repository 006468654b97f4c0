"""The guard in front of our HTTP servers: host names, token, cross-site requests, body size, headers."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

__all__ = ["LOOPBACK", "Asgi", "Guard", "GuardOptions", "is_loopback"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_COOKIE = "vidence_token"
_SAFE = ("GET", "HEAD", "OPTIONS")
_OPEN_PATHS = ("/healthz",)
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class GuardOptions:
    """Who may ask, and how much."""

    hosts: tuple[str, ...] = LOOPBACK
    """The names this server answers to; empty for any. It keeps other sites' names from leading here."""
    token: str | None = None
    origins: tuple[str, ...] = ()
    """Other sites whose pages may use the API."""
    max_body_bytes: int = 1 << 20
    unlimited: tuple[str, ...] = ()
    """Beginnings of paths whose handlers limit the body themselves."""
    body_patience_s: float = 30.0
    """The longest wait for the next piece of a request's body."""
    is_secure: bool = False
    """Served over TLS."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server on `host`."""
    return host in LOOPBACK or host.startswith("127.")


class _Refused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Guard:
    """ASGI middleware that lets a request through, or answers it with a problem."""

    def __init__(self, app: Asgi, options: GuardOptions) -> None:
        self._app, self._options = app, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        allowed = headers.get("origin") if headers.get("origin") in self._options.origins else None
        started = False
        refusals: list[_Refused] = []

        async def dressed(message: Message) -> None:
            nonlocal started
            if refusals and not started:
                # The app took the refused body for a broken one; the refusal is what it was.
                raise refusals[0]
            if message["type"] == "http.response.start":
                started = True
                own = {name.lower() for name, _ in message.get("headers", [])}
                ours = [one for one in _encoded(_common(allowed)) if one[0] not in own]
                message["headers"] = [*message.get("headers", []), *ours]
            await send(message)

        try:
            if scope["method"] == "OPTIONS" and allowed and "access-control-request-method" in headers:
                await _reply(dressed, 204, "", _preflight())
                return
            self._check(scope, headers, is_allowed=allowed is not None)
            if self._wants_cookie(scope):
                await self._give_cookie(scope, dressed)
                return
            limited = not scope["path"].startswith(self._options.unlimited or ("\0",))
            await self._app(scope, self._watched(receive, headers, limited, refusals), dressed)
        except _Refused as refused:
            if started:
                raise
            refusals.clear()
            await _reply(dressed, refused.status, refused.detail)

    def _check(self, scope: Scope, headers: dict[str, str], *, is_allowed: bool) -> None:
        options = self._options
        host = headers.get("host", "")
        if options.hosts and _name(host) not in options.hosts:
            raise _Refused(421, f"This server does not answer to the name {_name(host)!r}.")
        if (
            options.token is not None
            and scope["path"] not in _OPEN_PATHS
            and not self._has_token(scope, headers)
        ):
            raise _Refused(
                401,
                "This server asks for its token: open the address it printed, or send the header "
                "'Authorization: Bearer TOKEN'.",
            )
        if scope["method"] in _SAFE or is_allowed:
            return
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        scheme, _, own = (origin or "").partition("://")
        is_ours = own == host and (scheme == "https" or not options.is_secure)
        if site not in ("same-origin", "none") or (origin and not is_ours):
            raise _Refused(403, "A page of another site may not change anything here.")

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        expected = self._options.token or ""
        given = [headers.get("authorization", "").removeprefix("Bearer "), _cookie(headers.get("cookie", ""))]
        if scope["path"] == "/":
            given.append(dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token", ""))
        return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)

    def _wants_cookie(self, scope: Scope) -> bool:
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        return self._options.token is not None and scope["path"] == "/" and "token" in asked

    async def _give_cookie(self, scope: Scope, send: Send) -> None:
        rest = [one for one in parse_qsl(scope["query_string"].decode("latin-1")) if one[0] != "token"]
        secure = "; Secure" if self._options.is_secure else ""
        cookie = f"{_COOKIE}={self._options.token}; Path=/; HttpOnly; SameSite=Strict{secure}"
        where = f"/?{urlencode(rest)}" if rest else "/"
        await _reply(send, 303, "", {"location": where, "set-cookie": cookie})

    def _watched(
        self, receive: Receive, headers: dict[str, str], limited: bool, refusals: list[_Refused]
    ) -> Receive:
        """Return `receive` with the limits on a body's size and patience."""
        options = self._options
        length = headers.get("content-length", "0")
        if not length.isdigit() or (limited and int(length) > options.max_body_bytes):
            raise _Refused(413, f"The request is larger than {options.max_body_bytes:,} bytes.")
        seen, is_whole = 0, False

        def refuse(status: int, detail: str) -> _Refused:
            refusals.append(_Refused(status, detail))
            return refusals[-1]

        async def watched() -> Message:
            nonlocal seen, is_whole
            if is_whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), options.body_patience_s)
            except TimeoutError:
                raise refuse(408, "The request's body came too slowly.") from None
            seen += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if limited and seen > options.max_body_bytes:
                raise refuse(413, f"The request is larger than {options.max_body_bytes:,} bytes.")
            return message

        return watched


def _name(host: str) -> str:
    """Return the name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _common(allowed: str | None) -> dict[str, str]:
    if allowed is None:
        return {**_HEADERS, "vary": "Origin"}
    return {**_HEADERS, "vary": "Origin", "access-control-allow-origin": allowed}


def _preflight() -> dict[str, str]:
    return {
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "authorization, content-type, last-event-id, upload-offset",
        "access-control-max-age": "600",
    }


def _encoded(headers: dict[str, str]) -> Iterable[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def _reply(send: Send, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
    body = b""
    extra = dict(headers or {})
    if detail:
        body = json.dumps(
            {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
        ).encode()
        extra["content-type"] = "application/problem+json"
    extra["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": status, "headers": list(_encoded(extra))})
    await send({"type": "http.response.body", "body": body})
