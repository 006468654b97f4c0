"""What tools save on videos: found in the questions about half of the clips, used on the other half.

Each half is left out once. Calls, look-ups and tokens are counted; seconds are processor time with a cold
result cache, on some of the questions, each of which the process has been asked before. Every outcome is kept
in a file, so that a stopped run goes on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

from vidence.app import Workspace
from vidence.app.ask import ask, relevant_tools
from vidence.app.engines import open_engine
from vidence.app.runs import TraceFolder
from vidence.app.tool_admission import (
    Cost,
    ask_measured,
    cost_of,
    with_library,
)
from vidence.app.tool_episodes import episode_of
from vidence.bench.ask_sets import OpenItem, Rules, load_open, load_rules
from vidence.llm.protocol import Engine
from vidence.schema.evidence import hash_of
from vidence.schema.trace import Trace
from vidence.store.files import write_whole
from vidence.tools.induction import Episode, Found, Trial, Unit, find_tools, fitted, units_of
from vidence.tools.induction.build import Use, distinct, found_tool

__all__ = ["Row", "ToolBench"]

_PLAIN = "no tools"
_CACHED = "control: result cache only"
_TRIAL = "trial of one tool"
_COLD = "cold, all ways in turn"
_RANDOM_STEPS = 4
_RANDOM_USES = 4
Tell = Callable[[str], None]
Teach = Callable[[Sequence[Episode]], Sequence[Found]]
"""Makes the tools of a control from the runs that tools are learned from."""


@dataclass(frozen=True)
class Asked:
    """What one question cost in one way of asking."""

    calls: int
    look_ups: int
    """Operations that were run, inside tools too."""
    tokens: int
    steps: int
    seconds: float
    right: bool
    answer: str


@dataclass(frozen=True)
class Row:
    """One way to use tools against the same questions without them: changes as shares."""

    way: str
    tools: float
    """In the library, on average over the halves."""
    questions: int
    calls: float
    look_ups: float
    tokens: float
    steps: float
    timed: int
    """Questions whose seconds were measured."""
    seconds: float
    right_before: int
    right_after: int


@dataclass(frozen=True)
class _Question:
    """A question, its run without tools, and the half of the clips that it is about."""

    item: OpenItem
    episode: Episode
    half: int


class ToolBench:
    """The questions about the clips, and what each way of asking them costs."""

    def __init__(self, workspace: Workspace, media: Path, kept: Path, tell: Tell) -> None:
        # A language model that reads is cut off after a time, so that its answers depend on the machine.
        llm = workspace.settings.llm.model_copy(update={"tasks": {"reader": "embedded"}})
        workspace.settings = workspace.settings.model_copy(update={"llm": llm})
        self._workspace, self._kept, self._tell = workspace, kept, tell
        self._engine: Engine = open_engine(workspace, "embedded")
        self._rules: Rules = load_rules(media)
        self._items: Sequence[OpenItem] = load_open(media)
        self._warmed: set[str] = set()
        kept.mkdir(parents=True, exist_ok=True)

    def run(self, limit: int, timed: int) -> list[Row]:
        """Ask every question in every way; return what each way changed."""
        questions = self.questions(limit)
        plain = self._counts(_PLAIN, questions, None)
        libraries = {
            way: [self._library(questions, 1 - half, teach) for half in (0, 1)]
            for way, teach in _WAYS.items()
        }
        counts = {way: self._counts(way, questions, found) for way, found in libraries.items()}
        counts[_CACHED] = plain
        # Only now, since a question that is asked with a cold cache empties it.
        items = _spread([one.item for one in questions], timed)
        chosen = [one for one in questions if one.item in items]
        seconds = self._seconds(chosen, {_PLAIN: None, **libraries})
        seconds[_CACHED] = sum(self._asked(_CACHED, one, None).seconds for one in chosen)
        base = seconds[_PLAIN]
        return [
            _row(way, libraries.get(way, ((), ())), plain, after, len(chosen), (base, seconds[way]))
            for way, after in counts.items()
        ]

    def _counts(
        self, way: str, questions: Sequence[_Question], libraries: Sequence[Sequence[Found]] | None
    ) -> list[Asked]:
        return [self._asked(way, one, libraries[one.half] if libraries else None) for one in questions]

    def _seconds(
        self, questions: Sequence[_Question], ways: Mapping[str, Sequence[Sequence[Found]] | None]
    ) -> dict[str, float]:
        """Return the seconds of each way; all ways of a question in turn, for the machine's load changes."""
        total = dict.fromkeys(ways, 0.0)
        for one in questions:
            for way, libraries in ways.items():
                library = libraries[one.half] if libraries else None
                total[way] += self._asked(way, one, library, is_cold=True).seconds
        return total

    def questions(self, limit: int) -> list[_Question]:
        """Return the questions with their runs without tools."""
        clips = sorted({item.video for item in self._items})
        chosen = _spread(self._items, limit)
        found = [(item, self._episode(item)) for item in chosen]
        return [_Question(item, one, clips.index(item.video) % 2) for item, one in found if one is not None]

    def _library(self, questions: Sequence[_Question], half: int, teach: Teach | None) -> list[Found]:
        """Return the tools of one half of the clips that pay there; those of a control are tried likewise."""
        learning = {id(one.episode): one for one in questions if one.half == half}
        episodes = [one.episode for one in learning.values()]
        found = teach(episodes) if teach else find_tools(episodes)
        return fitted(found, episodes, lambda tools, one: self._trial(tools, learning[id(one)])).kept

    def _trial(self, tools: Sequence[Found], one: _Question) -> Trial:
        """Ask a question that tools may be for with these alone."""
        before = self._asked(_PLAIN, one, None)
        after = self._asked(_TRIAL, one, [replace(tool, questions=(one.item.question,)) for tool in tools])
        stays = not one.episode.is_sure or after.answer == before.answer
        return Trial(one.item.question, before, after, stays)

    def _episode(self, item: OpenItem) -> Episode | None:
        return episode_of(self._trace(item), self._engine)

    def _trace(self, item: OpenItem) -> Trace:
        """Return the run of a question without tools."""
        path = self._kept / f"{item.item_id}.trace.json"
        if not path.is_file():
            self._tell(f"{_PLAIN}: {item.question}")
            answer = ask(
                self._workspace, [str(item.video)], item.question, engine=self._engine, remember=False
            )
            file = TraceFolder(self._workspace.settings.home).find(str(answer.trace_id))
            write_whole(path, file.read().model_dump_json().encode())
            file.path.unlink(missing_ok=True)
        return Trace.model_validate_json(path.read_text(encoding="utf-8"))

    def _asked(
        self, way: str, one: _Question, library: Sequence[Found] | None, *, is_cold: bool = False
    ) -> Asked:
        """Return what a question cost, from the file where it was asked before.

        Where no tool is offered for a question, its run is the one without tools.
        """
        offered = self._workspace if library is None else with_library(self._workspace, library)
        relevant = relevant_tools(offered, one.item.question) if library is not None else ()
        if library is not None and not relevant:
            return self._asked(_PLAIN, one, None, is_cold=is_cold)
        # Whoever made the tools, the same ones for the same question are the same run.
        shown = [tool.tool for tool in relevant]
        key = [way if library is None else "tools", one.item.item_id, _COLD if is_cold else False, shown]
        name = hash_of(key).removeprefix("sha256:")[:24]
        path = self._kept / f"{name}.json"
        if path.is_file():
            return Asked(**json.loads(path.read_text(encoding="utf-8")))
        asked = self._measured(one.item, self._cost(way, one, offered, library, is_cold=is_cold))
        write_whole(path, json.dumps(asdict(asked)).encode())
        return asked

    def _cost(
        self,
        way: str,
        one: _Question,
        offered: Workspace,
        library: Sequence[Found] | None,
        *,
        is_cold: bool,
    ) -> Cost:
        if way == _PLAIN and not is_cold:
            trace = self._trace(one.item)
            assert trace.answer is not None
            return cost_of(offered, trace, trace.answer, self._engine, with_tools=False)
        if way == _CACHED or (is_cold and one.item.item_id not in self._warmed):
            # Who comes first loads the models and fills what the process itself keeps; that is not counted.
            ask_measured(self._workspace, one.episode, self._engine, with_tools=False, is_cold=is_cold)
            self._warmed.add(one.item.item_id)
        self._tell(f"{way}{', cold' if is_cold else ''}: {one.item.question}")
        with_tools = library is not None
        return ask_measured(offered, one.episode, self._engine, with_tools=with_tools, is_cold=is_cold)

    def _measured(self, item: OpenItem, cost: Cost) -> Asked:
        return Asked(
            calls=cost.calls,
            look_ups=cost.look_ups,
            tokens=cost.tokens,
            steps=cost.answer.spent.steps,
            seconds=cost.seconds,
            right=bool(self._rules(item.check, cost.answer.answer)),
            answer=cost.answer.answer,
        )


