"""Vision-and-language navigation: an instruction clause by clause, and the next action by what was seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from vidence.embedded.wire import json_reply, read_variables
from vidence.language.phrases import phrase
from vidence.language.question import targets_of
from vidence.language.tables import named_patterns
from vidence.language.tokens import terms
from vidence.prompts import Prompt
from vidence.schema.navigation import NavigationAction, NavigationStep, NavigationVariables

__all__ = ["Clause", "is_seen", "navigate", "read_clauses", "vln_skill"]

_TURNS = frozenset({"turn_left", "turn_right", "turn_around"})


def vln_skill(prompt: Prompt) -> str:
    """Answer `vln.next_action`."""
    step = navigate(read_variables(prompt, NavigationVariables))
    return json_reply(step.reason, step)


def navigate(variables: NavigationVariables) -> NavigationStep:
    """Return the next action; it is `stop` when every clause is done."""
    clauses = read_clauses(variables.instruction)
    route = _Route(variables)
    done = 0
    for clause in clauses:
        if not route.has_done(clause):
            break
        done += 1
    texts = tuple(clause.text for clause in clauses)
    if done == len(clauses):
        over = phrase("all_clauses_done" if clauses else "no_clauses", variables.language)
        return NavigationStep(action="stop", reason=over, clauses_done=done, clauses=texts)
    clause = clauses[done]
    action, seen = route.next_action(clause)
    return NavigationStep(
        action=action,
        reason=_reason(variables, clause, action, seen, done),
        target=clause.landmark,
        target_seen=seen if clause.landmark else None,
        clauses_done=done,
        clauses=texts,
    )


@dataclass
class _Route:
    """Follows the clauses along the history of actions, from the beginning."""

    variables: NavigationVariables
    place: int = 0
    """Index of the next action of the history."""

    def has_done(self, clause: Clause) -> bool:
        """Return whether the clause is done, and step over the actions it took."""
        history, before = self.variables.history, self.place
        if clause.action == "move_forward":
            return self._has_walked(clause)
        for place in range(before, len(history)):
            if history[place] == clause.action:
                self.place = place + 1
                return True
            if history[place] in _TURNS:
                return False
        return False

    def next_action(self, clause: Clause) -> tuple[NavigationAction, bool]:
        """Return the action the clause asks for now, and whether its landmark is in sight."""
        if clause.landmark is None:
            return clause.action, False
        seen = self._sees(clause.landmark, len(self.variables.history))
        if clause.action == "move_forward" or seen:
            return clause.action, seen
        blind = not self.variables.frames
        # Without frames the instruction decides alone; with them, a landmark out of sight is still ahead.
        return (clause.action, False) if blind else ("move_forward", False)

    def _has_walked(self, clause: Clause) -> bool:
        history = self.variables.history
        place = self.place
        sighted = clause.landmark is not None and self._sees(clause.landmark, place)
        if clause.relation == "until" and sighted and place <= len(history):
            return True
        while place < len(history) and history[place] == "move_forward":
            place += 1
            if clause.landmark is None or not self.variables.frames:
                continue
            now = self._sees(clause.landmark, place)
            if now if clause.relation != "past" else sighted and not now:
                self.place = place
                return True
            sighted = sighted or now
        walked = place > self.place
        turned_on = place < len(history)
        if clause.landmark is None or not self.variables.frames or turned_on:
            # Without a landmark one run of steps is enough; a later turn also ends this clause.
            self.place = place
            return walked or turned_on
        return False

    def _sees(self, landmark: str, place: int) -> bool:
        """Return whether a landmark was in sight after that many actions."""
        frames = self.variables.frames
        # The last frame is now; earlier ones belong to earlier actions.
        index = len(frames) - 1 - (len(self.variables.history) - place)
        return 0 <= index < len(frames) and is_seen(landmark, frames[index].caption)


def _reason(
    variables: NavigationVariables, clause: Clause, action: NavigationAction, seen: bool, done: int
) -> str:
    language, sight = variables.language, ""
    if clause.landmark is not None:
        sight = phrase("in_sight" if seen else "not_in_sight", language, clause.landmark)
    words = phrase(f"action_{action}", language)
    return phrase("clause_to_do", language, done + 1, text=clause.text, sight=sight, action=words)


Relation = Literal["at", "until", "past", "into", "none"]
_LEAVING = r"\b(?:exit|leave)\b|走出|离开|出去|出来"
_ARTICLE = re.compile(
    r"^(?:the|a|an|your|some|this|that|另一?个|一[个扇张把条道座]|那[个扇张]|这[个扇张])\s*", re.IGNORECASE
)
_TAIL = re.compile(
    r"\s+(?:on|at|to|in|near|beside|and|with|where|that|which|of you|ahead|there|until|before|by)\b.*$",
    re.IGNORECASE,
)
_UNSEEN_ADJECTIVES = frozenset({"big", "small", "large", "first", "second", "third", "next", "last"})


@dataclass(frozen=True)
class Clause:
    """One thing to do."""

    text: str
    action: NavigationAction
    landmark: str | None = None
    relation: Relation = "none"


def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Return the instruction's clauses in order; words without an action are left out."""
    clauses: list[Clause] = []
    ((_, split),) = _patterns("split")
    for part in split.split(instruction):
        text = (part or "").strip(" ,，、")
        if text:
            clauses += _clauses_of(text)
    return tuple(clauses)


def _clauses_of(text: str) -> list[Clause]:
    landmark, relation = _landmark(text)
    found = next((name for name, pattern in _patterns("action") if pattern.search(text)), None)
    action = cast("NavigationAction | None", found)
    if action is None:
        # "When you see the red door," alone still says how far to go.
        return [Clause(text, "move_forward", landmark, "until")] if landmark else []
    if action == "enter" and re.search(_LEAVING, text, re.IGNORECASE):
        # A place to leave is no landmark to walk towards.
        landmark, relation = None, "none"
    if landmark and relation == "until" and action != "move_forward":
        return [Clause(text, "move_forward", landmark, "until"), Clause(text, action)]
    return [Clause(text, action, landmark, relation)]


def _landmark(text: str) -> tuple[str | None, Relation]:
    for relation, pattern in _patterns("landmark"):
        match = pattern.search(text)
        if match:
            thing = _TAIL.sub("", match["thing"].strip())
            thing = _ARTICLE.sub("", _ARTICLE.sub("", thing)).strip(" .,，。")
            if thing and not re.fullmatch(
                r"(?:left|right|front|here|there|end|前|后|左|右)", thing, re.IGNORECASE
            ):
                return thing, cast("Relation", relation)
    return None, "none"


def _patterns(use: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the named patterns of one use, in the order they are tried."""
    return named_patterns("navigation.tsv", use, "embedded")


def is_seen(landmark: str, caption: str) -> bool:
    """Return whether a caption or a list of labels names the landmark."""
    shown = set(terms(caption))
    if not shown:
        return False
    wanted = [term for term in dict.fromkeys(terms(landmark)) if term not in _UNSEEN_ADJECTIVES]
    if wanted and all(term in shown for term in wanted):
        return True
    return bool(_names(landmark) & _names(caption))


def _names(text: str) -> set[str]:
    """Return the detector categories a text names; both languages share them."""
    return {target.category for target in targets_of(text) if target.category is not None}
