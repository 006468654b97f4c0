"""Stories as a person sees them: the graph of a page, and answers with their quotations in place."""

from __future__ import annotations

from typing import Self

from vidence.app import html
from vidence.app.answer import confidence_line, gap_lines
from vidence.prompts.fenced import one_line
from vidence.runs.worlds.story import cited_quote, number_quotes, place_of
from vidence.schema.agent import AgentAnswer
from vidence.schema.evidence import ClaimVerdict
from vidence.schema.frozen import Frozen
from vidence.schema.printable import visible
from vidence.schema.story import ChapterHead, Quote, StoryCard, StoryEntity, StoryRelation

__all__ = ["PlacedQuote", "QuotedClaim", "StoryAnswer", "StoryPicture", "quoted_claims", "story_lines"]

_MARKS = {"verified": "✓", "partly": "≈", "failed": "✗"}


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


class StoryAnswer(AgentAnswer):
    """An answer that prints itself, and shows its quotations in a notebook."""

    @classmethod
    def of(cls, answer: AgentAnswer) -> Self:
        """Return the same answer."""
        return cls.model_construct(answer.model_fields_set, **dict(answer))

    def __str__(self) -> str:
        return "\n".join(map(visible, [*story_lines(self), *gap_lines(self)]))

    def _repr_html_(self) -> str:
        lines = [html.paragraph(line, bold=True) for line in self.answer.splitlines()]
        lines.append(html.paragraph(confidence_line(self)))
        for claim in quoted_claims(self):
            lines.append(html.paragraph(f"{_MARKS[claim.verdict]} {claim.text}"))
            lines += [html.paragraph(f"“{one.quote.text}” {one.place}") for one in claim.quotes]
        return f"<div>{''.join([*lines, *map(html.paragraph, gap_lines(self))])}</div>"


def quoted_claims(answer: AgentAnswer) -> tuple[QuotedClaim, ...]:
    """Return each claim of an answer about a story with its quotations in place."""
    quotes = number_quotes(answer.evidence)
    return tuple(
        QuotedClaim(
            text=claim.text,
            verdict=claim.verdict,
            problems=claim.problems,
            quotes=tuple(
                PlacedQuote(place=_place(quote), quote=quote)
                for citation in claim.citations
                if (quote := cited_quote(quotes, citation)) is not None
            ),
        )
        for claim in answer.claims
    )


def story_lines(answer: AgentAnswer) -> list[str]:
    """Return an answer in lines: the answer, how sure it is, and each quotation with its place."""
    confidence, evidence = ("置信度", "证据") if answer.language == "zh" else ("confidence", "evidence")
    lines = [
        *answer.answer.splitlines(),
        f"{confidence} {answer.confidence_score}/5 ({answer.probability:.0%})",
    ]
    placed = dict.fromkeys(one for claim in quoted_claims(answer) for one in claim.quotes)
    shown = [f"  {one.place}: {one_line(one.quote.text)}" for one in placed]
    return [*lines, *([f"{evidence}:"] if shown else []), *shown]


def _place(quote: Quote) -> str:
    return f"{quote.document} › {place_of(quote)} ¶{quote.paragraph}"
