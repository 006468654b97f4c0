"""Replies as models really write them are read, and the unreadable is said to be so."""

from __future__ import annotations

import json
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from vidence.errors import OpRetry
from vidence.llm.structured import INVALID_JSON, InvalidReply, parse_reply


class Payload(BaseModel):
    count: int | None = None
    focus: str | None = None


class Step(BaseModel):
    action_type: str
    action_payload: Payload
    sure: bool | None = None
    share: float | None = None


GOOD = '{"action_type": "look", "action_payload": {"count": 5}}'

REPLIES = {
    "alone": GOOD,
    "in a fence": f"I think so.\n```json\n{GOOD}\n```",
    "in a fence with prose after": f"I think.\n```json\n{GOOD}\n```\nThat is my decision.",
    "after a draft": f'{{"action_type": "draft", "action_payload": {{}}}} No, wait.\n{GOOD}',
    "before an object of another form": f'{GOOD}\nAs in {{"colour": "red"}}.',
    "with trailing commas": '{"action_type": "look", "action_payload": {"count": 5,},}',
    "with comments": '{"action_type": "look", // {as}\n"action_payload": {"count": 5 /* } */}, # so\n}',
    "in single quotes": "{'action_type': 'look', 'action_payload': {'count': 5}}",
    "in Python": "{'action_type': 'look', 'action_payload': {'count': 5}, 'sure': True, 'share': None}",
    "cut inside a word": 'So: {"action_type": "look", "action_payload": {"count": 5, "focus": "the ma',
    "cut inside a key": 'So: {"action_type": "look", "action_payload": {"count": 5, "foc',
    "cut after a comma": '{"action_type": "look", "action_payload": {"count": 5,',
    "in full-width punctuation": "想好了。｛“action_type”：“look”，“action_payload”：｛“count”：5｝｝",
    "in mixed punctuation": '{"action_type"："look"，"action_payload"：{"count"：5}}',
    "after thinking tags": f'<think>{{"action_type": "x", "action_payload": {{}}}}?</think>\n{GOOD}',
    "inside thinking tags only": f"<think>hm {GOOD}",
    "with not-a-number": '{"action_type": "look", "action_payload": {"count": 5}, "share": NaN}',
    "in an array": f"[{GOOD}]",
    "after an unfinished brace": f"Let f(x) = {{x when it's big. {GOOD}",
    "before stray braces": f"{GOOD} }} and then {{",
    "without a comma": '{"action_type": "look"\n"action_payload": {"count": 5}}',
    "without a comma before a bracket": '{"a": ["b"\n["c"]], ' + GOOD[1:],
    "without quotes around keys": '{action_type: "look", action_payload: {count: 5}}',
    "wrapped in its name": f'{{"response": {GOOD}}}',
    "as a JSON string": json.dumps(GOOD),
    "with a stray bracket": '{"action_type": "look", "action_payload": {"count": 5}]}',
    "with a brace forgotten": '```json\n{"action_type": "look", "action_payload": {"count": 5}\n```\nDone.',
    "with Windows line ends": GOOD.replace(", ", ",\r\n\t"),
    "after a byte order mark": "\ufeff" + GOOD,
    "with a lone surrogate near by": "thinking \ud83d " + GOOD,
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
def test_a_reply_is_read(reply: str) -> None:
    value = parse_reply(reply, Step).value
    assert (value.action_type, value.action_payload.count) == ("look", 5)


TEXTS = {
    "braces": "a } b { c",
    "an escaped quote": 'he said "stop", then left',
    "an address": "see http://example.org/a // b",
    "curly quotes": "看“红色”的，车：{右}",
    "a hash": "shirt #7, left",
    "line breaks": "one\ntwo\r\n\tthree",
    "apostrophes": "the man's hat, it's red",
    "backslashes": r"C:\new\table \d+",
    "emoji": "👍🏽 ok",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("broken", ["{}", "{},", "{} // why"])
def test_words_inside_strings_are_left_alone(text: str, broken: str) -> None:
    payload = broken.replace("{}", json.dumps({"focus": text}, ensure_ascii=False))
    reply = f'{{"action_type": "look", "action_payload": {payload}\n}}'
    assert parse_reply(reply, Step).value.action_payload.focus == text


SINGLE = "{'action_type': 'a', 'action_payload': {'focus': 'FOCUS'}}"
DOUBLE = '{"action_type": "a", "action_payload": {"focus": "FOCUS"}}'
CURLY = "｛“action_type”：“a”，“action_payload”：｛“focus”：“FOCUS”｝｝"


@pytest.mark.parametrize(
    ("form", "focus"),
    [
        (SINGLE, "the man's hat, it's red"),
        (DOUBLE, 'he said "hello" to her'),
        (DOUBLE, "two\nlines"),
        (CURLY, '他说"好"，走了'),
    ],
)
def test_unescaped_quotes_stay_in_their_string(form: str, focus: str) -> None:
    assert parse_reply(form.replace("FOCUS", focus), Step).value.action_payload.focus == focus


def test_thinking_is_what_stands_before_the_block() -> None:
    parsed = parse_reply(f"<think>First the door.</think>\nThen the car.\n```json\n{GOOD}\n```\nBye.", Step)
    assert parsed.thinking == "First the door.\nThen the car."


def test_of_two_valid_blocks_the_last_counts() -> None:
    reply = GOOD.replace("5", "1") + "\n" + GOOD.replace("5", "2")
    assert parse_reply(reply, Step).value.action_payload.count == 2


def test_a_valid_block_beats_a_later_invalid_one() -> None:
    reply = GOOD + '\n{"action_type": "look", "action_payload": {"count": "many"}}'
    assert parse_reply(reply, Step).value.action_payload.count == 5


@pytest.mark.parametrize(
    "reply",
    ["", "   ", "I cannot tell.", "{}", "{", "}", "[1, 2]", '{"colour": "red"}', "null", "```json\n```"],
)
def test_no_block_is_an_invalid_reply_in_the_protocols_words(reply: str) -> None:
    with pytest.raises(InvalidReply) as caught:
        parse_reply(reply, Step)
    assert str(caught.value).startswith(INVALID_JSON)
    assert INVALID_JSON == "System Error: Invalid JSON format, please output strictly valid JSON."
    assert isinstance(caught.value, OpRetry)


def test_the_reason_names_the_field_that_is_wrong() -> None:
    with pytest.raises(InvalidReply, match=r"action_payload\.count"):
        parse_reply('{"action_type": "look", "action_payload": {"count": "many"}}', Step)


class Aliased(BaseModel):
    score: int = Field(validation_alias="confidence_score")


def test_a_field_may_go_by_its_alias() -> None:
    assert parse_reply('{"confidence_score": 4}', Aliased).value.score == 4


HOSTILE = {
    "open braces": "{",
    "nested objects": '{"a":',
    "open strings": '{"a":"',
    "open arrays": "[",
    "quotes": '{"',
    "quotes and commas": '",{',
    "braces on lines": "{\n",
    "broken objects": '{"a":1,"b":{x}} ',
    "comments": "{/*",
    "digits": '9{"a":',
    "whitespace": '{"a"          ',
    "single quotes": "{'a, ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_reply_takes_work_in_proportion_to_its_length(piece: str) -> None:
    once, twice = _work(piece * 1000), _work(piece * 2000)
    assert twice < 2.5 * once + 1000


def _work(reply: str) -> int:
    """Return the number of function calls that refusing a reply takes."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        with pytest.raises(InvalidReply):
            parse_reply(reply, Step)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_reply_of_a_megabyte_is_refused(piece: str) -> None:
    with pytest.raises(InvalidReply):
        parse_reply(piece * (1_000_000 // len(piece)), Step)


def test_a_huge_reply_is_read_from_its_end() -> None:
    assert parse_reply("word " * 200_000 + GOOD, Step).value.action_payload.count == 5


class Anything(BaseModel):
    found: Any


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
PROSE = st.text(st.characters(codec="utf-8", exclude_characters='{}｛｝<>"'), max_size=60)


@given(JSON, PROSE, PROSE, st.sampled_from([None, 2]))
def test_strict_json_survives_any_prose_around_it(
    value: Any, before: str, after: str, indent: int | None
) -> None:
    block = json.dumps({"found": value}, ensure_ascii=False, indent=indent)
    assert parse_reply(f"{before}\n{block}\n{after}", Anything).value.found == value


@given(JSON)
def test_json_with_trailing_commas_means_the_same(value: Any) -> None:
    block = json.dumps({"found": value}, ensure_ascii=False)
    assert parse_reply(block[:-1] + ",}", Anything).value.found == value


@given(JSON)
def test_python_literals_mean_the_same(value: Any) -> None:
    assert parse_reply(repr({"found": value})[:-1] + ", }", Anything).value.found == value


@given(st.text(st.sampled_from("{}[]\"'\\,:/*#｛｝“”：，ntruefalse 01.-\n<>/k"), max_size=120))
@example('{"found": "\\u12')
@example("{'found': '\\'")
def test_no_text_crashes_the_reader(text: str) -> None:
    try:
        outcome: Anything | InvalidReply = parse_reply(text, Anything).value
    except InvalidReply as exc:
        outcome = exc
    assert isinstance(outcome, (Anything, InvalidReply))


@given(st.integers(0, 80))
def test_a_cut_anywhere_gives_a_prefix_or_an_honest_no(cut: int) -> None:
    whole = '{"action_type": "look", "action_payload": {"count": 5, "focus": "the red door"}}'
    try:
        value = parse_reply(whole[:cut], Step).value
    except InvalidReply:
        return
    assert "look".startswith(value.action_type)
    assert value.action_payload.count in (None, 5)
    assert "the red door".startswith(value.action_payload.focus or "")


@given(JSON)
def test_a_forgotten_brace_loses_nothing(value: Any) -> None:
    block = json.dumps({"found": value}, ensure_ascii=False)
    assert parse_reply(f"So:\n```json\n{block[:-1]}\n```\nDone.", Anything).value.found == value
