"""A navigation instruction, clause by clause: what to do, and at, past or up to which landmark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.language.question.understand import targets_of
from vidence.language.tokens import terms
from vidence.schema.navigation import NavigationAction

__all__ = ["Clause", "Relation", "is_seen", "read_clauses"]

Relation = Literal["at", "until", "past", "into", "none"]
_SPLIT = re.compile(
    r"[.;!。；！]\s*|,\s*(?:and\s+)?(?:then\s+)?|，\s*(?:然后|再|接着)?|(?:\s|^)(?:and then|then|after that"
    r"|next)\s+"
    r"|(?<=楼)之?后|然后|接着|之后再?|最后|再(?=[左右向往直走进上下停])"
    r"|\s+and\s+(?=(?:turn|go|walk|stop|enter|take|make|head|continue|climb|wait|exit|move|keep|proceed"
    r"|pass)\b)",
    re.IGNORECASE,
)
_ACTIONS: tuple[tuple[NavigationAction, str], ...] = (
    ("turn_around", r"\b(?:turn (?:around|back)|u-turn|do a 180)\b|掉头|转身|向后转|回头"),
    ("turn_left", r"\b(?:(?:turn|make a|take (?:a|the)(?: \w+)?|bear|veer|go|hang a|head) (?:sharp "
                  r"|slight )?left)\b"
                  r"|\bto (?:your|the) left\b|左转|左拐|向左|往左"),
    ("turn_right", r"\b(?:(?:turn|make a|take (?:a|the)(?: \w+)?|bear|veer|go|hang a|head) (?:sharp "
                   r"|slight )?right)\b"
                   r"|\bto (?:your|the) right\b|右转|右拐|向右|往右"),
    ("go_upstairs", r"\b(?:upstairs|(?:up|climb|ascend)(?: \w+){0,2} (?:stairs|steps|staircase"
                    r"|escalator))\b|上楼|上台阶|爬楼梯"),
    ("go_downstairs", r"\b(?:downstairs|(?:down|descend)(?: \w+){0,2} (?:stairs|steps|staircase"
                      r"|escalator))\b|下楼|下台阶"),
    ("stop", r"\b(?:stop|wait|halt|you(?:'ve| have) (?:arrived|reached)|end (?:up )?(?:at|in))\b|停|等候"
             r"|等待|到达终点"),
    ("enter", r"\b(?:enter|go (?:in|into|inside)|walk (?:in|into|inside)|step (?:in|into|inside)|exit"
              r"|leave)\b"
              r"|进入|走进|进去|进到|走出|离开|出去|出来|进(?=[\u4e00-\u9fff])"),
    ("move_forward", r"\b(?:go|walk|continue|head|move|proceed|keep|straight|forward|pass|cross|follow"
                     r"|past)\b"
                     r"|直走|前进|向前|往前|一直走|走|经过|穿过|沿"),
)  # fmt: skip
_LANDMARKS: tuple[tuple[Relation, str], ...] = (
    ("until", r"\b(?:until|till)(?: you)?(?: (?:see|reach|get to|come to|arrive at|find|are at))?\s+"
              r"(?P<thing>.+)"),
    ("until", r"(?:一直)?(?:走|前进)?(?:直到|直至|走到|来到|到达)(?:你)?(?:看到|看见|见到)?"
              r"(?P<thing>[\u4e00-\u9fff]+?)(?:为止|前面|旁边|旁|处|那里|$)"),
    ("at", r"\b(?:when|once|as soon as)(?: you)? (?:see|reach|get to|come to|are at|pass)\s+(?P<thing>.+)"),
    ("at", r"(?:看到|看见|见到|遇到)(?P<thing>[\u4e00-\u9fff]+?)(?:后|时|就|的时候|$|左|右|停|，)"),
    ("past", r"\b(?:past|passing|pass|across|through|cross|along|by)\s+(?P<thing>.+)"),
    ("past", r"(?:经过|穿过|走过|沿着?)(?P<thing>[\u4e00-\u9fff]+?)(?:$|一直|直走|走|向前|前进)"),
    ("into", r"\b(?:into|inside|enter|exit|leave|in)\s+(?P<thing>.+)"),
    ("into", r"(?:走进|进入|进到|走出|离开|进)(?P<thing>[\u4e00-\u9fff]+)"),
    ("at", r"\b(?:at|near|beside|next to|in front of|by|to|towards?|toward)\s+(?P<thing>(?!your\b|the left"
           r"|the right).+)"),
    ("at", r"(?:在|到|朝|向(?![前左右后]))(?P<thing>[\u4e00-\u9fff]+?)(?:处|旁边|旁|前面|前|那里|左转|右转"
           r"|左拐|右拐|停|$)"),
)  # fmt: skip
_LEAVING = r"\b(?:exit|leave)\b|走出|离开|出去|出来"
_ARTICLE = re.compile(
    r"^(?:the|a|an|your|some|this|that|另一?个|一[个扇张把条道座]|那[个扇张]|这[个扇张])\s*", re.IGNORECASE
)
_TAIL = re.compile(
    r"\s+(?:on|at|to|in|near|beside|and|with|where|that|which|of you|ahead|there|until|before|by)\b.*$",
    re.IGNORECASE,
)
_MATERIAL = frozenset({"big", "small", "large", "first", "second", "third", "next", "last"})


@dataclass(frozen=True)
class Clause:
    """One thing to do."""

    text: str
    action: NavigationAction
    landmark: str | None = None
    relation: Relation = "none"


def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Return the instruction's clauses in order; words that ask for no action join the clause before them."""
    clauses: list[Clause] = []
    for part in _SPLIT.split(instruction):
        text = (part or "").strip(" ,，、")
        if text:
            clauses += _clauses_of(text)
    return tuple(clauses)


def _clauses_of(text: str) -> list[Clause]:
    landmark, relation = _landmark(text)
    action = next((name for name, pattern in _ACTIONS if re.search(pattern, text, re.IGNORECASE)), None)
    if action is None:
        # "When you see the red door," alone still says how far to go.
        return [Clause(text, "move_forward", landmark, "until")] if landmark else []
    if action == "enter" and re.search(_LEAVING, text, re.IGNORECASE):
        # What is left behind is no landmark to go towards.
        landmark, relation = None, "none"
    if landmark and relation == "until" and action != "move_forward":
        return [Clause(text, "move_forward", landmark, "until"), Clause(text, action)]
    return [Clause(text, action, landmark, relation)]


def _landmark(text: str) -> tuple[str | None, Relation]:
    for relation, pattern in _LANDMARKS:
        match = re.search(pattern, text, re.IGNORECASE)
        if match:
            thing = _TAIL.sub("", match["thing"].strip())
            thing = _ARTICLE.sub("", _ARTICLE.sub("", thing)).strip(" .,，。")
            if thing and not re.fullmatch(
                r"(?:left|right|front|here|there|end|前|后|左|右)", thing, re.IGNORECASE
            ):
                return thing, relation
    return None, "none"


def is_seen(landmark: str, caption: str) -> bool:
    """Say whether a caption or a list of labels names the landmark; its noun must be there."""
    shown = set(terms(caption))
    if not shown:
        return False
    wanted = [term for term in dict.fromkeys(terms(landmark)) if term not in _MATERIAL]
    if wanted and all(term in shown for term in wanted):
        return True
    return bool(_names(landmark) & _names(caption))


def _names(text: str) -> set[str]:
    """Return the detector's categories a text names: what the two languages share."""
    return {target.category for target in targets_of(text) if target.category is not None}
