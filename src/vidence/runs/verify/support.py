"""Whether a record supports one number, time, colour, name or quotation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import assert_never

from vidence.language.categories import categories_in, same_thing
from vidence.language.colours import colours_in, same_colour
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.tokens import stems
from vidence.runs.verify.bearing import is_denial
from vidence.runs.verify.checkables import Checkable, is_percentage
from vidence.runs.verify.content import Content

__all__ = ["is_supported", "words_stand_in"]

_NEAR_S = 0.55
"""The tolerance for times that people round to the second."""
_CUTS = re.compile(
    r"\bcuts?\b|\b(?:scene|shot) changes?\b|\btransitions?\b|\bfades?\b|\bdissolves?\b"
    r"|剪辑|切换|转场|切镜|硬切|淡入|淡出|叠化",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*(?:…|\.{3,}|⋯)\s*")


def is_supported(one: Checkable, contents: Sequence[Content], claim: str) -> bool:
    """Tell whether any of the contents supports the checkable part."""
    return any(_supports(content, one, claim) for content in contents) or _is_copied(claim, contents)


def _is_copied(claim: str, contents: Sequence[Content]) -> bool:
    """Tell whether a whole claim stands in a record as it is written there, its figures uncut.

    Dates, clock times, ordinals and labels are copied, not counted: 2022-02-01 18:26:38, 第120天, CAM 12.
    """
    parts = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", claim))
    wanted = r"[\W_]*".join(map(re.escape, parts))
    sought = re.compile(rf"(?<!\d){wanted}(?!\d)", re.IGNORECASE)
    texts = (text for content in contents for text in content.texts)
    return bool(parts) and any(sought.search(unicodedata.normalize("NFKC", text)) for text in texts)


def words_stand_in(quote: str, content: Content) -> bool:
    """Tell whether a record contains the quoted words; parts around an ellipsis may stand apart."""
    held = _bare("\n".join(content.texts))
    parts = [_bare(part) for part in _PARTS.split(quote)]
    return all(part in held for part in parts) and any(parts)


def _supports(content: Content, one: Checkable, claim: str) -> bool:
    match one.kind:
        case "number":
            return _has_number(content, one, claim)
        case "time":
            # A clock that a camera writes into its picture is no time of the video.
            is_clock = ":" in one.text and _is_copied(one.text, [content])
            return is_clock or _has_time(content, one, at_edge=bool(_CUTS.search(claim)))
        case "colour":
            return same_colour(one.noun, set(colours_in(_words(content, claim))))
        case "name":
            return _bare(one.text) in _bare(_words(content, claim))
        case "quote":
            return words_stand_in(one.text, content) or _bare(one.text) in _bare(_words(content, claim))
    assert_never(one.kind)


def _words(content: Content, claim: str) -> str:
    """Return the record's words; those of the arguments too when found, or denied."""
    if content.is_empty and is_denial(claim):
        return "\n".join([*content.texts, *content.asked])
    return content.text


def _has_number(content: Content, one: Checkable, claim: str) -> bool:
    value = one.value
    if is_percentage(one):
        return _has_percentage(content, value)
    listed = [count for label, count in content.groups if one.noun and same_thing(one.noun, label)]
    if listed:
        # The record lists such things, so their number is what counts, or what its own words say.
        spelt = value in content.numbers and not value.is_integer()
        return value in listed or value == sum(listed) or spelt or _says_number(content, value)
    if value in content.counts or any(value == count for _, count in content.groups):
        return True
    if _CUTS.search(claim) and value + 1 in content.counts:
        return True
    return any(_same_number(value, held, one.text) for held in content.numbers) and not _counts_other(
        content, one.noun
    )


def _counts_other(content: Content, noun: str) -> bool:
    """Tell whether a record is plain words that count, but nothing of what the noun names."""
    told = "\n".join(content.texts)
    if not told or content.groups or has_han(told) != has_han(noun):
        return False
    if kinds := categories_in(noun):
        return not kinds & categories_in(told)
    # Chinese has no spaces: where a noun ends is not told by its characters.
    words = [] if has_han(noun) else stems(noun)
    return bool(words) and words[0] not in stems(told)


def _has_percentage(content: Content, value: float) -> bool:
    """Tell whether a record has about this confidence; a mean lies between several."""
    sure = [100 * one for one in content.sureness]
    between = bool(sure) and min(sure) - 0.5 <= value <= max(sure) + 0.5
    return between or any(abs(value - held) <= 0.5 for held in content.numbers)


def _says_number(content: Content, value: float) -> bool:
    return any(number.value == value for text in content.texts for number in numbers_in(text))


def _same_number(value: float, held: float, text: str) -> bool:
    """Compare two numbers at the precision of the claim."""
    decimals = len(text.partition(".")[2])
    return abs(value - held) <= 0.5 * 10**-decimals + 1e-9 if not held.is_integer() else value == held


def _has_time(content: Content, one: Checkable, *, at_edge: bool = False) -> bool:
    value = one.value
    if at_edge and content.spans:
        # A cut lies between shots; that its time is inside one proves nothing.
        return any(abs(value - edge) <= _NEAR_S for span in content.spans for edge in span)
    if any(start - _NEAR_S <= value <= end + _NEAR_S for start, end in content.spans):
        return True
    lengths = [end - start for start, end in content.spans]
    edges = sorted({edge for span in content.spans for edge in span})
    gaps = [after - before for before, after in pairwise(edges)]
    return any(abs(value - length) <= _NEAR_S for length in (*lengths, *gaps, *content.numbers))


def _bare(text: str) -> str:
    """Return letters and digits only, without case, spaces and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum())
