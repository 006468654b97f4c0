"""Fetching over HTTP within limits: public addresses, checked redirects, bounded size and time."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
import zlib
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from vidence.errors import ErrorType, ServiceError
from vidence.intel.web.address import AddressRules, WebTarget, checked_target, refused

__all__ = ["FetchLimits", "Fetcher", "HttpFetcher", "WebAnswer"]

AGENT = "vidence-monitor/0.1"
_REDIRECTS = (301, 302, 303, 307, 308)
_CAPTCHA = re.compile(
    r"captcha|are you a (?:human|robot)|verify you are human|unusual traffic|cf-challenge"
    r"|安全验证|验证码|人机验证",
    re.IGNORECASE,
)
_CAPTCHA_CHARS = 20_000
"""A page longer than this has content; a word like captcha in it is no challenge."""
_STATUS_TYPES = {
    401: ErrorType.AUTHENTICATION,
    403: ErrorType.CRAWLER_BLOCKED,
    404: ErrorType.INVALID_REQUEST,
    408: ErrorType.API_TIMEOUT,
    410: ErrorType.INVALID_REQUEST,
    429: ErrorType.API_RATE_LIMIT,
    451: ErrorType.CRAWLER_BLOCKED,
}


@dataclass(frozen=True)
class FetchLimits:
    """Bounds of one fetch."""

    max_bytes: int = 5_000_000
    timeout_s: float = 20.0
    max_redirects: int = 5


@dataclass(frozen=True)
class WebAnswer:
    """What an address answered."""

    url: str
    """Where it was found after redirects."""
    body: bytes
    content_type: str = ""
    charset: str = ""

    @property
    def text(self) -> str:
        """The body as text, by its declared encoding or those that are common."""
        for encoding in filter(None, (self.charset, _declared(self.body), "utf-8", "gb18030")):
            try:
                return self.body.decode(encoding)
            except (LookupError, UnicodeDecodeError):
                continue
        return self.body.decode("latin-1")


_PUBLIC = AddressRules()


class Fetcher:
    """Fetches addresses; this one refuses all, for work without a network."""

    def fetch(self, url: str, *, proxy: str | None = None, agent: str = AGENT) -> WebAnswer:
        """Return what an address answers; ServiceError with its type when it does not."""
        raise refused(url, "fetching is switched off")


@dataclass(frozen=True)
class HttpFetcher(Fetcher):
    """Fetches from public addresses; every redirect is checked like the first address."""

    limits: FetchLimits = FetchLimits()
    rules: AddressRules = _PUBLIC
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    def fetch(self, url: str, *, proxy: str | None = None, agent: str = AGENT) -> WebAnswer:
        """Return what an address answers, following redirects."""
        ends = time.monotonic() + self.limits.timeout_s
        for _ in range(self.limits.max_redirects + 1):
            target = checked_target(url, self.rules)
            answer = self._ask(target, ends, proxy, agent)
            if isinstance(answer, WebAnswer):
                return answer
            url = urljoin(target.url, answer)
        raise refused(url, f"it redirects more than {self.limits.max_redirects} times")

    def _ask(self, target: WebTarget, ends: float, proxy: str | None, agent: str) -> WebAnswer | str:
        """Return the answer of one address, or where it redirects to."""
        connection = self._connect(target, ends, proxy)
        response: http.client.HTTPResponse | None = None
        try:
            headers = {"User-Agent": agent, "Accept-Encoding": "gzip", "Accept": "*/*", "Connection": "close"}
            connection.request("GET", target.path, headers={"Host": _host(target), **headers})
            response = connection.getresponse()
            moved = response.getheader("Location")
            if response.status in _REDIRECTS and moved:
                return moved
            body = self._read(response, target, ends)
        except TimeoutError as exc:
            raise _failure(target, ErrorType.API_TIMEOUT, "did not answer in time") from exc
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise _failure(target, ErrorType.NETWORK_ERROR, f"broke off: {type(exc).__name__}") from exc
        finally:
            if response is not None:
                response.close()
            connection.close()
        return _checked(target, response, body)

    def _connect(self, target: WebTarget, ends: float, proxy: str | None) -> http.client.HTTPConnection:
        """Connect to a checked address, never to the name; through a proxy, the proxy connects."""
        left = _left(target, ends)
        try:
            if proxy is not None:
                parts = urlsplit(proxy)
                connection = http.client.HTTPConnection(
                    parts.hostname or "", parts.port or 8080, timeout=left
                )
                connection.set_tunnel(target.host, target.port)
                connection.connect()
            else:
                connection = http.client.HTTPConnection(target.host, target.port, timeout=left)
                connection.sock = socket.create_connection((target.addresses[0], target.port), timeout=left)
            if target.parts.scheme == "https":
                connection.sock = self.tls.wrap_socket(connection.sock, server_hostname=target.host)
        except TimeoutError as exc:
            raise _failure(target, ErrorType.API_TIMEOUT, "could not be reached in time") from exc
        except (OSError, http.client.HTTPException) as exc:
            raise _failure(target, ErrorType.NETWORK_ERROR, f"cannot be reached: {exc}") from exc
        return connection

    def _read(self, response: http.client.HTTPResponse, target: WebTarget, ends: float) -> bytes:
        parts, size = [], 0
        while chunk := response.read1(65536):
            size += len(chunk)
            if size > self.limits.max_bytes:
                raise _failure(
                    target, ErrorType.INVALID_REQUEST, f"is larger than {self.limits.max_bytes:,} bytes"
                )
            _left(target, ends)
            parts.append(chunk)
        if response.length:
            raise _failure(target, ErrorType.NETWORK_ERROR, "broke off before its end")
        body = b"".join(parts)
        if response.getheader("Content-Encoding", "").lower() == "gzip":
            return _unzipped(body, self.limits.max_bytes, target)
        return body


def _left(target: WebTarget, ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise _failure(target, ErrorType.API_TIMEOUT, "did not answer in time")
    return left


def _checked(target: WebTarget, response: http.client.HTTPResponse, body: bytes) -> WebAnswer:
    """Return a good answer; raise for a status, or a challenge, that is none."""
    kind = response.headers.get_content_type()
    answer = WebAnswer(target.url, body, kind, response.headers.get_content_charset() or "")
    is_short = len(body) <= _CAPTCHA_CHARS and kind in ("text/html", "text/plain")
    if is_short and _CAPTCHA.search(answer.text) and (response.status != 200 or _is_challenge(answer.text)):
        raise _failure(target, ErrorType.CRAWLER_CAPTCHA, "asks for a captcha")
    status = response.status
    if status != 200:
        default = ErrorType.SERVER_ERROR if status >= 500 else ErrorType.REQUEST_REFUSED
        error = _failure(target, _STATUS_TYPES.get(status, default), f"answered with status {status}")
        error.retry_after_s = _retry_after(response.getheader("Retry-After"))
        raise error
    return answer


def _is_challenge(text: str) -> bool:
    """Tell a page that is a captcha from a short page that speaks of one."""
    return len(re.sub(r"<[^>]+>|\s+", " ", text).split()) < 120


def _retry_after(header: str | None) -> float | None:
    if not header:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _unzipped(body: bytes, limit: int, target: WebTarget) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        plain = reader.decompress(body, limit + 1)
    except zlib.error as exc:
        raise _failure(target, ErrorType.NETWORK_ERROR, "sent a damaged answer") from exc
    if len(plain) > limit:
        raise _failure(target, ErrorType.INVALID_REQUEST, f"unpacks to more than {limit:,} bytes")
    return plain


def _declared(body: bytes) -> str:
    match = re.search(rb"""(?:charset|encoding)=["']?([\w-]+)""", body[:2000])
    return match[1].decode() if match else ""


def _host(target: WebTarget) -> str:
    usual = {"http": 80, "https": 443}[target.parts.scheme]
    return target.host if target.port == usual else f"{target.host}:{target.port}"


def _failure(target: WebTarget, kind: ErrorType, what: str) -> ServiceError:
    return ServiceError(f"{target.url[:200]} {what}.", kind, service=target.host)
