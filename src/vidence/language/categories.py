"""The COCO categories: ids, English and Chinese names, and the groups people ask for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vidence.errors import UnknownName
from vidence.language.tables import read_table

__all__ = ["Category", "categories", "category_words", "group_names", "resolve_category"]


@dataclass(frozen=True, slots=True)
class Category:
    """One thing the detector can name."""

    id: int
    name: str
    chinese: str
    group: str


@lru_cache(maxsize=1)
def categories() -> dict[int, Category]:
    """Return the 80 categories by COCO id (1–90, with gaps)."""
    return {int(row[0]): Category(int(row[0]), *row[1:]) for row in read_table("coco.tsv")}


@lru_cache(maxsize=1)
def group_names() -> dict[str, str]:
    """Return the Chinese name of each group by its English one."""
    return {row[0]: row[1] for row in read_table("groups.tsv")}


def resolve_category(text: str) -> frozenset[str]:
    """Return the category names meant by a category or group, in English or Chinese, singular or plural."""
    wanted = text.strip().lower()
    words = category_words()
    for form in (wanted, wanted.removesuffix("s"), wanted.removesuffix("es"), wanted.replace("_", " ")):
        if form in words:
            return words[form]
    raise UnknownName("category", text, words, remedy=f"Groups: {', '.join(group_names())}.")


@lru_cache(maxsize=1)
def category_words() -> dict[str, frozenset[str]]:
    """Return every word for a category or group, in either language, with the categories it means."""
    words: dict[str, frozenset[str]] = {}
    for row in read_table("groups.tsv"):
        members = frozenset(c.name for c in categories().values() if c.group == row[0])
        for word in (row[0], row[1], *row[2].split(",")):
            words[word] = members
    for category in categories().values():
        words[category.name] = words[category.chinese] = frozenset({category.name})
    words |= {word: frozenset({name}) for word, name in _SYNONYMS.items()}
    return words


_SYNONYMS = {
    "phone": "cell phone",
    "smartphone": "cell phone",
    "mobile phone": "cell phone",
    "电话": "cell phone",
    "bike": "bicycle",
    "单车": "bicycle",
    "motorbike": "motorcycle",
    "plane": "airplane",
    "sofa": "couch",
    "television": "tv",
    "plant": "potted plant",
    "植物": "potted plant",
    "table": "dining table",
    "桌子": "dining table",
    "ball": "sports ball",
    "doughnut": "donut",
    "fridge": "refrigerator",
    "computer": "laptop",
    "电脑": "laptop",
    "teddy": "teddy bear",
    "巴士": "bus",
    "小汽车": "car",
    "轿车": "car",
    "伞": "umbrella",
}
