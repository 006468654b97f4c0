"""Text from outside is shown as it is, but for what steers a terminal or deceives a reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidence.schema.printable import json_text, visible, visible_lines

STEERING = ["\x1b]0;x\x07", "\x9b2J", "\x7f", "\u202e", "\u2066", "\u200f", "\u2028", "\U000e0041", "\ufeff"]


@pytest.mark.parametrize("text", STEERING)
def test_what_steers_or_hides_becomes_an_escape(text: str) -> None:
    for shown in (visible(text), visible_lines(text)):
        assert shown.isprintable()
        assert "\\" in shown
    written = json_text({"a": text})
    assert written.isprintable()
    assert json.loads(written) == {"a": text}


@pytest.mark.parametrize("text", ["视频 🎬 é", "👩\u200d👩\u200d👧", "می\u200cخواهم", "naïve café", "한국어"])
def test_every_language_stays_as_it_is(text: str) -> None:
    assert visible(text) == visible_lines(text) == text


def test_only_lines_keep_their_breaks() -> None:
    assert visible("a\nb\tc") == r"a\nb\tc"
    assert visible_lines("a\nb\tc\rd") == "a\nb\tc\\rd"


@given(st.text())
def test_json_reads_back_as_the_same_value(text: str) -> None:
    written = json_text({"a": [text]})
    assert json.loads(written) == {"a": [text]}
    assert not any("\x7f" <= char <= "\x9f" for char in written)
