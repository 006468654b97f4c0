"""The critic: which statements hold, who agrees, who disagrees, and what is known of each source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal

from vidence.intel.critic.disputes import find_disputes
from vidence.intel.critic.sentiment import sentiment_of, sentiments
from vidence.intel.critic.sources import source_cards
from vidence.intel.critic.support import support
from vidence.intel.digest import Embed, near_duplicates, wanted_terms
from vidence.language.dates import DateSpan, find_dates
from vidence.language.phrases import phrase
from vidence.language.tokens import terms
from vidence.schema.agent import AnswerLanguage
from vidence.schema.briefing import (
    CheckVariables,
    Dispute,
    DisputeSide,
    Findings,
    SentimentPoint,
    Statement,
    StatementQuote,
    TimelineEntry,
)
from vidence.schema.topics import DraftStatement, TopicNote

__all__ = ["SUPPORTED", "check_statements"]

SUPPORTED = 0.5
"""The probability from which a quotation supports a statement."""
_MOST_EVENTS = 40
_OF_ONE_NOTE = 0.75
"""Share of the words of an overview's sentence that one note must hold."""
_ANY_DAY = date(2020, 6, 15)
_MONTH_DAYS, _YEAR_DAYS = 8, 300
"""From so many days on a date is one of a month, and of a year."""


def check_statements(variables: CheckVariables, embed: Embed) -> Findings:
    """Return what holds of a draft, and what is to be said about its sources."""
    pages = variables.pages
    original = _originals(variables)
    notes = {note.number: note for note in variables.notes}
    checked = [(_checked(draft, notes, original, embed), draft.text) for draft in variables.statements]
    kept = [statement for statement, _ in checked if statement is not None]
    # Copies too: a copy that was altered in one place is what a reader must be told of.
    disputes = find_disputes(pages, wanted_terms(variables.command, variables.subject))
    kept = _settled(kept, disputes, variables)
    read = (_checked(_narrowed(draft, notes), notes, original, embed) for draft in variables.overview)
    overview = [one for one in read if one is not None and _newer_side(one, disputes) is None]
    return Findings(
        statements=tuple(kept),
        overview=tuple(overview),
        dropped=tuple(text for statement, text in checked if statement is None),
        disputes=disputes,
        sources=source_cards([*kept, *overview], pages, original, disputes, variables.subject),
        timeline=_timeline(kept, variables),
        sentiment=_sentiment(kept, variables, embed),
    )


def _originals(variables: CheckVariables) -> dict[int, int]:
    """Return for each page the page that it is a copy of, or its own number."""
    first = near_duplicates([page.text[:20_000] for page in variables.pages])
    return {page.number: variables.pages[first[place]].number for place, page in enumerate(variables.pages)}


def _checked(
    draft: DraftStatement, notes: Mapping[int, TopicNote], original: Mapping[int, int], embed: Embed
) -> Statement | None:
    """Return a statement with the quotations that support it; None where they do not."""
    cited = [notes[number] for number in draft.notes if number in notes]
    sure = {note.number: support(draft.text, [note.text], embed) for note in cited}
    quotes = [note for note in cited if sure[note.number] >= SUPPORTED]
    together = support(draft.text, [note.text for note in cited], embed) if len(cited) > 1 else 0.0
    if not quotes and together >= SUPPORTED:
        quotes = cited
    if not quotes:
        return None
    # Copies of one page are one source: only its first is quoted.
    distinct = {original[note.source]: note for note in reversed(quotes)}
    quoted = [note for note in quotes if distinct[original[note.source]] is note]
    days = [note.published for note in quoted if note.published is not None]
    return Statement(
        text=draft.text,
        quotes=tuple(StatementQuote(source=note.source, text=note.text) for note in quoted),
        sub_task=quoted[0].sub_task,
        support=round(max([together, *(sure[note.number] for note in quoted)]), 3),
        published=max(days) if days else None,
        doubts=tuple(dict.fromkeys(doubt for note in quoted for doubt in note.doubts)),
    )


def _narrowed(draft: DraftStatement, notes: Mapping[int, TopicNote]) -> DraftStatement:
    """Return a sentence of an overview with the notes that hold nearly all of its words by themselves.

    Words of several notes can be put together into something that none of them says.
    """
    words = set(terms(draft.text))
    alone = [
        number
        for number in draft.notes
        if number in notes and len(words & set(terms(notes[number].text))) >= _OF_ONE_NOTE * len(words)
    ]
    return draft.model_copy(update={"notes": tuple(alone[:1])})


