"""The words a question expects on the screen, where it names them without quotation marks."""

from __future__ import annotations

import re

__all__ = ["is_about_screen", "words_named"]

_ON_SCREEN = re.compile(
    r"\b(?:on-?screen|on (?:the )?screen|the screen|written|printed|spelled|spelt|caption\w*|subtitles?"
    r"|(?:in|on) (?:the )?(?:titles?|credits)|the (?:words?|text|phrase|letters))\b"
    r"|\b(?:signs?|banners?|posters?|titles?|cards?|screens?|labels?|plates?|shirts?) (?:ever )?"
    r"(?:says?|reads?|shows?|displays?)\b"
    r"|屏幕|字幕|字样|文字|写着|写的|写了|写有|个字|标题|片尾|片头",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"(?<![\w'’])[A-Z][A-Z0-9'’&.-]*[A-Z0-9](?:[ &-]+[A-Z0-9][A-Z0-9'’&.-]*)*(?![\w'’])")
_SAYS = re.compile(
    r"\b(?:say|says|read|reads|show|shows|display|displays|spell|spells)\s+(.+?)\s+(?:anywhere\s+)?"
    r"(?:on|in) (?:the |a )?(?:screen|sign|picture|frame|video|wall|title|card|credits)\b"
    r"|\bthe (?:words?|text|phrase|letters) (.+?) (?:ever )?"
    r"(?:appears?|shown|written|seen|visible|on|in|come)\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9'’&.-]*(?:\s+[A-Za-z0-9][A-Za-z0-9'’&.-]*)*")
_CHINESE = re.compile(
    r"(?:写着|写有|写了|显示)(?:过|了)?(.+?)(?:这?[几两三四五六七八]个字|这个词|字样|的字)?(?:吗|呢|[？?]|$)"
    r"|(?:有|出现过?|看到过?)(.+?)(?:这?[几两三四五六七八]个字|这个词|字样)"
)
_NO_WORDS = re.compile(
    r"^(?:any|some|something|anything|the|a|an|text|words?|title|字|文字|内容|什么|有|没有|[的了过])*\W*$",
    re.IGNORECASE,
)


def is_about_screen(text: str) -> bool:
    """Whether a question speaks of what is written on the screen or in the picture."""
    return _ON_SCREEN.search(text) is not None


def words_named(text: str) -> tuple[str, ...]:
    """Return the words a question about writing names: THE END, 谢谢观看; none in other questions."""
    if not is_about_screen(text):
        return ()
    found = _in_capitals(text) or _told(_SAYS, text)
    if not found and not text.isascii():
        found = _told(_CHINESE, text) or tuple(match.group() for match in _LATIN.finditer(text))
    return tuple(part for part in found if not _NO_WORDS.match(part))


def _in_capitals(text: str) -> tuple[str, ...]:
    """Return the words in capitals; a question that is in capitals itself names none by them."""
    if text.upper() == text and text.isascii():
        return ()
    return tuple(match.group() for match in _CAPITALS.finditer(text) if len(match.group()) > 1)


def _told(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.search(text)
    return tuple(part.strip() for part in match.groups() if part and part.strip()) if match else ()
