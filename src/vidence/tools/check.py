"""Check a tool before it runs: every template against the schemas of the operations it reads from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from vidence.errors import BadTool, UnknownName
from vidence.ops.catalogue import COMPOSED, OPERATIONS, get_operation
from vidence.ops.llm_schema import inlined_schema, parameters_schema
from vidence.tools.steps import Aggregate, Branch, Call, Repeat, Slot, Step, Tool, collection_name
from vidence.tools.templates import Path, parse_path, paths_in, whole_path
from vidence.tools.words import (
    Compares,
    Condition,
    Contains,
    Exists,
    Not,
    Reduction,
    read_aggregate,
    read_condition,
)

__all__ = ["Plan", "check_tool"]

Schema = Mapping[str, Any]
_ANY: Schema = {}
_NUMBERS = ("number", "integer")


@dataclass(frozen=True)
class Plan:
    """A checked tool: its conditions and aggregates read, and what each name holds."""

    tool: Tool
    conditions: Mapping[str, Condition]
    """By the path of their step."""
    aggregates: Mapping[str, tuple[tuple[Reduction, ...], str]]
    """By the path of their step: the stages, and the list they work on."""


def check_tool(tool: Tool) -> Plan:
    """Return the tool ready to run, or raise `BadTool` naming the step and the field."""
    types: dict[str, Schema] = {name: _of_slot(slot) for name, slot in tool.inputs.items()}
    checker = _Checker(tool)
    checker.steps(tool.steps, types)
    checker.outputs(types)
    return Plan(tool, checker.conditions, checker.aggregates)


class _Checker:
    """Walks the steps with the schema of every name known so far."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.texts = [name for name, slot in tool.inputs.items() if slot.type == "string"]
        self.conditions: dict[str, Condition] = {}
        self.aggregates: dict[str, tuple[tuple[Reduction, ...], str]] = {}

    def steps(self, steps: tuple[Step, ...], types: dict[str, Schema]) -> None:
        for step in steps:
            match step:
                case Call():
                    self._call(step, types)
                case Branch():
                    where = f"{step.path}, condition"
                    read = read_condition(step.condition, where)
                    self.conditions[step.path] = read
                    _check_condition(read, types, where)
                    self.steps(step.then, types)
                    self.steps(step.otherwise, types)
                case Repeat():
                    self._repeat(step, types)
                case Aggregate():
                    self._aggregate(step, types)

    def outputs(self, types: Mapping[str, Schema]) -> None:
        for name, slot in self.tool.outputs.items():
            where = f"outputs.{name}"
            if slot.source:
                found: Schema = _ANY
                for _, path in paths_in(slot.source, where):
                    found = _type_of(path, types, where)
                if whole_path(slot.source, where):
                    _fits(found, _of_slot(slot), where)
            elif not self._is_made(name, slot, types):
                known = ", ".join(sorted(set(types) - set(self.tool.inputs))) or "none"
                raise BadTool(
                    f"{where}: no step saves {name!r} or a result with that field (saved: {known})."
                )

    def _is_made(self, name: str, slot: Slot, types: Mapping[str, Schema]) -> bool:
        saved = {key: schema for key, schema in types.items() if key not in self.tool.inputs}
        is_kept = slot.type == "array" and bool(self.aggregates)
        return is_kept or name in saved or any(_holds(schema, name) for schema in saved.values())

    def _call(self, step: Call, types: dict[str, Schema]) -> None:
        if step.api not in OPERATIONS and step.api not in COMPOSED:
            raise BadTool(f"{step.path}, api: {UnknownName('operation', step.api, OPERATIONS)}")
        fields = _parameters(step.api)
        given = {"video_id", *step.params}
        for name, value in step.params.items():
            where = f"{step.path}, params.{name}"
            if name not in fields["properties"]:
                known = ", ".join(one for one in fields["properties"] if one != "video_id")
                raise BadTool(f"{where}: {step.api} has no such parameter; it has {known}.")
            _check_value(value, fields["properties"][name], types, where)
        for name in fields.get("required", ()):
            if name not in given:
                raise BadTool(f"{step.path}, params: {step.api} needs {name}.")
        if step.save_as:
            result = _result(step.api)
            name = collection_name(step.save_as)
            is_listed = name != step.save_as
            types[name] = (
                {"type": "array", "items": _merged(types.get("item"), result)} if is_listed else result
            )

    def _repeat(self, step: Repeat, types: dict[str, Schema]) -> None:
        where = f"{step.path}, for_each"
        path = whole_path(step.over, where) or parse_path(step.over, where)
        listed = _type_of(path, types, where)
        inner = dict(types)
        inner["item"], inner["index"] = _items(listed, where), {"type": "integer"}
        self.steps(step.do, inner)
        types |= {name: kind for name, kind in inner.items() if name not in ("item", "index")}

    def _aggregate(self, step: Aggregate, types: dict[str, Schema]) -> None:
        where = f"{step.path}, aggregate"
        lists = {name: kind for name, kind in types.items() if _list_of(kind) is not None}
        fields = {field for kind in lists.values() for field in (_list_of(kind) or {}).get("properties", {})}
        stages, named = read_aggregate(
            step.how, where, collections=tuple(lists), fields=fields, texts=self.texts
        )
        of = step.of or named or (next(reversed(lists)) if lists else "")
        if not of:
            raise BadTool(f"{where}: no list was saved before this step.")
        path = whole_path(of, where) or parse_path(of, where)
        item = _items(_type_of(path, types, where), where)
        for stage in stages:
            self._stage(stage, item, types, where)
        self.aggregates[step.path] = (stages, of)
        if step.save_as:
            types[step.save_as] = _outcome(stages, item)

    def _stage(self, stage: Reduction, item: Schema, types: Mapping[str, Schema], where: str) -> None:
        if stage.by and item.get("properties"):
            _type_of(parse_path(f"item.{stage.by}", where), {"item": item}, where)
        if stage.where is not None:
            _check_condition(stage.where, {**types, "item": item}, where)
        if stage.matches is not None:
            _check_value(stage.matches, _ANY, types, where)


