"""Which language subtitles are in, by their file's name or by their words."""

from __future__ import annotations

import re

from vidence.language.identify import count_han

__all__ = ["guess_language", "language_code"]

_LANGUAGES = {
    "chs": "zh", "cht": "zh", "chi": "zh", "zho": "zh", "cn": "zh", "sc": "zh", "tc": "zh", "chinese": "zh",
    "cmn": "zh", "eng": "en", "english": "en", "jpn": "ja", "jp": "ja", "japanese": "ja", "kor": "ko",
    "korean": "ko", "fre": "fr", "fra": "fr", "french": "fr", "ger": "de", "deu": "de", "german": "de",
    "spa": "es", "spanish": "es", "ita": "it", "italian": "it", "por": "pt", "portuguese": "pt", "rus": "ru",
    "russian": "ru", "dut": "nl", "nld": "nl", "dutch": "nl", "ara": "ar", "arabic": "ar",
}  # fmt: skip
_LITTLE_WORDS = {
    "en": "the and is to you of it that what this not are was have with",
    "es": "que de no la el es los las un una por con para está lo se",
    "fr": "je vous est pas le les et que des une dans qui pour ce tu il",
    "de": "ich und der die das nicht ist sie du ein es zu wir mit was",
    "it": "che non di è il una per sono mi ho cosa con ti la un",
    "pt": "que não de um uma você eu para com os é isso do da se",
    "nl": "ik het een je niet dat van en wat de is voor we",
}
_LITTLE = {name: frozenset(words.split()) for name, words in _LITTLE_WORDS.items()}
_LEAST, _AHEAD = 2, 1.25
"""So many of its little words, and so many times those of any other language."""


def language_code(tag: str) -> str | None:
    """Return the ISO 639-1 code a file name names: `zh`, `zh-CN`, `en.forced`, `chs`, …"""
    first = re.split(r"[.\-_]", tag.lower())[0]
    if first in _LANGUAGES:
        return _LANGUAGES[first]
    return first if re.fullmatch(r"[a-z]{2}", first) else None


def guess_language(text: str) -> str | None:
    """Tell a language by its script, or by its commonest little words; None when neither is clear."""
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return None
    total = len(letters)
    if sum("\u3040" <= c <= "\u30ff" for c in letters) > total * 0.1:
        return "ja"
    if sum("\uac00" <= c <= "\ud7a3" for c in letters) > total * 0.3:
        return "ko"
    if count_han(text) > total * 0.3:
        return "zh"
    if sum("\u0400" <= c <= "\u04ff" for c in letters) > total * 0.5:
        return "ru"
    return _by_words(re.findall(r"[^\W\d_]+", text.lower()))


def _by_words(words: list[str]) -> str | None:
    counts = {name: sum(word in little for word in words) for name, little in _LITTLE.items()}
    best, second = sorted(counts, key=lambda name: counts[name], reverse=True)[:2]
    is_clear = counts[best] >= max(_LEAST, _AHEAD * counts[second]) and counts[best] > counts[second]
    return best if is_clear else None
