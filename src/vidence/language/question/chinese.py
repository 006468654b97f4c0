"""Nouns and verbs of a Chinese question, found by the longest known words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from vidence.language.categories import category_words
from vidence.language.identify import has_han
from vidence.language.numbers import number_value
from vidence.language.question.english import english_targets
from vidence.language.question.form import Target
from vidence.language.question.naming import MEASURES, category_of, colours_of, position_of
from vidence.language.tables import read_table, words_of

__all__ = ["chinese_action", "chinese_name", "chinese_targets", "noun_of", "thing_asked_of"]

_TABLE = "question_chinese.tsv"
_LONGEST, _LONGEST_UNKNOWN = 6, 4
_COUNTED = re.compile(
    rf"(?:(?:几|多少|哪[一几些两]?(?![里儿])|(?<!为)什么)(?:种|类)?[{MEASURES}]?|(?:一|两|二|三|四|五|六|[0-9]+)(?:种|类|[{MEASURES}]))"
    r"(?:不同的)?([^\W\da-zA-Z的了吗呢在是有被把和跟与或从向到?？，。]{1,6})"
)
_ASKED_OF = re.compile(
    r"(?:[上里]面?)?(?:大体|大概|大致|主要|基本|整体)?上?(?:都|看起来)?(?:是|有|为|呈)?(?:一?[个种])?(?:什么|哪种|啥)样?的?"
    r"(?:颜色|色|形状|图案|花纹|材质|材料|样子)"
)
"""What asks for a property of the noun that stands before it: 楼顶｜是什么颜色."""
_RUN = re.compile(r"(?:^|[^\u4e00-\u9fff]|[的那这里上中下])((?:(?!的)[\u4e00-\u9fff]){1,4})$")
_ASIDE = re.compile(r"[（(][^）)]*[）)]")
_PLACE = re.compile(r"^(?:画面|视频|影片|镜头|图片?)[里中上]?的?")
_POINTED = re.compile(rf"^[这那]?[一两二三四五六七八九十几]?[{MEASURES}]?(?=.)|^[这那一]+.$")
_DESCRIBED = re.compile(r"([^，。？,?的了在是]{1,12}的)$")
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:\s+[A-Za-z][A-Za-z'’-]*)*")
_ACTIONS = words_of(_TABLE, "action")
_EMPTY = words_of(_TABLE, "empty")
_NOT_NOUNS = words_of(_TABLE, "not_noun")
_ENDS = re.compile(f"[{''.join(words_of(_TABLE, 'ends_noun'))}]")
_BEFORE = frozenset("".join(words_of(_TABLE, "before_noun"))) | frozenset(MEASURES)
_AFTER = frozenset("".join(words_of(_TABLE, "after_noun"))) | {verb[0] for verb in _ACTIONS}
"""What may stand beside a noun of one character; anything else makes it a part of a word: 球 of 地球仪."""
_PARTICLES = frozenset("".join(words_of(_TABLE, "particle")))
_PRONOUNS = frozenset("".join(words_of(_TABLE, "pronoun")))
_NO_DESCRIPTION = re.compile(r"什么|几|多少|哪|秒|不同|出现|[他她它你我有没吗]|开头|最后|开始|结尾|[半片]段")
"""Words that ask, point or say that something is there: they describe nothing."""


def chinese_targets(text: str) -> tuple[Target, ...]:
    """Return the things a text names, in order; the longest known noun wins."""
    found = _known(text)
    for start, end in (*_unknown(text), *_asked_nouns(text)):
        if not any(first < end and start < last for first, last in found):
            found.append((start, end))
    placed = [(start, _target(text, start, end)) for start, end in found]
    placed += _english_things(text, only_known=bool(found))
    return tuple(target for _, target in sorted(placed, key=lambda one: one[0]))


def thing_asked_of(text: str) -> Target | None:
    """Return the thing whose colour, shape or material a text asks for: 两栋楼的｜楼顶｜是什么颜色."""
    text = _ASIDE.sub("", text)
    asked = _ASKED_OF.search(text)
    named = chinese_targets(text[: asked.end()]) if asked else ()
    return next((one for one in reversed(named) if asked and text[: asked.start()].endswith(one.head)), None)


def noun_of(run: str) -> str:
    """Return the noun that a run of characters begins with: up to a verb or a particle."""
    if run[:1] in _PARTICLES:
        return ""
    found = _ENDS.search(run, 1)
    word = run[: found.start()] if found else run
    return next((one for one in _NOT_NOUNS if len(one) > 1 and word.startswith(one)), word)


def chinese_name(target: Target) -> str:
    """Return what to call a thing in an answer: a known noun, described by no verb; "" for any other."""
    if target.category is None and target.head not in _nouns():
        return ""
    clean = not (_ENDS.search(target.text.replace("的", "")) or _PRONOUNS & set(target.text))
    return target.text if clean else target.head


def _known(text: str) -> list[tuple[int, int]]:
    """Return where known nouns stand; one of a single character only where it is no part of a word."""
    found: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        length = _known_at(text, position)
        word = text[position : position + length]
        if length and word not in _NOT_NOUNS and (length > 1 or _stands_alone(text, position, found)):
            found.append((position, position + length))
        position += length or 1
    return found


def _stands_alone(text: str, position: int, found: list[tuple[int, int]]) -> bool:
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    follows_noun = bool(found) and found[-1][1] == position
    is_begun = not has_han(before) or before in _BEFORE or follows_noun or _ends_in_verb(text[:position])
    return is_begun and (not has_han(after) or after in _AFTER or bool(_known_at(text, position + 1)))


def _ends_in_verb(text: str) -> bool:
    return text.endswith(tuple(_ACTIONS))


def _unknown(text: str) -> list[tuple[int, int]]:
    """Return where unknown nouns stand after a number or a word that asks for one: 三枚｜徽章."""
    found = []
    for match in _COUNTED.finditer(text):
        word = noun_of(match[1])
        end = match.start(1) + len(word)
        # Before 的 stands a description: 一个小小的….
        if _is_thing(word) and len(word) <= _LONGEST_UNKNOWN and text[end : end + 1] != "的":
            found.append((match.start(1), end))
    return found


def _is_thing(word: str) -> bool:
    return word not in (*_NOT_NOUNS, *MEASURES, "") and not word.startswith((*_EMPTY, *_ACTIONS))


def _asked_nouns(text: str) -> list[tuple[int, int]]:
    """Return where the noun stands whose colour, shape or material is asked for, known or not."""
    asked = _ASKED_OF.search(text)
    run = _RUN.search(text[: asked.start()]) if asked else None
    if run is None:
        return []
    word = _POINTED.sub("", run[1])
    if not _is_thing(word) or _PRONOUNS & set(word) or _ENDS.search(word):
        return []
    return [(run.end(1) - len(word), run.end(1))]


def chinese_action(text: str) -> str | None:
    """Return the verb of a text, the last and longest known one."""
    hits = [(text.rfind(verb), verb) for verb in _ACTIONS if verb in text]
    best = max(hits, key=lambda hit: (hit[0] + len(hit[1]), len(hit[1])), default=None)
    return best[1] if best else None


def _english_things(text: str, *, only_known: bool) -> list[tuple[int, Target]]:
    """Return the English nouns of a Chinese text with their positions: 红色的 car."""
    found = []
    for run in _ENGLISH.finditer(text):
        before = text[: run.start()].rstrip()
        modifier = _modifier(before)
        # "OK，他在…" names nothing: a word set off by punctuation is no topic.
        is_apart = text[run.end() :].lstrip()[:1] in tuple("，,.。!！")
        for thing in english_targets(run[0]):
            if thing.category is None and (only_known or is_apart):
                continue
            described = replace(
                thing,
                text=modifier + thing.text,
                modifiers=(*_modifiers(modifier), *thing.modifiers),
                colours=colours_of(modifier) or thing.colours,
                position=position_of(modifier) or thing.position,
                phrase=modifier + thing.phrase,
                number=thing.number or _number(before),
            )
            found.append((run.start(), described))
    return found


def _target(text: str, start: int, end: int) -> Target:
    head = text[start:end]
    before = text[:start]
    modifier, category = _modifier(before), category_of(head)
    if category != "person" and _ENDS.search(modifier.removesuffix("的")):
        # Who does something is told from others by it; of a thing it tells little: 女人穿的｜裙子.
        modifier = ""
    return Target(
        text=modifier + head,
        head=head,
        modifiers=_modifiers(modifier),
        colours=colours_of(modifier),
        position=position_of(modifier),
        category=category,
        phrase=modifier + head,
        number=_number(before),
    )


def _number(before: str) -> int | None:
    counted = re.search(rf"([一两二三四五六七八九十]|\d+)[{MEASURES}]?$", before)
    return number_value(counted[1]) if counted else None


def _modifier(before: str) -> str:
    """Return the description that ends where a noun begins."""
    described = _DESCRIBED.search(re.sub(rf"(?:那|这|一|几|多少|哪)?[{MEASURES}]?$", "", before))
    modifier = _POINTED.sub("", _PLACE.sub("", described[1])) if described else _adjacent(before)
    return "" if _NO_DESCRIPTION.search(modifier) else modifier


def _modifiers(modifier: str) -> tuple[str, ...]:
    return (modifier.removesuffix("的"),) if modifier else ()


def _adjacent(before: str) -> str:
    """Return a colour or a side that stands right before a noun: 红车, 左边男子."""
    match = re.search(
        r"((?:左|右|中间)(?:边|侧|面|手边)?|[红橙黄绿蓝紫黑白灰棕粉]色?)(?:的|那个|那只)?$", before
    )
    return match[0] if match else ""


def _known_at(text: str, position: int) -> int:
    for length in range(min(_LONGEST, len(text) - position), 0, -1):
        if text[position : position + length] in _nouns() | _NOT_NOUNS:
            return length
    return 0


@lru_cache(maxsize=1)
def _nouns() -> frozenset[str]:
    words = {word for word in category_words() if not word.isascii()}
    for kind, _, listed in read_table("query_words.tsv"):
        if kind in ("is", "garment", "unknown"):
            words |= {word for word in listed.split(",") if not word.isascii()}
    words |= {row[1] for row in read_table("imagenet_groups.tsv")}
    words |= {row[1] for row in read_table("imagenet.tsv") if len(row[1]) > 1}
    words |= words_of(_TABLE, "noun") | {word for word in words_of(_TABLE, "people") if len(word) > 1}
    return frozenset(words) - _EMPTY - {"球面", "的", "面", "上"}
