"""Nouns and verbs of a Chinese question, found by the longest known words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from vidence.language.categories import category_words
from vidence.language.numbers import number_value
from vidence.language.question.english import english_targets
from vidence.language.question.form import Target
from vidence.language.question.naming import category_of, colours_of, position_of
from vidence.language.tables import read_table, words_of

__all__ = ["chinese_action", "chinese_targets"]

_MEASURES = "个只辆位名条件瓶杯架张把本匹头艘台部棵朵双块颗座群对支根种款"
_LONGEST = 6
_COUNTED = re.compile(
    rf"(?:几|多少|哪|什么|一|两|二|三|四|五|六|[0-9]+)(?:种|类)?[{_MEASURES}]?(?:不同的)?([^\W\d的了吗呢在是有被把和跟与或从向到?？，。]{{1,6}})"
)
_DESCRIBED = re.compile(r"([^，。？,?的了在是]{1,12}的)$")
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:\s+[A-Za-z][A-Za-z'’-]*)*")
_ACTIONS = words_of("question_chinese.tsv", "action")
_EMPTY = words_of("question_chinese.tsv", "empty")


def chinese_targets(text: str) -> tuple[Target, ...]:
    """Return the things a text names, in order; the longest known noun wins."""
    found: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        length = _known_at(text, position)
        if length:
            found.append((position, position + length))
        position += length or 1
    for match in _COUNTED.finditer(text):
        start, end = match.span(1)
        word = match[1]
        clash = any(first < end and start < last for first, last in found)
        is_thing = word not in _ACTIONS and word not in _MEASURES
        if is_thing and not clash and not any(word.startswith(empty) for empty in _EMPTY):
            found.append((start, end))
    placed = [(start, _target(text, start, end)) for start, end in found]
    placed += _english_things(text, only_known=bool(found))
    return tuple(target for _, target in sorted(placed, key=lambda one: one[0]))


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
    modifier = _modifier(before)
    return Target(
        text=modifier + head,
        head=head,
        modifiers=_modifiers(modifier),
        colours=colours_of(modifier),
        position=position_of(modifier),
        category=category_of(head),
        phrase=modifier + head,
        number=_number(before),
    )


def _number(before: str) -> int | None:
    counted = re.search(rf"([一两二三四五六七八九十]|\d+)[{_MEASURES}]?$", before)
    return number_value(counted[1]) if counted else None


def _modifier(before: str) -> str:
    """Return the description that ends where a noun begins."""
    described = _DESCRIBED.search(re.sub(rf"(?:那|这|一|几|多少|哪)?[{_MEASURES}]?$", "", before))
    modifier = described[1] if described else _adjacent(before)
    # The words that ask are no description: 什么时候…的.
    return "" if re.search(r"什么|几|多少|哪|秒|不同|出现", modifier) else modifier


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
        if text[position : position + length] in _nouns():
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
    words |= words_of("question_chinese.tsv", "noun")
    return frozenset(words) - _EMPTY - {"球面", "的", "面", "上"}
