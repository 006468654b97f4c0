"""Run a checked tool: steps in order, independent ones side by side, within limits."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock
from typing import Any, Protocol

from vidence.errors import OpFailed, OpRetry
from vidence.ops.catalogue import get_operation
from vidence.tools.check import Plan
from vidence.tools.reduce import Matcher, holds, reduce_items
from vidence.tools.steps import Aggregate, Branch, Call, Repeat, Step, Tool, collection_name, walk
from vidence.tools.templates import Absent, main_list, parse_path, paths_in, read_path, render, whole_path

__all__ = ["CallAnswer", "Limits", "Services", "ToolOutcome", "run_plan", "step_params"]

_SIDE_BY_SIDE = 4


@dataclass(frozen=True)
class Limits:
    """The most that one run of a tool may use."""

    calls: int = 64
    seconds: float = 120.0
    items: int = 20
    """Items of one loop over what was found; the rest is left out and said so. What is given is all done."""


@dataclass(frozen=True)
class CallAnswer:
    """What an operation answered, and the id of its record."""

    result: Mapping[str, Any]
    record_id: str


class Services(Protocol):
    """What a run needs from outside: the operations, and a judge of matching words."""

    def call(self, api: str, params: Mapping[str, Any]) -> CallAnswer:
        """Run an operation; OpRetry and OpFailed say what was wrong."""
        ...

    def prepare(self, api: str, calls: Sequence[Mapping[str, Any]]) -> None:
        """Take note of calls that come next; they may be answered faster together."""
        ...

    def matches(self, texts: Sequence[str], wanted: str) -> bool:
        """Say whether one of the texts means what is wanted."""
        ...


@dataclass
class ToolOutcome:
    """The outputs of a run, the records they rest on, and what did not happen."""

    outputs: dict[str, Any] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Steps that had nothing to work on, items left out, a limit that was reached."""
    failed: list[str] = field(default_factory=list)
    """Steps whose operation could not answer, with the reason."""


class _LimitReached(Exception):
    pass


