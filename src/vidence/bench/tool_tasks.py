"""Public tasks to check induction on (BFCL's services, tau's retail tasks), and broken tool files."""

from __future__ import annotations

import ast
import copy
import gzip
import importlib.util
import random
import re
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from vidence.bench.shared import load_set_file
from vidence.errors import BadTool, FileProblem
from vidence.tools import Tool, as_operation, parse_tool
from vidence.tools.induction import Episode, PastCall, condense, expand, find_tools

__all__ = ["TaskReplay", "broken_tools", "load_bfcl", "load_tau", "replay_folds"]

_PACKAGE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
_CLASSES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
_STATELESS = frozenset({"MathAPI"})


@dataclass(frozen=True)
class TaskReplay:
    """Tasks that tools were not made from, replayed through them."""

    tasks: int
    calls: int
    calls_with_tools: int
    tools: float
    """How many were found, on average over the folds."""
    same_state: int
    """Tasks whose services ended in the same state as without tools."""
    compared: int

    @property
    def states(self) -> str:
        """How many of the tasks that were run ended in the same state."""
        return f"{self.same_state}/{self.compared}" if self.compared else "not run"

    @property
    def saved(self) -> float:
        """The share of calls that tools made unnecessary."""
        return 1 - self.calls_with_tools / max(self.calls, 1)


@dataclass(frozen=True)
class Task:
    """One task: its calls turn by turn, and the state its services begin with."""

    episode: Episode
    config: Mapping[str, Any]
    services: tuple[str, ...]


def load_bfcl(folder: Path) -> list[Task]:
    """Return the multi-turn tasks."""
    found = []
    for row in load_set_file("bfcl_multi_turn", folder):
        turns = tuple(tuple(_call(text) for text in turn) for turn in row["ground_truth"])
        episode = Episode(row["id"], row["id"], turns, ordered=True)
        found.append(Task(episode, row["initial_config"], tuple(row["involved_classes"])))
    return found


def _call(text: str) -> PastCall:
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise FileProblem(f"{text!r} is not a call.")
    named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    placed = {f"arg{place}": ast.literal_eval(one) for place, one in enumerate(call.args)}
    return PastCall(call.func.id, {**placed, **named})


