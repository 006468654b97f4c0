"""Which addresses may be fetched: public ones only, checked at every redirect and after every lookup."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

from vidence.errors import ErrorType, ServiceError

__all__ = ["AddressRules", "WebTarget", "checked_target"]

_PORTS = {"http": 80, "https": 443}
_LONGEST = 4000


@dataclass(frozen=True)
class AddressRules:
    """What may be fetched beside public addresses; `allow_loopback` is for tests, no setting reaches it."""

    allow_loopback: bool = False
    own_hosts: frozenset[str] = frozenset()
    """Hosts, as `name:port`, of services that the user runs and named in the settings of the home folder."""


@dataclass(frozen=True)
class WebTarget:
    """An address that may be fetched, with the network addresses that were checked."""

    url: str
    parts: SplitResult
    host: str
    port: int
    addresses: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path and query to ask for."""
        return urlunsplit(("", "", self.parts.path or "/", self.parts.query, ""))


def checked_target(url: str, rules: AddressRules) -> WebTarget:
    """Return where an address leads; ServiceError unless every network address of its host is public.

    A connection must be made to one of the addresses returned, never to the name, which could lead elsewhere
    the next time it is looked up.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _PORTS.get(parts.scheme, 0)
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError) as exc:
        raise refused(url, "it is not a valid address") from exc
    if parts.scheme not in _PORTS:
        raise refused(url, "only http and https are fetched")
    if not host or len(url) > _LONGEST:
        raise refused(url, "it is not a valid address")
    if parts.username is not None or parts.password is not None:
        raise refused(url, "it holds a user name or password")
    addresses = _look_up(host, port, url)
    is_own = f"{host}:{port}" in rules.own_hosts
    for one in addresses:
        if not is_own and not _is_allowed(one, rules):
            raise refused(url, "it leads into a private network")
    return WebTarget(url, parts, host, port, addresses)


def refused(url: str, why: str) -> ServiceError:
    """Return the error of an address that may not be fetched."""
    return ServiceError(f"{url[:200]} is not fetched: {why}.", ErrorType.INVALID_REQUEST, service=url[:200])


def _look_up(host: str, port: int, url: str) -> tuple[str, ...]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise ServiceError(f"{host} cannot be found.", ErrorType.NETWORK_ERROR, service=url[:200]) from exc
    return tuple(dict.fromkeys(str(row[4][0]) for row in rows))


def _is_allowed(address: str, rules: AddressRules) -> bool:
    try:
        one = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = getattr(one, "ipv4_mapped", None) or getattr(one, "sixtofour", None)
    if inner is not None:
        one = inner
    if one.is_loopback:
        return rules.allow_loopback
    return one.is_global and not one.is_multicast
