"""Topics, stories and tools over HTTP."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tests.web.conftest import Served

NOVEL = (
    "Chapter 1\n\nAnne Elliot was the daughter of Sir Walter Elliot. Anne met Captain Wentworth in Bath. "
    "Captain Wentworth loved Anne Elliot.\n\nChapter 2\n\nSir Walter Elliot left Kellynch. "
    "Captain Wentworth married Anne Elliot. Anne Elliot was happy.\n"
)


def test_a_story_is_read_shown_and_asked(own: Served, tmp_path: Path) -> None:
    book = tmp_path / "novel.txt"
    book.write_text(NOVEL, encoding="utf-8")
    added = own.post("/api/stories", {"name": "persuasion", "sources": [str(book)]}).json()
    assert own.finished(added["job_id"])["state"] == "done"
    assert [one["name"] for one in own.get("/api/stories").json()] == ["persuasion"]
    shown = own.get("/api/stories/persuasion").json()
    assert shown["chapters"][0]["document"] == "novel.txt"
    assert any("Anne" in one["name"] for one in shown["people"])
    ids = {one["entity_id"] for one in shown["people"]}
    assert all({one["source"], one["target"]} <= ids for one in shown["relations"])
    asked = own.post("/api/stories/persuasion/ask", {"question": "Whose daughter is Anne Elliot?"}).json()
    ended = own.finished(asked["job_id"])
    assert ended["state"] == "done", ended["error"]
    quotes = [one["quote"]["text"] for claim in ended["result"]["claims"] for one in claim["quotes"]]
    assert all(text in NOVEL for text in quotes)
    first = {"question": "Who is Sir Walter Elliot?", "thread": "th_1"}
    own.finished(own.post("/api/stories/persuasion/ask", first).json()["job_id"])
    again = {"question": "What did he leave?", "thread": "th_1"}
    told = own.finished(own.post("/api/stories/persuasion/ask", again).json()["job_id"])
    assert "Walter" in told["result"]["answer"]["question"], "a follow-up is completed from its thread"
    assert own.ask("DELETE", "/api/stories/persuasion").status == 204
    assert own.get(f"/api/stories/{quote('红楼梦')}").status == 404


def test_a_topic_tells_its_thoughts_and_keeps_its_briefing(own: Served, tmp_path: Path) -> None:
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "a.md").write_text("# Bakery opens\n\nThe bakery of Anna Ling opened in Bath on 3 May 2025.\n")
    (folder / "b.md").write_text(
        "# Bakery wins\n\nThe bakery of Anna Ling won the 2025 bread prize in June 2025.\n"
    )
    command = "Monitor the bakery of Anna Ling"
    job = own.post("/api/topics", {"command": command, "sources": [str(folder)], "max_steps": 2}).json()
    events = own.events(job["job_id"])
    assert events[-1][2]["state"] == "done", events[-1][2]["error"]
    assert any(kind == "thought" for _, kind, _ in events)
    (item,) = own.get("/api/topics").json()
    assert (item["monitor"]["command"], item["runs"]) == (command, 1)
    found = own.get(f"/api/topics/{item['monitor']['monitor_id']}").json()
    assert found["briefings"][0]["briefing"] == events[-1][2]["result"]["briefing"]
    page = own.get(f"/api/topics/{item['monitor']['monitor_id']}/page")
    assert page.status == 200
    assert "script-src" not in page.headers["content-security-policy"]
    assert own.get("/api/topics/mon_none").status == 404


def test_tools_come_with_their_origin(own: Served) -> None:
    tools = own.get("/api/tools").json()
    assert tools
    assert {"built in"} >= {one["origin"] for one in tools}


def test_figures_are_counted(own: Served) -> None:
    own.get("/api/info")
    own.get("/api/nothing")
    text = own.get("/metrics").body.decode()
    assert 'vidence_requests_total{method="GET",status="200"} 1' in text
    assert 'vidence_requests_total{method="GET",status="404"} 1' in text
    assert 'vidence_first_byte_seconds_bucket{le="+Inf"} 2' in text
    assert "vidence_videos 0" in text
