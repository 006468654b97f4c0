"""Asking about videos: index what is missing, run the loop, remember an accepted answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.agents.solver_checker.loop import SOLVER, SolverChecker, SolverInput
from vidence.agents.tool_reasoner import MAX_TOOLS, ToolInput, ToolReasoner
from vidence.app.engines import open_engine, open_reader
from vidence.app.memory import open_memory
from vidence.app.menu import menu
from vidence.app.runs import progress_events, run_loop_in, video_card, video_world
from vidence.app.workspace import Workspace
from vidence.errors import BackendError, UserError, VidenceError
from vidence.language.identify import question_language
from vidence.language.phrases import phrase
from vidence.language.question import read_question
from vidence.language.warnings import in_words
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine
from vidence.queries.search.search import search_library
from vidence.runs.budget import Cancel
from vidence.runs.inputs import checked_input
from vidence.runs.reading import READER
from vidence.runs.run import CHECKER
from vidence.runs.verify.content import read_content
from vidence.schema.agent import AgentAnswer, AnswerLanguage, Budget, OperationCard, VideoCard
from vidence.schema.catalogue import VideoRecord
from vidence.schema.events import Listener
from vidence.schema.memory import NewMemory
from vidence.tools.library import Entry, rank_tools

__all__ = ["ask", "relevant_tools"]

_LOGGER = logging.getLogger(__name__)
_MOST_VIDEOS = 4
"""The most videos looked at for one question; a search chooses them."""
_SEARCHED = 40
_IRRELEVANT = 0.3
"""The weight of an answer from a video in which a search finds nothing of the question."""
_SURE = 0.6


def ask(
    workspace: Workspace,
    videos: Sequence[str] | None,
    question: str,
    *,
    options: Sequence[str] = (),
    engine: Engine | str | None = None,
    budget: Budget | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    may_call_operations: bool = True,
    with_tools: bool = False,
    remember: bool = True,
) -> AgentAnswer:
    """Answer a question about videos, given by path or id; None asks every indexed video of the workspace.

    Videos that are not indexed are indexed first; that emits `Working` events and does not count
    against the budget. The answer is kept in the memory of the videos it rests on, and the run as a trace.
    """
    checked_input(question, options)
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    if videos is None:
        records, gaps = _library(workspace, question)
    else:
        records, gaps = _named(workspace, videos, listener, question_language(question), cancel)
    reader = open_reader(workspace, chosen)
    if isinstance(reader, EngineBase):
        reader.warm_up()
    inquiry = _Inquiry(
        workspace,
        question,
        tuple(options),
        chosen,
        listener,
        cancel,
        may_call_operations,
        tuple(gaps),
        reader,
        relevant_tools(workspace, question) if with_tools else (),
    )
    answer = inquiry.answer(_likeliest(workspace, records, question), budget or Budget())
    if remember:
        _remember(workspace, answer)
    return answer


@dataclass(frozen=True)
class _Inquiry:
    """One question with all its settings, without the videos."""

    workspace: Workspace
    question: str
    options: tuple[str, ...]
    engine: Engine
    listener: Listener | None
    cancel: Cancel | None
    may_call: bool
    gaps: tuple[str, ...]
    reader: Engine
    tools: tuple[Entry, ...]

    def answer(self, likely: Sequence[_Likely], budget: Budget) -> AgentAnswer:
        """Ask about all videos at once if the engine can take them, else one after the other."""
        records = [one.record for one in likely]
        most = self.engine.capabilities.max_videos
        if most is None or len(records) <= most:
            return self._run(records, budget)
        began = time.monotonic()
        answers: list[tuple[float, AgentAnswer]] = []
        for one in likely:
            left = _left(budget, time.monotonic() - began)
            if answers and left is None:
                break
            answer = self._run([one.record], left or budget)
            answers.append((one.relevance * _weight(answer), answer))
            # That one video does not tell says nothing about the next.
            if answer.passed and answer.status == "answered" and answers[-1][0] >= _SURE:
                break
        best = max(answers, key=lambda pair: (pair[1].status == "answered", pair[0]))[1]
        return _of_several(
            best, [answer for _, answer in answers], [video_card(record) for record in records]
        )

    def _menu(self) -> tuple[OperationCard, ...]:
        can = self.engine.capabilities
        if not (can.reads_text and self.may_call):
            return ()
        embed = self.workspace.indexer.shelf.text.embed
        return menu(self.question, self.tools, embed, context_tokens=can.context_tokens)

    def _run(self, records: Sequence[VideoRecord], budget: Budget) -> AgentAnswer:
        engine = self.engine
        given = SolverInput(
            **checked_input(self.question, self.options),
            budget=budget,
            gaps=self.gaps,
            may_call_operations=self.may_call,
            operations=self._menu(),
        )
        loop: type[SolverChecker] = SolverChecker
        if self.tools:
            loop = ToolReasoner
            given = ToolInput(**dict(given), tools=tuple(one.tool for one in self.tools))
        world = video_world(
            self.workspace,
            records,
            language=given.language,
            detail=engine.capabilities.caption_detail,
            listener=self.listener,
        )
        return run_loop_in(
            self.workspace,
            loop,
            given,
            world,
            {SOLVER: engine, CHECKER: engine, READER: self.reader},
            listener=self.listener,
            cancel=self.cancel,
        )


def _named(
    workspace: Workspace,
    videos: Sequence[str],
    listener: Listener | None,
    language: AnswerLanguage,
    cancel: Cancel | None,
) -> tuple[list[VideoRecord], list[str]]:
    """Return the named videos, indexed, and the gaps of their index and of the files."""
    if not videos:
        raise UserError("Name a video to ask about, or ask the whole library (--all).")
    found: dict[str, VideoRecord] = {}
    gaps: list[str] = []
    for reference in videos:
        record = workspace.resolve(reference, progress=progress_events(listener, reference))
        if record.video_id in found:
            continue
        found[record.video_id] = record
        told = progress_events(listener, record.name)
        for outcome in workspace.index(record.video_id, progress=told, cancel=cancel):
            if outcome.error is not None:
                gaps.append(f"{record.name}: {outcome.stage}: {outcome.error}")
        gaps += _unread(workspace, record, language)
    return list(found.values()), list(dict.fromkeys(gaps))


def _unread(workspace: Workspace, record: VideoRecord, language: AnswerLanguage) -> list[str]:
    """Return what part of a video could not be read, as its probe and its index found."""
    warnings = workspace.store.catalogue.get(record.video_id).info.warnings
    return [phrase("unread", language, f"{record.name}: {in_words(one, language)}") for one in warnings]


def _library(workspace: Workspace, question: str) -> tuple[list[VideoRecord], list[str]]:
    """Return the videos that are indexed, and how many are not."""
    everything, done = workspace.videos(), workspace.indexed_videos()
    if not done:
        raise UserError("There are no indexed videos to ask about. Index some first: vidence index my.mp4")
    left = len(everything) - len(done)
    return done, [phrase("not_indexed", question_language(question), left)] if left else []


@dataclass(frozen=True)
class _Likely:
    """A video and its relevance to the question."""

    record: VideoRecord
    relevance: float


def _likeliest(workspace: Workspace, records: Sequence[VideoRecord], question: str) -> list[_Likely]:
    """Return the videos to look at, the most relevant first."""
    if len(records) == 1:
        return [_Likely(records[0], 1.0)]
    try:
        found = search_library(
            workspace.store,
            workspace.indexer.shelf,
            read_question(question).search,
            videos=[record.video_id for record in records],
            modality="multimodal",
            limit=_SEARCHED,
        )
    except BackendError as exc:
        _LOGGER.warning("The videos could not be searched for the question: %s", exc)
        found = []
    sure: dict[str, float] = {}
    for one in found:
        sure[one.video_id] = max(sure.get(one.video_id, 0.0), one.confidence)
    likely = [
        _Likely(record, _IRRELEVANT + (1 - _IRRELEVANT) * sure.get(record.video_id, 0.0))
        for record in records
    ]
    return sorted(likely, key=lambda one: -one.relevance)[:_MOST_VIDEOS]


def _weight(answer: AgentAnswer) -> float:
    """Return the weight of an answer; a negative one says little about the other videos."""
    empty = bool(answer.evidence) and all(read_content(record).is_empty for record in answer.evidence)
    return answer.probability * (_IRRELEVANT if empty else 1.0)


def _of_several(
    best: AgentAnswer, answers: Sequence[AgentAnswer], videos: Sequence[VideoCard]
) -> AgentAnswer:
    """Return the best answer with the name of its video and the answers of the others."""
    own = best.videos[0].name
    others = [f"{one.videos[0].name}: {one.answer}" for one in answers if one is not best]
    unseen = [video.name for video in videos[len(answers) :]]
    gaps = list(best.gaps)
    if others:
        gaps.append(phrase("other_videos", best.language, "; ".join(others)))
    if unseen:
        gaps.append(phrase("unseen_videos", best.language, ", ".join(unseen)))
    told = f"{own}: {best.explanation or best.answer}"
    return best.model_copy(update={"explanation": told, "videos": tuple(videos), "gaps": tuple(gaps)})


def relevant_tools(workspace: Workspace, question: str) -> tuple[Entry, ...]:
    """Return the tools that fit a question best, at most as many as a Solver is shown."""
    ranked = rank_tools(list(workspace.tools), question, workspace.indexer.shelf.text.embed)
    return tuple(ranked[:MAX_TOOLS])


def _left(budget: Budget, seconds: float) -> Budget | None:
    """Return the budget left for the next run; None when the time is up."""
    if budget.seconds is None:
        return budget
    left = budget.seconds - seconds
    return budget.model_copy(update={"seconds": left}) if left > 0 else None


def _remember(workspace: Workspace, answer: AgentAnswer) -> None:
    """Remember an accepted answer with its videos: as an answer, never as an observation."""
    if answer.status != "answered" or not answer.passed:
        return
    for video in answer.videos:
        cited = [record for record in answer.evidence if record.video_id == video.video_id]
        if not cited:
            continue
        new = NewMemory(
            content=f"{answer.question} — {answer.answer}",
            memory_type="answer",
            source=f"ask {answer.trace_id}",
            time_range=cited[0].span,
            derived_from=tuple(record.record_id for record in cited),
            metadata={
                "engine": answer.engine,
                "confidence_score": answer.confidence_score,
                "probability": answer.probability,
            },
        )
        try:
            open_memory(workspace, video.video_id)[0].write(new)
        except VidenceError as exc:
            _LOGGER.warning("The answer could not be remembered: %s", exc)
