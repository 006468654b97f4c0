"""Answers in words, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.colours import colour_word
from vidence.language.forms import has_one_form, is_plural, plural
from vidence.language.identify import has_han
from vidence.language.labels import measure_word
from vidence.language.question import Target
from vidence.language.tables import words_of
from vidence.schema.agent import AnswerLanguage

__all__ = [
    "article",
    "between",
    "capital",
    "colours",
    "counted",
    "in_picture",
    "joined",
    "pick",
    "quoted",
    "seconds",
    "sentence",
]

_LONGEST_QUOTE = 200
_UNCOUNTED = words_of("words.tsv", "uncountable", room="embedded")


def pick(language: AnswerLanguage, english: str, chinese: str) -> str:
    """Return the text of the language."""
    return chinese if language == "zh" else english


def seconds(time_s: float, language: AnswerLanguage) -> str:
    """Return a time as people say it: 16.6 s, 16.6 秒."""
    return f"{time_s:.1f} {pick(language, 's', '秒')}"


def between(start_s: float, end_s: float, language: AnswerLanguage) -> str:
    """Return a span of time: 16.6–19.8 s."""
    if end_s - start_s < 0.1:
        return seconds(start_s, language)
    return f"{start_s:.1f}–{end_s:.1f} {pick(language, 's', '秒')}"


def joined(words: Sequence[str], language: AnswerLanguage) -> str:
    """Return a list in words: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    if language == "zh":
        return f"{'、'.join(words[:-1])}和{words[-1]}"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def colours(name: str, language: AnswerLanguage) -> str:
    """Return a measured colour ("brown and white") in the language."""
    parts = [part for part in name.split(" and ") if part]
    return joined([colour_word(part, language) for part in parts], language)


def article(noun: str) -> str:
    """Return an English noun with its article; plurals and uncountable nouns have none."""
    lowered = noun.lower()
    has_one = lowered.startswith(("a ", "an ", "the ", "some "))
    if has_one or is_plural(lowered) or lowered in _UNCOUNTED or lowered.endswith(("ing", "water")):
        return noun
    return f"{'an' if lowered[:1] in 'aeiou' else 'a'} {noun}"


def quoted(text: str) -> str:
    """Return words in quotation marks; long ones are cut at a word, with an ellipsis."""
    whole = " ".join(text.split())
    if len(whole) > _LONGEST_QUOTE:
        cut = whole[:_LONGEST_QUOTE]
        whole = f"{cut[: cut.rfind(' ')] if ' ' in cut else cut} …"
    return f"“{whole}”"


def capital(text: str) -> str:
    """Return a text that begins with a capital."""
    return f"{text[:1].upper()}{text[1:]}"


def sentence(text: str, language: AnswerLanguage) -> str:
    """Return a text with a capital and a full stop."""
    body = text.strip()
    is_ended = not body or body.rstrip('”"’）)').endswith((".", "。", "!", "?", "！", "？", "…"))
    return capital(body) + ("" if is_ended else pick(language, ".", "。"))


def counted(value: int, target: Target, language: AnswerLanguage) -> str:
    """Return "3 bottles" or "3 个瓶子"."""
    noun = target.head
    if language == "zh":
        return f"{value} {measure_word(target.category or '')}{noun}"
    stays = value == 1 or has_han(noun) or has_one_form(noun) or is_plural(noun)
    return f"{value} {noun if stays else plural(noun)}"


def in_picture(value: int, target: Target, time_s: float, language: AnswerLanguage) -> str:
    """Return a sentence: how many are in the picture at a time."""
    things = counted(value, target, language)
    verb = "is" if value == 1 else "are"
    return pick(
        language,
        f"At {seconds(time_s, 'en')} {things} {verb} in the picture.",
        f"{seconds(time_s, 'zh')}时画面中有 {things}。",
    )
