"""What the models and rules report, named in the language of the answer: things, actions, sounds, places.

In Chinese a counted thing has its measure word: 一辆汽车, 两只猫.
"""

from __future__ import annotations

from functools import lru_cache

from vidence.language.actions import action_families
from vidence.language.categories import categories, group_names
from vidence.language.forms import plural
from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["chinese_number", "counted_label", "label_in", "measure_word"]

_NUMBERS = ("零", "一", "两", "三", "四", "五", "六", "七", "八", "九", "十")
_MEASURE = "个"


def label_in(label: str, language: AnswerLanguage) -> str:
    """Return the name of a label in a language; one that no table knows as it is, without underscores."""
    plain = label.replace("_", " ").strip()
    if language == "en":
        return plain
    names = _chinese()
    return names.get(plain) or names.get(plain.lower()) or plain


def counted_label(label: str, count: int, language: AnswerLanguage) -> str:
    """Return a number of things in words: "2 cars", 两辆汽车."""
    if language == "en":
        plain = label_in(label, "en")
        return plain if count == 1 else f"{count} {plural(plain)}"
    return f"{chinese_number(count)}{measure_word(label)}{label_in(label, 'zh')}"


def chinese_number(count: int) -> str:
    """Return a number in its form before a measure word."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def measure_word(label: str) -> str:
    """Return the measure word of a thing, 个 where no table has one."""
    return _measures().get(label.replace("_", " ").strip().lower(), _MEASURE)


@lru_cache(maxsize=1)
def _chinese() -> dict[str, str]:
    """Return the Chinese name of every label; names of things win over those of actions and sounds."""
    names: dict[str, str] = {}
    rows = [
        *((row[0], row[1]) for row in read_table("report_words.tsv")),
        *((row[0], row[2]) for row in read_table("sounds.tsv")),
        *((family.name, family.chinese) for family in action_families()),
        *((row[0], row[1]) for row in read_table("kinetics400.tsv")),
        *((row[1], row[3]) for row in read_table("scene_names.tsv")),
        *(
            (row[0].partition(" ")[2], row[2])
            for row in read_table("entity_answers.tsv")
            if _is_state(row[0])
        ),
        *((row[0], row[1]) for row in read_table("imagenet.tsv")),
        *((row[0], row[1]) for row in read_table("imagenet_groups.tsv")),
        *group_names().items(),
        *((one.name, one.chinese) for one in categories().values()),
    ]
    for label, chinese in rows:
        names[label.replace("_", " ").lower()] = chinese
    return names


def _is_state(key: str) -> bool:
    return key.partition(" ")[0] in ("posture", "action", "motion")


@lru_cache(maxsize=1)
def _measures() -> dict[str, str]:
    groups = {row[0]: row[2] for row in read_table("imagenet_groups.tsv")}
    labels = {row[0].lower(): groups[row[2]] for row in read_table("imagenet.tsv") if row[2] in groups}
    return {**labels, **groups, **{row[0]: row[4] for row in read_table("things.tsv")}}
