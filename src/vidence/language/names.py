"""What an answer's language is called in prompts."""

from __future__ import annotations

from vidence.schema.agent import AnswerLanguage

__all__ = ["LANGUAGE_NAMES"]

LANGUAGE_NAMES: dict[AnswerLanguage, str] = {
    "en": "the question's language (English if unsure)",
    "zh": "中文",
}
