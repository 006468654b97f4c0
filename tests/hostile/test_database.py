"""A damaged database: one clear line, and a repair that saves what can be read."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.hostile.conftest import Vidence, make_vidence

FACTS = [f"Fact number {number} about the harbour." for number in range(60)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, film: Path) -> Vidence:
    """A workspace with a film and many memories."""
    made = make_vidence(tmp_path_factory.mktemp("filled"))
    assert made("index", film, "--stage", "shots").code == 0
    source = made.folder / "memories.jsonl"
    heading = made("memory", "export").out.splitlines()[0]
    rows = [json.dumps({"content": fact, "memory_type": "observation"}) for fact in FACTS]
    source.write_text("\n".join([heading, *rows]))
    assert made("memory", "import", source).code == 0
    assert made("memory", "list").out.count("\n") == len(FACTS)
    return made


@pytest.fixture
def copy(filled: Vidence, tmp_path: Path) -> Vidence:
    made = make_vidence(tmp_path)
    shutil.copytree(filled.home, made.home)
    return made


def damage(path: Path, seed: int) -> None:
    """Overwrite one to three pages behind the schema with noise."""
    data, noise = bytearray(path.read_bytes()), random.Random(seed)
    pages = len(data) // 4096
    for page in noise.sample(range(8, pages), noise.randint(1, 3)):
        data[page * 4096 : page * 4096 + 512] = noise.randbytes(512)
    path.write_bytes(data)


@pytest.mark.parametrize("seed", range(6))
def test_damaged_pages_are_one_line_and_what_is_readable_is_saved(copy: Vidence, seed: int) -> None:
    damage(copy.home / "vidence.db", seed)
    for words in (["list"], ["memory", "list"], ["info", "bakery.mp4"]):
        ran = copy(*words)
        assert ran.is_clean, ran.err
        if ran.code:
            assert ran.err.count("\n") == 1
            assert "vidence doctor --repair" in ran.err
    mended = copy("doctor", "--repair")
    assert "Traceback" not in mended.err
    assert copy("list").code == 0
    left = json.loads(copy("memory", "list", "--json").out)
    assert {row["content"] for row in left} <= set(FACTS)
    assert len(left) >= len(FACTS) // 4
    if "kept as" in mended.err:
        assert list(copy.home.glob("vidence.db.damaged-*"))


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("videos", "info", "{broken"),
        ("memories", "body", "{" * 5000),
        ("stages", "cursor", "not json"),
        ("observations", "body", "[]"),
        ("memories", "body", '{"content": 7}'),
    ],
)
def test_a_row_that_is_not_what_was_written_is_one_line(
    copy: Vidence, table: str, column: str, value: str
) -> None:
    with sqlite3.connect(copy.home / "vidence.db") as raw:
        raw.execute(f"UPDATE {table} SET {column} = ?", (value,))
    raw.close()
    for words in (["list"], ["memory", "list"], ["status", "bakery.mp4"], ["transcript", "bakery.mp4"]):
        ran = copy(*words)
        assert ran.is_clean, ran.err
    assert copy("doctor", "--repair").is_clean
    assert copy("list").is_clean


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\x00" + b"\x00" * 5000])
def test_what_is_no_database_is_kept_aside(copy: Vidence, content: bytes) -> None:
    path = copy.home / "vidence.db"
    path.write_bytes(content)
    assert copy("list").is_clean
    assert "Traceback" not in copy("doctor", "--repair").err
    assert copy("list").code == 0
    if content.strip(b"\0"):
        assert [found.read_bytes() for found in copy.home.glob("vidence.db.damaged-*")] == [content]


def test_a_sound_database_is_not_touched_by_a_repair(copy: Vidence) -> None:
    ran = copy("doctor", "--repair")
    assert "not damaged" in ran.err
    assert not list(copy.home.glob("vidence.db.damaged-*"))
    assert copy("memory", "list").out.count("\n") == len(FACTS)
