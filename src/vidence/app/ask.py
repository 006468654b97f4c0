"""Asking: videos are indexed where need be, looked at by the loop, and what was found out is remembered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from vidence.agents.solver_checker.loop import check_question
from vidence.agents.solver_checker.traced import ask_of, run_traced
from vidence.app.engines import open_engine
from vidence.app.memory import open_memory
from vidence.app.workspace import Progress, Workspace
from vidence.errors import BackendError, UserError, VidenceError
from vidence.language.identify import question_language
from vidence.language.phrases import phrase
from vidence.language.question.search import understand
from vidence.llm.protocol import Engine
from vidence.ops.catalogue import all_operations
from vidence.ops.llm_schema import openai_schema
from vidence.ops.operation import Operation
from vidence.prompts import load_template
from vidence.queries.search.library import search_library
from vidence.runs.budget import Cancel
from vidence.runs.frames import encode_jpeg, read_frame
from vidence.runs.options import check_options
from vidence.runs.trace import TraceFolder
from vidence.runs.verify.content import read_content
from vidence.runs.worlds.video import REFUSED, VideoWorld
from vidence.schema.agent import AgentAnswer, Budget, OperationCall, VideoCard
from vidence.schema.catalogue import VideoRecord
from vidence.schema.events import Listener, Working
from vidence.schema.memory import NewMemory
from vidence.schema.message import Picture

__all__ = ["ask"]

_LOGGER = logging.getLogger(__name__)
_MOST_VIDEOS = 4
"""Videos looked at for one question; of more, those a search finds are chosen."""
_SEARCHED = 40
_IRRELEVANT = 0.3
"""What an answer from a video counts for in which a search finds nothing of the question."""
_SURE = 0.6
_ROOMY_TOKENS = 20_000
"""From this context on an engine is told the whole schema of every operation."""


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
    remember: bool = True,
) -> AgentAnswer:
    """Answer a question about videos, given by path or id; None asks every indexed video of the workspace.

    What is named and not indexed is indexed first; that is told as `Working` events and does not count
    against the budget. The answer is kept in the memory of the videos it rests on, and the run as a trace.
    """
    check_question(question)
    check_options(options)
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    if videos is None:
        records, gaps = _library(workspace, question)
    else:
        records, gaps = _named(workspace, videos, listener)
    inquiry = _Inquiry(
        workspace, question, tuple(options), chosen, listener, cancel, may_call_operations, tuple(gaps)
    )
    answer = inquiry.answer(_likeliest(workspace, records, question), budget or Budget())
    if remember:
        _remember(workspace, answer)
    return answer


@dataclass(frozen=True)
class _Inquiry:
    """One question with everything but the videos."""

    workspace: Workspace
    question: str
    options: tuple[str, ...]
    engine: Engine
    listener: Listener | None
    cancel: Cancel | None
    may_call: bool
    gaps: tuple[str, ...]

    def answer(self, likely: Sequence[_Likely], budget: Budget) -> AgentAnswer:
        """Ask about all videos at once where the engine takes so many, else about one after the other."""
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
            if answer.passed and answers[-1][0] >= _SURE:
                break
        best = max(answers, key=lambda pair: (pair[1].status == "answered", pair[0]))[1]
        return _of_several(best, [answer for _, answer in answers], [_card(record) for record in records])

    def _run(self, records: Sequence[VideoRecord], budget: Budget) -> AgentAnswer:
        world = self._world(records)
        asked = ask_of(
            self.question,
            world,
            engine=self.engine,
            options=self.options,
            budget=budget,
            may_call_operations=self.may_call,
            operations=_offered(self.engine),
            gaps=self.gaps,
        )
        return run_traced(
            asked,
            world,
            engine=self.engine,
            folder=TraceFolder(self.workspace.settings.home),
            listener=self.listener,
            cancel=self.cancel,
            load_template=partial(load_template, overrides=self.workspace.settings.home / "prompts"),
        )

    def _world(self, records: Sequence[VideoRecord]) -> VideoWorld:
        workspace = self.workspace
        return VideoWorld(
            partial(workspace.run, progress=_progress(self.listener, "")),
            [_card(record) for record in records],
            language=question_language(self.question),
            detail=self.engine.capabilities.caption_detail,
            stored_hash=partial(_stored_hash, workspace),
            show=partial(_show, workspace),
            detect_many=partial(_detect_many, workspace),
        )


def _detect_many(workspace: Workspace, calls: Sequence[OperationCall]) -> None:
    """Answer calls of detect_objects that differ in their time alone in one pass; the results are kept."""
    others = {name: value for name, value in calls[0].arguments.items() if name != "timestamp"}
    workspace.detect_many([call.arguments["timestamp"] for call in calls], others)


def _named(
    workspace: Workspace, videos: Sequence[str], listener: Listener | None
) -> tuple[list[VideoRecord], list[str]]:
    """Return the videos meant, indexed, and what of their index is missing."""
    if not videos:
        raise UserError("Name a video to ask about, or ask the whole library (--all).")
    found: dict[str, VideoRecord] = {}
    gaps: list[str] = []
    for reference in videos:
        record = workspace.resolve(reference, progress=_progress(listener, reference))
        if record.video_id in found:
            continue
        found[record.video_id] = record
        for outcome in workspace.index(record.video_id, progress=_progress(listener, record.name)):
            if outcome.error is not None:
                gaps.append(f"{record.name}: {outcome.stage}: {outcome.error}")
    return list(found.values()), list(dict.fromkeys(gaps))


def _library(workspace: Workspace, question: str) -> tuple[list[VideoRecord], list[str]]:
    """Return the videos that are indexed, and how many are not."""
    everything = workspace.videos()
    done = [
        video
        for video in everything
        if any(row.is_done and row.stage == "shots" for row in workspace.store.stages.all(video.video_id))
    ]
    if not done:
        raise UserError("There are no indexed videos to ask about. Index some first: vidence index my.mp4")
    left = len(everything) - len(done)
    return done, [phrase("not_indexed", question_language(question), left)] if left else []


@dataclass(frozen=True)
class _Likely:
    """A video, and how much of the question a search finds in it."""

    record: VideoRecord
    relevance: float


def _likeliest(workspace: Workspace, records: Sequence[VideoRecord], question: str) -> list[_Likely]:
    """Return the videos to look at, those first in which a search finds most of the question."""
    if len(records) == 1:
        return [_Likely(records[0], 1.0)]
    try:
        found = search_library(
            workspace.store,
            workspace.indexer.shelf,
            understand(question),
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
    """Return what an answer counts for: that a thing is not in one video says little about the others."""
    empty = bool(answer.evidence) and all(read_content(record).is_empty for record in answer.evidence)
    return answer.probability * (_IRRELEVANT if empty else 1.0)


def _of_several(
    best: AgentAnswer, answers: Sequence[AgentAnswer], videos: Sequence[VideoCard]
) -> AgentAnswer:
    """Return the best answer, saying of which video it is and what the others came to."""
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


def _offered(engine: Engine) -> list[dict[str, object]]:
    """Return the operations a Solver may call, as it is told of them; in short where its context is small."""
    if not engine.capabilities.reads_text:
        return []
    offered = [one for one in all_operations() if one.name not in REFUSED]
    if engine.capabilities.context_tokens < _ROOMY_TOKENS:
        return [_in_short(one) for one in offered]
    return [openai_schema(one)["function"] for one in offered]


def _in_short(operation: Operation[Any, Any]) -> dict[str, object]:
    fields = operation.request.model_fields.items()
    names = [name if field.is_required() else f"{name}?" for name, field in fields if name != "video_id"]
    return {"operation": operation.name, "purpose": operation.purpose, "arguments": ", ".join(names)}


def _card(record: VideoRecord) -> VideoCard:
    name = record.name.encode(errors="backslashreplace").decode()
    duration_s = round(record.info.duration_s, 3)
    return VideoCard(
        video_id=record.video_id, name=name, duration_s=duration_s, has_audio=bool(record.info.audio)
    )


def _stored_hash(workspace: Workspace, record_id: str) -> str | None:
    """Return the hash of a recorded result that the workspace really still holds."""
    record = workspace.store.results.get_record(record_id)
    if record is None or workspace.store.results.result(record.result_hash) is None:
        return None
    return record.result_hash


def _show(workspace: Workspace, video_id: str, time_s: float) -> Picture:
    path = workspace.store.catalogue.locate(video_id)
    return Picture(data=encode_jpeg(read_frame(path, time_s, threads=workspace.settings.threads)))


def _progress(listener: Listener | None, name: str) -> Progress | None:
    if listener is None:
        return None
    tell: Callable[[Working], None] = listener

    def report(what: str, fraction: float) -> None:
        tell(Working(what=f"{name}: {what}" if name else what, progress=min(max(fraction, 0.0), 1.0)))

    return report


def _left(budget: Budget, seconds: float) -> Budget | None:
    """Return the budget of the next run; None when the time is up."""
    if budget.seconds is None:
        return budget
    left = budget.seconds - seconds
    return budget.model_copy(update={"seconds": left}) if left > 0 else None


def _remember(workspace: Workspace, answer: AgentAnswer) -> None:
    """Keep an accepted answer with the videos it rests on: as an answer, never as an observation."""
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
