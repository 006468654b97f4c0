"""Fetching from real servers, within limits."""

from __future__ import annotations

import gzip
import itertools
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.intel.site import Answer, loopback_fetcher, serve
from vidence.errors import ErrorType, ServiceError
from vidence.intel.web.fetch import HttpFetcher


def failure(url: str, fetcher: HttpFetcher) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        fetcher.fetch(url)
    return caught.value


def test_a_page_is_read_through_redirects() -> None:
    routes = {"/old": Answer(status=302, headers={"Location": "/new"}), "/new": Answer("<p>深度求索</p>")}
    with serve(routes) as site:
        answer = loopback_fetcher().fetch(f"{site.address}/old")
    assert (answer.text, answer.url) == ("<p>深度求索</p>", f"{site.address}/new")


@pytest.mark.parametrize("target", ["http://169.254.169.254/", "http://10.1.2.3/", "file:///etc/passwd"])
def test_a_redirect_into_a_private_network_is_refused(target: str) -> None:
    with serve({"/": Answer(status=302, headers={"Location": target})}) as site:
        assert failure(f"{site.address}/", loopback_fetcher()).error_type == ErrorType.INVALID_REQUEST


def test_the_default_fetcher_refuses_loopback() -> None:
    with serve({"/": Answer("secret")}) as site:
        assert "private" in str(failure(f"{site.address}/", HttpFetcher()))
        assert not site.asked


def test_endless_redirects_end() -> None:
    with serve({"/": Answer(status=302, headers={"Location": "/"})}) as site:
        assert "redirects" in str(failure(f"{site.address}/", loopback_fetcher()))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, ErrorType.API_RATE_LIMIT),
        (403, ErrorType.CRAWLER_BLOCKED),
        (404, ErrorType.INVALID_REQUEST),
        (401, ErrorType.AUTHENTICATION),
        (503, ErrorType.SERVER_ERROR),
    ],
)
def test_a_status_becomes_its_type_of_error(status: int, kind: ErrorType) -> None:
    with serve({"/": Answer("no", status, {"Retry-After": "7"})}) as site:
        error = failure(f"{site.address}/", loopback_fetcher())
    assert (error.error_type, error.retry_after_s) == (kind, 7.0)


def test_a_captcha_is_noticed_and_an_article_about_captchas_is_not_one() -> None:
    article = "<p>" + "The word captcha stands in this long article about the web. " * 30 + "</p>"
    with serve({"/a": Answer("<h1>Please solve this CAPTCHA</h1>"), "/b": Answer(article)}) as site:
        assert failure(f"{site.address}/a", loopback_fetcher()).error_type == ErrorType.CRAWLER_CAPTCHA
        assert "captcha" in loopback_fetcher().fetch(f"{site.address}/b").text


def test_a_page_without_end_is_cut_off() -> None:
    with serve({"/": Answer(chunks=itertools.repeat(b"x" * 4096))}) as site:
        error = failure(f"{site.address}/", loopback_fetcher(max_bytes=50_000))
    assert "larger than" in str(error)


def test_a_page_that_trickles_is_given_up() -> None:
    def slowly() -> Iterator[bytes]:
        for _ in range(1000):
            time.sleep(0.05)
            yield b"x"

    with serve({"/": lambda _: Answer(chunks=slowly())}) as site:
        error = failure(f"{site.address}/", loopback_fetcher(timeout_s=0.3))
    assert error.error_type == ErrorType.API_TIMEOUT


def test_a_packed_answer_is_bounded_too() -> None:
    bomb = gzip.compress(b"0" * 1_000_000)
    with serve({"/": Answer(bomb, headers={"Content-Encoding": "gzip"})}) as site:
        assert "unpacks" in str(failure(f"{site.address}/", loopback_fetcher(max_bytes=100_000)))
        assert len(loopback_fetcher().fetch(f"{site.address}/").body) == 1_000_000


def test_garbage_instead_of_http_is_a_network_error() -> None:
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = server.accept()
        connection.recv(1000)
        connection.sendall(b"\x00\xff garbage \r\n\r\n")
        connection.close()

    thread = threading.Thread(target=answer)
    thread.start()
    error = failure(f"http://127.0.0.1:{server.getsockname()[1]}/", loopback_fetcher())
    thread.join()
    server.close()
    assert error.error_type == ErrorType.NETWORK_ERROR
