"""Inducing tools from traces, and the admission test that each must pass.

The videos are split in two. Tools are found in the traces of one half, and tried there: each is for the kinds
of questions that it makes cheaper. It is then tested on all questions of the other half, with and without it,
by the same engine, with a cold result cache. It stays only if calls, tokens (schemas included) and seconds
fall and no answers are lost.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vidence.agents.solver_checker.solver import SOLVER_TASK, menu_text
from vidence.app.ask import ask, relevant_tools
from vidence.app.engines import open_engine
from vidence.app.menu import menu
from vidence.app.runs import TraceFolder
from vidence.app.tool_episodes import load_episodes
from vidence.app.workspace import Progress, Workspace
from vidence.errors import OpFailed, OpRetry
from vidence.llm.facts import count_text
from vidence.llm.protocol import Engine
from vidence.schema.agent import AgentAnswer
from vidence.schema.frozen import Frozen
from vidence.schema.trace import ModelStep, OperationStep, Trace
from vidence.tools.induction import Episode, Found, Trial, find_tools, fitted, question_kind
from vidence.tools.library import Admission, ToolLibrary, entry_of

__all__ = [
    "Cost",
    "Judge",
    "Tried",
    "ask_measured",
    "compare",
    "cost_of",
    "induce",
    "split_sources",
    "verify",
    "with_library",
]

Judge = Callable[[str, AgentAnswer], bool]
"""Says whether an answer to a question is right."""
_SIDES = ("before", "after")
_READS = '"action_type":"read_notes"'
_ROOMY_TOKENS = 32_000
"""The context of the language model that an engine without one is compared with."""


class Tried(Frozen):
    """One tool that was found, and what became of it."""

    name: str
    kept: bool
    reason: str
    questions: tuple[str, ...]
    admission: Admission | None = None


@dataclass(frozen=True)
class Cost:
    """What one question cost, and its answer."""

    calls: int
    look_ups: int
    """Operations that were run, inside tools too."""
    tokens: int
    seconds: float
    """Processor time, which other programs on the machine do not change."""
    answer: AgentAnswer


def induce(
    workspace: Workspace,
    *,
    max_tools: int = 20,
    with_test: bool = True,
    engine: Engine | str | None = None,
    progress: Progress | None = None,
) -> list[Tried]:
    """Find tools in the workspace's traces and keep those that pass the admission test."""
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    episodes = load_episodes(workspace, chosen)
    learning, testing = split_sources(episodes)
    found = find_tools(learning if with_test else episodes, max_tools=max_tools)
    asking = _Asking(workspace, chosen, {})
    report: list[Tried] = []
    usable: list[Found] = []
    for number, one in enumerate(found):
        if progress is not None:
            progress(one.tool.name, number / len(found))
        if problem := verify(workspace, one):
            report.append(_dropped(one, problem))
        else:
            usable.append(one)
    if with_test:
        fits = fitted(usable, learning, asking.trial)
        names = {one.tool.name for one in fits.kept}
        useless = [one for one in usable if one.tool.name not in names]
        report += [_dropped(one, _unpaid(fits.alone[one.tool.name])) for one in useless]
        usable = fits.kept
    for one in usable:
        outcome = asking.admitted(one, testing) if with_test else _untested(one)
        if outcome.kept:
            workspace.tools.add(
                one.tool, "induced", learned_from=one.questions, tried=one.tried, admission=outcome.admission
            )
        report.append(outcome)
    return report


def _dropped(found: Found, reason: str) -> Tried:
    return Tried(name=found.tool.name, kept=False, reason=reason, questions=found.questions)


def _unpaid(trials: Sequence[Trial]) -> str:
    """Say what a tool that is for no kind of question changed on the videos it was found in."""
    if not trials:
        return "no question has calls that it could make"
    told = []
    for name in ("calls", "tokens"):
        before, after = (sum(getattr(getattr(one, side), name) for one in trials) for side in _SIDES)
        told.append(f"{name} {before:,} → {after:,}")
    lost = sum(not one.is_answered for one in trials)
    return (
        f"no kind of question is best served by it: {', '.join(told)}, {lost} of {len(trials)} answers lost"
    )


def _untested(found: Found) -> Tried:
    return Tried(name=found.tool.name, kept=True, reason="not tested", questions=found.questions)


@dataclass(frozen=True)
class _Asking:
    """Asks questions again with one tool and without any; the latter once each."""

    workspace: Workspace
    engine: Engine
    asked: dict[tuple[str, str], Cost]

    def trial(self, tools: Sequence[Found], one: Episode) -> Trial:
        """Ask a question with these tools alone."""
        base, cost = self._pair(tools, one)
        return Trial(one.question, base, cost, not one.is_sure or cost.answer.answer == base.answer.answer)

    def admitted(self, found: Found, testing: Sequence[Episode]) -> Tried:
        """Test a tool on all questions; where it is not offered, nothing changes."""
        kinds = {question_kind(one) for one in found.questions}
        if not any(one.kind in kinds for one in testing):
            return _dropped(found, "no question about another video is of its kind")
        pairs = [
            self._pair([found], one) if one.kind in kinds else (self._plain(one), self._plain(one))
            for one in testing
        ]
        admission = compare(pairs, num_videos=len({one.source for one in testing}))
        return Tried(
            name=found.tool.name,
            kept=admission.kept,
            reason=admission.reason,
            questions=found.questions,
            admission=admission,
        )

    def _pair(self, tools: Sequence[Found], one: Episode) -> tuple[Cost, Cost]:
        other = with_library(self.workspace, [replace(tool, questions=(one.question,)) for tool in tools])
        return self._plain(one), ask_measured(other, one, self.engine)

    def _plain(self, one: Episode) -> Cost:
        key = (one.source, one.question)
        if key not in self.asked:
            self.asked[key] = ask_measured(self.workspace, one, self.engine, with_tools=False)
        return self.asked[key]


