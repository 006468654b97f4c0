"""`competitor_lookup`: who is named as a rival of something, and on what that rests."""

from __future__ import annotations

from pydantic import Field

from vidence.intel.passages import page_sentences, plain_text
from vidence.intel.rivals import rivals_in
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result, TopicRequest
from vidence.ops.topics.memory import topics_book
from vidence.schema.frozen import Frozen

__all__ = ["OPERATION", "CompetitorLookupRequest", "CompetitorLookupResult", "NamedRival"]

_MOST_PAGES = 20
_MOST_RIVALS = 10
_MOST_QUOTES = 3


class CompetitorLookupRequest(TopicRequest):
    """Whose rivals."""

    name: str = Field(min_length=1, max_length=200, description="A company, a product or a person.")


class RivalQuote(Frozen):
    """A sentence that names two rivals together, and where it stands."""

    text: str
    url: str


class NamedRival(Frozen):
    """A rival and the sentences that say so."""

    name: str
    mentions: int = Field(description="Sentences that name it as a rival.")
    quotes: list[RivalQuote]


class CompetitorLookupResult(Result):
    """Rivals, the most often named first; empty where nothing stored or found says so."""

    name: str
    rivals: list[NamedRival]
    pages_read: int
    memories_read: int


def run(context: OpContext, request: CompetitorLookupRequest) -> CompetitorLookupResult:
    """Read what is stored and found about a name and list whom it is compared with."""
    sentences: list[tuple[str, str]] = []
    book = topics_book(context)
    memories = [
        one for one in book.memories.all(book.scope) if request.name.casefold() in one.content.casefold()
    ]
    sentences += [(one.content, one.source) for one in memories]
    pages = 0
    if context.topics is not None:
        query = f"{request.name} rival competitor versus compared 竞争对手 对比"
        for found in context.topics.search(query, limit=_MOST_PAGES).found:
            page = context.topics.library.page(found.url, [found.source])
            if page is not None:
                pages += 1
                sentences += [(sentence, page.url) for sentence in page_sentences(plain_text(page.text))]
    named = rivals_in(request.name, [text for text, _ in sentences])
    urls = dict(reversed(sentences))
    rivals = [
        NamedRival(
            name=name,
            mentions=len(texts),
            quotes=[RivalQuote(text=text, url=urls[text]) for text in texts[:_MOST_QUOTES]],
        )
        for name, texts in named[:_MOST_RIVALS]
    ]
    return CompetitorLookupResult(
        name=request.name, rivals=rivals, pages_read=pages, memories_read=len(memories)
    )


OPERATION = Operation(
    name="competitor_lookup",
    category="topic",
    purpose="Find whom a company or product competes with, from what is stored and found.",
    request=CompetitorLookupRequest,
    result=CompetitorLookupResult,
    run=run,
    stateful=True,
    example={"name": "DeepSeek"},
    notes="Rests on sentences that compare both by name; each is quoted. It knows no company by itself.",
)
