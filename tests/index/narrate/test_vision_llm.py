"""The captioner of a vision model against a real HTTP server on the loopback."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.llm.fault_server import FaultServer, fail, running, whole
from vidence.errors import ErrorType, ServiceError, SettingsError
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import Captioner
from vidence.schema.perception import Rgb


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with running() as server:
        yield server


@pytest.fixture
def square() -> Rgb:
    image = np.zeros((900, 1600, 3), np.uint8)
    image[..., 0] = 250
    return image


def captioner(server: FaultServer, **options: str) -> Captioner:
    found = open_model(
        "captions",
        ModelCache(Path("nowhere")),
        chosen={"captions": "vision-llm"},
        options={"base_url": f"{server.url}/v1", "model": "tiny-vlm", **options},
    )
    assert isinstance(found, Captioner)
    return found


def test_frames_travel_as_small_jpegs_in_true_colours(server: FaultServer, square: Rgb) -> None:
    server.script = [whole(" A red square. ")]
    found = captioner(server)
    assert found.caption([square, square], prompt="What is it?") == "A red square."
    assert found.model_id == "vision-llm:tiny-vlm"
    seen = server.seen[0]
    assert seen.path == "/v1/chat/completions"
    assert seen.body["model"] == "tiny-vlm"
    content = seen.body["messages"][0]["content"]
    assert content[0] == {"type": "text", "text": "What is it?"}
    assert len(content) == 3
    packed = base64.b64decode(content[1]["image_url"]["url"].partition(",")[2])
    image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR_RGB)
    assert image is not None
    assert max(image.shape) == 768
    assert image[0, 0, 0] > 200 > image[0, 0, 2]


def test_a_busy_server_is_asked_again(server: FaultServer, square: Rgb) -> None:
    server.script = [fail(429, Retry_After="0"), whole("A red square.")]
    assert captioner(server).caption([square], prompt="?") == "A red square."


def test_a_refusal_is_told_once(server: FaultServer, square: Rgb) -> None:
    server.script = [fail(401, "bad key")]
    with pytest.raises(ServiceError, match="401: bad key") as caught:
        captioner(server).caption([square], prompt="?")
    assert caught.value.error_type is ErrorType.AUTHENTICATION
    assert len(server.seen) == 1


def test_an_empty_answer_is_an_error_not_a_caption(server: FaultServer, square: Rgb) -> None:
    server.script = [whole(""), whole("  ")]
    with pytest.raises(ServiceError, match="answered nothing"):
        captioner(server).caption([square], prompt="?")


def test_the_key_comes_from_the_environment(
    server: FaultServer, square: Rgb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_VLM_KEY", raising=False)
    with pytest.raises(SettingsError, match="TEST_VLM_KEY"):
        captioner(server, api_key_env="TEST_VLM_KEY")
    monkeypatch.setenv("TEST_VLM_KEY", "k")
    server.script = [whole("A red square.")]
    assert captioner(server, api_key_env="TEST_VLM_KEY").caption([square], prompt="?") == "A red square."
    assert server.seen[0].headers["authorization"] == "Bearer k"


def test_any_engine_that_sees_can_write_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    found = open_model(
        "captions",
        ModelCache(Path("nowhere")),
        chosen={"captions": "vision-llm"},
        options={"engine": "openai:gpt-4o"},
    )
    assert found.model_id == "vision-llm:gpt-4o"


@pytest.mark.parametrize("address", ["ftp://host/v1", "localhost:8000", "x"])
def test_an_address_must_be_http(address: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        open_model(
            "captions",
            ModelCache(Path("nowhere")),
            chosen={"captions": "vision-llm"},
            options={"base_url": address, "model": "m"},
        )
