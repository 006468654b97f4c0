"""The language of a text: the one place that distinguishes English and Chinese."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from vidence.language.quotations import without_quotations
from vidence.schema.agent import AnswerLanguage

__all__ = [
    "HAN",
    "LANGUAGE_NAMES",
    "TextLanguage",
    "count_han",
    "has_han",
    "one_form",
    "question_language",
    "spoken_language",
    "text_language",
]

TextLanguage = Literal["en", "zh", "mixed", "unknown"]

LANGUAGE_NAMES: dict[AnswerLanguage, str] = {
    "en": "the question's language (English if unsure)",
    "zh": "中文",
}
"""How a prompt names the language to answer in."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""The Chinese characters, as the inside of a regular expression's brackets."""

_SPOKEN = (
    # English and Chinese name of a language, and what its writing shows; the first that fits counts.
    ("Japanese", "日语", re.compile(r"[\u3040-\u30ff]")),
    ("Korean", "韩语", re.compile(r"[\uac00-\ud7af]")),
    ("Chinese", "中文", re.compile(f"[{HAN}]")),
    ("Arabic", "阿拉伯语", re.compile(r"[\u0600-\u06ff]")),
    ("Hindi", "印地语", re.compile(r"[\u0900-\u097f]")),
)
_ENGLISH = re.compile(
    r"\b(?:the|and|of|to|is|you|that|it|in|this|for|are|we|what|with|have)\b", re.IGNORECASE
)
_WRITTEN_SHARE, _ENGLISH_SHARE = 0.3, 0.12
"""Shares of the letters in a script, and of the commonest English words, that tell a language."""
_HAN = re.compile(f"[{HAN}]")
_LATIN = re.compile(r"[A-Za-z]")
# Words of any other script; kana one by one, since Japanese has no spaces between its words.
_OTHER_WORD = re.compile(rf"[\u3040-\u30ff]|[^\W\d_{HAN}\u3040-\u30ff]+")
_APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
_MARKS = frozenset("，？！：；（）、。")
_LETTER = re.compile(r"[^\W\d_]")

# A capital within a sentence makes it a name: Dr. Who, the Who.
_ASKED_EN = r"(?:who|whom|whose|what|which|when|where|why|how)(?![A-Za-z])"
_ASKED_ZH = (
    r"谁|誰|什么|什麼|甚麼|哪|(?<!茶)[几幾](?!乎)|多少|多[长長大高远遠久]|怎|如何|何时|何時|何处|何處|何地|何人|为何|為何"
    r"|吗|嗎|呢|啥|是否|还是|還是|(?P<verb>[有是会會能])[没沒不](?P=verb)"
)
_BEGUN_EN = (
    rf"{_ASKED_EN}|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|describe|explain"
    r"|summari[sz]e|count|list|name|find|tell|show|give|compare)(?![A-Za-z])"
)
_BEGUN_ZH = (
    rf"{_ASKED_ZH}|请|請|描述|介绍|介紹|说明|說明|解释|解釋|总结|總結|列出|列举|列舉|找|告诉|告訴|比较|比較"
    r"|[数數]一?[数數]"
)
_ASKED: dict[AnswerLanguage, re.Pattern[str]] = {
    "en": re.compile(rf"^\W*(?i:{_ASKED_EN})|(?<![A-Za-z]){_ASKED_EN}"),
    "zh": re.compile(_ASKED_ZH),
}
_BEGUN: dict[AnswerLanguage, re.Pattern[str]] = {
    "en": re.compile(rf"^\W*(?:{_BEGUN_EN})", re.IGNORECASE),
    "zh": re.compile(rf"^\W*(?:{_BEGUN_ZH})"),
}


def has_han(text: str) -> bool:
    """Say whether a text contains a Chinese character."""
    return _HAN.search(text) is not None


def count_han(text: str) -> int:
    """Return the number of Chinese characters in a text."""
    return len(_HAN.findall(text))


def text_language(text: str) -> TextLanguage:
    """Return the main language of a text; a Chinese character counts as three letters."""
    han, latin = count_han(text), len(_LATIN.findall(text))
    if not han and not latin:
        return "unknown"
    if han and latin and 0.25 < han * 3 / (han * 3 + latin) < 0.75:
        return "mixed"
    return "zh" if han * 3 > latin else "en"


def one_form(question: str, language: AnswerLanguage) -> str:
    """Return a question with one form of each character: Ｗｈａｔ and What, cat’s and cat's are the same.

    Chinese keeps its own punctuation marks, which have a width of their own and are no variants there.
    """
    if language == "en":
        return _APOSTROPHE.sub("'", unicodedata.normalize("NFKC", question))
    return "".join(part if part in _MARKS else unicodedata.normalize("NFKC", part) for part in question)


def question_language(question: str) -> AnswerLanguage:
    """Return the language to read and answer a question in; English if unsure.

    What stands in quotation marks is quoted from the video and does not count, unless nothing else is there.
    Where both languages are left, the words that ask decide ("who says 你好?" is English), then how the
    question begins, then which language has more of it.
    """
    text = unicodedata.normalize("NFKC", question)
    outside = without_quotations(text)
    asked = outside if _LETTER.search(outside) else text
    if not has_han(asked):
        return "en"
    for patterns in (_ASKED, _BEGUN):
        found = [language for language, pattern in patterns.items() if pattern.search(asked)]
        if len(found) == 1:
            return found[0]
    return "zh" if count_han(asked) >= len(_OTHER_WORD.findall(asked)) else "en"


def spoken_language(text: str) -> tuple[str, str] | None:
    """Return the language of a transcript, in English and in Chinese; None where its words do not tell."""
    letters = max(1, len(_LETTER.findall(text)))
    for english, chinese, script in _SPOKEN:
        if len(script.findall(text)) >= _WRITTEN_SHARE * letters:
            return english, chinese
    words = text.split()
    is_english = len(_ENGLISH.findall(text)) >= max(1, _ENGLISH_SHARE * len(words))
    return ("English", "英语") if words and is_english else None
