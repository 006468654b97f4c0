"""The pages of stories, topics, tools and runs in a real browser, and the axe rules on every page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.browser import Visit, ask, browsing, serve_process, watch
from vidence.app import open_workspace
from vidence.app.story import Story
from vidence.tools.library import Admission
from vidence.tools.steps import parse_tool

pytestmark = pytest.mark.slow

AXE = (files("axe_core_python") / "axe.min.js").read_text("utf-8")
STILL = (
    "document.getAnimations().every(one => one.playState !== 'running' || "
    "one.effect.getTiming().iterations === Infinity)"
)
SAMPLES = REPOSITORY / "samples"
TOPIC = "Monitor the tide mill at Ferry Rock"
TOOL = """{"tool_name": "find_and_look", "description": "Find a thing and look at it.",
"inputs": {"thing": {"type": "string", "description": "What to find."}}, "outputs": {"seen": "dict"},
"steps": [{"api": "temporal_search", "params": {"query": "{{thing}}", "top_k": 3}, "save_as": "found"},
{"api": "describe_visual", "save_as": "seen",
"params": {"start_time": "{{found[0].start_time}}", "end_time": "{{found[0].end_time}}"}}]}"""
MEASURED = Admission(
    questions=12, videos=4, calls=(96, 61), tokens=(0, 0), seconds=(40.5, 31.0), right=(9, 9), p_value=1.0,
    kept=True, reason="fewer calls, no answer lost",
)  # fmt: skip


@pytest.fixture(scope="module")
def address(indexed_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over the sample video, a story, a topic, and a tool that was admitted."""
    home = tmp_path_factory.mktemp("pages") / "home"
    shutil.copytree(indexed_home, home)
    with open_workspace(home=home) as workspace:
        story = Story("Ferry Rock", workspace=workspace)
        story.add(SAMPLES / "story" / "ferry_rock.txt")
        story.ask("Who is Mary Thorne?")
        workspace.monitor(TOPIC, sources=[str(SAMPLES / "topic")])
        learned = ("Where is the cup?",)
        workspace.tools.add(parse_tool(TOOL), "induced", learned_from=learned, admission=MEASURED)
    with serve_process(home) as (_, found):
        yield found


def test_a_story_is_a_graph_up_to_a_chapter_and_answers_with_quotations(visit: Visit) -> None:
    visit.open("/stories")
    visit.page.locator(".run-list a:has-text('Ferry Rock')").click()
    visit.page.wait_for_selector(".graph .node")
    everyone = visit.page.locator(".node").count()
    visit.page.locator(".slider input").fill("1")
    visit.until(f"document.querySelectorAll('.node').length < {everyone}")
    assert visit.page.locator(".node[aria-label*='Silas']").count() == 0
    visit.page.locator(".slider input").fill("5")
    visit.page.locator(".node[aria-label*='Silas']").click()
    visit.page.wait_for_selector(".person-card blockquote")
    ask(visit, "Who is the father of Daniel?")
    visit.page.wait_for_selector("[data-testid=answer]")
    assert "Silas Grimm" in visit.page.inner_text("[data-testid=answer]")
    assert "Chapter 3" in visit.page.inner_text(".claims")
    visit.shot("story")


def test_a_monitor_thinks_aloud_and_writes_a_briefing(visit: Visit) -> None:
    visit.open("/topics")
    visit.page.fill(".topic-form input", "Monitor the wheel of the tide mill")
    visit.page.fill(".topic-form textarea", str(SAMPLES / "topic"))
    visit.page.locator(".topic-form button").click()
    visit.page.wait_for_selector(".entries .thought")
    visit.page.wait_for_selector(".briefing .statements li")
    assert visit.page.locator(".days li").count() >= 2
    assert "wheel" in visit.page.inner_text(".statements")
    visit.page.reload()
    visit.page.wait_for_selector(".briefing .statements li")
    visit.shot("topic")


def test_a_tool_shows_its_steps_and_what_its_admission_test_measured(visit: Visit) -> None:
    visit.open("/tools")
    card = visit.page.locator(".tool:has-text('find and look')")
    card.wait_for()
    assert card.locator(".flow li").all_inner_texts() == ["search", "picture"]
    assert card.locator(".figure-bar b").all_inner_texts()[:2] == ["96", "61"]
    assert "no answer lost" in card.inner_text()
    visit.shot("tools")


def test_every_page_passes_the_axe_rules_on_a_phone_and_a_desk(address: str) -> None:
    problems: list[str] = []
    for theme in ("dark", "light"):
        with browsing(address, color_scheme=theme, viewport={"width": 390, "height": 844}) as visit:
            problems += [f"phone, {theme}, {one}" for one in _tour(visit, f"phone-{theme}")]
        with browsing(address, color_scheme=theme, locale="zh-CN") as visit:
            problems += [f"desk, {theme}, {one}" for one in _tour(visit, f"desk-{theme}")]
    assert problems == []


def _tour(visit: Visit, name: str) -> list[str]:
    """Visit every page, keep a picture of each, and return what the rules found."""
    routes = {
        "library": ("/", ".card"),
        "search": ("/search?q=cat", ".cards"),
        "ask": ("/ask", ".talk"),
        "stories": ("/stories", ".run-list"),
        "story": ("/stories/Ferry%20Rock", ".node"),
        "topics": ("/topics", ".run-list"),
        "tools": ("/tools", ".tool"),
        "runs": ("/runs", ".run-list"),
    }
    found = []
    for page, (route, there) in routes.items():
        visit.open(route)
        visit.page.wait_for_selector(there)
        found += _checked(visit, f"{name}-{page}")
    visit.open("/topics")
    visit.page.locator(".run-list a").first.click()
    visit.page.wait_for_selector(".briefing")
    found += _checked(visit, f"{name}-topic")
    visit.open("/runs")
    visit.page.locator(".run-list a").first.click()
    visit.page.wait_for_selector(".scrub")
    found += _checked(visit, f"{name}-run")
    watch(visit)
    tabs = {"transcript": ".transcript li", "chapters": ".chapters li", "report": ".report-shot"}
    for tab, there in tabs.items():
        visit.page.locator(f"#tab-{tab}").click()
        visit.page.wait_for_selector(there)
        found += _checked(visit, f"{name}-{tab}")
    return found


def _checked(visit: Visit, name: str) -> list[str]:
    # Colours on their way from one theme to another are judged when they have arrived.
    visit.until(STILL)
    visit.shot(name)
    # Chromium's own door past the policy of the page: axe is ours, the page never loads it.
    visit.page.evaluate(AXE)
    found = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    wide = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    problems = [
        f"{name}: {one['id']}: {node['html'][:120]} {node['failureSummary'][:160]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]
    return [*problems, *([f"{name} is wider than its screen by {wide}"] if wide > 0 else [])]
