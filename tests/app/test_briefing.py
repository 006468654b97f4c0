"""A briefing as Markdown and HTML."""

from __future__ import annotations

from datetime import date

import pytest

from vidence.app.briefing import to_html, to_markdown
from vidence.schema.briefing import (
    Briefing,
    BriefingChange,
    Dispute,
    DisputeSide,
    SentimentPoint,
    SourceCard,
    Statement,
    StatementQuote,
    TimelineEntry,
)

EVIL = "<script>alert(1)</script> [click](javascript:alert(1)) `x` | **bold**"


def briefing(language: str = "en", title: str = "R1 is out") -> Briefing:
    return Briefing.model_validate(
        {
            "command": f"Monitor {EVIL}",
            "subject": "R1",
            "language": language,
            "day": date(2025, 2, 1),
            "statements": [
                Statement(
                    text="R1 was released.",
                    quotes=(StatementQuote(source=1, text=f"R1 was released today. {EVIL}"),),
                    doubts=("Disputed: another source says “later” [2]",),
                )
            ],
            "disputes": [
                Dispute(
                    kind="number",
                    sides=(
                        DisputeSide(source=1, quote="It cost 5.", says="5"),
                        DisputeSide(source=2, quote="It cost 7.", says="7"),
                    ),
                    newer=2,
                )
            ],
            "sources": [
                SourceCard(number=1, url="https://x.org/a", title=title, platform="web", rating=0.9),
                SourceCard(number=2, url="file:///notes/b.md", title="b", platform="folder", outdated_by=1),
            ],
            "timeline": [
                TimelineEntry(day=date(2025, 1, 20), text="R1 was released.", source=1),
                TimelineEntry(day=date(2025, 1, 30), text=EVIL, source=2, is_event=False),
            ],
            "sentiment": [SentimentPoint(period="2025-01", positive=1)],
            "changes": [BriefingChange(kind="changed", text="It cost 7.", before="It cost 5.")],
            "gaps": ["Could not be read: https://y.org"],
            "pages_read": 3,
        }
    )


def test_markdown_has_every_part_and_both_sides() -> None:
    text = to_markdown(briefing())
    for part in (
        "## Disputed",
        "## Timeline",
        "## Sentiment over time",
        "## Sources",
        "## Gaps",
        "## What changed",
    ):
        assert part in text
    assert "“It cost 5.”" in text
    assert "“It cost 7.”" in text
    assert "[R1 is out](<https://x.org/a>)" in text
    assert "domain rated 0.90 of 1" in text
    assert "⚠ Disputed" in text


def test_chinese_briefings_have_chinese_headings() -> None:
    text = to_markdown(briefing("zh"))
    assert "## 来源" in text
    assert "## 有争议" in text


def test_what_a_source_says_cannot_become_markup() -> None:
    text = to_markdown(briefing(title=EVIL))
    assert "<script>" not in text
    assert "[click](" not in text
    page = to_html(briefing(title=EVIL))
    assert "<script>" not in page
    assert 'href="javascript:' not in page
    assert "<svg" in page
    assert page.count("<circle") == 2


def test_the_page_loads_nothing() -> None:
    page = to_html(briefing())
    assert "src=" not in page
    assert "<link" not in page
    assert page.count('href="http') == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_briefing_without_statements_says_so(language: str) -> None:
    empty = Briefing.model_validate(
        {
            "command": "x",
            "subject": "x",
            "language": language,
            "day": date(2025, 1, 1),
            "gaps": ["nothing found"],
        }
    )
    assert "**" in to_markdown(empty)
    assert "nothing found" in to_html(empty)
