"""A story for a page: its people and relations as a graph, and answers with their quotations in place."""

from __future__ import annotations

from vidence.app.story import Story
from vidence.app.workspace import Workspace
from vidence.runs.worlds.story import number_quotes, place_of
from vidence.schema.agent import AgentAnswer
from vidence.schema.evidence import ClaimVerdict
from vidence.schema.frozen import Frozen
from vidence.schema.story import ChapterHead, Quote, StoryCard, StoryEntity, StoryRelation

__all__ = ["PlacedQuote", "QuotedClaim", "StoryPicture", "quoted_claims", "story_picture"]

_MOST_QUOTES = 2


class StoryPicture(Frozen):
    """What a graph shows: the people mentioned most and what holds between them, with their chapters."""

    story: StoryCard
    chapters: tuple[ChapterHead, ...]
    people: tuple[StoryEntity, ...]
    relations: tuple[StoryRelation, ...]


class PlacedQuote(Frozen):
    """A quotation and where it stands."""

    place: str
    quote: Quote


class QuotedClaim(Frozen):
    """A claim about a story with the words that prove it."""

    text: str
    verdict: ClaimVerdict
    problems: tuple[str, ...] = ()
    quotes: tuple[PlacedQuote, ...] = ()


def story_picture(workspace: Workspace, name: str, *, limit: int = 40) -> StoryPicture:
    """Return the graph of a story over its `limit` most mentioned people and places."""
    story = Story(name, workspace=workspace)
    people = sorted(story.people(), key=lambda one: -one.mentions)[:limit]
    ids = {one.entity_id for one in people}
    rows = workspace.store.graph.relations(name, sorted(ids)) if ids else []
    among = {one.relation_id: one for one in rows if {one.source, one.target} <= ids}
    return StoryPicture(
        story=story.card(),
        chapters=tuple(story.chapters()),
        people=tuple(people),
        relations=tuple(
            one.model_copy(update={"quotes": one.quotes[:_MOST_QUOTES]}) for one in among.values()
        ),
    )


def quoted_claims(answer: AgentAnswer) -> tuple[QuotedClaim, ...]:
    """Return each claim of an answer about a story with its quotations in place."""
    known = {one.quote.text: one.quote for one in number_quotes(answer.evidence)}
    return tuple(
        QuotedClaim(
            text=claim.text,
            verdict=claim.verdict,
            problems=claim.problems,
            quotes=tuple(
                PlacedQuote(place=f"{quote.document} › {place_of(quote)} ¶{quote.paragraph}", quote=quote)
                for citation in claim.citations
                if (quote := known.get(citation.quote or "")) is not None
            ),
        )
        for claim in answer.claims
    )
