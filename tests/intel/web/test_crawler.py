"""The crawler obeys robots.txt and heals itself."""

from __future__ import annotations

import pytest

from tests.intel.site import Answer, Route, article, loopback_fetcher, serve
from vidence.errors import ErrorType, ServiceError
from vidence.intel.web.crawler import Crawler
from vidence.intel.web.fetch import AGENT


def crawler(waits: list[float], **options: object) -> Crawler:
    return Crawler(loopback_fetcher(timeout_s=5), sleep=waits.append, **options)  # type: ignore[arg-type]


def then(*answers: Answer) -> Route:
    """Return the answers one after the other, the last for ever."""
    return lambda number: answers[min(number, len(answers) - 1)]


PAGE = article("R1", "DeepSeek released its R1 model on 20 January 2025 under the MIT licence.")


def test_robots_txt_is_obeyed() -> None:
    robots = Answer("User-agent: *\nDisallow: /private/", kind="text/plain")
    with serve({"/robots.txt": robots, "/private/a": PAGE, "/a": PAGE}) as site:
        waits: list[float] = []
        one = crawler(waits)
        with pytest.raises(ServiceError, match=r"robots\.txt"):
            one.read(f"{site.address}/private/a")
        assert "MIT licence" in one.read(f"{site.address}/a").text
        assert site.asked["/private/a"] == 0
        assert site.asked["/robots.txt"] == 1


def test_a_rate_limit_waits_as_long_as_the_server_asks() -> None:
    busy = Answer("slow down", 429, {"Retry-After": "9"})
    with serve({"/robots.txt": Answer(status=404), "/": then(busy, busy, PAGE)}) as site:
        waits: list[float] = []
        assert crawler(waits).read(f"{site.address}/").title == "R1"
    assert len(waits) == 2
    assert all(wait >= 9 for wait in waits)


def test_a_blocked_page_is_tried_once_more_in_another_way() -> None:
    with serve({"/robots.txt": Answer(status=404), "/": then(Answer("no", 403), PAGE)}) as site:
        assert crawler([]).read(f"{site.address}/").title == "R1"
        assert site.agents[-2:] == [AGENT, f"Mozilla/5.0 (compatible; {AGENT})"]


def test_a_page_that_stays_blocked_is_given_up() -> None:
    with serve({"/robots.txt": Answer(status=404), "/": Answer("no", 403)}) as site:
        with pytest.raises(ServiceError) as caught:
            crawler([]).read(f"{site.address}/")
        assert caught.value.error_type == ErrorType.CRAWLER_BLOCKED
        assert caught.value.attempts == site.asked["/"] == 2


def test_a_captcha_alerts_and_is_not_solved(caplog: pytest.LogCaptureFixture) -> None:
    with serve({"/robots.txt": Answer(status=404), "/": Answer("<h1>captcha</h1>")}) as site:
        with pytest.raises(ServiceError):
            crawler([]).read(f"{site.address}/")
        assert site.asked["/"] == 1
    assert "A person has to look at it" in caplog.text


def test_a_proxy_is_used_only_where_one_is_configured() -> None:
    with serve({"/robots.txt": Answer(status=404), "/": Answer("no", 403)}) as site, serve({}) as proxy:
        with pytest.raises(ServiceError):
            crawler([], proxies=[proxy.address]).read(f"{site.address}/")
        # The second server is no proxy: that it was asked is what counts.
        assert site.asked["/"] == 1
        assert proxy.asked[f"CONNECT {site.address.removeprefix('http://')}"] >= 1


def test_a_site_that_is_down_is_tried_within_its_patience() -> None:
    waits: list[float] = []
    routes: dict[str, Route] = {"/": Answer("broken", 500), "/robots.txt": Answer(status=404)}
    with serve(routes) as site, pytest.raises(ServiceError) as caught:
        crawler(waits).get(f"{site.address}/")
    assert caught.value.attempts == 4
    assert waits == sorted(waits)


def test_nothing_is_fetched_or_waited_for_when_the_time_of_a_run_is_up() -> None:
    now = [0.0]
    waits: list[float] = []
    limited = Answer("slow down", 429, headers={"Retry-After": "30"})
    with serve({"/": limited, "/robots.txt": Answer(status=404)}) as site:
        one = crawler(waits, clock=lambda: now[0])
        one.stop_in(10)
        with pytest.raises(ServiceError):
            one.get(f"{site.address}/")
        assert waits == []
        asked = site.asked["/"]
        now[0] = 11.0
        with pytest.raises(ServiceError, match="the time of the run is up"):
            one.get(f"{site.address}/")
        assert site.asked["/"] == asked
