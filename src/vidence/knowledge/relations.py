"""Relations that sentences state: a kinship or other relation word with the two names it joins.

Every statement has a strength: "贾政之妻王夫人" and "Emma's father, Mr. Woodhouse" state it in so many words;
a relation word in a sentence that names both people only suggests it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from vidence.knowledge.mentions import Mention
from vidence.knowledge.relations_zh import read_sentence
from vidence.language.identify import has_han
from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = [
    "CARRIED",
    "STATED",
    "RelationStatement",
    "RelationWord",
    "inverse_of",
    "relation_class",
    "relation_words",
    "state",
    "word_for",
]

STATED = 2.4
"""The strength from which a sentence states a relation in so many words."""
CARRIED = 2.0
"""The strength of a statement about whom the sentence before was about."""
_STRONG, _PRONOUN, _WEAK = 5.0, 2.5, 0.6
_OWN = 1.0
_OWNS_EN = re.compile(r"['’]s?\s+(?:\w+\s+){0,2}")
_NAMED_EN = re.compile(r"\s*,?\s*")
_OF_EN = re.compile(r"\s+(?:of|to)\s+(?:the\s+)?")
_IS_EN = re.compile(
    r"\s*(?:,|was|is|had been|, who was)\s*"
    r"(?:an?|the|his|her|only|eldest|youngest|elder|younger|second|old|dear|\s)*"
)
_PRONOUN_EN = re.compile(
    r"\b(?:his|her|their|my)\s+(?:(?:own|eldest|youngest|elder|younger|only|dear|old|little|poor|late|young)\s+){0,2}$",
    re.IGNORECASE,
)
_HIS_ZH = re.compile("(?:[他她其]|自己)的?(?:亲|生)?$")
_OF_ZH = re.compile("[之的].?")
_IS_ZH = re.compile("(?:原来?|本|也|便|就)?[是乃系](?:一?[个位名])?[^，。；“”]{0,10}")
_FAR = 60
_AROUND = 3
"""Names on each side of a relation word that it may be about."""


@dataclass(frozen=True)
class RelationWord:
    """A word for a relation: its class, the class from the other side, and the gender it states."""

    word: str
    kind: str
    inverse: str
    gender: str


@dataclass(frozen=True)
class RelationStatement:
    """`source` is the `word` of `target`, by what stands at start..end."""

    source: str
    target: str
    word: str
    kind: str
    strength: float
    start: int
    end: int
    how: str = ""
    """`his`: a pronoun says whose relative is meant, not who; `address`: what one calls the other."""

    def reversed(self) -> RelationStatement:
        """Return the same fact told from the other side."""
        return RelationStatement(
            self.target,
            self.source,
            self.word,
            inverse_of(self.kind),
            self.strength,
            self.start,
            self.end,
            self.how,
        )


@lru_cache(maxsize=1)
def relation_words() -> dict[str, RelationWord]:
    """Return every relation word in both languages."""
    return {
        word: RelationWord(word, kind, inverse, gender)
        for kind, inverse, gender, words in read_table("relations.tsv", "knowledge")
        for word in words.split()
    }


@lru_cache(maxsize=1)
def _inverses() -> dict[str, str]:
    return {word.kind: word.inverse for word in relation_words().values()} | {
        word.inverse: word.kind for word in relation_words().values()
    }


def inverse_of(kind: str) -> str:
    """Return the relation seen from the other side."""
    return _inverses().get(kind, kind)


def relation_class(word: str) -> str | None:
    """Return the class of a relation as somebody words it: 大丫环, 姑舅哥哥, elder brother."""
    known = relation_words()
    if word in known:
        return known[word].kind
    held = [one for one in known if (one in word if has_han(word) else one in word.lower().split())]
    return known[max(held, key=lambda one: (word.endswith(one), len(one)))].kind if held else None


_LABELS: dict[AnswerLanguage, dict[str, str]] = {
    "zh": {
        "parent": "父母",
        "child": "子女",
        "spouse": "夫妻",
        "concubine": "妾",
        "patron": "夫主",
        "sibling": "兄弟姐妹",
        "cousin": "表亲",
        "grandparent": "祖辈",
        "grandchild": "孙辈",
        "parent_in_law": "公婆或岳父母",
        "child_in_law": "儿媳或女婿",
        "sibling_in_law": "姻亲",
        "uncle_aunt": "长辈亲戚",
        "nephew_niece": "侄辈",
        "servant": "仆人",
        "master": "主人",
        "teacher": "老师",
        "pupil": "学生",
        "lover": "情人",
        "friend": "朋友",
        "godparent": "干亲",
        "godchild": "干亲",
        "ward": "被抚养人",
        "guardian": "抚养人",
        "enemy": "对头",
        "meets": "同场",
    },
    "en": {
        "parent_in_law": "parent-in-law",
        "child_in_law": "child-in-law",
        "sibling_in_law": "in-law",
        "uncle_aunt": "uncle or aunt",
        "nephew_niece": "nephew or niece",
        "meets": "appears with",
    },
}


def word_for(kind: str, language: AnswerLanguage, gender: str = "unknown") -> str:
    """Return the word for a relation class in a language, by gender where it is known."""
    wanted = {"female": "f", "male": "m"}.get(gender)
    if wanted:
        for one in relation_words().values():
            if one.kind == kind and one.gender == wanted and has_han(one.word) == (language == "zh"):
                return one.word
    return _LABELS[language].get(kind, kind)


@lru_cache(maxsize=2)
def _pattern(is_chinese: bool) -> re.Pattern[str]:
    words = sorted(
        (one for one in relation_words() if has_han(one) == is_chinese), key=lambda one: (-len(one), one)
    )
    body = "|".join(map(re.escape, words))
    return re.compile(body if is_chinese else rf"\b(?:{body})\b", re.IGNORECASE)


def state(
    text: str,
    start: int,
    end: int,
    mentions: Sequence[Mention],
    *,
    subject: str | None = None,
    topic: str | None = None,
) -> Iterator[RelationStatement]:
    """Yield what one sentence states about the people it names.

    Args:
        mentions: the names of this sentence, in order.
        subject: who the sentence before was about, for "his wife".
        topic: whom a Chinese sentence before named first, for 其妻; `subject` is whom it named last.
    """
    if not mentions:
        return
    is_chinese = has_han(text[start:end])
    if is_chinese:
        yield from _chinese(text, start, end, mentions, subject, topic)
    taken = [(one.start, one.end) for one in mentions]
    for found in _pattern(is_chinese).finditer(text, start, end):
        if any(first < found.end() and found.start() < last for first, last in taken):
            continue
        word = relation_words()[found[0] if is_chinese else found[0].lower()]
        if is_chinese:
            read = _his if _HIS_ZH.search(text[start : found.start()]) else _nearby
            yield from read(found, word, *_sides(found, mentions), start, end)
        else:
            yield from _english(text, start, end, found, word, mentions, subject)


def _chinese(
    text: str, start: int, end: int, mentions: Sequence[Mention], subject: str | None,
    topic: str | None,
) -> Iterator[RelationStatement]:  # fmt: skip
    for one in read_sentence(text, start, end, mentions):
        target = (
            mentions[one.target].entity_id if one.target is not None else topic if one.is_his else subject
        )
        if target is not None:
            loose = CARRIED if one.target is None else _PRONOUN
            strength = loose if one.is_loose else _STRONG
            yield from _made(
                mentions[one.source].entity_id, target, relation_words()[one.word], strength, start, end
            )


def _english(
    text: str, start: int, end: int, found: re.Match[str], word: RelationWord, mentions: Sequence[Mention],
    subject: str | None,
) -> Iterator[RelationStatement]:  # fmt: skip
    left, right = _sides(found, mentions)
    after = right[0] if right else None
    named = after is not None and _NAMED_EN.fullmatch(text[found.end() : after.start]) is not None
    if left and after and named and _OWNS_EN.fullmatch(text[left[-1].end : found.start()]):
        yield from _made(after.entity_id, left[-1].entity_id, word, _STRONG, start, end)
        return
    if (
        left
        and after
        and _OF_EN.fullmatch(text[found.end() : after.start])
        and _IS_EN.fullmatch(text[left[-1].end : found.start()])
    ):
        yield from _made(left[-1].entity_id, after.entity_id, word, _STRONG, start, end)
        return
    if (
        len(left) > 1
        and _OWNS_EN.fullmatch(text[left[-1].end : found.start()])
        and _IS_EN.fullmatch(text[left[-2].end : left[-1].start])
    ):
        yield from _made(left[-2].entity_id, left[-1].entity_id, word, _STRONG, start, end)
        return
    who = left[-1].entity_id if left else subject
    if named and who is not None and _PRONOUN_EN.search(text[max(start, found.start() - 30) : found.start()]):
        assert after is not None
        yield from _made(after.entity_id, who, word, _PRONOUN, start, end)
        return
    yield from _nearby(found, word, left, right, start, end)


def _sides(found: re.Match[str], mentions: Sequence[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Return the names before and after a word."""
    left = [one for one in mentions if one.end <= found.start()]
    return left, [one for one in mentions if one.start >= found.end()]