def _check_condition(condition: Condition, types: Mapping[str, Schema], where: str) -> None:
    match condition:
        case Contains():
            values = (condition.whole, condition.part)
        case Compares():
            values = (condition.left, condition.right)
            kinds = [_value_type(value, types, where) for value in values]
            if condition.operator not in ("==", "!=") and any(
                kind.get("type") not in (None, *_NUMBERS) for kind in kinds
            ):
                raise BadTool(f"{where}: only numbers compare by {condition.operator}.")
        case Exists():
            values = (condition.value, None)
        case Not():
            return _check_condition(condition.inner, types, where)
        case _:
            for part in condition.parts:
                _check_condition(part, types, where)
            return None
    for value in values:
        _check_value(value, _ANY, types, where)
    return None


def _check_value(value: Any, wanted: Schema, types: Mapping[str, Schema], where: str) -> None:
    """Check every template in a value, and the value's own type where it is one template or none."""
    for place, path in paths_in(value, where):
        _type_of(path, types, place)
    _fits(_value_type(value, types, where), wanted, where)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            field = _field(wanted, name)
            if field is None and any(option.get("properties") for option in _options(wanted)):
                raise BadTool(f"{where}.{name}: there is no such field.")
            _check_value(inner, field or _ANY, types, f"{where}.{name}")


def _value_type(value: Any, types: Mapping[str, Schema], where: str) -> Schema:
    match value:
        case str():
            path = whole_path(value, where)
            return {"type": "string", "const": value} if path is None else _type_of(path, types, where)
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case Mapping():
            return {"type": "object"}
        case list():
            return {"type": "array"}
        case _:
            return _ANY


def _fits(found: Schema, wanted: Schema, where: str) -> None:
    """Raise where a value of one schema can never be one of another."""
    kinds, needed = _kinds(found), _kinds(wanted)
    if not kinds or not needed:
        return
    if kinds & {"number", "integer"} and needed & {"number", "integer"}:
        return
    if not kinds & needed:
        raise BadTool(f"{where}: {_said(kinds)} cannot stand for {_said(needed)}.")
    choices = {one for option in _options(wanted) for one in option.get("enum", ())}
    is_open = any(option.get("type") == "string" and "enum" not in option for option in _options(wanted))
    said = found.get("const", "{{")
    if choices and not is_open and "{{" not in said and said not in choices:
        raise BadTool(f"{where}: {said!r} is none of {', '.join(sorted(map(str, choices)))}.")


