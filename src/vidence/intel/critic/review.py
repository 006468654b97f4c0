"""The critic: which statements hold, who agrees, who disagrees, and what is known of each source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from vidence.intel.critic.disputes import find_disputes
from vidence.intel.critic.sentiment import sentiment_of, sentiments
from vidence.intel.critic.sources import source_cards
from vidence.intel.critic.support import support
from vidence.intel.digest import Embed, near_duplicates, wanted_terms
from vidence.language.dates import find_dates
from vidence.language.phrases import phrase
from vidence.schema.agent import AnswerLanguage
from vidence.schema.briefing import (
    CheckVariables,
    Dispute,
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


def check_statements(variables: CheckVariables, embed: Embed) -> Findings:
    """Return what holds of a draft, and what is to be said about its sources."""
    pages = variables.pages
    original = _originals(variables)
    notes = {note.number: note for note in variables.notes}
    checked = [(_checked(draft, notes, original, embed), draft.text) for draft in variables.statements]
    kept = [statement for statement, _ in checked if statement is not None]
    # Copies too: a copy that was altered in one place is what a reader must be told of.
    disputes = find_disputes(pages, wanted_terms(variables.command, variables.subject))
    kept = [_with_doubts(statement, disputes, variables.language) for statement in kept]
    return Findings(
        statements=tuple(kept),
        dropped=tuple(text for statement, text in checked if statement is None),
        disputes=disputes,
        sources=source_cards(kept, pages, original, disputes, variables.subject),
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


def _with_doubts(statement: Statement, disputes: Sequence[Dispute], language: AnswerLanguage) -> Statement:
    """Return a statement with what other sources hold against it."""
    quoted = {(quote.source, quote.text) for quote in statement.quotes}
    doubts = list(statement.doubts)
    for dispute in disputes:
        for mine, theirs in (dispute.sides, dispute.sides[::-1]):
            if (mine.source, mine.quote) in quoted:
                is_old = dispute.newer is not None and dispute.newer != mine.source
                name = "doubt_superseded" if is_old else "doubt_disputed"
                doubts.append(phrase(name, language, f"“{theirs.says}” [{theirs.source}]"))
    return statement.model_copy(update={"doubts": tuple(dict.fromkeys(doubts))})


def _timeline(statements: Sequence[Statement], variables: CheckVariables) -> tuple[TimelineEntry, ...]:
    entries = []
    for statement in statements:
        today = statement.published or variables.today
        days = [one.start for one in find_dates(statement.text, today=today) if not one.yearly]
        past = [day for day in days if day <= variables.today]
        day = past[0] if past else statement.published
        if day is not None:
            entries.append(
                TimelineEntry(
                    day=day,
                    text=statement.text,
                    source=statement.quotes[0].source,
                    is_event=bool(past),
                )
            )
    return tuple(sorted(entries, key=lambda entry: (entry.day, entry.text))[:_MOST_EVENTS])


def _sentiment(
    statements: Sequence[Statement], variables: CheckVariables, embed: Embed
) -> tuple[SentimentPoint, ...]:
    """Return how the statements of each month speak of the subject."""
    if not statements:
        return ()
    rated = sentiments([one.text for one in statements], embed, target=variables.subject)
    periods: dict[str, Counter[str]] = {}
    for statement, probabilities in zip(statements, rated, strict=True):
        period = f"{statement.published:%Y-%m}" if statement.published else "undated"
        periods.setdefault(period, Counter())[sentiment_of(probabilities)] += 1
    return tuple(
        SentimentPoint(
            period=period,
            positive=counts["positive"],
            neutral=counts["neutral"],
            negative=counts["negative"],
        )
        for period, counts in sorted(periods.items())
    )