def _nearby(
    found: re.Match[str], word: RelationWord, left: Sequence[Mention], right: Sequence[Mention],
    start: int, end: int,
) -> Iterator[RelationStatement]:  # fmt: skip
    """Yield weak readings: the closest name is what the word names, of each other name around it."""
    if len(word.word) == 1:
        return
    owner = left[-1] if left and _OF_ZH.fullmatch(found.string[left[-1].end : found.start()]) else None
    if owner is not None:
        # In 乙是甲的妹妹 and 甲的妹妹…乙 the word is about 乙.
        is_said = len(left) > 1 and found.string[owner.start - 1] in "是乃系"
        for other in left[-2:-1] if is_said else [*left[-_AROUND:-1], *right[:_AROUND]]:
            if _gap(other, found) <= _FAR and other.entity_id != owner.entity_id:
                strength = (_OWN if is_said else _WEAK / 2) / (1 + _gap(other, found) / 10)
                yield from _made(other.entity_id, owner.entity_id, word, strength, start, end)
        return
    near = sorted([*left[-_AROUND:], *right[:_AROUND]], key=lambda one: _gap(one, found))
    if left and _IS_ZH.fullmatch(found.string[left[-1].end : found.start()]):
        near = [left[-1], *(one for one in near if one is not left[-1])]
    for other in near[1:]:
        if _gap(other, found) <= _FAR:
            strength = _WEAK / (1 + (_gap(other, found) + _gap(near[0], found)) / 10)
            yield from _made(near[0].entity_id, other.entity_id, word, strength, start, end)


def _his(
    found: re.Match[str], word: RelationWord, left: Sequence[Mention], right: Sequence[Mention],
    start: int, end: int,
) -> Iterator[RelationStatement]:  # fmt: skip
    """Yield weak readings of "his mother": of whom stands before it, by each other name around it."""
    lead = found.string[start : found.start()]
    if not left or lead.count("“") > lead.count("”"):
        return
    for other in (*left[-_AROUND:-1], *right[:_AROUND]):
        if other.entity_id != left[-1].entity_id and _gap(other, found) <= _FAR:
            strength = _OWN / (1 + _gap(other, found) / 20)
            for one in _made(other.entity_id, left[-1].entity_id, word, strength, start, end):
                yield replace(one, how="his")


def _gap(mention: Mention, found: re.Match[str]) -> int:
    return found.start() - mention.end if mention.end <= found.start() else mention.start - found.end()


def _made(
    source: str, target: str, word: RelationWord, strength: float, start: int, end: int
) -> Iterator[RelationStatement]:
    if source != target:
        yield RelationStatement(source, target, word.word, word.kind, strength, start, end)
