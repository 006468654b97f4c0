"""Inducing tools from traces, and the admission test that each must pass.

The videos are split in two. Tools are found in the traces of one half. Each is then run on questions of the
other half, with and without it, by the same engine, with a cold result cache. It stays only if calls, tokens
(schemas included) and seconds fall and no answers are lost.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from vidence.tools.induction import Episode, Found, find_tools, fit, question_kind
from vidence.tools.library import Admission, ToolLibrary, entry_of

__all__ = [
    "Cost",
    "Judge",
    "Tried",
    "ask_measured",
    "compare",
    "induce",
    "serves",
    "split_sources",
    "verify",
    "with_library",
]

Judge = Callable[[str, AgentAnswer], bool]
"""Says whether an answer to a question is right."""
_MOST_QUESTIONS = 12
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
    usable = [one for one in testing if serves(found, one)][:_MOST_QUESTIONS]
    if not usable:
        reason = "no question about another video needs it"
        return Tried(name=name, kept=False, reason=reason, questions=questions)
    pairs: list[tuple[Cost, Cost]] = []
    other = with_library(workspace, [found])
    for one in usable:
        key = (one.source, one.question)
        if key not in asked:
            asked[key] = ask_measured(workspace, one, engine, with_tools=False)
        pairs.append((asked[key], ask_measured(other, one, engine)))
    admission = compare(pairs, num_videos=len({one.source for one in usable}))
    return Tried(
        name=name, kept=admission.kept, reason=admission.reason, questions=questions, admission=admission
    )


def serves(found: Found, episode: Episode) -> bool:
    """Say whether a tool is offered for the question of a run, and could have begun some of its calls."""
    if episode.kind not in {question_kind(one) for one in found.questions}:
        return False
    first = found.tool.calls[0].api
    return any(
        fit(batch, found.tool) is not None or (found.is_chain and any(call.api == first for call in batch))
        for batch in episode.batches
    )


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
        None, {one.tool.name: entry_of(one.tool, "induced", learned_from=one.questions) for one in tools}
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
    shown = _menu_tokens(workspace, episode.question, engine, with_tools=with_tools)
    return Cost(answer.spent.operations, _look_ups(trace), _tokens(trace, shown), seconds, answer)


def _look_ups(trace: Trace) -> int:
    records = [step.record for step in trace.steps if isinstance(step, OperationStep) and step.record]
    return sum(max(1, len(record.parts)) for record in records)


def _tokens(trace: Trace, shown: int) -> int:
    """Return the tokens that a language model would be sent and write for a run.

    Args:
        shown: What the menu of operations and tools adds to each step, where the messages do not hold it.
    """
    total = 0
    for step in trace.steps:
        if isinstance(step, ModelStep) and step.task == SOLVER_TASK and step.reply:
            sent = sum(count_text(trace.texts[message.text]) for message in step.messages)
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
