"""Reading ahead: the local reader reads the notes of a video while the user still thinks of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vidence.app.engines import open_engine, open_reader
from vidence.app.runs import video_world
from vidence.app.workspace import Workspace
from vidence.embedded.answering import NOTE_TOKENS
from vidence.errors import BackendError
from vidence.runs.notes import choose_notes
from vidence.runs.reading import reader_prompt
from vidence.schema.agent import AnswerLanguage, OperationCall
from vidence.schema.reading import ReaderVariables

__all__ = ["read_ahead"]


def read_ahead(workspace: Workspace, video: str, *, language: AnswerLanguage = "en") -> bool:
    """Have the notes of an indexed video read; return whether a local reader did so.

    The model keeps what it has read, so the first question about the video is answered as fast as the next.
    """
    reader = open_reader(workspace, open_engine(workspace))
    if reader is not workspace.local_reader:
        # Extraction has nothing to keep, and a model elsewhere is not called unasked.
        return False
    found = workspace.resolve(video)
    call = OperationCall(operation="get_notes", arguments={"video_id": found.video_id, "language": language})
    record = video_world(workspace, [found], language=language).call(call)

    def embed(texts: Sequence[str]) -> Any:
        return workspace.indexer.shelf.text.embed(texts)

    notes = choose_notes(record, "", embed, language=language, tokens=NOTE_TOKENS)
    if not notes:
        return False
    prompt = reader_prompt(ReaderVariables(question="", language=language, notes=notes))
    try:
        reply = reader.answer(replace(prompt, reply_tokens=1, response=None))
    except BackendError:
        return False
    return reply.engine in ("", reader.name)
