"""The languages that questions are asked and answered in."""

from __future__ import annotations

from typing import Literal

__all__ = ["AnswerLanguage"]

AnswerLanguage = Literal["en", "zh"]
