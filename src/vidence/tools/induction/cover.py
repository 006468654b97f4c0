"""Write planned calls as calls of tools: each tool takes as many of the calls as fit its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidence.tools.execute import step_params
from vidence.tools.induction.episodes import PastCall, Unit, units_of
from vidence.tools.steps import Branch, Call, Repeat, Step, Tool, walk
from vidence.tools.templates import Absent, whole_path

__all__ = ["Condensed", "condense", "expand", "fit", "is_thinned"]

_MISSING = object()


@dataclass(frozen=True)
class Condensed:
    """A call of a tool, or one of the calls as it was."""

    api: str
    arguments: Mapping[str, Any]
    stands_for: int = 1
    """How many calls it makes."""


def condense(calls: Sequence[PastCall], tools: Sequence[Tool], *, ordered: bool = False) -> list[Condensed]:
    """Return the calls with those that a tool can make together replaced by a call of the tool.

    A tool that leaves out items of its loops does not make all of the calls, so it is not used.
    """
    exact = [tool for tool in tools if not is_thinned(tool)]
    units = units_of(calls, ordered=ordered)
    found: list[Condensed] = []
    place = 0
    while place < len(units):
        options = [(tool, *_match(tool, units[place:])) for tool in exact]
        tool, inputs, taken = max(
            options, key=lambda one: _calls(units, place, one[2]), default=(None, {}, 0)
        )
        count = _calls(units, place, taken)
        if tool is None or count < 2:
            found += [Condensed(call.api, call.arguments) for call in units[place].made]
            place += 1
            continue
        found.append(Condensed(tool.name, inputs, count))
        place += taken
    return found


def fit(calls: Sequence[PastCall], tool: Tool) -> Condensed | None:
    """Return the call of a tool that makes the first of the calls and perhaps others, else None.

    The calls must not depend on each other; the first is what whoever planned them wants to know most.
    """
    units = units_of(calls)
    first = units[0] if units else None
    inputs: dict[str, Any] = {}
    made = 0
    for step in tool.steps:
        inner, flag = _bare(step)
        options = [] if inner is None else [(unit, _bind(tool, inner, unit, inputs, flag)) for unit in units]
        unit, bound = next(((one, found) for one, found in options if found is not None), (None, None))
        if unit is not None and bound is not None:
            inputs |= bound | ({flag: True} if flag and flag not in bound else {})
            units.remove(unit)
            made += unit.num_calls
        elif not flag:
            return None
    return Condensed(tool.name, inputs, made) if made and first not in units else None


def is_thinned(tool: Tool) -> bool:
    """Tell whether a tool leaves out items of a loop."""
    return any(isinstance(step, Repeat) and step.every > 1 for step in walk(tool.steps))


def expand(tool: Tool, inputs: Mapping[str, Any], *, whole: bool = False) -> list[PastCall]:
    """Return the calls that a tool makes on its inputs, as far as they do not depend on results.

    Args:
        whole: Return those that its loops leave out too.
    """
    found: list[PastCall] = []
    for step in tool.steps:
        inner, flag = _bare(step)
        if inner is None or (flag and inputs.get(flag) is None):
            continue
        call = inner.do[0] if isinstance(inner, Repeat) else inner
        if not isinstance(call, Call):
            continue
        items = inputs.get(inner.over) or [] if isinstance(inner, Repeat) else [None]
        every = inner.every if isinstance(inner, Repeat) and not whole else 1
        for item in items[::every]:
            try:
                found.append(PastCall(call.api, step_params(tool, call, {**inputs, "item": item})))
            except Absent:
                continue
    return found


def _calls(units: Sequence[Unit], place: int, taken: int) -> int:
    return sum(unit.num_calls for unit in units[place : place + taken])


def _match(tool: Tool, units: Sequence[Unit]) -> tuple[dict[str, Any], int]:
    """Return the inputs with which a tool makes the first units, and how many of them it makes."""
    inputs: dict[str, Any] = {}
    taken = 0
    for step in tool.steps:
        inner, flag = _bare(step)
        unit = units[taken] if taken < len(units) else None
        bound = None if unit is None or inner is None else _bind(tool, inner, unit, inputs, flag)
        if bound is not None:
            inputs |= bound
            if flag and flag not in inputs:
                inputs[flag] = True
            taken += 1
        elif not flag:
            # A step that is always made cannot be left out.
            return {}, 0
    return inputs, taken


def _bare(step: Step) -> tuple[Call | Repeat | None, str]:
    """Return the call or loop of a step, and the input that turns an optional one on."""
    if isinstance(step, Branch):
        condition = step.condition
        exists = condition.get("exists") if isinstance(condition, Mapping) else None
        path = whole_path(exists, step.path) if isinstance(exists, str) else None
        inner = step.then[0] if len(step.then) == 1 and not step.otherwise else None
        usable = isinstance(inner, Call | Repeat) and path is not None and not path.parts
        return (inner, path.name) if usable and path is not None else (None, "")  # type: ignore[return-value]
    return (step, "") if isinstance(step, Call | Repeat) else (None, "")


def _bind(
    tool: Tool, step: Call | Repeat, unit: Unit, known: Mapping[str, Any], flag: str
) -> dict[str, Any] | None:
    """Return the inputs under which a step makes a unit; None when it cannot.

    Args:
        flag: The input that turns the step on; a parameter that is left out cannot be it.
    """
    is_loop = isinstance(step, Repeat)
    inner = step.do[0] if isinstance(step, Repeat) else step
    if not isinstance(inner, Call) or inner.api != unit.api or is_loop != bool(unit.varying):
        return None
    bound: dict[str, Any] = {}
    wanted = dict(unit.arguments)
    for name, value in inner.params.items():
        given = wanted.pop(name, _MISSING)
        if isinstance(step, Repeat) and value == "{{item}}":
            if name != unit.varying or step.over not in tool.inputs:
                return None
            bound[step.over] = list(unit.values)
            continue
        path = whole_path(value, step.path) if isinstance(value, str) else None
        if given is _MISSING:
            slot = tool.inputs.get(path.name) if path else None
            if path is None or slot is None or not slot.optional or path.name in (flag, *known):
                return None
            continue
        if path is None:
            if value != given:
                return None
        elif (
            path.parts
            or path.shift
            or path.name not in tool.inputs
            or {**known, **bound}.get(path.name, given) != given
        ):
            return None
        else:
            bound[path.name] = given
    return None if wanted else bound
