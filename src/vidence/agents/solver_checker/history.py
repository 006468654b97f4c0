"""Keeping a conversation within what an engine can hold: the oldest news is shortened first."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.llm.tokens import count_text
from vidence.schema.message import Message

__all__ = ["fit_history"]

_SHARE = 0.75
"""The part of an engine's context that a conversation may fill; the rest is for its reply."""
_PICTURE_TOKENS = 800
_KEPT_CHARS = 400
_LEFT_OUT = " … (the rest of this was left out to save room)"


def fit_history(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """Return the conversation small enough: pictures go first, then the words of old messages.

    The system's words, the question and the newest message always stay whole.
    """
    kept = list(messages)
    limit = int(context_tokens * _SHARE)
    if sum(len(one.text) + 5 + _PICTURE_TOKENS * len(one.pictures) for one in kept) <= limit:
        # A token is at least a character, so nothing need be counted.
        return tuple(kept)
    old = range(1, len(kept) - 1)
    for change in (_without_pictures, _shortened):
        for index in old:
            if _size(kept) <= limit:
                return tuple(kept)
            if change is _shortened and index == 1:
                continue
            kept[index] = change(kept[index])
    return tuple(kept)


def _size(messages: Sequence[Message]) -> int:
    return sum(count_text(one.text) + 4 + _PICTURE_TOKENS * len(one.pictures) for one in messages)


def _without_pictures(message: Message) -> Message:
    return message.model_copy(update={"pictures": ()})


def _shortened(message: Message) -> Message:
    if len(message.text) <= _KEPT_CHARS + len(_LEFT_OUT):
        return message
    return message.model_copy(update={"text": message.text[:_KEPT_CHARS] + _LEFT_OUT})
