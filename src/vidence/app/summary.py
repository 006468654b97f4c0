"""`vidence summarise`: what videos are about, with every sentence checked against its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vidence.app.engines import open_engine, open_reader
from vidence.app.runs import video_card, video_world
from vidence.app.workspace import Progress, Workspace
from vidence.errors import BackendError
from vidence.llm.ask import ask_for
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply
from vidence.runs.budget import Cancel
from vidence.runs.ledger import Ledger
from vidence.runs.reading import READER_SUMMARISE, reader_prompt
from vidence.runs.summary import has_words, plain_summary, read_summary, summary_request, verified
from vidence.runs.traced import StoppableEngine, Stopped
from vidence.runs.verify import Verifier
from vidence.schema.agent import AnswerLanguage, OperationCall, VideoCard
from vidence.schema.frozen import Frozen
from vidence.schema.reading import ReaderReply
from vidence.schema.summary import VideoSummary

__all__ = ["SummaryReport", "summarise"]


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
    call = OperationCall(operation="get_notes", arguments={"video_id": found.video_id, "language": language})
    record = world.call(call)

    def embed(texts: Sequence[str]) -> Any:
        return workspace.indexer.shelf.text.embed(texts)

    _go_on(cancel)
    summary = plain_summary(record, language=language, embed=embed, duration_s=card.duration_s)
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
                summary = read_summary(summary, told.value, asked, read_by=reader.name)
    _go_on(cancel)
    ledger = Ledger()
    ledger.add(record)
    verifier = Verifier(ledger, [card], stored_hash=world.stored_hash)
    return SummaryReport(video=card, summary=verified(summary, verifier.check), gaps=tuple(gaps))


def _go_on(cancel: Cancel) -> None:
    if cancel():
        raise Stopped("The summary was stopped.")
