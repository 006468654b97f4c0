"""The page in a real browser: ask, click a claim, upload, reload, both languages, keys, accessibility."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from tests.app.conftest import make_sign
from tests.e2e.browser import Visit, browsing, serve_process
from vidence.bench.serve import fill_library

pytestmark = pytest.mark.slow

ROCKET = "What is said about the rocket?"
SLOW = "When does the cat first appear?"
ROUTES = {"library": "/", "watch": "", "search": "/search?q=cat", "runs": "/runs", "ask": "/ask"}
AXE = (files("axe_core_python") / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def address(indexed_home: Path) -> Iterator[str]:
    with serve_process(indexed_home) as (_, found):
        yield found


@pytest.fixture
def visit(address: str) -> Iterator[Visit]:
    with browsing(address) as found:
        yield found
        assert found.outside == []
        assert found.errors == []


def watch(visit: Visit) -> None:
    visit.open()
    visit.page.locator(".card a.poster").first.click()
    visit.page.wait_for_selector(".shot")
    visit.until("document.querySelector('video').readyState >= 2")


def ask(visit: Visit, question: str) -> None:
    visit.page.fill("#question", question)
    visit.page.keyboard.press("Enter")


def test_a_first_visit_ends_in_a_verified_answer_and_a_claim_seeks_the_player(visit: Visit) -> None:
    visit.open()
    visit.page.wait_for_selector(".card")
    visit.shot("library")
    watch(visit)
    ask(visit, ROCKET)
    visit.page.wait_for_selector(".live .entries .thought")
    assert visit.page.locator("[data-testid=answer]").count() == 0
    visit.shot("thinking")
    visit.page.wait_for_selector("[data-testid=answer]")
    assert "rocket" in visit.page.inner_text("[data-testid=answer]")
    assert visit.page.locator(".claim.verified").count() >= 1
    moment = visit.page.locator("[data-testid=moment]").first
    start = float(moment.get_attribute("data-start") or "nan")
    end = float(moment.get_attribute("data-end") or "nan")
    visit.page.locator("[data-testid=claim]").first.click()
    visit.until("!document.querySelector('video').seeking")
    now = visit.page.evaluate("document.querySelector('video').currentTime")
    assert start - 0.5 <= now <= end + 0.5
    assert "rocket" in visit.page.inner_text("[data-testid=marks]")
    visit.shot("answer")


def test_a_reload_in_the_middle_of_a_run_goes_on(visit: Visit) -> None:
    watch(visit)
    visit.page.locator("text=New conversation").click() if visit.page.locator(".turn").count() else None
    ask(visit, SLOW)
    visit.page.wait_for_selector(".live .entries li")
    visit.page.reload()
    visit.page.wait_for_selector(f".question:has-text('{SLOW}')")
    visit.page.wait_for_selector("[data-testid=answer]")
    visit.page.locator("[data-testid=claim]").last.click()
    visit.page.wait_for_selector(".mark")
    assert visit.page.locator(f".question:has-text('{SLOW}')").count() == 1
    visit.shot("boxes")


def test_a_run_can_be_stopped(visit: Visit) -> None:
    watch(visit)
    ask(visit, "How many times does the horse appear?")
    visit.page.locator(".live .stop").last.click()
    visit.page.wait_for_selector(".turn[data-state=cancelled], .turn[data-state=done]")
    assert visit.page.locator(".live").count() == 0


def test_keys_move_the_player_and_the_search_finds_moments(visit: Visit) -> None:
    watch(visit)
    visit.page.evaluate("document.querySelector('.stage').scrollIntoView()")
    time_of = "document.querySelector('video').currentTime"
    visit.page.keyboard.press("l")
    visit.until(f"Math.abs({time_of} - 10) < 0.1")
    visit.page.keyboard.press("ArrowLeft")
    visit.until(f"Math.abs({time_of} - 5) < 0.1")
    visit.page.keyboard.press(".")
    visit.until(f"Math.abs({time_of} - 5.04) < 0.02")
    visit.page.keyboard.press("k")
    visit.until("!document.querySelector('video').paused")
    visit.page.keyboard.press("k")
    visit.until("document.querySelector('video').paused")
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("horse")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector(".hits .moment, .search-video .quiet")
    assert visit.page.locator(".hits .moment").count() >= 1


def test_the_page_speaks_chinese_and_answers_in_it(visit: Visit) -> None:
    visit.open()
    visit.page.locator("text=中文").click()
    visit.page.wait_for_selector("h1:has-text('视频库')")
    assert visit.page.evaluate("document.documentElement.lang") == "zh"
    watch(visit)
    ask(visit, "马是什么颜色的？")
    visit.page.wait_for_selector(".turn:last-of-type [data-testid=answer]")
    assert "黑" in visit.page.locator("[data-testid=answer]").last.inner_text()
    shown = re.sub(r"vidence|[\w.]+\.mp4", "", visit.page.inner_text(".talk-head"))
    assert not re.search(r"[A-Za-z]{4,}", shown)
    visit.shot("chinese")


def test_an_upload_is_indexed_and_answers(tmp_path: Path) -> None:
    film = make_sign(tmp_path / "harbour.mp4", "HARBOUR", seconds=3)
    wrong = tmp_path / "notes.mp4"
    wrong.write_text("this is no video")
    with serve_process(tmp_path / "home") as (_, address), browsing(address) as visit:
        visit.open()
        visit.page.wait_for_selector(".empty")
        visit.page.set_input_files("#files", [str(wrong), str(film)])
        visit.page.wait_for_selector(".sending .bad:has-text('not a video')")
        visit.page.wait_for_selector(".card .state.ready")
        watch(visit)
        ask(visit, "Is there a dog?")
        visit.page.wait_for_selector("[data-testid=answer]")
        assert "dog" in visit.page.inner_text("[data-testid=answer]")
        assert visit.outside == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_page_passes_the_axe_rules(address: str, theme: str) -> None:
    problems = []
    with browsing(address, color_scheme=theme, viewport={"width": 390, "height": 844}) as visit:
        for name, route in ROUTES.items():
            if name == "watch":
                watch(visit)
                visit.page.wait_for_timeout(500)
            else:
                visit.open(route)
                visit.page.wait_for_selector("h1, .card, .talk")
                visit.page.wait_for_timeout(700)
            visit.shot(f"phone-{theme}-{name}")
            # Chromium's own door past the policy of the page: axe is ours, the page never loads it.
            visit.page.evaluate(AXE)
            found = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            problems += [
                f"{name}: {one['id']}: {node['html'][:120]} {node['failureSummary'][:160]}"
                for one in found["violations"]
                for node in one["nodes"][:3]
            ]
            wide = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} is wider than a phone"
    assert problems == []


def test_ten_thousand_videos_scroll_and_are_found(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill_library(home, 10_000)
    with serve_process(home) as (_, address), browsing(address) as visit:
        visit.open()
        visit.page.wait_for_selector("small:has-text('10,000')")
        assert visit.page.locator(".card").count() == 60
        visit.page.locator("button.more").click()
        visit.until("document.querySelectorAll('.card').length === 180")
        visit.page.fill(".library-head input", "lecture 04242")
        visit.page.wait_for_selector("small:has-text('1 video')")
        assert visit.page.inner_text(".card-name") == "lecture 04242.mp4"
        visit.shot("ten-thousand")