def _spread(items: Sequence[OpenItem], limit: int) -> list[OpenItem]:
    """Return some of the items, spread over all videos."""
    by_video: dict[Path, list[OpenItem]] = {}
    for item in items:
        by_video.setdefault(item.video, []).append(item)
    rounds = zip_longest(*by_video.values())
    return [item for one in rounds for item in one if item is not None][:limit]


def _random(seed: int, episodes: Sequence[Episode]) -> list[Found]:
    """Return as many tools as induction finds, of steps drawn at random, for questions drawn at random.

    Every step that occurs is as likely as any other: how often one is made is what induction learns.
    """
    chooser = random.Random(seed)
    units: dict[str, list[Unit]] = {}
    for episode in episodes:
        for batch in episode.batches:
            for unit in units_of(batch):
                units.setdefault(unit.action, []).append(unit)
    made = []
    for _ in find_tools(episodes):
        structure = tuple(chooser.sample(sorted(units), chooser.randint(1, min(_RANDOM_STEPS, len(units)))))
        uses = [
            Use(one, {place: chooser.choice(units[action]) for place, action in enumerate(structure)})
            for one in chooser.sample(list(episodes), min(_RANDOM_USES, len(episodes)))
        ]
        made.append(found_tool(structure, uses, 0))
    return distinct([one for one in made if one is not None])


