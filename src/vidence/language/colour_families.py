"""Colour names in English and Chinese, brought to families that count as the same."""

from __future__ import annotations

import re

__all__ = ["colours_in", "same_colour"]

_FAMILIES: dict[str, tuple[str, ...]] = {
    "red": ("red", "crimson", "scarlet", "maroon", "ruby", "burgundy", "红", "赤", "绯", "酒红", "朱"),
    "orange": ("orange", "amber", "橙", "橘"),
    "yellow": ("yellow", "lemon", "mustard", "黄"),
    "gold": ("gold", "golden", "blond", "blonde", "金色", "金黄", "金发"),
    "green": ("green", "olive", "lime", "emerald", "khaki", "绿", "翠", "橄榄"),
    "teal": ("teal", "turquoise", "cyan", "aqua", "青", "蓝绿"),
    "blue": ("blue", "navy", "azure", "indigo", "cobalt", "蓝", "藏青", "靛"),
    "purple": ("purple", "violet", "lavender", "lilac", "mauve", "紫"),
    "pink": ("pink", "magenta", "fuchsia", "rose", "salmon", "粉红", "粉色", "桃红", "玫红", "品红"),
    "brown": ("brown", "tan", "chestnut", "bronze", "chocolate", "auburn", "棕", "褐", "咖啡色", "茶色"),
    "beige": ("beige", "cream", "ivory", "米色", "米白", "奶油色", "米黄"),
    "white": ("white", "白"),
    "black": ("black", "黑"),
    "grey": ("grey", "gray", "charcoal", "灰"),
    "silver": ("silver", "银色", "银灰", "银白"),
}
# Families that people do not tell apart reliably.
_NEAR = [
    {"orange", "gold"}, {"yellow", "gold"}, {"teal", "green"}, {"teal", "blue"}, {"beige", "white"},
    {"beige", "brown"}, {"silver", "grey"},
]  # fmt: skip
_OF = {name: family for family, names in _FAMILIES.items() for name in names}
_ENGLISH = re.compile(
    rf"\b({'|'.join(sorted((name for name in _OF if name.isascii()), key=len, reverse=True))})(?:ish|s)?\b",
    re.IGNORECASE,
)
_CHINESE = re.compile("|".join(sorted((name for name in _OF if not name.isascii()), key=len, reverse=True)))
# Characters that name a colour alone and something else inside these words.
_NOT_COLOURS = re.compile(
    r"红绿灯|网红|红包|分红|黄瓜|黄昏|黄河|黄油|黄山|青年|青少年|年青|青菜|青蛙|青岛|明白|白天|空白|表白|白菜|白酒|黑板|黑客|"
    r"黑暗|灰尘|绿化|蓝牙|朱[\u4e00-\u9fff]{1,2}(?=说|先生|女士)|翠鸟|赤脚|赤道|橙汁|橙子|橘子|紫菜"
)
_NOT_ENGLISH = re.compile(
    r"\b(?:orange (?:juice|slices?)|an orange\b(?! \w)|oranges|black and white|white ?board|black ?board|"
    r"white house|green ?house|gold medal|silver medal|bronze medal|rose (?:up|from)|(?:he|she|it|they) rose|"
    r"ice cream|cream cheese|whipped cream|green light|red light)\b",
    re.IGNORECASE,
)


def colours_in(text: str) -> dict[str, str]:
    """Return the colour families a text names, each with the word it was named by."""
    blank = _NOT_ENGLISH.sub(" ", _NOT_COLOURS.sub(" ", text))
    found: dict[str, str] = {}
    for match in _ENGLISH.finditer(blank):
        found.setdefault(_OF[match[1].lower()], match[0])
    for match in _CHINESE.finditer(blank):
        found.setdefault(_OF[match[0]], match[0])
    return found


def same_colour(claimed: str, seen: set[str]) -> bool:
    """Tell whether a family is among those seen, or next to one that people mix it up with."""
    return claimed in seen or any({claimed, other} in _NEAR for other in seen)
