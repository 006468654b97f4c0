"""What a chat says of itself, in both languages."""

from __future__ import annotations

from vidence.schema.agent import AnswerLanguage

__all__ = ["words"]

_WORDS = {
    "hello": (
        "Ask me about a video, or tell me something to remember.",
        "可以问我关于视频的问题，也可以告诉我要记住的事。",
    ),
    "noted": ("Noted ({0}): you said “{1}”.", "记下了（{0}）：你说“{1}”。"),
    "corrected": ("Corrected ({0}); before, it was “{1}”.", "已更正（{0}）；之前是“{1}”。"),
}


def words(name: str, language: AnswerLanguage, *values: str) -> str:
    """Return a phrase with its values put in."""
    text = _WORDS[name][language == "zh"]
    for place, value in enumerate(values):
        text = text.replace(f"{{{place}}}", value)
    return text
