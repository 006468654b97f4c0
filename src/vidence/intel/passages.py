"""Pages cut into passages, the units of search, and into sentences, the units of a briefing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vidence.language.identify import HAN, has_han
from vidence.language.tokens import sentences, terms

__all__ = ["is_statement", "page_sentences", "passage_terms", "plain_text", "split_passages"]

_SIZE = 1000
"""Characters of a passage; in Chinese half as many."""
_LONGEST = 1.5
"""A paragraph up to so many times the size is one passage."""
_PARAGRAPH = re.compile(r"\n+")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_HEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>•]\s+|\d{1,3}[.)]\s+|\|\s*)+")
"""How a heading, a list item, a quotation or a row of a table begins."""
_EMPHASIS = re.compile(r"`+|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")
_RULE = re.compile(r"^[\W_]{3,}$")
"""A line that only separates."""
_WRAPPED = 45
"""A line of at least so many characters that ends inside a sentence goes on in the next."""
_WRAPPED_HAN = 20
_STOPS = re.compile(r"[.!?:;。！？：；…][\"'”’）)]*$")
_FOOTNOTE = re.compile(r"\[\s*\d{1,3}\s*\]|\s*\(opens in (?:a )?new (?:tab|window)\)", re.IGNORECASE)
_END = re.compile(r"[.!。！；][\"'”’）)」』]*$|[”」][。！]?$")
_SHORTEST, _LONGEST_SENTENCE = 30, 500
_SHORTEST_HAN, _LONGEST_HAN = 10, 200
_FRAGMENT = re.compile(
    r"https?://|©|\bcookies?\b|\|.*\||[{}<>]|\\\w|#\w+ #|_{2,}|[)!?][A-Z]|\b[A-Z]\.$", re.IGNORECASE
)
_DANGLING = re.compile(
    r"^(?:he|she|it|they|this|that|these|those|his|her|their|its|but|and|or|so|then|however|also|instead"
    r"|meanwhile|which|who)\b|^(?:他|她|它|他们|她们|它们|这|那|此|但|而|并|因此|所以|同时|此外|其中|然而|该|其|本片|本书|本文|截至目前)",
    re.IGNORECASE,
)
_HAN_RUN = re.compile(f"[{HAN}]")


def split_passages(text: str) -> list[str]:
    """Return the passages of a text, whole paragraphs where they are short enough."""
    size = _SIZE // 2 if has_han(text[:2000]) else _SIZE
    found: list[str] = []
    held = ""
    for paragraph in _PARAGRAPH.split(text):
        for piece in _pieces(paragraph.strip(), size):
            if held and len(held) + len(piece) > size:
                found.append(held)
                held = ""
            held = f"{held}\n{piece}" if held else piece
    return [*found, held] if held else found


def _pieces(paragraph: str, size: int) -> Iterator[str]:
    """Yield a paragraph, cut between sentences where it is too long for one passage."""
    rest = paragraph
    while len(rest) > size * _LONGEST:
        ends = [rest.rfind(mark, 0, size) + 1 for mark in (". ", "。", "！", "？", "! ", "? ")]
        cut = max(ends) or rest.rfind(" ", 0, size) + 1 or size
        yield rest[:cut].strip()
        rest = rest[cut:]
    if rest:
        yield rest.strip()


def passage_terms(passage: str, title: str) -> str:
    """Return the terms of a passage as the full-text index takes them; those of its title are added."""
    return " ".join([*terms(plain_text(passage)), *dict.fromkeys(terms(title))])


def plain_text(text: str) -> str:
    """Return a text without the marks of Markdown, its hard-wrapped lines joined.

    Links keep their words, pictures go. What is quoted of a page is quoted from this text.
    """
    bare = _FOOTNOTE.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text)))
    lines: list[str] = []
    is_open = False
    for raw in bare.splitlines():
        line = " ".join(_EMPHASIS.sub("", _HEAD.sub("", raw)).split())
        if not line or _RULE.match(line):
            is_open = False
            lines += [""] if not line and lines and lines[-1] else []
            continue
        if is_open and not _HEAD.match(raw):
            lines[-1] += ("" if _is_han(lines[-1][-1]) and _is_han(line[0]) else " ") + line
        else:
            lines.append(line)
        is_open = not raw.lstrip().startswith("#") and _goes_on(line)
    return "\n".join(lines)


def _goes_on(line: str) -> bool:
    """Tell whether a line was wrapped inside a sentence."""
    return len(line) >= (_WRAPPED_HAN if _is_han(line[-1]) else _WRAPPED) and not _STOPS.search(line)


def _is_han(character: str) -> bool:
    return bool(_HAN_RUN.match(character))


def page_sentences(text: str) -> list[str]:
    """Return the sentences of a plain text that can stand in a briefing, in order, without repetitions."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        for sentence in sentences(" ".join(line.split())):
            if is_statement(sentence):
                found.setdefault(sentence)
    return list(found)


def is_statement(sentence: str) -> bool:
    """Tell whether a line is a whole sentence that is understood by itself."""
    if not _END.search(sentence) or sentence.endswith(("...", "…")) or _FRAGMENT.search(sentence):
        return False
    if _DANGLING.match(sentence):
        return False
    han = len(_HAN_RUN.findall(sentence))
    if han * 3 > len(sentence):
        return han >= _SHORTEST_HAN and len(sentence) <= _LONGEST_HAN
    letters = sum(character.isalpha() for character in sentence)
    words = sentence.split()
    capitals = sum(word[:1].isupper() for word in words)
    return (
        _SHORTEST <= len(sentence) <= _LONGEST_SENTENCE
        and letters > 0.6 * len(sentence)
        and len(words) >= 6
        and capitals < 0.7 * len(words)
        and (sentence[0].isupper() or sentence[0].isdigit() or sentence[0] in "“\"'$€£")
    )