def run_plan(
    plan: Plan,
    inputs: Mapping[str, Any],
    services: Services,
    *,
    limits: Limits | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> ToolOutcome:
    """Run a tool on its inputs; what could not be done is said in the outcome, never hidden."""
    run = _Run(plan, services, limits or Limits(), clock)
    scope: dict[str, Any] = dict(inputs)
    try:
        run.steps(plan.tool.steps, scope, run.outcome)
    except _LimitReached as exc:
        run.outcome.notes.append(str(exc))
    run.outcome.outputs = _outputs(plan, scope, run.kept)
    return run.outcome


class _Run:
    """One run: its limits, and what the last aggregate kept."""

    def __init__(self, plan: Plan, services: Services, limits: Limits, clock: Callable[[], float]) -> None:
        self._plan, self._services, self._limits, self._clock = plan, services, limits, clock
        self._matcher: Matcher = services.matches
        self._ends = clock() + limits.seconds
        self._calls = 0
        self._lock = Lock()
        self._deciding = _deciding(plan)
        self.outcome = ToolOutcome()
        self.kept: list[Any] | None = None

    def steps(self, steps: Sequence[Step], scope: dict[str, Any], told: ToolOutcome) -> None:
        for wave in _waves(steps):
            if len(wave) == 1:
                self._one(wave[0], scope, told)
                continue
            # Each works on a copy, and the results are joined in the order of the file.
            scopes = [dict(scope) for _ in wave]
            tellers = [ToolOutcome() for _ in wave]
            self._together(list(zip(wave, scopes, tellers, strict=True)))
            before = dict(scope)
            for inner, teller in zip(scopes, tellers, strict=True):
                scope |= {name: value for name, value in inner.items() if value is not before.get(name)}
                _join(told, teller)

    def _together(self, jobs: Sequence[tuple[Step, dict[str, Any], ToolOutcome]]) -> None:
        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            for done in [pool.submit(self._one, *job) for job in jobs]:
                done.result()

    def _one(self, step: Step, scope: dict[str, Any], told: ToolOutcome) -> None:
        match step:
            case Call():
                self._call(step, scope, told)
            case Branch():
                is_true = holds(self._plan.conditions[step.path], scope)
                self.steps(step.then if is_true else step.otherwise, scope, told)
            case Repeat():
                self._repeat(step, scope, told)
            case Aggregate():
                self._aggregate(step, scope, told)

    def _call(self, step: Call, scope: dict[str, Any], told: ToolOutcome) -> None:
        answer = None
        try:
            params = step_params(self._plan.tool, step, scope)
            self._count()
            answer = self._services.call(step.api, params)
        except Absent as exc:
            told.notes.append(f"{step.path} ({step.api}) was left out: {exc} is not there.")
        except (OpRetry, OpFailed) as exc:
            told.failed.append(f"{step.path} ({step.api}): {exc}")
        if answer is not None:
            told.evidence.append(answer.record_id)
        if step.save_as:
            value = None if answer is None else dict(answer.result)
            scope[step.save_as.replace("{{index}}", str(scope.get("index", 0)))] = value

    def _repeat(self, step: Repeat, scope: dict[str, Any], told: ToolOutcome) -> None:
        items = self._items(step.over, scope, step.path, told)
        if items is None:
            return
        items = items[:: step.every]
        most = self._limits.calls if step.over in self._plan.tool.inputs else self._limits.items
        if len(items) > most:
            told.notes.append(f"{step.path}: only {most} of {len(items)} items were looked at.")
            items = items[:most]
        scopes = [{**scope, "item": item, "index": index} for index, item in enumerate(items)]
        decided = self._deciding.get(step.path)
        size = _SIDE_BY_SIDE if decided else max(1, len(scopes))
        for first in range(0, len(scopes), size):
            self._passes(step, scopes[first : first + size], told)
            done = scopes[: first + size]
            self._gather(step, done, scope)
            if decided and len(done) < len(scopes) and self._is_decided(decided, scope):
                told.notes.append(f"{step.path}: {len(done)} of {len(items)} items told enough.")
                return
        if not scopes:
            self._gather(step, scopes, scope)

    def _is_decided(self, aggregate: Aggregate, scope: Mapping[str, Any]) -> bool:
        stages, of = self._plan.aggregates[aggregate.path]
        return reduce_items(stages, scope[of], scope, self._matcher)[0] not in (None, False)

    def _passes(self, step: Repeat, scopes: Sequence[dict[str, Any]], told: ToolOutcome) -> None:
        """Run the steps of a loop for some items, side by side where nothing is changed."""
        tellers = [ToolOutcome() for _ in scopes]
        self._announce(step, scopes)
        if _changes_state(step) or len(scopes) < 2:
            for inner, teller in zip(scopes, tellers, strict=True):
                self.steps(step.do, inner, teller)
        else:
            with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
                jobs = [
                    pool.submit(self.steps, step.do, inner, teller)
                    for inner, teller in zip(scopes, tellers, strict=True)
                ]
                for job in jobs:
                    job.result()
        for teller in tellers:
            _join(told, teller)

    def _gather(self, step: Repeat, scopes: Sequence[Mapping[str, Any]], scope: dict[str, Any]) -> None:
        """Save what each pass saved, and the list of them under the name without `_{{index}}`."""
        saved = [one.save_as for one in walk(step.do) if isinstance(one, Call | Aggregate) and one.save_as]
        for name in dict.fromkeys(saved):
            listed = []
            for inner in scopes:
                own = name.replace("{{index}}", str(inner["index"]))
                if inner.get(own) is not None:
                    listed.append(_element(inner["item"], inner[own]))
                    if own != name:
                        scope[own] = inner[own]
            scope[collection_name(name)] = listed

    def _announce(self, step: Repeat, scopes: Sequence[Mapping[str, Any]]) -> None:
        first = step.do[0]
        if not isinstance(first, Call) or len(scopes) < 2:
            return
        try:
            self._services.prepare(
                first.api, [step_params(self._plan.tool, first, inner) for inner in scopes]
            )
        except (Absent, OpRetry, OpFailed):
            # The calls themselves will say what is wrong.
            return

    def _aggregate(self, step: Aggregate, scope: dict[str, Any], told: ToolOutcome) -> None:
        stages, of = self._plan.aggregates[step.path]
        items = self._items(of, scope, step.path, told)
        if items is None:
            return
        value, self.kept = reduce_items(stages, items, scope, self._matcher)
        if step.save_as:
            scope[step.save_as] = value

    def _items(self, name: str, scope: Mapping[str, Any], path: str, told: ToolOutcome) -> list[Any] | None:
        """Return the items of a list; None where it was not made, since that is no empty list."""
        try:
            found = main_list(read_path(whole_path(name, path) or parse_path(name, path), scope))
        except Absent as exc:
            told.notes.append(f"{path} was left out: {exc} is not there.")
            return None
        return found or []

    def _count(self) -> None:
        with self._lock:
            if self._calls >= self._limits.calls:
                raise _LimitReached(f"Stopped after {self._limits.calls} calls.")
            if self._clock() > self._ends:
                raise _LimitReached(f"Stopped after {self._limits.seconds:g} s.")
            self._calls += 1


def _deciding(plan: Plan) -> dict[str, Aggregate]:
    """Return the loops that may stop early, by path, with the next step that one item can decide.

    That is the first item that passes a filter, or whether there is any. Nothing else may read the items.
    """
    steps = plan.tool.steps
    if any(slot.type == "array" for slot in plan.tool.outputs.values()):
        return {}
    found: dict[str, Aggregate] = {}
    for step, after in pairwise(steps):
        if not (isinstance(step, Repeat) and isinstance(after, Aggregate)) or _changes_state(step):
            continue
        stages, of = plan.aggregates[after.path]
        ops = [stage.op for stage in stages]
        readers = set().union(*(_reads(one) for one in steps if one not in (step, after)))
        readers |= {path.name for slot in plan.tool.outputs.values() for _, path in paths_in(slot.source, "")}
        others = [one for path, (_, one) in plan.aggregates.items() if path != after.path]
        is_read = of in {re.sub(r"_\d+$", "", name) for name in readers} | {*others, *plan.tool.outputs}
        is_decisive = ops[-1:] in (["first"], ["any"]) and set(ops[:-1]) <= {"filter"}
        if of in _writes(step) and is_decisive and not is_read:
            found[step.path] = after
    return found


def step_params(tool: Tool, step: Call, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's parameters; those of optional inputs that were not given are left out."""
    kept = {
        name: value
        for name, value in step.params.items()
        if not (
            isinstance(value, str)
            and (path := whole_path(value, step.path))
            and path.name in tool.inputs
            and tool.inputs[path.name].optional
            and scope.get(path.name) is None
        )
    }
    return {name: render(value, scope) for name, value in kept.items()}


def _waves(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps in groups whose members need nothing from each other."""
    waves: list[list[Step]] = []
    written: set[str] = set()
    for step in steps:
        is_alone = _changes_state(step) or any(isinstance(one, Aggregate) for one in walk((step,)))
        if is_alone or not waves or not waves[-1] or _reads(step) & written or written == {"*"}:
            waves.append([])
            written = set()
        waves[-1].append(step)
        written |= {"*"} if is_alone else _writes(step)
    return waves


def _changes_state(step: Step) -> bool:
    calls = [one for one in walk((step,)) if isinstance(one, Call)]
    return any(get_operation(one.api).stateful for one in calls)


def _reads(step: Step) -> set[str]:
    found: set[str] = set()
    for one in walk((step,)):
        if isinstance(one, Call):
            found |= {path.name for _, path in paths_in(dict(one.params), one.path)}
        elif isinstance(one, Repeat):
            found.add((whole_path(one.over, one.path) or parse_path(one.over, one.path)).name)
        elif isinstance(one, Branch):
            found |= {path.name for _, path in paths_in(one.condition, one.path)}
    # What a loop saved as `activity_{{index}}` may be read one by one.
    return found | {re.sub(r"_\d+$", "", name) for name in found}


def _writes(step: Step) -> set[str]:
    return {collection_name(one.save_as) for one in walk((step,)) if isinstance(one, Call) and one.save_as}


def _element(item: Any, value: Any) -> Any:
    """Return a pass's result with the fields of its item that it does not have itself."""
    if isinstance(item, Mapping) and isinstance(value, Mapping):
        return {**item, **value}
    return value


def _join(told: ToolOutcome, other: ToolOutcome) -> None:
    told.evidence += other.evidence
    told.notes += other.notes
    told.failed += other.failed


def _outputs(plan: Plan, scope: Mapping[str, Any], kept: list[Any] | None) -> dict[str, Any]:
    """Return each output: its source, the saved value of its name, a field of that name, or what was kept."""
    found: dict[str, Any] = {}
    saved = {name: value for name, value in scope.items() if name not in plan.tool.inputs}
    for name, slot in plan.tool.outputs.items():
        try:
            if slot.source:
                found[name] = render(slot.source, scope)
            elif name in saved:
                found[name] = saved[name]
            elif (value := _field(saved, name)) is not None:
                found[name] = value
            else:
                found[name] = kept if slot.type == "array" else None
        except Absent:
            found[name] = None
    return found


def _field(saved: Mapping[str, Any], name: str) -> Any:
    """Return the first field of that name in the saved results, else in the first item of their lists."""
    for value in saved.values():
        if isinstance(value, Mapping) and value.get(name) is not None:
            return value[name]
        first = (main_list(value) or [None])[0]
        if isinstance(first, Mapping) and first.get(name) is not None:
            return first[name]
    return None
