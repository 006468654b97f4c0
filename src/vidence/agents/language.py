"""Which language a question is in, and what that language is called in itself and in prompts."""

from __future__ import annotations

import re

from vidence.schema.agent import AnswerLanguage

__all__ = ["LANGUAGE_NAMES", "question_language"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_QUOTED = re.compile(r"[“\"「『《][^”\"」』》]*[”\"」』》]")

LANGUAGE_NAMES: dict[AnswerLanguage, str] = {
    "en": "the question's language (English if unsure)",
    "zh": "中文",
}


def question_language(question: str) -> AnswerLanguage:
    """Return the language to answer in: Chinese for a question in Chinese, else English.

    What stands in quotation marks is quoted from the video and does not count, unless nothing else is there.
    """
    outside = _QUOTED.sub("", question)
    return "zh" if _CHINESE.search(outside if outside.strip() else question) else "en"