def _type_of(path: Path, types: Mapping[str, Schema], where: str) -> Schema:
    if path.name not in types:
        known = ", ".join(sorted(types)) or "nothing"
        raise BadTool(f"{where}: {path.name!r} is not known at this step; known: {known}.")
    found = types[path.name]
    for part in path.parts:
        found = _step_into(found, part, path, where)
    if path.shift and not _kinds(found) <= {"number", "integer", "null"}:
        raise BadTool(f"{where}: {path} is not a number, so nothing can be added to it.")
    return found


def _step_into(schema: Schema, part: str | int, path: Path, where: str) -> Schema:
    if not _kinds(schema):
        return _ANY
    if isinstance(part, int):
        return _items(schema, where)
    field = _field(schema, part)
    if field is None:
        names = sorted({name for option in _options(schema) for name in option.get("properties", {})})
        if not names:
            return _reject(path, part, where) if _kinds(schema) - {"object", "null"} else _ANY
        raise BadTool(f"{where}: {path} does not exist; {part!r} is none of {', '.join(names)}.")
    return field


def _reject(path: Path, part: str, where: str) -> Schema:
    raise BadTool(f"{where}: {path} does not exist; what stands before {part!r} has no fields.")


def _field(schema: Schema, name: str) -> Schema | None:
    for option in _options(schema):
        if name in option.get("properties", {}):
            found: Schema = option["properties"][name]
            return found
    return None


def _items(schema: Schema, where: str) -> Schema:
    if not _kinds(schema):
        return _ANY
    found = _list_of(schema)
    if found is None:
        raise BadTool(f"{where}: this is no list, and holds none or several.")
    return found


def _list_of(schema: Schema | None) -> Schema | None:
    """Return the schema of a list's items, or of the items of the one list in a result."""
    for option in _options(schema or {}):
        if option.get("type") == "array":
            items: Schema = option.get("items", _ANY)
            return items
        lists = [one for one in option.get("properties", {}).values() if "array" in _kinds(one)]
        if len(lists) == 1:
            return _list_of(lists[0])
    return None


def _options(schema: Schema) -> list[Schema]:
    return list(schema.get("anyOf", [schema]))


def _kinds(schema: Schema) -> set[str]:
    return {str(option["type"]) for option in _options(schema) if "type" in option}


def _said(kinds: set[str]) -> str:
    return " or ".join(sorted(kinds - {"null"}) or ["nothing"])


def _holds(schema: Schema | None, name: str) -> bool:
    """Say whether a result has a field, or the items of its list do."""
    if schema is None:
        return False
    return _field(schema, name) is not None or _field(_list_of(schema) or {}, name) is not None


def _merged(item: Schema | None, result: Schema) -> Schema:
    """Return the schema of a pass: its result, with the fields of its item that it does not have itself."""
    if not item or not item.get("properties"):
        return result
    return {**result, "properties": {**item["properties"], **result.get("properties", {})}}


def _outcome(stages: tuple[Reduction, ...], item: Schema) -> Schema:
    """Return the schema of what an aggregate gives."""
    found: Schema = {"type": "array", "items": item}
    for stage in stages:
        if stage.op == "count":
            found = {"type": "integer"}
        elif stage.op in ("any", "all"):
            found = {"type": "boolean"}
        elif stage.op in ("first", "last", "min", "max"):
            found = item
        elif stage.op in ("sum", "mean"):
            found = {"type": "number"}
        elif stage.op == "group":
            found = {"type": "object"}
    return found


def _of_slot(slot: Slot) -> Schema:
    return _ANY if slot.type == "any" else {"type": slot.type}


@cache
def _parameters(api: str) -> Schema:
    return parameters_schema(get_operation(api))


@cache
def _result(api: str) -> Schema:
    return inlined_schema(get_operation(api).result, mode="serialization")
