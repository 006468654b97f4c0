"""From structures to tools: the arguments of all their uses are generalised into inputs and constants."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from vidence.errors import BadTool
from vidence.ops.catalogue import OPERATIONS, get_operation
from vidence.ops.llm_schema import parameters_schema
from vidence.schema.evidence import canonical_json
from vidence.tools.check import check_tool
from vidence.tools.induction.cover import condense, expand, fit
from vidence.tools.induction.episodes import Episode, Unit, units_of
from vidence.tools.induction.mine import Costs, Structure, covered, mine
from vidence.tools.steps import RESERVED, Call, Tool, parse_tool
from vidence.tools.templates import paths_in, whole_path

__all__ = ["Found", "Use", "build_tool", "distinct", "find_macros", "found_tool", "uses_of"]

_LEAST_SUPPORT = 2
_CONSTANT_FROM = 3
"""Uses from which an argument that was always the same is a constant of the tool."""
_MAX_NAME = 60
_KINDS = {"string": "string", "number": "float", "integer": "int", "boolean": "bool"}
_TYPES = ((bool, "bool"), (int, "int"), (float, "float"), (str, "string"), (dict, "object"), (list, "list"))


Links = Mapping[int, Mapping[str, tuple[int, str]]]
"""For a step its arguments that come from results: the place of the earlier step, and a path."""


@dataclass(frozen=True)
class Found:
    """A tool and the questions it was found in."""

    tool: Tool
    questions: tuple[str, ...]
    sources: tuple[str, ...]
    calls_saved: int
    examples: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """A source and the inputs with which the tool makes calls that were made there."""
    tried: tuple[str, ...] = ()
    """The questions on which it was tried, whether it paid or not."""

    @property
    def is_chain(self) -> bool:
        """Whether a step uses what an earlier one found."""
        return not all(_is_free(self.tool, call) for call in self.tool.calls)


@dataclass(frozen=True)
class Use:
    """One place in a past run that a structure covers: which unit fills which step."""

    episode: Episode
    filled: Mapping[int, Unit]

    @property
    def num_calls(self) -> int:
        return sum(unit.num_calls for unit in self.filled.values())


def find_macros(
    episodes: Sequence[Episode], *, max_tools: int, max_steps: int = 8, costs: Costs | None = None
) -> list[Found]:
    """Return the sequences of calls that recur in past runs, for at least two questions about two sources."""
    batches = [
        tuple(unit.shape for unit in units_of(batch, ordered=one.ordered))
        for one in episodes
        for batch in one.batches
    ]
    loops = {(shape,) for batch in batches for shape in batch if "*" in shape}
    structures = [*mine(batches, max_tools=max_tools, max_steps=max_steps, costs=costs), *sorted(loops)]
    made = [
        found_tool(structure, uses, sum(use.num_calls - 1 for use in uses))
        for structure, uses in uses_of(structures, episodes).items()
    ]
    return sorted(filter(None, made), key=lambda one: (-one.calls_saved, one.tool.name))


def distinct(found: Sequence[Found]) -> list[Found]:
    """Return the tools that behave differently: of two that make the same calls on an example, the first.

    Operations answer the same calls alike, so such tools have the same outputs whatever their names are.
    """
    kept: dict[str, Found] = {}
    for one in found:
        made = [
            [call.api, dict(call.arguments)]
            for _, inputs in one.examples
            for call in expand(one.tool, inputs)
        ]
        made += [[call.api, dict(call.params)] for call in one.tool.calls if not _is_free(one.tool, call)]
        kept.setdefault(canonical_json(sorted(made, key=canonical_json)), one)
    return _renamed(list(kept.values()))


def _is_free(tool: Tool, call: Call) -> bool:
    """Tell whether a step needs nothing from the results of others."""
    paths = (path for _, path in paths_in(dict(call.params), call.path))
    return all(path.name in tool.inputs or path.name in ("item", "index") for path in paths)


def _renamed(found: Sequence[Found]) -> list[Found]:
    """Return the tools with a number after a name that an earlier one has."""
    taken: set[str] = set()
    named: list[Found] = []
    for one in found:
        base = one.tool.name
        name = next(new for new in (base, *(f"{base}_{n}" for n in range(2, 1000))) if new not in taken)
        taken.add(name)
        renamed = parse_tool(json.dumps({**one.tool.source, "tool_name": name}))
        named.append(one if name == base else replace(one, tool=renamed))
    return named


def found_tool(
    structure: Structure,
    uses: Sequence[Use],
    saved: int,
    *,
    links: Links | None = None,
    every: Mapping[int, int] | None = None,
) -> Found | None:
    """Return the tool of a structure; None where too few questions need it or no tool may hold it.

    Args:
        saved: How many calls it would have saved in the runs it was found in.
        links: Arguments that come from the results of earlier steps.
        every: How thinly the loop of a step looks, by the place of the step.
    """
    questions = tuple(sorted({use.episode.question for use in uses}))
    sources = tuple(sorted({use.episode.source for use in uses}))
    if len(questions) < _LEAST_SUPPORT or len(sources) < _LEAST_SUPPORT:
        return None
    try:
        tool = build_tool(structure, uses, links or {}, every or {})
        if links:
            check_tool(tool)
    except BadTool:
        # An argument that no tool may hold, such as text that reads like a template.
        return None
    examples = _first_inputs(tool, uses) if links else _examples(tool, uses)
    return Found(tool, questions, sources, saved, tuple(examples.items()))


def _examples(tool: Tool, uses: Sequence[Use]) -> dict[str, Mapping[str, Any]]:
    """Return inputs for two sources, with which the tool makes the calls of a use."""
    found: dict[str, Mapping[str, Any]] = {}
    for use in uses:
        calls = [call for unit in use.filled.values() for call in unit.made]
        in_order = condense(calls, [tool], ordered=True)[0] if use.episode.ordered else None
        made = in_order or fit(calls, tool)
        if made is not None and made.api == tool.name and made.stands_for == len(calls):
            found.setdefault(use.episode.source, made.arguments)
        if len(found) == _LEAST_SUPPORT:
            break
    return found


def _first_inputs(tool: Tool, uses: Sequence[Use]) -> dict[str, Mapping[str, Any]]:
    """Return the inputs of two uses of a tool whose later steps depend on results."""
    found: dict[str, Mapping[str, Any]] = {}
    for use in uses:
        inputs: dict[str, Any] = {}
        for place, step in enumerate(tool.calls):
            for name, value in step.params.items():
                path = whole_path(value, "") if isinstance(value, str) else None
                if path is not None and path.name in tool.inputs:
                    inputs[path.name] = use.filled[place].arguments[name]
        found.setdefault(use.episode.source, inputs)
    return dict(list(found.items())[:_LEAST_SUPPORT])


def uses_of(structures: Sequence[Structure], episodes: Sequence[Episode]) -> dict[Structure, list[Use]]:
    """Return where each structure is used, when every place goes to the one that covers most."""
    found: dict[Structure, list[Use]] = {structure: [] for structure in structures}
    for episode in episodes:
        for batch in episode.batches:
            units = units_of(batch, ordered=episode.ordered)
            shapes = tuple(unit.shape for unit in units)
            place = 0
            while place < len(units):
                best = max(
                    structures, key=lambda one: _calls(units, place, covered(shapes, place, one)), default=()
                )
                count = covered(shapes, place, best)
                if _calls(units, place, count) > 1:
                    found[best].append(Use(episode, _filled(best, units[place : place + count])))
                place += max(count, 1)
    return found


def _calls(units: Sequence[Unit], place: int, count: int) -> int:
    return sum(unit.num_calls for unit in units[place : place + count])


def _filled(structure: Structure, units: Sequence[Unit]) -> dict[int, Unit]:
    place, filled = 0, {}
    for unit in units:
        place = structure.index(unit.shape, place)
        filled[place] = unit
        place += 1
    return filled


@dataclass
class _Inputs:
    """The inputs of a tool in the making; what always varies together is one input."""

    columns: dict[str, str] = field(default_factory=dict)
    """The name of an input by its values over all uses."""
    slots: dict[str, dict[str, Any]] = field(default_factory=dict)

    def name(self, wanted: str, values: Sequence[Any], *, kind: str, optional: bool, described: str) -> str:
        """Return the input for a column of values, making it where there is none yet."""
        key = canonical_json([kind, list(values)])
        if key in self.columns:
            return self.columns[key]
        base = re.sub(r"[^a-z0-9_]+", "_", wanted.lower()).strip("_") or "value"
        names = (base, *(f"{base}_{n}" for n in range(2, 100)))
        name = next(one for one in names if one not in self.slots and one not in RESERVED)
        self.columns[key] = name
        self.slots[name] = {"type": kind, "description": described}
        if optional:
            self.slots[name]["optional"] = True
        return name


def build_tool(structure: Structure, uses: Sequence[Use], links: Links, every: Mapping[int, int]) -> Tool:
    """Return the tool whose steps are those of the structure, generalised over its uses."""
    inputs = _Inputs()
    steps: list[dict[str, Any]] = []
    outputs: dict[str, dict[str, str]] = {}
    for place in range(len(structure)):
        filled = [use.filled.get(place) for use in uses]
        present = [unit for unit in filled if unit is not None]
        if not present:
            continue
        # In a tool of several steps each may be left out: the next question may need another part of it.
        is_optional = not links and (len(structure) > _LEAST_SUPPORT or len(present) < len(uses))
        saved = _unused(outputs, present[0].api)
        thin = every.get(place, 1)
        others = _optional(present[0].api) if len(structure) == 1 else {}
        step = _call(
            present[0].api, filled, inputs, is_optional=is_optional, saved=saved, every=thin, others=others
        )
        for name, (origin, path) in links.get(place, {}).items():
            step["params"][name] = f"{{{{{list(outputs)[origin]}{path}}}}}"
        outputs[saved] = {"type": "list" if present[0].varying else "object", "from": f"{{{{{saved}}}}}"}
        steps.append(step)
    tool = {
        "tool_name": _tool_name(structure),
        "description": _description(structure, uses, every),
        "inputs": inputs.slots,
        "outputs": outputs,
        "steps": steps,
    }
    return parse_tool(json.dumps(tool))


def _call(
    api: str,
    filled: Sequence[Unit | None],
    inputs: _Inputs,
    *,
    is_optional: bool,
    saved: str,
    every: int,
    others: Mapping[str, str],
) -> dict[str, Any]:
    """Return a step with its inputs.

    Args:
        others: What the operation can do without: a tool of one loop takes it, given or not.
    """
    present = [unit for unit in filled if unit is not None]
    params: dict[str, Any] = {}
    needed = ""
    for name in sorted({name for unit in present for name in unit.arguments}):
        values = [None if unit is None else unit.arguments.get(name) for unit in filled]
        known = [value for value in values if value is not None]
        is_always = len(known) == len(present)
        if is_always and len({canonical_json(one) for one in known}) == 1 and len(known) >= _CONSTANT_FROM:
            params[name] = known[0]
            continue
        can_miss = bool(present[0].varying) and name in others
        kind, optional = _type(known), is_optional or can_miss or not is_always
        described = f"{name} of {api}"
        slot = inputs.name(name, values, kind=kind, optional=optional, described=described)
        params[name] = f"{{{{{slot}}}}}"
        needed = slot if is_always else needed
    step: dict[str, Any] = {"api": api, "params": params, "save_as": saved}
    if varying := present[0].varying:
        values = [None if unit is None else list(unit.values) for unit in filled]
        wanted = re.sub(r"y?s?$", lambda end: "ies" if "y" in end[0] else "s", varying, count=1)
        for name in (one for one in others if one not in (varying, *params)):
            slot = inputs.name(
                name, [saved, name], kind=others[name], optional=True, described=f"{name} of {api}"
            )
            params[name] = f"{{{{{slot}}}}}"
        described = f"every {varying} for {api}"
        needed = inputs.name(wanted, values, kind="list", optional=is_optional, described=described)
        step["params"] = {**params, varying: "{{item}}"}
        step["save_as"] = f"{saved}_{{{{index}}}}"
        step = {"for_each": needed, **({"every": every} if every > 1 else {}), "do": step}
    if not is_optional:
        return step
    if not needed:
        flags = [None if unit is None else True for unit in filled]
        described = f"true to call {api} too"
        needed = inputs.name(f"with_{api}", flags, kind="bool", optional=True, described=described)
    return {"condition": {"exists": f"{{{{{needed}}}}}"}, "then": step}


@cache
def _optional(api: str) -> Mapping[str, str]:
    """Return the arguments that an operation can do without, with their types."""
    if api not in OPERATIONS:
        return {}
    schema = parameters_schema(get_operation(api))
    found = {}
    for name, node in schema["properties"].items():
        kinds = {one.get("type") for one in node.get("anyOf", (node,))} - {"null"}
        if name not in schema.get("required", ()):
            found[name] = _KINDS.get(kinds.pop(), "any") if len(kinds) == 1 else "any"
    return found


def _unused(taken: Mapping[str, Any], api: str) -> str:
    base = re.sub(r"^(get|detect|find|recognize|describe|query)_", "", api) or api
    base = re.sub(r"[^a-z0-9_]+", "_", base.lower()).strip("_") or "result"
    names = (base, *(f"{base}_n{n}" for n in range(2, 100)))
    return next(one for one in names if one not in taken and one not in RESERVED)


def _type(values: Sequence[Any]) -> str:
    kinds = {next((name for kind, name in _TYPES if isinstance(value, kind)), "any") for value in values}
    if kinds <= {"int", "float"}:
        return "float" if "float" in kinds else "int"
    return kinds.pop() if len(kinds) == 1 else "any"


def _tool_name(structure: Structure) -> str:
    """Return a name made of the steps: detect_objects_at_times, transcript_and_audio_events."""
    apis = [shape.partition("(")[0] for shape in dict.fromkeys(structure)]
    joined = "_and_".join([apis[0], *(re.sub(r"^(get|detect|describe)_", "", api) for api in apis[1:])])
    looped = [shape.rpartition("*")[2] for shape in structure if "*" in shape]
    # A tool of one operation must not have its name.
    alone = f"{joined}_each_{looped[0]}" if looped else f"{joined}_alone"
    name = alone if len(set(apis)) == 1 else joined
    plain = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")
    return plain[:_MAX_NAME].rstrip("_")


def _description(structure: Structure, uses: Sequence[Use], every: Mapping[int, int]) -> str:
    parts = []
    for place, shape in enumerate(structure):
        varying, thin = shape.rpartition("*")[2], every.get(place, 1)
        each = f"one {varying} in {thin}" if thin > 1 else f"each {varying}"
        parts.append(f"{shape.partition('(')[0]}{f' for {each}' if '*' in shape else ''}")
    is_whole = all(place in use.filled for place in range(len(structure)) for use in uses)
    told = [f"{one} ×{count}" if count > 1 else one for one, count in Counter(parts).items()]
    return f"In one call{'' if is_whole else ', what is given of'}: {', '.join(told)}."
