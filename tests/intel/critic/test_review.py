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
    [new] = found.statements
    assert new.text == NEW
    assert new.published == date(2025, 4, 1)
    assert "Replaces what an older source says: “5.6 million" in new.doubts[0]


def test_a_statement_that_a_newer_source_confirms_stays() -> None:
    pages = [
        page(1, OLD, day=date(2025, 1, 20)),
        page(2, NEW, day=date(2025, 4, 1)),
        page(3, OLD, day=date(2025, 5, 1)),
    ]
    found = check(pages)
    assert {one.text for one in found.statements} == {OLD, NEW}


def test_what_an_undated_page_calls_yesterday_is_not_dated() -> None:
    text = "DeepSeek opened its new office in Hangzhou last week after a long delay."
    undated = check([page(1, text)])
    assert undated.timeline == ()
    assert "no date" in undated.statements[0].doubts[0]
    [entry] = check([page(1, text, day=date(2025, 3, 12))]).timeline
    assert entry.is_event
    assert entry.when < "2025-03-12"


def test_a_year_is_shown_as_a_year() -> None:
    [entry] = check([page(1, "In 2019 the company DeepSeek did not exist at all.")]).timeline
    assert (entry.when, entry.unit) == ("2019", "year")


def test_an_overview_rests_on_one_note_alone() -> None:
    other = "DeepSeek cut the price of its API by up to 75 percent during the night hours."
    pages = (page(1, OLD), page(2, other))
    notes = tuple(TopicNote(number=one.number, text=one.text, source=one.number) for one in pages)
    drafts = (
        DraftStatement(text="DeepSeek cut the price of its API by up to 75 percent.", notes=(1, 2)),
        DraftStatement(text="The 5.6 million dollars cut the price of the API by 75 percent.", notes=(1, 2)),
    )
    variables = CheckVariables(
        command="Monitor DeepSeek",
        subject="DeepSeek",
        language="en",
        today=date(2025, 6, 1),
        statements=tuple(DraftStatement(text=note.text, notes=(note.number,)) for note in notes),
        overview=drafts,
        notes=notes,
        pages=pages,
    )
    [kept] = check_statements(variables, embed).overview
    assert kept.text == drafts[0].text
    assert [quote.source for quote in kept.quotes] == [2]


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


def test_editions_of_a_series_do_not_contradict_each_other() -> None:
    text = "The DeepSeek survey anticipates a year with growth {} percent above the norm in all regions."
    may = page(1, text.format(4)).model_copy(update={"title": "May update of the DeepSeek survey 2025"})
    july = page(2, text.format(9)).model_copy(update={"title": "July update of the DeepSeek survey 2025"})
    assert check([may, july]).disputes == ()
    dated = [
        may.model_copy(update={"published": date(2025, 5, 1)}),
        july.model_copy(update={"published": date(2025, 7, 1)}),
    ]
    assert check(dated).disputes[0].newer == 2
