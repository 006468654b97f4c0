"""Sentences that say who somebody is: introductions, appositions, titles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import relation_words
from vidence.language.identify import HAN, has_han
from vidence.schema.story import Quote, StoryEntity

__all__ = ["describing_quotes"]

_QUOTES = 4
_LOOKED_AT = 600
_AFTER_ZH = re.compile(
    r"^(?:[，]?(?:原|本|乃|便|就|却|又)?(?:是|系|乃|乃是|即)|[，]?(?:者|字|号|表字|年方|年|生得|出身|祖籍|本贯))"
)
_BEFORE_ZH = re.compile(r"(?:名唤|名叫|唤作|叫作|叫做|名曰|姓|乃是|就是|便是|名字叫)[“]?$")
_AFTER_EN = re.compile(r"^(?:,\s+(?:an?|the|who|whose)\b|\s+(?:was|is|had been)\s+(?:an?|the|one)\b)")
_BEFORE_EN = re.compile(r"(?:named|called|name was|name of|name is)\s+$", re.IGNORECASE)


def describing_quotes(reader: StoryReader, entity: StoryEntity, *, limit: int = _QUOTES) -> list[Quote]:
    """Return the sentences that describe an entity best, in the order of the story."""
    names = [entity.name, *entity.aliases]
    finder = reader.finder_with([entity])
    rows = []
    for number, (chapter, start, end, mentions) in enumerate(reader.sentences_with(names, finder)):
        own = [one for one in mentions if one.entity_id == entity.entity_id]
        if not own:
            continue
        text = chapter.text
        score = max(_score(text, one.start, one.end, start, end) for one in own) + 0.5 / (1 + number)
        rows.append((score, chapter.number, start, end))
        if number > _LOOKED_AT:
            break
    best = sorted(sorted(rows, key=lambda row: (-row[0], row[1], row[2]))[:limit], key=lambda row: row[1:])
    return [reader.quote(number, start, end) for _, number, start, end in best]


def _score(text: str, start: int, end: int, first: int, last: int) -> float:
    after, before = text[end : min(last, end + 30)], text[max(first, start - 30) : start]
    is_chinese = has_han(text[start:end])
    patterns = (_AFTER_ZH, _BEFORE_ZH) if is_chinese else (_AFTER_EN, _BEFORE_EN)
    score = 2.0 * bool(patterns[0].match(after)) + 2.5 * bool(patterns[1].search(before))
    near = text[max(first, start - 12) : min(last, end + 12)]
    return score + 0.5 * min(2, sum(1 for _ in _kin(near, is_chinese))) - 0.3 * (last - first > 200)


def _kin(text: str, is_chinese: bool) -> Iterator[str]:
    words = re.findall(rf"[{HAN}]{{1,3}}" if is_chinese else r"[a-z-]+", text.lower())
    known = relation_words()
    return (word for word in words if word in known)
