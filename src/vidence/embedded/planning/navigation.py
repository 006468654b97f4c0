"""Vision-and-language navigation: the next action, from the instruction, the history and the frames."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.embedded.planning.clauses import Clause, is_seen, read_clauses
from vidence.embedded.wire import json_reply, read_variables
from vidence.prompts import Prompt
from vidence.schema.navigation import NavigationAction, NavigationStep, NavigationVariables

__all__ = ["navigate", "vln_skill"]

_TURNS = frozenset({"turn_left", "turn_right", "turn_around"})
_WORDS: dict[NavigationAction, tuple[str, str]] = {
    "move_forward": ("go forward", "向前走"),
    "turn_left": ("turn left", "左转"),
    "turn_right": ("turn right", "右转"),
    "turn_around": ("turn around", "掉头"),
    "go_upstairs": ("go upstairs", "上楼"),
    "go_downstairs": ("go downstairs", "下楼"),
    "enter": ("go through", "进入"),
    "stop": ("stop", "停下"),
}


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
        return NavigationStep(
            action="stop", reason=_over(variables, bool(clauses)), clauses_done=done, clauses=texts
        )
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
            if clause.relation == "past" and sighted and not now:
                self.place = place
                return True
            if clause.relation != "past" and now:
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
    english, chinese = _WORDS[action]
    if variables.language == "zh":
        sight = (
            "" if clause.landmark is None else f"，{clause.landmark}{'已在视野中' if seen else '还没有看到'}"
        )
        return f"第 {done + 1} 步“{clause.text}”{sight}：{chinese}。"
    sight = (
        ""
        if clause.landmark is None
        else f"; the {clause.landmark} is {'in sight' if seen else 'not in sight yet'}"
    )
    return f"Clause {done + 1} is “{clause.text}”{sight}: {english}."


def _over(variables: NavigationVariables, had_clauses: bool) -> str:
    if variables.language == "zh":
        return "指令的每一步都已完成：停下。" if had_clauses else "指令中没有要做的动作：停下。"
    return "Every clause is done: stop." if had_clauses else "The instruction asks for no action: stop."
