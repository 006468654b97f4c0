"""A hostile video: what it says, is called and is titled reaches the terminal as harmless text."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.hostile.conftest import Finished, Vidence

ATTACKS = (
    "\x1b]0;owned\x07",  # sets the title of the window
    "\x1b]52;c;cm0gLXJmIH4=\x07",  # writes the clipboard
    "\x9b2J\x9b1;1H",  # clears the screen with C1 controls
    "\x1b[8m hidden",
    "\u202egnp.exe\u202c",  # reads backwards
    "\u2066x\u2069\u200f",
    "\x08\x08\x08done\x7f",
    "\U000e0049\U000e0067",  # invisible tags
)
SAID = "Hello " + " and ".join(ATTACKS)
NAME = "c\x1b]0;x\x07\u202e4pm.mp4"
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\U000e0000-\U000e007f]"
)


def assert_harmless(ran: Finished) -> None:
    """Assert that nothing in the output could steer a terminal or deceive its reader."""
    assert ran.is_clean, ran.err
    for text in (ran.out, ran.err):
        assert _STEERING.findall(text) == []


@pytest.fixture(scope="module")
def trap(film: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film with a hostile name, whose subtitles and text on screen are hostile."""
    path = tmp_path_factory.mktemp("trap") / NAME
    shutil.copy(film, path)
    path.with_suffix(".srt").write_text(f"1\n00:00:00,000 --> 00:00:01,900\n{SAID}\n", encoding="utf-8")
    return path


COMMANDS = {
    "index": ["index", "{}"],
    "index json": ["index", "--json", "{}"],
    "transcript": ["transcript", "{}"],
    "srt": ["transcript", "{}", "--format", "srt"],
    "vtt": ["transcript", "{}", "--format", "vtt"],
    "json": ["transcript", "{}", "--json"],
    "report": ["report", "{}"],
    "report json": ["report", "{}", "--json"],
    "info": ["info", "{}"],
    "list": ["list"],
    "status": ["status", "{}"],
    "search": ["search", "hello"],
    "op": ["op", "get_transcript", "{}"],
    "ask": ["ask", "{}", "What is said?"],
    "events": ["ask", "{}", "What is said?", "--events"],
    "add": ["memory", "add", SAID],
    "export": ["memory", "export"],
    "memories": ["memory", "list"],
    "usage": ["list", f"--{SAID}"],
    "no file": ["info", f"{SAID}.mp4"],
    "trace": ["trace", "show", "last"],
}  # fmt: skip


def test_no_command_passes_on_what_steers_a_terminal(vidence: Vidence, trap: Path) -> None:
    for name, words in COMMANDS.items():
        ran = vidence(*(word.replace("{}", str(trap)) for word in words))
        assert_harmless(ran)
        if name in ("transcript", "srt", "vtt"):
            assert "Hello" in ran.out
        if name == "json":
            assert json.loads(ran.out)[0]["text"].startswith("Hello")
            assert r"\u009b" in ran.out
            assert r"\u202e" in ran.out