def _settled(
    statements: Sequence[Statement], disputes: Sequence[Dispute], variables: CheckVariables
) -> list[Statement]:
    """Return the statements with their doubts; one that is out of date gives way to the newer source."""
    days = {page.number: page.published for page in variables.pages}
    settled: dict[str, Statement] = {}
    for statement in statements:
        newer = _newer_side(statement, disputes)
        if newer is not None:
            statement = statement.model_copy(
                update={
                    "text": newer.quote,
                    "quotes": (StatementQuote(source=newer.source, text=newer.quote),),
                    "support": 1.0,
                    "published": days[newer.source],
                    "doubts": (),
                }
            )
        marked = _with_doubts(statement, disputes, variables.language)
        settled.setdefault(marked.text, marked)
    return list(settled.values())


def _newer_side(statement: Statement, disputes: Sequence[Dispute]) -> DisputeSide | None:
    """Return what superseded a statement; None where a source of it is not out of date."""
    quoted = {(quote.source, quote.text) for quote in statement.quotes}
    sides: dict[tuple[int, str], DisputeSide] = {}
    for dispute in disputes:
        for mine, theirs in (dispute.sides, dispute.sides[::-1]):
            if dispute.newer == theirs.source:
                sides[mine.source, mine.quote] = theirs
    return sides[min(quoted)] if quoted <= sides.keys() else None


def _with_doubts(statement: Statement, disputes: Sequence[Dispute], language: AnswerLanguage) -> Statement:
    """Return a statement with what other sources hold against it."""
    quoted = {(quote.source, quote.text) for quote in statement.quotes}
    doubts = list(statement.doubts)
    for dispute in disputes:
        for mine, theirs in (dispute.sides, dispute.sides[::-1]):
            if (mine.source, mine.quote) in quoted:
                names = {None: "doubt_disputed", mine.source: "doubt_supersedes"}
                name = names.get(dispute.newer, "doubt_superseded")
                doubts.append(phrase(name, language, f"“{theirs.says}” [{theirs.source}]"))
    if statement.published is None and _is_relative(statement.text):
        doubts.append(phrase("doubt_undated", language))
    return statement.model_copy(update={"doubts": tuple(dict.fromkeys(doubts))})


def _is_relative(text: str) -> bool:
    """Tell whether a sentence dates something by the day it was written on."""
    return bool(find_dates(text, today=_ANY_DAY)) and not find_dates(text, today=None)


def _timeline(statements: Sequence[Statement], variables: CheckVariables) -> tuple[TimelineEntry, ...]:
    entries = []
    for statement in statements:
        # What an undated page calls yesterday cannot be dated.
        spans = find_dates(statement.text, today=statement.published)
        past = next((one for one in spans if not one.yearly and one.start <= variables.today), None)
        day = past.start if past is not None else statement.published
        if day is not None:
            entries.append(
                TimelineEntry(
                    day=day,
                    text=statement.text,
                    source=statement.quotes[0].source,
                    is_event=past is not None,
                    unit=_unit(past),
                )
            )
    return tuple(sorted(entries, key=lambda entry: (entry.day, entry.text))[:_MOST_EVENTS])


def _unit(span: DateSpan | None) -> Literal["day", "month", "year"]:
    days = (span.end - span.start).days if span is not None else 0
    return "day" if days < _MONTH_DAYS else "month" if days < _YEAR_DAYS else "year"


def _sentiment(
    statements: Sequence[Statement], variables: CheckVariables, embed: Embed
) -> tuple[SentimentPoint, ...]:
    """Return how the statements of each month speak of the subject."""
    if not statements:
        return ()
    rated = sentiments([one.text for one in statements], embed, target=variables.subject)
    periods: dict[str, Counter[str]] = {}
    for statement, probabilities in zip(statements, rated, strict=True):
        period = f"{statement.published:%Y-%m}" if statement.published else ""
        periods.setdefault(period, Counter())[sentiment_of(probabilities)] += 1
    return tuple(
        SentimentPoint(
            period=period,
            positive=counts["positive"],
            neutral=counts["neutral"],
            negative=counts["negative"],
        )
        for period, counts in sorted(periods.items(), key=lambda item: item[0] or "~")
    )
