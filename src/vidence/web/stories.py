"""Routes of stories: adding texts, the graph of people, and questions answered with quotations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vidence.app.job_kinds import StoryAddJob, StoryAskJob
from vidence.app.story import Story, list_stories
from vidence.app.story_view import StoryPicture
from vidence.errors import UnknownName
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobRow
from vidence.schema.story import StoryCard
from vidence.web.state import ServerState, State

__all__ = ["router"]

router = APIRouter(prefix="/api/stories", tags=["stories"])


class StoryQuestion(Frozen):
    """A question about a story, and the conversation it belongs to."""

    question: str = Field(min_length=1, max_length=4000)
    engine: str | None = None
    thread: str = Field(default="", max_length=80)


@router.get("")
def get_stories(state: State) -> tuple[StoryCard, ...]:
    """Return the stories of the workspace."""
    return tuple(list_stories(state.workspace))


@router.post("", status_code=202)
def add_story(state: State, asked: StoryAddJob) -> JobRow:
    """Add texts, subtitles, folders or videos to a story and read them."""
    sources = tuple(one if one.startswith("vid_") else str(state.allowed(one)) for one in asked.sources)
    given = asked.model_copy(update={"sources": sources}).model_dump(mode="json")
    return state.runner.submit("story_add", given, subject=asked.name)


@router.get("/{name}")
def get_story(state: State, name: str, limit: Annotated[int, Query(ge=2, le=200)] = 40) -> StoryPicture:
    """Return a story's chapters, and its people and relations as a graph."""
    return Story(_known(state, name), workspace=state.workspace).picture(limit=limit)


@router.post("/{name}/ask", status_code=202)
def ask_story(state: State, name: str, asked: StoryQuestion) -> JobRow:
    """Ask a question about a story; the result quotes chapter and paragraph."""
    given = StoryAskJob(story=_known(state, name), question=asked.question, engine=asked.engine)
    return state.runner.submit("story", given.model_dump(mode="json"), subject=name, thread=asked.thread)


@router.delete("/{name}", status_code=204)
def remove_story(state: State, name: str) -> Response:
    """Forget a story; its files are left alone."""
    Story(_known(state, name), workspace=state.workspace).remove()
    return Response(status_code=204)


def _known(state: ServerState, name: str) -> str:
    names = state.workspace.store.stories.names()
    if name not in names:
        raise UnknownName("story", name, names)
    return name
