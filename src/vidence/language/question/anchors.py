"""Where in time a question points: seconds, the start or end, before, after or during an event."""

from __future__ import annotations

import re
from typing import cast

from vidence.language.question.asking import asking_part
from vidence.language.question.form import Anchor, Relation
from vidence.language.tables import patterns_of
from vidence.language.times import TimeMention, find_times, without_times

__all__ = ["find_anchors"]

_FIRST_S = re.compile(r"(?:\b(?:in|during|within|over) the (?:very )?first|(?<![目之])前)\s*$", re.IGNORECASE)
_LAST_S = re.compile(r"(?:\b(?:in|during|within|over) the (?:very )?last|最后|末尾)\s*$", re.IGNORECASE)
_SIDE = re.compile(r"\b(before|after|until|since)\s+(?:about\s+|around\s+)?(?:the\s+)?$", re.IGNORECASE)
_SIDE_ZH = re.compile(r"\s*(?:之前|以前|之后|以后|前|后)")
_CLAUSE = re.compile(
    r"(?<!^)\b(while|during|whilst|as soon as|once|right before|just before|before|right after|"
    r"just after|after|until|when)\s+(?!or\b)(?!(?:is|are|was|were|does|do|did)\b)"
    r"(?!the clip\b|the video\b|\d)([^?,;:.]+)",
    re.IGNORECASE,
)
_IN_SCENE = re.compile(
    r"\b(?:in|accompanies|at) (the [\w' -]+? (?:scene|shot|sequence|part))\b", re.IGNORECASE
)
_CLAUSE_ZH: tuple[tuple[Relation, str], ...] = (
    ("before", r"在?([^，。？,?还]{2,}?)(?:之前|以前)"),
    ("after", r"在?([^，。？,?还]{2,}?)(?:之后|以后)"),
    (
        "while",
        r"(?:当|在)?([^，。？,?还什几]{2,}?)(?:的时候|的同时|期间|时[，,]|的?过程中|(?:场景|会议)[里中])",
    ),
)
_ASKED_ZH = re.compile(r"什么时候|什么时间|何时|第?几秒|哪一?秒")
_RELATIONS: dict[str, Relation] = {
    "while": "while", "whilst": "while", "during": "while", "when": "while",
    "as soon as": "after", "once": "after", "right after": "after", "just after": "after", "after": "after",
    "right before": "before", "just before": "before", "before": "before", "until": "before",
}  # fmt: skip


def find_anchors(text: str) -> tuple[Anchor, ...]:
    """Return the anchors of a question, the one with a number first."""
    numbered = [_numbered(text, mention) for mention in find_times(text)]
    found = [min(numbered, key=lambda one: one[0])[1]] if numbered else []
    rest = without_times(text)
    edges = [
        (cast("Relation", relation), match)
        for relation, pattern in patterns_of("question_edges.tsv").items()
        if (match := pattern.search(rest))
    ]
    found += [Anchor(relation) for relation, _ in edges]
    return (*found, *_clauses(rest, [match.span() for _, match in edges]))


def _numbered(text: str, mention: TimeMention) -> tuple[int, Anchor]:
    """Return the anchor of one time with its priority; the lowest priority wins."""
    before, start_s, end_s = text[: mention.start], mention.start_s, mention.end_s
    if not mention.is_span and _FIRST_S.search(before):
        return 0, Anchor("at", 0.0, end_s)
    if not mention.is_span and _LAST_S.search(before):
        return 1, Anchor("end", None, end_s)
    if mention.is_span:
        return 2, Anchor("at", start_s, end_s)
    if side := _SIDE.search(before):
        return 3, Anchor("before" if side[1].lower() in ("before", "until") else "after", start_s, end_s)
    if side := _SIDE_ZH.match(text, mention.end):
        return 3, Anchor("before" if side[0].endswith("前") else "after", start_s, end_s)
    return 4, Anchor("at", start_s, end_s)


def _clauses(text: str, edges: list[tuple[int, int]]) -> list[Anchor]:
    found = []
    # A clause that leads in ("When he sits down, …") does not ask; at the beginning of others, "when" does.
    led = text if asking_part(text) == text else f" {text}"
    for match in _CLAUSE.finditer(led):
        inside = any(start <= match.start() < end for start, end in edges)
        if (
            not inside
            and not re.match(r"\W*(which|what)\b", match[2])
            and "before or after" not in text.lower()
        ):
            found.append(Anchor(_RELATIONS[match[1].lower()], clause=match[2].strip()))
    scene = _IN_SCENE.search(text)
    if scene and not any(start <= scene.start() < end for start, end in edges):
        found.append(Anchor("while", clause=scene[1]))
    for relation, pattern in _CLAUSE_ZH:
        match_zh = re.search(pattern, _ASKED_ZH.sub("", text))
        if match_zh and not re.search(r"之前还是|先还是", text):
            found.append(Anchor(relation, clause=match_zh[1].strip("，, 在当")))
    return found
