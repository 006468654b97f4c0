"""A story whose reading is killed again and again, and stories that no author would write."""

from __future__ import annotations

import random
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.hostile.conftest import make_vidence
from tests.hostile.test_kills import kill
from tests.knowledge.stories import MILL
from tests.processes import wait_until
from vidence.app import open_workspace
from vidence.app.story import Story

KILLS = 8
CHAPTERS = 40
PEOPLE = ("Anne Grey", "Robert Grey", "Lucy Hale", "Peter Stone", "Thomas Wood", "Martha Wood")


def chapter(number: int) -> str:
    """Return a chapter of our own, the same each time: who met whom, and what was said."""
    rng = random.Random(number)
    lines = [f"Chapter {number}\n"]
    for _ in range(60):
        one, other = rng.sample(PEOPLE, 2)
        lines.append(f'{one} met {other} at the mill. "We shall see," said {one}. {other} went home alone.')
    return "\n".join(lines)


def book(chapters: int) -> str:
    return "\n\n".join(chapter(number) for number in range(1, chapters + 1))


def artifacts(home: Path) -> dict[tuple[str, str], int]:
    """Return what was computed so far by kind and chapter, with the row that holds it."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'vidence.db'}?mode=ro", uri=True)) as reader:
            rows = reader.execute("SELECT kind, key, rowid FROM story_artifacts").fetchall()
    except sqlite3.OperationalError:
        return {}
    return {(kind, key): number for kind, key, number in rows}


def knowledge(home: Path) -> list[object]:
    """Return everything that is known of the story, vectors too."""
    with open_workspace(home=home) as workspace:
        store, story = workspace.store, Story("book", workspace=workspace)
        people = story.people()
        vectors = [store.stories.load("book", "vectors", head.sha256) for head in story.chapters()]
        relations = store.graph.relations("book", [one.entity_id for one in people])
        return [people, relations, store.graph.events("book"), vectors]


def test_a_reading_killed_again_and_again_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "book.txt").write_text(book(CHAPTERS))
    unbroken, killed = make_vidence(tmp_path / "whole"), make_vidence(tmp_path / "killed")
    assert unbroken("story", "add", tmp_path / "whole" / "book.txt", "--story", "book").code == 0
    total, kills = len(artifacts(unbroken.home)), 0
    rng = random.Random(16)
    for number in range(KILLS):
        before = artifacts(killed.home)
        process = killed.start("story", "add", tmp_path / "killed" / "book.txt", "--story", "book")
        least = total * number // (KILLS + 1)
        wait_until(lambda: process.poll() is not None or len(artifacts(killed.home)) > least)  # noqa: B023
        kills += kill(process, rng.uniform(0.0, 0.2))
        after = artifacts(killed.home)
        # What was kept is not computed again: its rows are the very same.
        assert {one: after.get(one) for one in before} == before
    assert kills > KILLS // 2
    assert killed("story", "add", tmp_path / "killed" / "book.txt", "--story", "book").code == 0
    assert knowledge(killed.home) == knowledge(unbroken.home)


def test_a_new_chapter_costs_itself_alone(tmp_path: Path) -> None:
    text = tmp_path / "book.txt"
    text.write_text(book(6))
    vidence = make_vidence(tmp_path)
    assert vidence("story", "add", text, "--story", "book").code == 0
    before = artifacts(vidence.home)
    text.write_text(book(7))
    assert "1 new or changed" in vidence("story", "add", text, "--story", "book").out
    after = artifacts(vidence.home)
    assert {one: after[one] for one in before} == before
    assert {kind for kind, _ in set(after) - set(before)} == {"names", "analysis", "vectors"}
    assert len(after) - len(before) == 3


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("empty.txt", b""),
        ("blank.md", b" \n\t\n"),
        ("zeros.txt", b"\0" * 4096),
        ("noise.txt", bytes(random.Random(1).randbytes(4096))),
        ("broken.epub", b"PK\x03\x04 not a zip"),
        ("none.srt", b"1\n00:00:01,000 --> 00:00:02,000\n\n"),
    ],
)
def test_a_bad_file_gets_a_clear_word_and_loses_nothing(tmp_path: Path, name: str, body: bytes) -> None:
    vidence = make_vidence(tmp_path)
    good, bad = tmp_path / "mill.txt", tmp_path / name
    good.write_text(MILL)
    bad.write_bytes(body)
    assert vidence("story", "add", good, "--story", "mill").code == 0
    refused = vidence("story", "add", bad, "--story", "mill")
    assert refused.code == 1
    assert refused.is_clean
    assert name in refused.err
    # Beside good files a bad one is named and the others are read.
    mixed = vidence("story", "add", bad, good, "--story", "mill")
    assert mixed.code == 0
    assert name in mixed.err
    assert "3 chapters" in mixed.out


def test_texts_in_several_encodings_are_one_story(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    told = (
        "第{}回　江上\n\n    李小川笑道：“我要读书。”李长水道：“好。”李小川和李长水同去江边，李长水病故。\n"
        * 3
    )
    for number, encoding in enumerate(("utf-8", "gb18030", "utf-16", "big5"), start=1):
        text = told.format(*(["一", "二", "三", "四"][number - 1],) * 3)
        if encoding == "big5":
            text = text.replace("读书", "讀書").replace("长", "長").replace("边", "邊").replace("鱼", "魚")
        (folder / f"{number}.txt").write_bytes(text.encode(encoding, errors="ignore"))
    vidence = make_vidence(tmp_path)
    assert vidence("story", "add", folder, "--story", "book").code == 0
    found = vidence("story", "tool", "book", "lookup_knowledge", "entity=李小川")
    assert found.code == 0
    assert "�" not in vidence("story", "show", "book", "--json").out


def test_a_text_beyond_all_measure_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused = make_vidence(tmp_path)("story", "add", huge, "--story", "huge")
    assert refused.code == 1
    assert "1024 MiB" in refused.err
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10


def test_words_of_a_story_that_read_like_an_instruction_stay_words(tmp_path: Path) -> None:
    vidence = make_vidence(tmp_path)
    text = tmp_path / "mill.txt"
    text.write_text(MILL)
    assert vidence("story", "add", text, "--story", "mill").code == 0
    said = vidence("story", "ask", "mill", "Who is Peter Stone?")
    assert said.code == 0
    assert "evidence" in said.out
    assert "Lucy Hale had a friend, Mr. Peter Stone" in said.out
