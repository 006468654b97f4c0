"""What kind of question about a story is asked, and whom a follow-up question means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.schema.react import QuestionType

__all__ = ["complete_follow_up", "names_asked", "story_question_type"]

_RELATION = re.compile(
    r"关系|怎么认识|如何认识|认识吗|什么人\W*$|怎样认识|relat(?:ed|ion)|connect(?:ed|ion)|know each other"
    r"|how (?:does|do|did) \S+ (?:know|meet)|(?:who|what) (?:is|was|are) .{1,40} to .{1,40}\?*$",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"^\W*(?:谁是|介绍|说说).{1,20}$|是谁|是什么人|何许人|的(?:称号|身份|名字|别名|外号)"
    r"|^\W*who(?:'s| is| was| are| were)\s+(?:the\s+)?\S+(?:\s+\S+){0,3}\W*$"
    r"|^\W*(?:tell me about|describe)\s+[A-Z]",
    re.IGNORECASE,
)
_JOURNEY = re.compile(
    r"经历|历程|如何发展|怎么发展|变化|一生|结局|命运|后来怎么样"
    r"|是?(?:如何|怎么|怎样)(?:成为|做到|重回|走到|变成|死|来到)"
    r"|what (?:happens|happened|becomes|became) (?:to|of)\b|\bjourney\b|\bfate\b|life of"
    r"|how (?:does|did) .{1,40} (?:change|develop|become|end up|come to|die)",
    re.IGNORECASE,
)

_PRONOUN = re.compile(
    r"\b(?P<he>he|him)\b|\b(?P<his>his)\b|\b(?P<she>she|her(?!\s+\w))\b|\b(?P<hers>her(?=\s+\w))\b"
    r"|(?P<zh_he>他)(?!们|人)|(?P<zh_she>她)(?!们)",
    re.IGNORECASE,
)
_MALE = frozenset({"he", "his", "zh_he"})
_CAPITALS = re.compile(r"(?<!^)(?<![\"“'])\b[A-Z][\w’-]+(?:\s+[A-Z][\w’-]+)*")
_ASKED_ZH = re.compile(
    r"^\W*(?:谁是)?([\u3400-\u9fff·]{2,6}?)(?=是谁|是什么人|的|和|与|怎么|如何|为什么|后来|$)"
)


def names_asked(question: str) -> list[str]:
    """Return what a question writes like names, whether the story knows them or not."""
    return [*_CAPITALS.findall(question), *_ASKED_ZH.findall(question)]


def complete_follow_up(question: str, people: Sequence[tuple[str, str]]) -> str:
    """Return a question with a name in place of "he" or "她".

    Args:
        people: names with their genders of whom the conversation spoke last, the latest first.
    """

    def name_for(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        fitting = [
            name for name, gender in people if gender in ("male" if kind in _MALE else "female", "unknown")
        ]
        if not fitting:
            return found[0]
        return f"{fitting[0]}'s" if kind in ("his", "hers") else fitting[0]

    return _PRONOUN.sub(name_for, question)


def story_question_type(question: str, names: Sequence[str]) -> QuestionType:
    """Return the type of a question; `names` are the names of the story in it."""
    distinct = len(dict.fromkeys(names))
    if distinct >= 2 and _RELATION.search(question):
        return "relation"
    if distinct >= 1 and _JOURNEY.search(question):
        return "journey"
    if distinct == 1 and _FACT.search(question):
        return "fact"
    return "detail"
