"""The MCP server as the official SDK's client sees it, over both transports."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import av
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, ImageContent, TextContent

from tests.app.conftest import make_sign, need_models
from vidence.app import open_workspace
from vidence.mcp.paging import MAX_TOKENS, page_of, tokens_of

MAIN = "from vidence.cli import main; main()"
PATIENCE_S = 240.0
QUICK = {"VIDENCE_LLM__TASKS__READER": "embedded"}
"""Notes are read by extraction: as fast on a busy machine as on an idle one."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one indexed film that shows BAKERY."""
    need_models()
    folder = tmp_path_factory.mktemp("mcp")
    with open_workspace(home=folder / "home") as workspace:
        workspace.index(make_sign(folder / "bakery.mp4", "BAKERY", seconds=3))
    return folder / "home"


def stdio(home: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-c", MAIN, "--home", str(home), "mcp"], env={**os.environ, **QUICK}
    )


def talk(server: Any, conversation: Callable[[Client], Awaitable[Any]]) -> Any:
    """Connect, hold a conversation and return what it found."""

    async def run() -> Any:
        async with Client(server, read_timeout_seconds=PATIENCE_S) as client:
            return await conversation(client)

    return asyncio.run(run())


def text_of(result: CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, TextContent))


def cancelling(folder: Path) -> Callable[[Client], Awaitable[str]]:
    """Return a conversation that gives up a long call and asks something else."""
    film = make_sign(folder / "long.mp4", "HARBOUR", seconds=300)

    async def conversation(client: Client) -> str:
        begun = asyncio.Event()

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            begun.set()

        call = asyncio.create_task(client.call_tool("add", {"path": str(film)}, progress_callback=heard))
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return text_of(await client.call_tool("search", {"query": "bakery", "videos": ["bakery.mp4"]}))

    return conversation


@pytest.mark.slow
def test_few_tools_answer_over_stdio_with_progress(home: Path, tmp_path: Path) -> None:
    told: list[str] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert len(tools) <= 8
        assert {tool.name for tool in tools} == {
            "add", "ask", "search", "look", "transcript", "story", "topic", "trace",
        }  # fmt: skip
        schema = "".join(str(tool.input_schema) + (tool.description or "") for tool in tools)
        assert tokens_of(schema) < MAX_TOKENS

        answer = text_of(
            await client.call_tool("ask", {"question": "What text is on screen?", "videos": ["bakery.mp4"]})
        )
        assert "BAKERY" in answer
        assert "verified:" in answer
        assert "vid_" in answer

        found = text_of(await client.call_tool("search", {"query": "bakery"}))
        assert "bakery.mp4" in found
        seen = await client.call_tool("look", {"video": "bakery.mp4", "time": 1.0})
        assert "seen:" in text_of(seen)
        assert not [one for one in seen.content if isinstance(one, ImageContent)]
        shown = await client.call_tool("look", {"video": "bakery.mp4", "time": 1.0, "picture": True})
        (picture,) = [one for one in shown.content if isinstance(one, ImageContent)]
        assert picture.mime_type == "image/jpeg"
        with av.open(io.BytesIO(b64decode(picture.data)), "r") as opened:
            assert max(opened.streams.video[0].width, opened.streams.video[0].height) <= 768
        steps = text_of(await client.call_tool("trace", {"trace_id": "last"}))
        assert "What text is on screen?" in steps
        assert text_of(await client.call_tool("trace", {"trace_id": "last", "replay": True})) == "identical"

        film = make_sign(tmp_path / "new.mp4", "STATION", seconds=3)
        added = await client.call_tool("add", {"path": str(film)}, progress_callback=heard)
        assert "new.mp4" in text_of(added)

        wrong = await client.call_tool("ask", {"question": "Who?", "videos": ["nowhere.mp4"]})
        assert wrong.is_error
        assert "nowhere.mp4" in text_of(wrong)

        video_id = answer.split("vid_", 1)[1][:16]
        resource = await client.read_resource(f"vidence://video/vid_{video_id}")
        assert "BAKERY" in str(resource.contents[0])
        prompt = await client.get_prompt("check_claim", {"video": "a.mp4", "claim": "有狗", "language": "zh"})
        assert "有狗" in str(prompt.messages[0].content)

    talk(stdio(home), conversation)
    assert any("shots" in one or "frames" in one or "%" in one for one in told)


@pytest.fixture
def address(home: Path) -> Iterator[str]:
    """The address of a server over HTTP that asks for a token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", MAIN, "--home", str(home), "mcp", "--http", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, **QUICK})
    try:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            assert process.poll() is None
            assert time.monotonic() < deadline
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.mark.slow
def test_the_same_tools_resources_and_prompts_are_there_over_http(address: str) -> None:
    told: list[str] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def conversation(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 8
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["vidence://videos"]
        templates = (await client.list_resource_templates()).resource_templates
        assert {one.uri_template for one in templates} == {
            "vidence://video/{video_id}", "vidence://trace/{trace_id}",
        }  # fmt: skip
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        assert prompts == {"summarise", "find_moment", "check_claim"}
        asked = {"question": "Is there a dog?", "videos": ["bakery.mp4"]}
        answer = text_of(await client.call_tool("ask", asked, progress_callback=heard))
        assert "dog" in answer
        trace = answer.rpartition("trace: ")[2].strip()
        resource = await client.read_resource(f"vidence://trace/{trace}")
        assert "Is there a dog?" in str(resource.contents[0])

    talk(address, conversation)
    assert told, "a run tells its steps while it works"


@pytest.mark.slow
def test_a_call_over_stdio_can_be_cancelled(home: Path, tmp_path: Path) -> None:
    assert "bakery.mp4" in talk(stdio(home), cancelling(tmp_path))


@pytest.mark.slow
def test_a_call_over_http_can_be_cancelled_and_the_next_one_works(address: str, tmp_path: Path) -> None:
    assert "bakery.mp4" in talk(address, cancelling(tmp_path))


def test_a_page_never_exceeds_its_tokens() -> None:
    lines = [f"[00:{n:02d}] {'这是一句很长的话。' * 30} {'and words ' * 40}" for n in range(400)]
    seen = 0
    offset: int | None = 0
    while offset is not None:
        page = page_of(lines, offset)
        assert tokens_of(page) <= MAX_TOKENS
        seen += page.count("[00:")
        note = page.rpartition("offset=")
        offset = int(note[2].split()[0]) if note[1] else None
    assert seen == 400


def test_a_page_says_how_to_get_the_rest() -> None:
    lines = ["word " * 200] * 100
    assert "offset=" in page_of(lines)
    assert "call trace with trace_id=x" in page_of(lines, more="call trace with trace_id=x")


def test_one_endless_line_is_cut() -> None:
    assert tokens_of(page_of(["字" * 100_000])) <= MAX_TOKENS
    assert page_of([]) == "(nothing)"
