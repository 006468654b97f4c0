"""What forms of address and names tell of families: "母亲…" said to somebody, 周瑞家的, 阮小二 and 阮小五.

One form of address tells little; `assemble` believes it only when two people use it again and again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from vidence.knowledge.mentions import Mention
from vidence.knowledge.names_zh import TITLES, surname_of
from vidence.knowledge.relations import STATED, RelationStatement, relation_words
from vidence.knowledge.speech import Speech
from vidence.language.identify import has_han

__all__ = ["addressed", "kin_by_name"]

_KINDS = ("parent", "parent_in_law", "uncle_aunt")
"""People call anybody sister, brother or granny; a mother, a mother-in-law or an aunt is mostly meant."""
_TO, _BY_NAME = 0.2, 2.2
_NOT_CALLED = ("父", "母", "父母", "养父", "养母", "生父", "生母", "叔", "伯", "舅", "婶")
"""Words for relatives that nobody calls them by to their face."""
_NEAR = 80
_LEAD = 60
_WIFE = "家的"
_ORDINAL = re.compile("[大一二三四五六七八九十]")


@lru_cache(maxsize=1)
def _vocative() -> re.Pattern[str]:
    words = [
        word.word
        for word in relation_words().values()
        if word.kind in _KINDS and has_han(word.word) and word.word not in (*TITLES, *_NOT_CALLED)
    ]
    body = "|".join(sorted(words, key=lambda word: (-len(word), word)))
    return re.compile(rf"[“，。！？：…](?P<word>{body})(?=[，！？。也这如请放不别只还且可说要在便给])")


def addressed(
    text: str, speeches: Sequence[Speech], mentions: Sequence[Mention]
) -> Iterator[RelationStatement]:
    """Yield what speakers call those they turn to, or else who speaks before and after them."""
    for at, one in enumerate(speeches):
        if one.how != "stated" or one.speaker is None:
            continue
        found = _vocative().search(text, one.start, one.end)
        if found is None:
            continue
        word = relation_words()[found["word"]]
        for who, strength in _hearers(text, speeches, at, mentions):
            if who != one.speaker:
                yield RelationStatement(
                    who, one.speaker, word.word, word.kind, strength, one.start, one.end, "address"
                )


def _hearers(
    text: str, speeches: Sequence[Speech], at: int, mentions: Sequence[Mention]
) -> Iterator[tuple[str, float]]:
    here = speeches[at]
    begin = max(speeches[at - 1].end if at else 0, here.start - _LEAD)
    first, last = (bisect_left(mentions, Mention(place, 0, "")) for place in (begin, here.start))
    for one in mentions[first:last]:
        if one.start and text[one.start - 1] in "向对和与问谓":
            yield one.entity_id, 2 * _TO
            return
    before, after = speeches[at - 1 : at], speeches[at + 1 : at + 2]
    near = [one for one in before if here.start - one.end < _NEAR]
    near += [one for one in after if one.start - here.end < _NEAR]
    yield from ((one.speaker, _TO) for one in near if one.speaker is not None)


def kin_by_name(
    start: int, end: int, named: Sequence[Mention], names: Collection[str]
) -> Iterator[RelationStatement]:
    """Yield what the names of one sentence tell: 周瑞家的 is 周瑞's wife, 阮小二 and 阮小五 are brothers."""
    people = list(dict.fromkeys(one.entity_id for one in named))
    for who in people:
        husband = who.removesuffix(_WIFE)
        if husband != who and husband in names:
            yield RelationStatement(who, husband, "妻", "spouse", 2 * STATED, start, end)
    for one, other in combinations(people, 2):
        if _differ_by_number(one, other):
            word = "姐妹" if one[-1] in "姐妹娘" else "兄弟"
            yield RelationStatement(one, other, word, "sibling", _BY_NAME, start, end)


def _differ_by_number(one: str, other: str) -> bool:
    surname = surname_of(one)
    if not surname or surname != surname_of(other) or min(len(one), len(other)) < len(surname) + 2:
        return False
    rest, others = one[len(surname) :], other[len(surname) :]
    return (
        rest != others
        and _ORDINAL.sub("", rest) == _ORDINAL.sub("", others) != ""
        and (len(_ORDINAL.findall(rest)) == len(_ORDINAL.findall(others)) == 1)
    )
