"""The monitor's tools: one definition each, with schemas, validation and provenance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vidence.app.topics import run_tool
from vidence.app.workspace import Workspace, open_workspace
from vidence.errors import OpRetry, UnknownName
from vidence.ops.catalogue import TOPIC_TOOLS, get_operation, topic_tools
from vidence.ops.llm_schema import gemini_schema, openai_schema
from vidence.settings import load_settings

PAGES = {
    "a.md": "# DeepSeek R1\n\nDeepSeek released its R1 model on 20 January 2025 under the MIT licence.\n"
    "Analysts said that DeepSeek is cheaper than its rival OpenAI in most tests.",
    "b.md": "# 深度求索\n\n深度求索在一月发布了新一代推理模型，价格大幅下降。",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(
        load_settings(home=tmp_path / "home", llm={"tasks": {"reader": "embedded"}})
    ) as opened:
        yield opened


@pytest.fixture
def news(tmp_path: Path) -> str:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path)


def test_the_six_tools_have_schemas_for_language_models() -> None:
    names = [
        "platform_search",
        "memory_search",
        "analyze_sentiment",
        "competitor_lookup",
        "timeline_query",
        "web_scrape",
    ]
    assert list(TOPIC_TOOLS) == names
    for tool in topic_tools():
        function: Any = openai_schema(tool)["function"]
        assert "video_id" not in function["parameters"]["properties"]
        assert gemini_schema(tool)["name"] == tool.name
    required: Any = openai_schema(get_operation("platform_search"))["function"]["parameters"]["required"]
    assert required == ["query"]


@pytest.mark.parametrize(("query", "name"), [("R1 release", "a.md"), ("推理模型", "b.md")])
def test_a_search_finds_pages_in_both_languages(
    query: str, name: str, workspace: Workspace, news: str
) -> None:
    result: Any = run_tool(workspace, "platform_search", {"query": query}, sources=[news])
    assert result.results[0].url.endswith(name)
    assert result.searched == [news]
    assert result.failed == []


def test_a_source_that_fails_is_named_and_the_others_are_searched(workspace: Workspace, news: str) -> None:
    sources = [news, f"{news}/not-there"]
    result: Any = run_tool(workspace, "platform_search", {"query": "R1"}, sources=sources)
    assert result.results
    assert [one.source for one in result.failed] == [f"{news}/not-there"]


def test_only_pages_of_the_sources_and_public_addresses_are_scraped(workspace: Workspace, news: str) -> None:
    url = run_tool(workspace, "platform_search", {"query": "R1"}, sources=[news]).results[0].url  # type: ignore[attr-defined]
    page: Any = run_tool(workspace, "web_scrape", {"url": url}, sources=[news])
    assert "MIT licence" in page.text
    with pytest.raises(OpRetry, match="not among the sources"):
        run_tool(workspace, "web_scrape", {"url": "file:///etc/passwd"}, sources=[news])


def test_what_a_monitor_reported_is_recalled_dated_and_compared(workspace: Workspace, news: str) -> None:
    workspace.monitor("Monitor DeepSeek", sources=[news])
    found: Any = run_tool(workspace, "memory_search", {"query": "R1 licence", "subject": "deepseek"})
    assert any("MIT licence" in one.text for one in found.statements)
    assert found.statements[0].source.startswith("file://")
    timeline: Any = run_tool(workspace, "timeline_query", {"subject": "DeepSeek", "days": 36500})
    assert timeline.entries
    rivals: Any = run_tool(workspace, "competitor_lookup", {"name": "DeepSeek"}, sources=[news])
    assert rivals.rivals[0].name == "OpenAI"
    assert "cheaper than its rival" in rivals.rivals[0].quotes[0].text


def test_sentiment_and_opinions(workspace: Workspace) -> None:
    texts = ["房间很干净，服务非常好。", "太差了，又脏又吵，再也不来。"]
    result: Any = run_tool(workspace, "analyze_sentiment", {"texts": texts, "extract_opinions": True})
    assert [one.sentiment for one in result.results] == ["positive", "negative"]
    assert result.counts["positive"] == 1
    assert {one.sentiment for one in result.opinions} == {"positive", "negative"}


def test_mistakes_are_explained(workspace: Workspace) -> None:
    with pytest.raises(OpRetry, match="query is required"):
        run_tool(workspace, "memory_search", {})
    with pytest.raises(OpRetry, match="No source"):
        run_tool(workspace, "platform_search", {"query": "x"})
    with pytest.raises(UnknownName, match="platform_search"):
        run_tool(workspace, "platform_serch", {})
