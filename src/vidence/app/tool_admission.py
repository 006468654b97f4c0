"""Inducing tools from traces, and the admission test that each must pass.

The videos are split in two. Tools are found in the traces of one half. Each is then run on questions of the
other half, with and without it, by the same engine, with a cold result cache. It stays only if calls, tokens
(schemas included) and seconds fall and no answers are lost.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vidence.app.ask import ask
from vidence.app.engines import open_engine
from vidence.app.runs import TraceFolder
from vidence.app.workspace import Progress, Workspace
from vidence.errors import FileProblem, OpFailed, OpRetry
from vidence.llm.facts import count_text
from vidence.llm.protocol import Engine
from vidence.ops.catalogue import COMPOSED, all_operations, get_operation
from vidence.ops.llm_schema import openai_schema
from vidence.ops.operation import Operation
from vidence.runs.worlds.video import REFUSED
from vidence.schema.agent import AgentAnswer
from vidence.schema.frozen import Frozen
from vidence.schema.trace import ModelStep, OperationStep, Trace
from vidence.tools import Tool, as_operation
from vidence.tools.induction import Episode, Found, PastCall, condense, find_tools
from vidence.tools.library import Admission, ToolLibrary, entry_of

__all__ = [
    "Cost",
    "Judge",
    "Tried",
    "ask_measured",
    "compare",
    "episode_of",
    "induce",
    "load_episodes",
    "serves",
    "split_sources",
    "verify",
    "with_library",
]

Judge = Callable[[str, AgentAnswer], bool]
"""Says whether an answer to a question is right."""
_MOST_QUESTIONS = 12
_SOLVER = "solver.step"


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
    episodes = load_episodes(workspace)
    learning, testing = split_sources(episodes)
    found = find_tools(learning if with_test else episodes, max_tools=max_tools)
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    asked: dict[tuple[str, str], Cost] = {}
    report: list[Tried] = []
    for number, one in enumerate(found):
        if progress is not None:
            progress(one.tool.name, number / len(found))
        tried = _try(workspace, one, testing if with_test else None, chosen, asked)
        if tried.kept:
            workspace.tools.add(one.tool, "induced", learned_from=one.questions, admission=tried.admission)
        report.append(tried)
    return report


def _try(
    workspace: Workspace,
    found: Found,
    testing: Sequence[Episode] | None,
    engine: Engine,
    asked: dict[tuple[str, str], Cost],
) -> Tried:
    name, questions = found.tool.name, found.questions
    if problem := verify(workspace, found):
        return Tried(name=name, kept=False, reason=problem, questions=questions)
    if testing is None:
        return Tried(name=name, kept=True, reason="not tested", questions=questions)
    usable = [one for one in testing if serves(found.tool, one)][:_MOST_QUESTIONS]
    if not usable:
        reason = "no question about another video needs it"
        return Tried(name=name, kept=False, reason=reason, questions=questions)
    pairs: list[tuple[Cost, Cost]] = []
    other = with_library(workspace, [found.tool])
    for one in usable:
        key = (one.source, one.question)
        if key not in asked:
            asked[key] = ask_measured(workspace, one, engine, tools=())
        pairs.append((asked[key], ask_measured(other, one, engine, tools=(found.tool,))))
    admission = compare(pairs, num_videos=len({one.source for one in usable}))
    return Tried(
        name=name, kept=admission.kept, reason=admission.reason, questions=questions, admission=admission
    )


def serves(tool: Tool, episode: Episode) -> bool:
    """Say whether a tool could have made some of the calls of a run."""
    return any(one.api == tool.name for batch in episode.batches for one in condense(batch, [tool]))


def verify(workspace: Workspace, found: Found) -> str:
    """Run a tool on the videos it was found in; return what went wrong, or nothing."""
    other = with_library(workspace, [found.tool])
    for source, inputs in found.examples:
        try:
            result = other.run(found.tool.name, {**inputs, "video_id": source}, may_write=False).result
        except (OpRetry, OpFailed) as exc:
            return f"it could not be run: {exc}"
        if result.failed:
            return f"a step failed: {result.failed[0]}"
    return "" if found.examples else "it could not be run on what it was found in"


def with_library(workspace: Workspace, tools: Sequence[Tool]) -> Workspace:
    """Return the same workspace with these tools and no others."""
    other = Workspace(workspace.settings, workspace.store)
    other.indexer = workspace.indexer
    other.tools = ToolLibrary(None, {tool.name: entry_of(tool, "induced") for tool in tools})
    return other


def ask_measured(
    workspace: Workspace, episode: Episode, engine: Engine, *, tools: Sequence[Tool], is_cold: bool = True
) -> Cost:
    """Ask a question again, with a cold result cache, and return what it cost."""
    if is_cold:
        workspace.store.results.forget(episode.source)
    began = time.process_time()
    answer = ask(
        workspace, [episode.source], episode.question, engine=engine, with_tools=bool(tools), remember=False
    )
    seconds = time.process_time() - began
    file = TraceFolder(workspace.settings.home).find(str(answer.trace_id))
    tokens = _tokens(file.read(), tools)
    # A test is no question of the user's: it must not be learned from.
    file.path.unlink(missing_ok=True)
    return Cost(answer.spent.operations, tokens, seconds, answer)


def _tokens(trace: Trace, tools: Sequence[Tool]) -> int:
    """Return the tokens that a language model would be sent and write for a run, schemas included."""
    offered = [one for one in all_operations() if one.name not in REFUSED]
    offered += [get_operation(name) for name in COMPOSED]
    offered += [as_operation(tool) for tool in tools]
    schemas = sum(_schema_tokens(one) for one in offered)
    total = 0
    for step in trace.steps:
        if isinstance(step, ModelStep) and step.task == _SOLVER:
            sent = sum(count_text(trace.texts[message.text]) for message in step.messages)
            total += schemas + sent + (count_text(trace.texts[step.reply]) if step.reply else 0)
    return total


def _schema_tokens(operation: Operation[Any, Any]) -> int:
    return count_text(json.dumps(openai_schema(operation)["function"], ensure_ascii=False))


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


def load_episodes(workspace: Workspace) -> list[Episode]:
    """Return the runs of the workspace that called operations, the latest of each question."""
    found: dict[tuple[str, str], Episode] = {}
    for file in TraceFolder(workspace.settings.home).all():
        try:
            episode = episode_of(file.read())
        except FileProblem:
            continue
        if episode is not None:
            found[episode.source, episode.question] = episode
    return list(found.values())


def episode_of(trace: Trace) -> Episode | None:
    """Return a run as batches of calls; None for one without calls, or about several videos."""
    if len(trace.world.videos) != 1:
        return None
    batches: list[list[PastCall]] = [[]]
    for step in trace.steps:
        if isinstance(step, ModelStep) and batches[-1]:
            batches.append([])
        elif isinstance(step, OperationStep) and step.record is not None and not step.record.parts:
            batches[-1].append(PastCall(step.call.operation, step.call.arguments, step.record.result))
    kept = tuple(tuple(batch) for batch in batches if batch)
    return Episode(trace.question, trace.world.videos[0].video_id, kept) if kept else None


def split_sources(episodes: Sequence[Episode]) -> tuple[list[Episode], list[Episode]]:
    """Return the runs about every other video, and those about the rest."""
    first = set(sorted({one.source for one in episodes})[::2])
    return (
        [one for one in episodes if one.source in first],
        [one for one in episodes if one.source not in first],
    )
