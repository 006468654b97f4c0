"""Which measured colour a word for something worn stands for."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["Region", "region_of"]

Region = Literal["upper", "lower", "top", "hair", "feet", "other"]

_REGIONS: tuple[tuple[Region, str], ...] = (
    ("lower", r"trousers?|pants|jeans|shorts|skirt|leggings|slacks|裤|裙"),
    ("feet", r"shoes?|boots?|sneakers?|trainers|socks?|鞋|靴|袜"),
    ("hair", r"hair|hat|cap of (?:the )?(?:man|woman|person)|beanie|helmet|hood|头发|发色|帽|头盔"),
    (
        "upper",
        r"tops?|shirts?|t-?shirts?|blouse|jackets?|coats?|hoodies?|sweaters?|jumpers?|pullovers?|cardigan|vest|suit|"
        r"dress|clothes|clothing|outfit|wear(?:s|ing)?|jersey|uniform|apron|robe|dressed|blazer|"
        r"衣|衫|外套|夹克|大衣|毛衣|西装|制服|上身|连衣裙|穿",
    ),
    ("top", r"caps?|lids?|stoppers?|tops? of|cork|瓶盖|盖子|盖"),
)


def region_of(words: str, *, worn: bool) -> Region:
    """Return which part of a person or a thing the words mean.

    Args:
        worn: whether a person wears it; a bottle's cap is on no head.
    """
    if not worn:
        return "top" if _finds("top", words) else "other"
    return next((name for name, _ in _REGIONS if name != "top" and _finds(name, words)), "other")


def _finds(region: Region, words: str) -> bool:
    pattern = dict(_REGIONS)[region]
    return bool(re.search(rf"\b(?:{pattern})\b|(?:{_chinese(pattern)})", words, re.IGNORECASE))


def _chinese(pattern: str) -> str:
    return "|".join(part for part in pattern.split("|") if not part.isascii()) or "$^"