def load_tau(folder: Path) -> list[Task]:
    """Return the retail tasks, each one turn; there are no services to run them on."""
    try:
        with gzip.open(folder / "tau_retail_train.txt.gz", "rt", encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except OSError as exc:
        raise FileProblem(f"The tau tasks are not in {folder}.") from exc
    found = []
    for number, node in enumerate(one for one in ast.walk(tree) if _is_named(one, "Task")):
        actions = [one for one in ast.walk(node) if _is_named(one, "Action")]
        calls = tuple(_action(one) for one in actions)
        found.append(Task(Episode(f"tau_{number}", f"tau_{number}", (calls,), ordered=True), {}, ()))
    return [task for task in found if task.episode.num_calls]


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _action(node: ast.AST) -> PastCall:
    assert isinstance(node, ast.Call)
    values = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
    return PastCall(str(values["name"]), dict(values["kwargs"]))


def replay_folds(
    tasks: Sequence[Task], *, folds: int, simulators: Path | None = None, max_tools: int = 20
) -> TaskReplay:
    """Find tools in all folds but one and replay that one through them, for each fold."""
    order = list(range(len(tasks)))
    random.Random(0).shuffle(order)
    services = _load_services(simulators) if simulators else {}
    calls = through = found = same = compared = 0
    for fold in range(folds):
        learning = [tasks[place].episode for at, place in enumerate(order) if at % folds != fold]
        tools = [one.tool for one in find_tools(learning, max_tools=max_tools)]
        found += len(tools)
        for task in (tasks[place] for at, place in enumerate(order) if at % folds == fold):
            written = [condense(turn, tools, ordered=True) for turn in task.episode.batches]
            calls += task.episode.num_calls
            through += sum(len(turn) for turn in written)
            known = {tool.name: tool for tool in tools}
            made = [
                call
                for turn in written
                for one in turn
                for call in (
                    expand(known[one.api], one.arguments)
                    if one.api in known
                    else [PastCall(one.api, one.arguments)]
                )
            ]
            if services:
                plain = [call for turn in task.episode.batches for call in turn]
                expected = _end_state(task, plain, services)
                # A service that draws at random ends otherwise each time; nothing can be compared there.
                if expected == _end_state(task, plain, services):
                    compared += 1
                    same += expected == _end_state(task, made, services)
    return TaskReplay(len(tasks), calls, through, found / folds, same, compared)


def _load_services(folder: Path) -> dict[str, Any]:
    """Return the simulated services, imported from where they lie."""
    for depth in range(1, _PACKAGE.count(".") + 2):
        name = ".".join(_PACKAGE.split(".")[:depth])
        sys.modules.setdefault(name, types.ModuleType(name))
    found = {}
    for class_name, module_name in {"": "long_context", **_CLASSES}.items():
        spec = importlib.util.spec_from_file_location(
            f"{_PACKAGE}.{module_name}", folder / f"{module_name}.py"
        )
        if spec is None or spec.loader is None:
            raise FileProblem(f"The simulated services are not in {folder}.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError:
            # The calculator needs a package of its own and has no state.
            continue
        if class_name:
            found[class_name] = getattr(module, class_name)
    return found


def _end_state(task: Task, calls: Sequence[PastCall], services: Mapping[str, Any]) -> Any:
    """Return the state of a task's services after the calls."""
    objects = {}
    for name in task.services:
        if name in services:
            objects[name] = services[name]()
            if name not in _STATELESS:
                objects[name]._load_scenario(copy.deepcopy(task.config.get(name, {})))
    for call in calls:
        owner = next((one for one in objects.values() if hasattr(one, call.api)), None)
        if owner is None:
            continue
        placed = [call.arguments[key] for key in sorted(call.arguments) if re.fullmatch(r"arg\d", key)]
        named = {key: value for key, value in call.arguments.items() if not re.fullmatch(r"arg\d", key)}
        try:
            getattr(owner, call.api)(*placed, **named)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):
            continue
    return {name: _plain(one, set()) for name, one in objects.items()}


def _plain(value: Any, seen: set[int]) -> Any:
    """Return a state that can be compared: no clocks, no random generators, no way back to a parent."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item, seen) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, seen) for item in value]
    if hasattr(value, "__dict__"):
        if id(value) in seen:
            return "…"
        seen = seen | {id(value)}
        skipped = ("_last_modified", "_random", "parent")
        return {key: _plain(item, seen) for key, item in vars(value).items() if key not in skipped}
    return repr(value)


def broken_tools(count: int, *, seed: int = 0) -> dict[str, int]:
    """Damage tool files at random, read and check each; return how many were refused, still hold, crashed."""
    chooser = random.Random(seed)
    folder = files("vidence.tools") / "data" / "library"
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=lambda one: one.name)]
    told = {"refused": 0, "valid": 0, "crashed": 0}
    for _ in range(count):
        text = _damaged(chooser.choice(texts), chooser)
        try:
            tool: Tool = parse_tool(text)
            as_operation(tool)
            told["valid"] += 1
        except BadTool as exc:
            told["refused" if str(exc).strip() and "\n" not in str(exc) else "crashed"] += 1
        except Exception:  # every other error is what this looks for
            told["crashed"] += 1
    return told


def _damaged(text: str, chooser: random.Random) -> str:
    for _ in range(chooser.randint(1, 4)):
        start = chooser.randrange(len(text))
        end = min(len(text), start + chooser.randint(1, 30))
        piece = text[start:end]
        text = (
            chooser.choice(
                (
                    text[:start] + text[end:],
                    text[:start] + piece * chooser.randint(2, 40) + text[end:],
                    text[:start] + chooser.choice(_SPLINTERS) + text[end:],
                    text[:start] + piece[::-1] + text[end:],
                    text[:start],
                )
            )
            or "{}"
        )
    return text


_SPLINTERS = (
    "{{", "}}", "[", "]", "{", "}", '"', ",", "null", "1e999", "-1", "NaN", "true", "\x00", "//", "🙂",
    "{{item[9999].x}}", '"api": "write_memory"', '{"not": ', "for_each", "{{a.b.c[0]}}", "\\u0000", "9" * 20,
)  # fmt: skip
