"""The crawler: robots.txt, then a fetch that heals itself as the type of its error says."""

from __future__ import annotations

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from vidence.errors import ErrorType, ServiceError
from vidence.intel.html import read_html
from vidence.intel.web.address import refused
from vidence.intel.web.fetch import AGENT, Fetcher, WebAnswer
from vidence.llm.recovery import (
    AlertStrategy,
    ExponentialBackoffStrategy,
    FallbackCrawlerStrategy,
    RetryManager,
    RetryStrategy,
    SwitchProxyStrategy,
)
from vidence.schema.topics import Page

__all__ = ["Crawler"]

_LOGGER = logging.getLogger(__name__)
_FALLBACK_AGENT = f"Mozilla/5.0 (compatible; {AGENT})"
"""How the fallback crawler names itself: still by its name, in the form that most sites expect."""
_READABLE = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "")


class Crawler:
    """Fetches addresses through one fetcher, trying again as a RetryManager says."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        manager: RetryManager | None = None,
        proxies: Sequence[str] = (),
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
        patience_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetcher = fetcher
        self._manager = manager or RetryManager()
        self._proxies = tuple(proxies)
        self._sleep, self._rng, self._clock = sleep, rng or random.Random(0), clock
        self._patience_s = patience_s
        self._ends: float | None = None
        self._robots: dict[str, RobotFileParser | None] = {}

    def stop_in(self, seconds: float) -> None:
        """Begin no fetch and no wait that would end later than this from now."""
        self._ends = self._clock() + seconds

    def get(self, url: str, *, obey_robots: bool = True) -> WebAnswer:
        """Return what an address answers; ServiceError when no strategy helped."""
        if obey_robots and not self._may_fetch(url):
            raise ServiceError(
                f"{url[:200]} is not fetched: its robots.txt asks us not to.",
                ErrorType.CRAWLER_BLOCKED,
                service=urlsplit(url).hostname or "",
            )
        return self._insist(url)

    def read(self, url: str, *, platform: str = "web") -> Page:
        """Return the main text of a page."""
        answer = self.get(url)
        if answer.content_type not in _READABLE:
            raise refused(url, f"{answer.content_type} is no page of text")
        if answer.content_type in ("text/plain", "text/markdown"):
            return Page(url=url, title=url, text=answer.text, platform=platform)
        return read_html(answer.text, url, platform=platform)

    def _insist(self, url: str) -> WebAnswer:
        ends = self._clock() + self._patience_s
        if self._ends is not None:
            ends = min(ends, self._ends)
            if self._clock() >= ends:
                raise ServiceError(
                    f"{url[:200]} is not fetched: the time of the run is up.",
                    ErrorType.API_TIMEOUT,
                    service=urlsplit(url).hostname or "",
                )
        proxy: str | None = None
        agent = AGENT
        spare = list(self._proxies)
        attempt = 1
        waits: Counter[ErrorType] = Counter()
        while True:
            try:
                return self._fetcher.fetch(url, proxy=proxy, agent=agent)
            except ServiceError as exc:
                exc.attempts = attempt
                step = self._next(exc, waits[exc.error_type] + 1, spare, agent)
                if step is None or self._clock() + (step if isinstance(step, float) else 0.0) > ends:
                    raise
                _LOGGER.info("%s; trying again", exc)
                if isinstance(step, float):
                    waits[exc.error_type] += 1
                    self._sleep(step)
                elif step == _FALLBACK_AGENT:
                    agent = step
                else:
                    proxy = step
                attempt += 1

    def _next(self, error: ServiceError, waits: int, spare: list[str], agent: str) -> float | str | None:
        """Return the seconds to wait, another proxy or the fallback's name; None when nothing is left."""
        for strategy in self._manager.get_strategies(error):
            match strategy:
                case ExponentialBackoffStrategy() | RetryStrategy():
                    wait = strategy.wait_s(waits, error.retry_after_s, self._rng)
                    if wait is not None:
                        return float(wait)
                case SwitchProxyStrategy() if spare:
                    return spare.pop(0)
                case FallbackCrawlerStrategy() if agent != _FALLBACK_AGENT:
                    return _FALLBACK_AGENT
                case AlertStrategy():
                    _LOGGER.warning("%s A person has to look at it.", error)
                case _:
                    continue
        return None

    def _may_fetch(self, url: str) -> bool:
        parts = urlsplit(url)
        root = f"{parts.scheme}://{parts.netloc}"
        if root not in self._robots:
            self._robots[root] = self._read_robots(root)
        rules = self._robots[root]
        return rules is None or rules.can_fetch(AGENT, url)

    def _read_robots(self, root: str) -> RobotFileParser | None:
        """Return a site's rules; none where it has none. A site that fails here fails for its pages too."""
        try:
            answer = self._insist(f"{root}/robots.txt")
        except ServiceError as exc:
            if exc.error_type in (ErrorType.INVALID_REQUEST, ErrorType.REQUEST_REFUSED):
                return None
            if exc.error_type in (ErrorType.CRAWLER_BLOCKED, ErrorType.AUTHENTICATION):
                rules = RobotFileParser()
                rules.disallow_all = True  # type: ignore[attr-defined]
                return rules
            raise
        rules = RobotFileParser()
        rules.parse(answer.text[:500_000].splitlines())
        return rules
