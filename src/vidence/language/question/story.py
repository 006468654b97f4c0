"""What kind of question about a story is asked: a relation, a fact, a journey or a detail."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.schema.react import QuestionType

__all__ = ["story_question_type"]

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
