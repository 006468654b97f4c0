"""The page in a real browser: ask, click a claim, upload, reload, replay, both languages, keys."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import pytest
from playwright.sync_api import Route

from tests.app.conftest import make_sign
from tests.e2e.browser import Visit, ask, browsing, serve_process, watch
from tests.processes import frozen, job_processes, wait_until
from vidence.bench.serve import fill_library

pytestmark = pytest.mark.slow

ROCKET = "What is said about the rocket?"
SLOW = "When does the cat first appear?"


@pytest.fixture(scope="module")
def server(indexed_home: Path) -> Iterator[tuple[Popen[str], str]]:
    with serve_process(indexed_home) as found:
        yield found


@pytest.fixture(scope="module")
def address(server: tuple[Popen[str], str]) -> str:
    return server[1]


@contextmanager
def held_up(server: tuple[Popen[str], str], visit: Visit) -> Iterator[None]:
    """Let no job go on while the block runs."""
    jobs = f"{visit.address}/api/jobs?state=queued&state=running"
    # The process starts with the first job, and one that is at work may hold the store.
    visit.page.request.post(f"{visit.address}/api/ask", data={"question": ROCKET})
    wait_until(lambda: visit.page.request.get(jobs).json()["total"] == 0)
    with frozen(job_processes(server[0].pid)):
        yield


def test_a_first_visit_ends_in_a_verified_answer_and_a_claim_seeks_the_player(visit: Visit) -> None:
    visit.open()
    visit.page.wait_for_selector(".card")
    visit.shot("library")
    watch(visit)
    ask(visit, ROCKET)
    visit.page.wait_for_selector(".live .entries .thought, [data-testid=answer]")
    visit.shot("thinking")
    visit.page.wait_for_selector("[data-testid=answer]")
    jobs = visit.page.request.get(f"{visit.address}/api/jobs?kind=ask&limit=1").json()["items"]
    told = visit.page.request.get(f"{visit.address}/api/jobs/{jobs[0]['job_id']}/events").text()
    assert told.index("event: thinking") < told.index("event: answer") < told.index("event: end")
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


def test_a_reload_in_the_middle_of_a_run_goes_on(server: tuple[Popen[str], str], visit: Visit) -> None:
    watch(visit)
    visit.new_conversation()
    with held_up(server, visit):
        ask(visit, SLOW)
        visit.page.wait_for_selector(".live")
        visit.page.reload()
        visit.page.wait_for_selector(f".question:has-text('{SLOW}')")
        visit.page.wait_for_selector(".live")
    visit.page.wait_for_selector("[data-testid=answer]")
    visit.page.locator("[data-testid=claim]").last.click()
    visit.page.wait_for_selector(".mark")
    assert visit.page.locator(f".question:has-text('{SLOW}')").count() == 1
    visit.shot("boxes")


def test_a_run_can_be_stopped(server: tuple[Popen[str], str], visit: Visit) -> None:
    watch(visit)
    visit.new_conversation()
    with held_up(server, visit):
        ask(visit, "How many times does the horse appear?")
        with visit.page.expect_response("**/cancel"):
            visit.page.locator(".live .stop").click()
    visit.page.wait_for_selector(".turn[data-state=cancelled]")
    assert visit.page.locator(".live").count() == 0


def test_a_summary_can_be_stopped_and_made_after_all(server: tuple[Popen[str], str], visit: Visit) -> None:
    watch(visit)
    with held_up(server, visit):
        visit.page.locator("text=中文").click()
        visit.page.locator("#tab-chapters").click()
        with visit.page.expect_response("**/cancel"):
            visit.page.locator(".making .stop").click()
    visit.page.locator(".panel button:has-text('重试')").click()
    visit.page.wait_for_selector(".chapters li")


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
    visit.page.keyboard.press(",")
    visit.until(f"Math.abs({time_of} - 5) < 0.02")
    visit.page.keyboard.press("ArrowRight")
    visit.until(f"Math.abs({time_of} - 10) < 0.1")
    visit.page.keyboard.press("j")
    visit.until(f"{time_of} < 0.1")
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


def test_an_upload_goes_on_where_it_was_cut_off_also_after_a_reload(tmp_path: Path) -> None:
    film = make_sign(tmp_path / "long.mp4", "HARBOUR", seconds=3).read_bytes()
    # A box that players skip makes the file long enough for three pieces.
    size = 9 << 20
    padded = tmp_path / "padded.mp4"
    padded.write_bytes(film + size.to_bytes(4, "big") + b"free" + bytes(size - 8))
    offsets: list[str] = []

    def cut(route: Route) -> None:
        if route.request.method == "PATCH":
            offsets.append(route.request.headers["upload-offset"])
        if route.request.method == "PATCH" and len(offsets) in (2, 3):
            route.abort()
        else:
            route.continue_()

    with serve_process(tmp_path / "home") as (_, address), browsing(address) as visit:
        visit.page.route("**/api/uploads/*", cut)
        visit.open()
        visit.page.set_input_files("#files", str(padded))
        while len(offsets) < 2:
            visit.page.wait_for_timeout(50)
        visit.page.reload()
        visit.page.wait_for_selector(".empty")
        visit.page.set_input_files("#files", str(padded))
        visit.page.wait_for_selector(".card-name:has-text('padded.mp4')")
    piece = 4 << 20
    assert offsets[:2] == ["0", str(piece)]
    assert set(offsets[2:]) == {str(piece), str(2 * piece)}, "nothing is sent twice that had arrived"


def test_files_dropped_on_the_page_are_taken(tmp_path: Path) -> None:
    film = make_sign(tmp_path / "dropped.mp4", "DROP", seconds=2)
    with serve_process(tmp_path / "home") as (_, address), browsing(address) as visit:
        visit.open()
        visit.page.wait_for_selector(".empty")
        transfer = visit.page.evaluate_handle(
            """text => { const all = new DataTransfer();
            const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
            all.items.add(new File([bytes], "dropped.mp4", {type: "video/mp4"})); return all; }""",
            b64encode(film.read_bytes()).decode(),
        )
        visit.page.dispatch_event(".add", "drop", {"dataTransfer": transfer})
        visit.page.wait_for_selector(".card-name:has-text('dropped.mp4')")
        assert visit.errors == []


def test_a_follow_up_keeps_the_context_and_a_run_can_be_watched_again(visit: Visit) -> None:
    watch(visit)
    visit.new_conversation()
    ask(visit, "When does the cat first appear?")
    visit.page.wait_for_selector("[data-testid=answer]")
    ask(visit, "What colour is it?")
    visit.page.wait_for_selector(".turn:nth-of-type(2) [data-testid=answer]")
    assert "cat" in visit.page.inner_text(".turn:nth-of-type(2) .understood")
    visit.page.locator("text=Watch the run").last.click()
    visit.page.wait_for_selector(".run .entries li")
    visit.page.wait_for_selector(".run [data-testid=answer]")
    visit.page.locator(".run button:has-text('Replay')").click()
    visit.page.wait_for_selector(".run .after:has-text('identical to the byte')")
    visit.shot("run")


def test_the_transcript_follows_and_names_are_kept_and_a_clip_is_saved(visit: Visit, tmp_path: Path) -> None:
    watch(visit)
    visit.page.locator(".transcript .said:has-text('rocket')").click()
    visit.page.wait_for_selector(".transcript li.now:has-text('rocket')")
    with visit.page.expect_download() as saved:
        visit.page.locator(".transcript a:has-text('SRT')").click()
    assert "rocket" in Path(saved.value.path()).read_text("utf-8")
    visit.new_conversation()
    ask(visit, ROCKET)
    visit.page.wait_for_selector("[data-testid=answer]")
    with visit.page.expect_download() as saved:
        visit.page.locator(".moment-row a[download]").first.click()
    assert Path(saved.value.path()).read_bytes()[4:8] == b"ftyp"


def test_chapters_say_what_happens_and_lead_there(visit: Visit) -> None:
    watch(visit)
    visit.page.locator("#tab-chapters").click()
    visit.page.wait_for_selector(".chapters li")
    assert visit.page.locator(".chapters li").count() >= 2
    assert len(visit.page.inner_text(".summary .about")) > 40
    sentence = visit.page.locator(".chapters li").last.locator(".sentence, .at").first
    sentence.click()
    visit.until("document.querySelector('video').currentTime > 20")
    visit.page.wait_for_selector(".chapters li.now")
    visit.shot("chapters")


def test_the_timeline_zooms_and_has_a_lane_for_each_identity(visit: Visit) -> None:
    watch(visit)
    names = visit.page.locator(".lane-names span").all_inner_texts()
    assert {"Shots", "Scenes", "Speech", "Text", "Sounds", "person 1", "cat 1"} <= set(names)
    before = visit.page.evaluate("document.querySelector('.lanes-inner').clientWidth")
    visit.page.locator("[aria-label='Zoom in']").click()
    visit.until(f"document.querySelector('.lanes-inner').clientWidth > {before} * 1.5")
    visit.page.locator("[aria-label='Fit']").click()
    visit.until(f"document.querySelector('.lanes-inner').clientWidth === {before}")


def test_ten_thousand_videos_scroll_and_are_found(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill_library(home, 10_000)
    with serve_process(home) as (_, address), browsing(address) as visit:
        visit.open()
        visit.page.wait_for_selector("small:has-text('10,000')")
        for _ in range(12):
            cards = visit.page.locator(".card").count()
            visit.page.evaluate("scrollTo(0, document.body.scrollHeight)")
            visit.until(f"document.querySelectorAll('.card').length > {cards}")
        assert visit.page.locator(".card").count() >= 1000
        visit.page.fill(".library-head input", "lecture 04242")
        visit.page.wait_for_selector("small:has-text('1 video')")
        assert visit.page.inner_text(".card-name") == "lecture 04242.mp4"
        visit.shot("ten-thousand")
