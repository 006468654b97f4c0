"""Whether a text can be read as a question at all."""

from __future__ import annotations

import re

from vidence.language.forms import is_verb_form, singular
from vidence.language.identify import has_han
from vidence.language.objects import resolve_asked
from vidence.language.tables import words_of

__all__ = ["is_readable"]

_WORD = re.compile(r"[A-Za-z]+")
_LEAST_KNOWN = 0.3
"""The least share of an English question's words that are known."""
_ASKING_ZH = re.compile(
    r"什么|谁|哪|几|多少|吗|呢|怎|为何|如何|是否|有没有|是不是|能不能|会不会|多[久长大高远]|[?？]|介绍|总结|描述|概括|"
    r"告诉|说说|讲讲|列出|[的是在有了这那他她它们]"
)


def is_readable(text: str) -> bool:
    """Tell whether a text holds words that people ask with."""
    if has_han(text):
        return bool(_ASKING_ZH.search(text)) or _names_something(text)
    words = [word.lower() for word in _WORD.findall(text)]
    if not words:
        return False
    return sum(map(_is_known, words)) >= max(1, _LEAST_KNOWN * len(words))


def _is_known(word: str) -> bool:
    known = words_of("asking_words.tsv", "word")
    return word in known or singular(word) in known or is_verb_form(word) or bool(resolve_asked(word))


def _names_something(text: str) -> bool:
    return bool(resolve_asked(text.strip(" 。，！")))
