"""Counting tokens roughly, for servers that do not say and for prompts not yet sent."""

from __future__ import annotations

from vidence.prompts import Prompt

__all__ = ["count_prompt", "count_text"]

_CHARS = 3.5
"""Characters of Latin text to a token; Chinese, Japanese and Korean characters are about one each."""
_PICTURE = 800
"""What most vendors count for a picture of some 768 pixels."""


def count_text(text: str) -> int:
    """Return about how many tokens a text is; rather too many than too few."""
    wide = sum(1 for character in text if ord(character) >= 0x2E80)
    return wide + int((len(text) - wide) / _CHARS) + 1


def count_prompt(prompt: Prompt) -> int:
    """Return about how many tokens a prompt is, pictures included."""
    pictures = sum(len(message.pictures) for message in prompt.messages)
    return count_text(prompt.text) + 4 * len(prompt.messages) + _PICTURE * pictures
