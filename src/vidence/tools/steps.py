"""The step language of tools: a JSON file of typed steps over the atomic operations, and no code.

A tool has inputs, outputs and steps. A step calls an operation (`api`), branches (`condition`), repeats
(`for_each`) or condenses a list (`aggregate`). Values flow through `{{templates}}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from vidence.errors import BadTool
from vidence.schema.evidence import canonical_json

__all__ = [
    "MAX_STEPS",
    "MOST_EVERY",
    "RESERVED",
    "Aggregate",
    "Branch",
    "Call",
    "Repeat",
    "Slot",
    "Step",
    "Tool",
    "ValueType",
    "collection_name",
    "parse_tool",
    "walk",
    "without_writes",
]

ValueType = Literal["string", "number", "integer", "boolean", "object", "array", "any"]
MOST_EVERY = 4
"""A loop looks at one item in at most so many."""
MAX_STEPS = 50
_MAX_BYTES = 65_536
_MAX_DEPTH = 6
"""How deep branches and loops may be nested."""
_MAX_JSON_DEPTH = 40
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SAVED = re.compile(r"[a-z][a-z0-9_]{0,63}?(?:_\{\{index\}\})?")
_TYPES: Mapping[str, ValueType] = {
    "string": "string", "str": "string", "text": "string",
    "float": "number", "number": "number", "int": "integer", "integer": "integer",
    "bool": "boolean", "boolean": "boolean",
    "object": "object", "dict": "object", "list": "array", "array": "array", "any": "any",
}  # fmt: skip
_WRITES = frozenset({"write_memory"})
RESERVED = frozenset({"video_id", "item", "index", "evidence", "notes", "failed"})
"""Names that a run, a loop or the result of every tool has itself."""
# A comment, or a string in which slashes mean nothing.
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//([^\n]*)')
_OPTIONAL_NOTE = re.compile(r"\s*(?:可选|optional\b)", re.IGNORECASE)
_KEY = re.compile(r'\s*"((?:\\.|[^"\\])*)"\s*:')


@dataclass(frozen=True)
class Slot:
    """An input or an output of a tool."""

    type: ValueType
    description: str = ""
    optional: bool = False
    source: str = ""
    """The template that an output is taken from; empty where its name says it."""


@dataclass(frozen=True)
class Call:
    """A step that calls an operation and may save its result."""

    api: str
    params: Mapping[str, Any]
    save_as: str
    path: str


@dataclass(frozen=True)
class Branch:
    """A step that runs one of two lists of steps."""

    condition: Any
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]
    path: str


@dataclass(frozen=True)
class Repeat:
    """A step that runs its steps for each item of a list."""

    over: str
    do: tuple[Step, ...]
    path: str
    every: int = 1
    """2 looks at the first item, the third, and so on."""


@dataclass(frozen=True)
class Aggregate:
    """A step that condenses a list into a value."""

    how: Any
    of: str
    save_as: str
    path: str


Step = Call | Branch | Repeat | Aggregate


@dataclass(frozen=True)
class Tool:
    """One tool as its file defines it."""

    name: str
    description: str
    inputs: Mapping[str, Slot]
    outputs: Mapping[str, Slot]
    steps: tuple[Step, ...]
    source: Mapping[str, Any] = field(repr=False, compare=False)
    """The definition as JSON, without comments; equal tools have equal canonical JSON."""

    @property
    def json(self) -> str:
        """The definition as canonical JSON, which its digest is made of."""
        return canonical_json(self.source)

    @property
    def calls(self) -> list[Call]:
        """Every call in the tool, in the order of its file."""
        return [step for step in walk(self.steps) if isinstance(step, Call)]


def walk(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield every step, those inside branches and loops too."""
    for step in steps:
        yield step
        if isinstance(step, Branch):
            yield from walk(step.then)
            yield from walk(step.otherwise)
        elif isinstance(step, Repeat):
            yield from walk(step.do)