def _drawn(seed: int, episodes: Sequence[Episode]) -> list[Found]:
    """Return tools found in calls drawn from all calls, as if each answer had needed just those."""
    chooser = random.Random(seed)
    calls = [replace(call, needed=True) for one in episodes for batch in one.batches for call in batch]
    unneeded = [replace(call, needed=False) for call in calls]
    found = []
    for one in episodes:
        drawn = chooser.sample(calls, min(_RANDOM_STEPS, len(calls)))
        spared = chooser.sample(unneeded, min(_RANDOM_STEPS, len(calls)))
        found.append(replace(one, batches=((*drawn, *spared),)))
    return find_tools(found)


def _shuffled(seed: int, episodes: Sequence[Episode]) -> list[Found]:
    """Return tools found in runs whose calls were moved to other runs, so that nothing belongs together."""
    chooser = random.Random(seed)
    calls = [call for one in episodes for batch in one.batches for call in batch]
    chooser.shuffle(calls)
    taken = iter(calls)
    return find_tools(
        [
            replace(one, batches=tuple(tuple(next(taken) for _ in batch) for batch in one.batches))
            for one in episodes
        ]
    )


_WAYS: Mapping[str, Teach | None] = {
    "induced": None,
    **{f"control: random macros, draw {seed}": partial(_random, seed) for seed in (1, 2, 3)},
    "control: calls drawn by frequency": partial(_drawn, 1),
    "control: shuffled traces": partial(_shuffled, 2),
}


def _row(
    way: str,
    libraries: Sequence[Sequence[Found]],
    plain: Sequence[Asked],
    after: Sequence[Asked],
    timed: int,
    seconds: tuple[float, float],
) -> Row:
    return Row(
        way=way,
        tools=sum(map(len, libraries)) / 2,
        questions=len(plain),
        calls=_change("calls", plain, after),
        look_ups=_change("look_ups", plain, after),
        tokens=_change("tokens", plain, after),
        steps=_change("steps", plain, after),
        timed=timed,
        seconds=round(seconds[1] / seconds[0] - 1, 4) if seconds[0] else 0.0,
        right_before=_num_right(plain),
        right_after=_num_right(after),
    )


def _change(name: str, before: Sequence[Asked], after: Sequence[Asked]) -> float:
    """Return by which share the sum of a field changed."""
    then, now = (sum(getattr(one, name) for one in rows) for rows in (before, after))
    return round(now / then - 1, 4) if then else 0.0


def _num_right(asked: Sequence[Asked]) -> int:
    return sum(one.right for one in asked)
