"""The vision-LLM captioner against a real HTTP server on the loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import cv2
import numpy as np
import pytest

from vidence.errors import BackendError, SettingsError
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.vision_llm import VisionLlmCaptioner
from vidence.schema.perception import Rgb

REPLY = {"choices": [{"message": {"content": " A red square. "}}]}


class Server(ThreadingHTTPServer):
    """Answers from a script of (status, body) and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[tuple[int, object]] = []
        self.seen: list[tuple[str, dict[str, str], dict[str, object]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, reply = self.server.script.pop(0) if self.server.script else (200, REPLY)
        raw = json.dumps(reply).encode()
        self.send_response(status)
        if status in (301, 302):
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def square() -> Rgb:
    image = np.zeros((900, 1600, 3), np.uint8)
    image[..., 0] = 250
    return image


def test_frames_travel_as_small_jpegs_in_true_colours(server: Server, square: Rgb) -> None:
    captioner = VisionLlmCaptioner(server.url, "tiny-vlm", api_key="secret")
    assert captioner.caption([square, square], prompt="What is it?") == "A red square."
    path, headers, body = server.seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "tiny-vlm"
    content = body["messages"][0]["content"]  # type: ignore[index]
    assert content[0] == {"type": "text", "text": "What is it?"}
    assert len(content) == 3
    packed = base64.b64decode(content[1]["image_url"]["url"].partition(",")[2])
    image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR_RGB)
    assert image is not None
    assert max(image.shape) == 768
    assert image[0, 0, 0] > 200 > image[0, 0, 2]


def test_a_busy_server_is_asked_again(server: Server, square: Rgb) -> None:
    server.script = [(503, {}), (200, REPLY)]
    assert VisionLlmCaptioner(server.url, "m").caption([square], prompt="?") == "A red square."


def test_a_refusal_is_told_once(server: Server, square: Rgb) -> None:
    server.script = [(401, {"error": {"message": "bad key"}})]
    with pytest.raises(BackendError, match="answered 401: bad key"):
        VisionLlmCaptioner(server.url, "m").caption([square], prompt="?")
    assert len(server.seen) == 1


def test_the_key_never_follows_a_redirect(server: Server, square: Rgb) -> None:
    server.script = [(302, {})]
    with pytest.raises(BackendError, match="answered 302"):
        VisionLlmCaptioner(server.url, "m", api_key="secret").caption([square], prompt="?")


@pytest.mark.parametrize("reply", [{}, {"choices": []}, {"choices": [{"message": {"content": None}}]}, []])
def test_an_odd_answer_is_an_error_not_a_caption(server: Server, square: Rgb, reply: object) -> None:
    server.script = [(200, reply)]
    with pytest.raises(BackendError, match="answered"):
        VisionLlmCaptioner(server.url, "m").caption([square], prompt="?")


def test_nobody_there_is_named(square: Rgb) -> None:
    with pytest.raises(BackendError, match=r"127\.0\.0\.1 cannot be reached"):
        VisionLlmCaptioner("http://127.0.0.1:9/v1", "m", timeout_s=1).caption([square], prompt="?")


def test_the_key_comes_from_the_environment(
    server: Server, square: Rgb, model_cache: ModelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"base_url": server.url, "model": "m", "api_key_env": "TEST_VLM_KEY"}
    chosen = {"captions": "vision-llm"}
    monkeypatch.delenv("TEST_VLM_KEY", raising=False)
    with pytest.raises(SettingsError, match="TEST_VLM_KEY"):
        open_model("captions", model_cache, chosen=chosen, options=options)
    monkeypatch.setenv("TEST_VLM_KEY", "k")
    captioner = open_model("captions", model_cache, chosen=chosen, options=options)
    assert captioner.caption([square], prompt="?") == "A red square."
    assert server.seen[0][1]["Authorization"] == "Bearer k"


@pytest.mark.parametrize("address", ["ftp://host/v1", "localhost:8000", ""])
def test_an_address_must_be_http(address: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        VisionLlmCaptioner(address, "m")
