"""A reader's reply: honest about what it rests on."""

from __future__ import annotations

import pytest

from vidence.schema.reading import MAX_NOTES_CITED, ReaderReply


def test_a_reply_with_an_answer_and_a_note_tells() -> None:
    reply = ReaderReply.model_validate_json('{"notes": [3, 3, 1], "answer": "447"}')
    assert (reply.notes, reply.answer, reply.cannot_tell) == ((3, 1), "447", False)


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "cannot tell", "notes": [1]}',
        '{"answer": "无法判断。", "notes": [2]}',
        '{"notes": [], "answer": "447"}',
        '{"notes": [1], "answer": " "}',
        '{"answer": "447"}',
        "{}",
    ],
)
def test_a_reply_without_a_note_or_an_answer_cannot_tell(text: str) -> None:
    assert ReaderReply.model_validate_json(text).cannot_tell


def test_too_many_notes_are_cut_not_refused() -> None:
    many = ReaderReply(notes=tuple(range(1, 40)), answer="all")
    assert many.notes == tuple(range(1, MAX_NOTES_CITED + 1))


def test_the_schema_asks_for_the_answer_first_and_for_both() -> None:
    schema = ReaderReply.model_json_schema()
    assert list(schema["properties"]) == ["answer", "notes"]
    assert schema["required"] == ["answer", "notes"]
