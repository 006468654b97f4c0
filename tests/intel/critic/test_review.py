"""The critic over pages: disputes, superseded figures, copies, and what is known of sources."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from vidence.intel.critic.review import check_statements
from vidence.intel.critic.sources import domain_rating, is_first_hand
from vidence.schema.briefing import CheckVariables, Findings
from vidence.schema.topics import DraftStatement, ReadPage, TopicNote

OLD = "Training the DeepSeek R1 model cost 5.6 million dollars, the company said in a paper."
NEW = "Training the DeepSeek R1 model cost 1.3 billion dollars, the company said in a paper."


def embed(texts: Sequence[str]) -> Any:
    """Stand for an embedder that knows no meaning: nothing here rests on it."""
    return np.full((len(texts), 512), 512**-0.5, np.float32)


def page(number: int, text: str, *, day: date | None = None, url: str = "") -> ReadPage:
    return ReadPage(
        number=number, url=url or f"https://site{number}.org/a", title="DeepSeek", text=text, published=day
    )


def check(pages: list[ReadPage]) -> Findings:
    notes = tuple(
        TopicNote(number=one.number, text=one.text, source=one.number, published=one.published)
        for one in pages
    )
    return check_statements(
        CheckVariables(
            command="Monitor DeepSeek",
            subject="DeepSeek",
            language="en",
            today=date(2025, 6, 1),
            statements=tuple(DraftStatement(text=note.text, notes=(note.number,)) for note in notes),
            notes=notes,
            pages=tuple(pages),
        ),
        embed,
    )


def test_both_sides_of_a_dispute_are_quoted_and_the_statements_marked() -> None:
    found = check([page(1, OLD), page(2, NEW)])
    [dispute] = found.disputes
    assert [side.quote for side in dispute.sides] == [OLD, NEW]
    assert dispute.newer is None
    assert all(statement.doubts for statement in found.statements)
    assert found.sources[0].disagrees_with == (2,)


def test_an_older_figure_is_superseded_and_said_so() -> None:
    found = check([page(1, OLD, day=date(2025, 1, 20)), page(2, NEW, day=date(2025, 4, 1))])
    assert found.disputes[0].newer == 2
    assert found.sources[0].outdated_by == 2
    old, new = found.statements
    assert "Out of date" in old.doubts[0]
    assert "Disputed" in new.doubts[0]


def test_copies_count_as_one_source() -> None:
    text = " ".join(f"DeepSeek sentence number {word} of a long article about models." for word in "abcdefgh")
    found = check([page(1, f"{OLD} {text}"), page(2, f"{OLD} {text}")])
    statement = found.statements[0]
    assert [quote.source for quote in statement.quotes] == [1]
    assert found.sources[0].copies == ("https://site2.org/a",)
    assert found.disputes == ()


def test_the_timeline_dates_events_by_their_own_words() -> None:
    text = "DeepSeek released its R1 model on 20 January 2025 in Hangzhou."
    [entry] = check([page(1, text, day=date(2025, 3, 1))]).timeline
    assert (entry.day, entry.is_event) == (date(2025, 1, 20), True)


def test_a_rating_is_that_of_the_domain_or_of_the_one_it_belongs_to() -> None:
    assert domain_rating("reuters.com") == 1.0
    assert domain_rating("desk.reuters.com") == 1.0
    assert domain_rating("no-such-domain.example") is None
    assert domain_rating("") is None


def test_first_hand_or_quoting() -> None:
    assert is_first_hand(page(1, "x", url="https://deepseek.com/news"), "DeepSeek") is True
    quoted = page(1, "According to Reuters, the model DeepSeek made was cheap to train and to run.")
    assert is_first_hand(quoted, "DeepSeek") is False
    assert is_first_hand(page(1, "The model of the company was cheap to train and to run."), "R1") is None
