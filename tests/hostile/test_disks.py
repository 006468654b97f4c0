"""A disk that is full, a folder that may not be written, a process that may map little memory."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from tests.hostile.conftest import Vidence, make_vidence


def no_writing() -> None:
    """Let no file grow: to every program that is what a full disk looks like."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))


@pytest.fixture(scope="module")
def indexed(film: Path, tmp_path_factory: pytest.TempPathFactory) -> Vidence:
    """A workspace with one indexed film and one memory."""
    made = make_vidence(tmp_path_factory.mktemp("disk"))
    assert made("index", film).code == 0
    assert made("memory", "add", "Kept.").code == 0
    return made


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["list"], "bakery.mp4"),
        (["info", "bakery.mp4"], "426×240"),
        (["search", "bakery"], "bakery.mp4"),
        (["ask", "bakery.mp4", "What is written on the sign?"], "BAKERY"),
        (["ask", "bakery.mp4", "What is written on the sign?", "--json"], "BAKERY"),
    ],
)
def test_what_only_asks_is_answered_on_a_full_disk(indexed: Vidence, words: list[str], told: str) -> None:
    ran = indexed(*words, before=no_writing)
    assert ran.code == 0, ran.err
    assert told in ran.out
    assert "nothing of this run is kept" in ran.err
    assert "Traceback" not in ran.err


def test_what_must_be_kept_is_refused_on_a_full_disk_and_nothing_is_lost(indexed: Vidence) -> None:
    ran = indexed("memory", "add", "Lost.", before=no_writing)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    told = [row["content"] for row in json.loads(indexed("memory", "list", "--json").out)]
    assert told == ["Kept."]


def test_what_only_asks_works_where_no_home_can_be_made(tmp_path: Path) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("no folder here in which nobody can make one")
    vidence = make_vidence(tmp_path)
    nowhere = "/proc/vidence-home"
    ran = vidence("list", VIDENCE_HOME=nowhere)
    assert (ran.code, ran.is_clean) == (0, True)
    assert "No videos yet" in ran.err
    refused = vidence("memory", "add", "Lost.", VIDENCE_HOME=nowhere)
    assert (refused.code, refused.err.count("\n")) == (1, 1)


def test_little_address_space_is_a_clear_error(indexed: Vidence, film: Path, tmp_path: Path) -> None:
    assert indexed("list", before=little_memory).code == 0
    fresh = make_vidence(tmp_path)
    for words in (["index", str(film)], ["ask", str(film), "What is written?"]):
        ran = fresh(*words, before=little_memory)
        assert ran.code == 1, ran.err
        assert "address space" in ran.err
        assert "Traceback" not in ran.err
