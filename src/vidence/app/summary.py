"""Reading the notes of a video: a summary of them, each sentence checked, or ahead of the first question."""

from __future__ import annotations

from dataclasses import replace

from pydantic import JsonValue

from vidence.app.engines import open_engine, open_reader
from vidence.app.runs import video_card, video_world
from vidence.app.workspace import Progress, Workspace
from vidence.errors import BackendError
from vidence.llm.ask import ask_for
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply
from vidence.ops.get_temporal_structure import GetTemporalStructureResult
from vidence.runs.budget import Cancel
from vidence.runs.ledger import Ledger
from vidence.runs.notes import choose_notes
from vidence.runs.reading import READER_SUMMARISE, reader_prompt
from vidence.runs.summary import has_words, plain_summary, read_summary, summary_request, verified
from vidence.runs.traced import StoppableEngine, Stopped
from vidence.runs.verify import Verifier
from vidence.schema.agent import AnswerLanguage, OperationCall, VideoCard
from vidence.schema.catalogue import VideoRecord
from vidence.schema.frozen import Frozen
from vidence.schema.reading import ReaderReply, ReaderVariables
from vidence.schema.summary import VideoSummary

__all__ = ["SummaryReport", "read_ahead", "summarise"]


class SummaryReport(Frozen):
    """The summary of one video."""

    video: VideoCard
    summary: VideoSummary
    gaps: tuple[str, ...] = ()
    """What could not be computed or asked, in words."""


def summarise(
    workspace: Workspace,
    video: str,
    *,
    language: AnswerLanguage = "en",
    engine: Engine | str | None = None,
    progress: Progress | None = None,
    cancel: Cancel = lambda: False,
) -> SummaryReport:
    """Return the summary of a video, indexing it first where needed; `Stopped` once `cancel` says so."""
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    reader = open_reader(workspace, chosen)
    if isinstance(reader, EngineBase):
        reader.warm_up()
    found = workspace.resolve(video, progress=progress)
    outcomes = workspace.index(found.video_id, progress=progress, cancel=cancel)
    gaps = [f"{one.stage}: {one.error}" for one in outcomes if one.error is not None]
    card, world = video_card(found), video_world(workspace, [found], language=language)
    record, embed = world.call(_notes_of(found, language)), workspace.embed
    _go_on(cancel)
    structure = GetTemporalStructureResult.model_validate(world.call(_scenes_of(found)).result)
    scenes = [one.start_time for one in structure.segments]
    summary = plain_summary(record, language=language, embed=embed, duration_s=card.duration_s, scenes=scenes)
    if has_words(record) and (reader is not chosen or chosen.capabilities.reads_text):
        asked = summary_request(record, language=language, embed=embed)
        try:
            prompt = reader_prompt(asked, task=READER_SUMMARISE)
            told = ask_for(StoppableEngine(reader, cancel), prompt, ReaderReply)
        except Stopped:
            raise
        except (BackendError, InvalidReply) as exc:
            gaps.append(str(exc))
        else:
            if told.replies[-1].engine in ("", reader.name):
                summary = read_summary(summary, told.value, asked, read_by=reader.name, embed=embed)
    _go_on(cancel)
    ledger = Ledger()
    ledger.add(record)
    verifier = Verifier(ledger, [card], stored_hash=world.stored_hash)
    return SummaryReport(video=card, summary=verified(summary, verifier.check), gaps=tuple(gaps))


def read_ahead(
    workspace: Workspace, video: str, *, language: AnswerLanguage = "en", cancel: Cancel = lambda: False
) -> bool:
    """Have the notes of an indexed video read; return whether a local reader did so.

    The model keeps what it has read, so the first question about the video is answered as fast as the next.
    """
    reader = open_reader(workspace, open_engine(workspace))
    if reader is not workspace.local_reader:
        # Extraction has nothing to keep, and a model elsewhere is not called unasked.
        return False
    found = workspace.resolve(video)
    record = video_world(workspace, [found], language=language).call(_notes_of(found, language))
    notes, shared = choose_notes(record, "", workspace.embed, language=language)
    if not notes:
        return False
    prompt = reader_prompt(ReaderVariables(question="", language=language, notes=notes, shared=shared))
    try:
        reply = StoppableEngine(reader, cancel).answer(replace(prompt, reply_tokens=1, response=None))
    except Stopped:
        raise
    except BackendError:
        return False
    return reply.engine in ("", reader.name)


def _notes_of(video: VideoRecord, language: AnswerLanguage) -> OperationCall:
    return OperationCall(operation="get_notes", arguments={"video_id": video.video_id, "language": language})


def _scenes_of(video: VideoRecord) -> OperationCall:
    arguments: dict[str, JsonValue] = {"video_id": video.video_id, "granularity": "coarse"}
    return OperationCall(operation="get_temporal_structure", arguments=arguments)


def _go_on(cancel: Cancel) -> None:
    if cancel():
        raise Stopped("The summary was stopped.")