def without_writes(tool: Tool) -> Tool:
    """Return the tool without its `write_memory` steps, for a question that only looks."""
    if all(call.api not in _WRITES for call in tool.calls):
        return tool
    return parse_tool(json.dumps({**tool.source, "steps": _reading(tool.source["steps"])}))


def _reading(data: Any) -> list[Any]:
    kept: list[Any] = []
    for step in data if isinstance(data, list) else [data]:
        if step.get("api") in _WRITES:
            continue
        inner = {key: _reading(step[key]) for key in ("then", "else", "do") if step.get(key)}
        if inner and not any(inner.values()):
            continue
        if "condition" in step and not inner.get("then"):
            inner["then"] = inner.pop("else")
            step = {**step, "condition": {"not": step["condition"]}, "else": []}
        kept.append({**step, **inner})
    return kept


def collection_name(saved: str) -> str:
    """Return the name of the list that `activity_{{index}}` fills: `activity`."""
    return saved.removesuffix("_{{index}}")


def parse_tool(text: str) -> Tool:
    """Read a tool's JSON, with or without // comments, or raise `BadTool` naming the step and the field."""
    if len(text.encode(errors="replace")) > _MAX_BYTES:
        raise BadTool(f"The tool is larger than {_MAX_BYTES // 1024} KiB.")
    plain, optional = _without_comments(text)
    if _depth(plain) > _MAX_JSON_DEPTH:
        raise BadTool(f"The tool is nested deeper than {_MAX_JSON_DEPTH} levels.")
    try:
        data = json.loads(plain, parse_constant=_no_constant)
    except ValueError as exc:
        raise BadTool(f"The tool is not JSON: {exc}.") from exc
    return _tool(_object(data, "the tool"), optional)


