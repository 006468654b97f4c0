"""Texts that are made to break parsers: nested brackets, stray bytes, lines without end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.hostile.conftest import Vidence
from tests.llm.fault_server import FaultServer

DEEP = "[" * 200_000
NESTED = '{"a":' * 100_000


@pytest.mark.parametrize(
    "words",
    [
        ["op", "get_temporal_structure", "x.mp4", "--params", NESTED],
        ["op", "get_temporal_structure", "x.mp4", "--params", '{"a":' + DEEP + "}"],
        ["op", "get_transcript", "x.mp4", "--time-range", NESTED],
    ],
)
def test_arguments_nested_too_deeply_are_one_line(vidence: Vidence, words: list[str]) -> None:
    # A single argument may be no longer than 128 kB.
    ran = vidence(*(word[:120_000] for word in words))
    assert ran.is_clean
    assert ran.code != 0
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("bomb", [DEEP, NESTED, '{"format": ' + DEEP])
def test_an_export_nested_too_deeply_is_one_line(vidence: Vidence, bomb: str) -> None:
    source = vidence.folder / "memories.jsonl"
    source.write_text(bomb)
    ran = vidence("memory", "import", source)
    assert ran.is_clean
    assert (ran.code, ran.err.count("\n")) == (1, 1)


@pytest.mark.parametrize("bomb", [f"x = {DEEP[:60_000]}", ".".join(["a"] * 20_000) + " = 1"])
def test_settings_nested_too_deeply_are_one_line(vidence: Vidence, bomb: str) -> None:
    vidence.home.mkdir()
    (vidence.home / "vidence.toml").write_text(bomb)
    ran = vidence("list")
    assert ran.is_clean
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_a_trace_nested_too_deeply_is_one_line(vidence: Vidence) -> None:
    traces = vidence.home / "traces"
    traces.mkdir(parents=True)
    (traces / "20260101T000000Z-0123456789abcdef.json").write_text(NESTED)
    ran = vidence("trace", "show", "last")
    assert ran.is_clean
    assert ran.code == 1


def test_one_zero_byte_does_not_discard_the_subtitles(vidence: Vidence, film: Path) -> None:
    copy = vidence.folder / "c.mp4"
    shutil.copy(film, copy)
    first = b"1\n00:00:00,000 --> 00:00:01,500\nGood mor\0ning, harbour\n\n"
    copy.with_suffix(".srt").write_bytes(first + b"2\n00:00:01,500 --> 00:00:01,900\nBye.\n")
    ran = vidence("transcript", copy)
    assert "Good morning, harbour" in ran.out
    assert "Bye." in ran.out
    assert "Nothing is said" not in ran.err


def test_subtitles_that_cannot_be_read_are_named_where_nothing_is_said(vidence: Vidence, film: Path) -> None:
    copy = vidence.folder / "c.mp4"
    shutil.copy(film, copy)
    copy.with_suffix(".srt").write_bytes(bytes(range(256)) * 20)
    for _ in range(2):
        assert "c.srt" in vidence("transcript", copy).err


def test_one_endless_subtitle_line_stays_within_the_token_budget(
    vidence: Vidence, film: Path, server: FaultServer
) -> None:
    copy = vidence.folder / "c.mp4"
    shutil.copy(film, copy)
    copy.with_suffix(".srt").write_text(f"1\n00:00:00,000 --> 00:00:01,900\n{'word ' * 60_000}\n")
    vidence.home.mkdir()
    (vidence.home / "vidence.toml").write_text(
        f'[llm]\nengine = "openai:m"\n[llm.options.openai]\nbase_url = "{server.url}/v1"\n'
    )
    ran = vidence("ask", copy, "What is said?", "--budget", "tokens=20000,steps=3", "--json")
    assert ran.is_clean, ran.err
    sent = sum(len(json.dumps(seen.body)) for seen in server.seen)
    assert server.seen
    assert sent < 20_000 * 5