def verify(workspace: Workspace, found: Found) -> str:
    """Run a tool on the videos it was found in; return what went wrong, or nothing."""
    other = with_library(workspace, [found])
    for source, inputs in found.examples:
        try:
            result = other.run(found.tool.name, {**inputs, "video_id": source}, may_write=False).result
        except (OpRetry, OpFailed) as exc:
            return f"it could not be run: {exc}"
        if result.failed:
            return f"a step failed: {result.failed[0]}"
    return "" if found.examples else "it could not be run on what it was found in"


def with_library(workspace: Workspace, tools: Sequence[Found]) -> Workspace:
    """Return the same workspace with these tools and no others."""
    other = Workspace(workspace.settings, workspace.store)
    other.indexer = workspace.indexer
    other.tools = ToolLibrary(
        None,
        {
            one.tool.name: entry_of(one.tool, "induced", learned_from=one.questions, tried=one.tried)
            for one in tools
        },
    )
    return other


def ask_measured(
    workspace: Workspace, episode: Episode, engine: Engine, *, with_tools: bool = True, is_cold: bool = True
) -> Cost:
    """Ask a question again, with a cold result cache, and return what it cost."""
    if is_cold:
        workspace.store.results.forget(episode.source)
    began = time.process_time()
    answer = ask(
        workspace, [episode.source], episode.question, engine=engine, with_tools=with_tools, remember=False
    )
    seconds = time.process_time() - began
    file = TraceFolder(workspace.settings.home).find(str(answer.trace_id))
    trace = file.read()
    # A test is no question of the user's: it must not be learned from.
    file.path.unlink(missing_ok=True)
    return cost_of(workspace, trace, answer, engine, with_tools=with_tools, seconds=seconds)


def cost_of(
    workspace: Workspace,
    trace: Trace,
    answer: AgentAnswer,
    engine: Engine,
    *,
    with_tools: bool,
    seconds: float = 0.0,
) -> Cost:
    """Return what a run cost, from its trace."""
    shown = _menu_tokens(workspace, trace.question, engine, with_tools=with_tools)
    return Cost(answer.spent.operations, _look_ups(trace), _tokens(trace, shown), seconds, answer)


def _look_ups(trace: Trace) -> int:
    records = [step.record for step in trace.steps if isinstance(step, OperationStep) and step.record]
    return sum(max(1, len(record.parts)) for record in records)


def _tokens(trace: Trace, shown: int) -> int:
    """Return the tokens that a language model would be sent and write for a run.

    It reads for itself what it was sent, so that steps in which an algorithm asks a reader are not counted.

    Args:
        shown: What the menu of operations and tools adds to each step, where the messages do not hold it.
    """
    total = 0
    read: set[str] = set()
    for step in trace.steps:
        if not isinstance(step, ModelStep) or step.task != SOLVER_TASK or not step.reply:
            continue
        if _READS in trace.texts[step.reply]:
            read.add(step.reply)
            continue
        sent = sum(count_text(trace.texts[one.text]) for one in step.messages if one.text not in read)
        total += shown + sent + count_text(trace.texts[step.reply])
    return total


def _menu_tokens(workspace: Workspace, question: str, engine: Engine, *, with_tools: bool) -> int:
    """Return what a language model in the place of an engine that reads no text would be told it may call."""
    if engine.capabilities.reads_text:
        return 0
    tools = relevant_tools(workspace, question) if with_tools else ()
    embed = workspace.indexer.shelf.text.embed
    return count_text(menu_text(menu(question, tools, embed, context_tokens=_ROOMY_TOKENS)))


def compare(pairs: Sequence[tuple[Cost, Cost]], *, num_videos: int, judge: Judge | None = None) -> Admission:
    """Return the admission of what was changed between the costs of each pair.

    Without a judge an answer counts as right when it is the one given without the tool.
    """

    def is_right(cost: Cost, base: Cost) -> bool:
        return judge(cost.answer.question, cost.answer) if judge else cost.answer.answer == base.answer.answer

    before = [is_right(base, base) for base, _ in pairs]
    after = [is_right(cost, base) for base, cost in pairs]
    lost = sum(one and not two for one, two in zip(before, after, strict=True))
    gained = sum(two and not one for one, two in zip(before, after, strict=True))
    sums = {
        name: (sum(getattr(one, name) for one, _ in pairs), sum(getattr(two, name) for _, two in pairs))
        for name in ("calls", "tokens", "seconds")
    }
    higher = [name for name, (base, cost) in sums.items() if cost >= base]
    reason = "calls, tokens and seconds fell and no answers were lost"
    if lost > gained:
        reason = f"{lost} answers were lost and {gained} gained"
    elif higher:
        reason = f"{' and '.join(higher)} did not fall"
    return Admission(
        questions=len(pairs),
        videos=num_videos,
        calls=sums["calls"],
        tokens=sums["tokens"],
        seconds=sums["seconds"],
        right=(sum(before), sum(after)),
        p_value=_sign_test(lost, gained),
        kept=not higher and lost <= gained,
        reason=reason,
    )


def _sign_test(lost: int, gained: int) -> float:
    """Return the chance of at least this many lost answers if losing and gaining were equally likely."""
    total = lost + gained
    return float(sum(math.comb(total, number) for number in range(lost, total + 1)) / 2**total)


def split_sources(episodes: Sequence[Episode]) -> tuple[list[Episode], list[Episode]]:
    """Return the runs about every other video, and those about the rest."""
    first = set(sorted({one.source for one in episodes})[::2])
    return (
        [one for one in episodes if one.source in first],
        [one for one in episodes if one.source not in first],
    )