def _tool(data: Mapping[str, Any], optional: frozenset[str]) -> Tool:
    _only(data, ("tool_name", "description", "inputs", "outputs", "steps"), "the tool")
    name = data.get("tool_name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadTool(f"tool_name is {_short(name)}; it must be lower-case words joined by underscores.")
    description = data.get("description")
    if not isinstance(description, str) or not description.strip():
        raise BadTool("description is missing: say in one line what the tool finds out.")
    inputs = _slots(data.get("inputs", {}), "inputs", optional)
    outputs = _slots(data.get("outputs", {}), "outputs", frozenset())
    steps = data.get("steps")
    if not isinstance(steps, list) or not steps:
        raise BadTool("steps is missing: a tool needs at least one step.")
    parsed = _steps(steps, "step", 0)
    if sum(1 for _ in walk(parsed)) > MAX_STEPS:
        raise BadTool(f"The tool has more than {MAX_STEPS} steps.")
    source = {**data, "inputs": {name: _slot_json(slot) for name, slot in inputs.items()}}
    return Tool(name, " ".join(description.split()), inputs, outputs, parsed, source)


def _slots(data: Any, where: str, optional: frozenset[str]) -> dict[str, Slot]:
    found: dict[str, Slot] = {}
    for name, value in _object(data, where).items():
        if not _NAME.fullmatch(name) or name in RESERVED:
            raise BadTool(f"{where}.{name}: not a name that can be used here.")
        found[name] = _slot(value, f"{where}.{name}", is_optional=where == "inputs" and name in optional)
    return found


def _slot(value: Any, where: str, *, is_optional: bool) -> Slot:
    data = {"type": value} if isinstance(value, str) else _object(value, where)
    _only(data, ("type", "description", "optional", "from"), where)
    kind = str(data.get("type", "")).strip().lower()
    if kind not in _TYPES:
        raise BadTool(f"{where} is of type {_short(data.get('type'))}; choose {', '.join(sorted(_TYPES))}.")
    source = data.get("from", "")
    if not isinstance(source, str):
        raise BadTool(f"{where}.from must be a template such as {{{{count}}}}.")
    optional = bool(data.get("optional", False)) or is_optional
    return Slot(_TYPES[kind], str(data.get("description", "")), optional, source)


def _slot_json(slot: Slot) -> Any:
    if not slot.optional and not slot.description:
        return slot.type
    kept: dict[str, Any] = {"type": slot.type, "description": slot.description, "optional": slot.optional}
    return {name: value for name, value in kept.items() if value not in ("", False)}


def _steps(data: Any, path: str, depth: int) -> tuple[Step, ...]:
    if depth > _MAX_DEPTH:
        raise BadTool(f"{path}: steps are nested deeper than {_MAX_DEPTH} levels.")
    listed = data if isinstance(data, list) else [data]
    if not listed:
        raise BadTool(f"{path}: there is no step here.")
    is_single = not isinstance(data, list)
    return tuple(
        _step(one, path if is_single else f"{path} {number}", depth)
        for number, one in enumerate(listed, start=1)
    )


def _step(data: Any, path: str, depth: int) -> Step:
    step = _object(data, path)
    kinds = [key for key in ("api", "condition", "for_each", "aggregate") if key in step]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none of them"
        raise BadTool(f"{path}: a step has one of api, condition, for_each, aggregate; this has {found}.")
    match kinds[0]:
        case "api":
            _only(step, ("api", "params", "save_as"), path)
            params = _object(step.get("params", {}), f"{path}, params")
            return Call(_text(step, "api", path), params, _save_as(step, path), path)
        case "condition":
            _only(step, ("condition", "then", "else"), path)
            then = _steps(_needed(step, "then", path), f"{path} then", depth + 1)
            otherwise = _steps(step["else"], f"{path} else", depth + 1) if step.get("else") else ()
            return Branch(step["condition"], then, otherwise, path)
        case "for_each":
            _only(step, ("for_each", "every", "do"), path)
            do = _steps(_needed(step, "do", path), f"{path} do", depth + 1)
            return Repeat(_text(step, "for_each", path), do, path, _every(step, path))
        case _:
            _only(step, ("aggregate", "of", "save_as"), path)
            of = _text(step, "of", path) if "of" in step else ""
            return Aggregate(step["aggregate"], of, _save_as(step, path), path)


def _every(step: Mapping[str, Any], path: str) -> int:
    value = step.get("every", 1)
    if type(value) is not int or not 1 <= value <= MOST_EVERY:
        raise BadTool(f"{path}, every: {_short(value)} is not a whole number from 1 to {MOST_EVERY}.")
    return value


def _save_as(step: Mapping[str, Any], path: str) -> str:
    saved = step.get("save_as", "")
    if saved == "":
        return ""
    if not isinstance(saved, str) or not _SAVED.fullmatch(saved) or saved in RESERVED:
        raise BadTool(f"{path}, save_as: {_short(saved)} is not a name (letters, digits, underscores).")
    return saved


def _text(step: Mapping[str, Any], name: str, path: str) -> str:
    value = step[name]
    if not isinstance(value, str) or not value.strip():
        raise BadTool(f"{path}, {name}: {_short(value)} is not a text.")
    return value.strip()


def _needed(step: Mapping[str, Any], name: str, path: str) -> Any:
    if name not in step:
        raise BadTool(f"{path}: {name} is missing.")
    return step[name]


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadTool(f"{where} is {_short(value)}; it must be an object.")
    return cast("Mapping[str, Any]", value)


def _only(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in data:
        if name not in known:
            raise BadTool(f"{where}: {_short(name)} is not known here; known are {', '.join(known)}.")


def _without_comments(text: str) -> tuple[str, frozenset[str]]:
    """Return the JSON without // comments, and the keys whose comment begins with 可选 or "optional"."""
    optional: set[str] = set()
    parts: list[str] = []
    end = 0
    for match in _COMMENT.finditer(text):
        if match[1] is None:
            continue
        line_start = text.rfind("\n", 0, match.start()) + 1
        if _OPTIONAL_NOTE.match(match[1]) and (key := _KEY.match(text, line_start, match.start())):
            optional.add(key[1])
        parts.append(text[end : match.start()])
        end = match.end()
    return "".join([*parts, text[end:]]), frozenset(optional)


def _depth(text: str) -> int:
    """Return how deep brackets are nested; those inside strings count too, which errs on the safe side."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


assert set(_TYPES.values()) == set(get_args(ValueType))
