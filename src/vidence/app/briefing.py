"""A briefing as Markdown and HTML: claims with quotations and links, disputes, timeline, sources and gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from vidence.app.briefing_page import briefing_page, quoted
from vidence.language.phrases import phrase
from vidence.schema.briefing import Briefing, Dispute, SourceCard, Statement

__all__ = ["MonitorReport", "source_facts", "to_html", "to_markdown"]

_NUMBER = re.compile(r"\\\[(\d+)\\\](?![(\[:])")
"""The number of a source in brackets, which is no link."""
Say = Callable[..., str]
"""Returns one of the briefing's phrases in its language."""


@dataclass(frozen=True)
class MonitorReport:
    """A briefing with the run that wrote it; print it, or show it in a notebook."""

    run_id: str
    briefing: Briefing
    trace_id: str | None = None

    def __str__(self) -> str:
        return self.markdown

    @property
    def markdown(self) -> str:
        """The briefing as Markdown."""
        return to_markdown(self.briefing)

    @property
    def html(self) -> str:
        """The briefing as one HTML page that loads nothing."""
        return to_html(self.briefing)

    def _repr_html_(self) -> str:
        return self.html


def to_markdown(briefing: Briefing) -> str:
    """Return a briefing as Markdown; what sources say cannot become markup."""
    return "\n".join(_lines(briefing, _speaker(briefing))).rstrip() + "\n"


def to_html(briefing: Briefing) -> str:
    """Return a briefing as one HTML page that loads nothing."""
    say = _speaker(briefing)
    return briefing_page(briefing, say, lambda card: source_facts(card, say))


def source_facts(card: SourceCard, say: Say) -> list[str]:
    """Return what is known about a source, each fact in a few words; never one number for all of it."""
    facts = [
        say("published", card.published.isoformat()) if card.published else say("undated"),
        say("author", card.author) if card.author else say("no_author"),
        say("unrated") if card.rating is None else say("rated", f"{card.rating:.2f}"),
    ]
    if card.is_first_hand is not None:
        facts.append(say("first_hand" if card.is_first_hand else "quoting"))
    for name, numbers in (("agrees", card.agrees_with), ("disagrees", card.disagrees_with)):
        if numbers:
            facts.append(say(name, ", ".join(f"[{number}]" for number in numbers)))
    if card.outdated_by is not None:
        facts.append(say("outdated", f"[{card.outdated_by}]"))
    if card.copies:
        facts.append(say("copies", len(card.copies)))
    return facts


def _speaker(briefing: Briefing) -> Say:
    def say(name: str, value: object = "") -> str:
        return phrase(f"briefing_{name}", briefing.language, value)

    return say


def _lines(briefing: Briefing, say: Say) -> Iterator[str]:
    yield f"# {_plain(briefing.command)}"
    yield ""
    yield f"{briefing.day.isoformat()} · {say('head', briefing.pages_read)}"
    if briefing.found_nothing:
        yield from ["", f"**{_plain(phrase('monitor_nothing', briefing.language, briefing.command))}**"]
    yield from _section(say("overview"), [_overview(briefing)] if briefing.overview else [])
    if briefing.changes is not None:
        rows = [
            f"- {say('change_' + one.kind)}: {_plain(one.text)}"
            + (f" ({say('before')}: {_plain(one.before)})" if one.before else "")
            for one in briefing.changes
        ]
        yield from _section(say("changes"), rows or [say("unchanged")])
    yield from _statements(briefing)
    yield from _section(say("disputes"), [_dispute(one, say) for one in briefing.disputes])
    timeline = [f"- {one.when}: {_plain(one.text)} [{one.source}]" for one in briefing.timeline]
    yield from _section(say("timeline"), timeline)
    sentiment = [
        f"| {one.period or say('no_day')} | {one.positive} | {one.neutral} | {one.negative} |"
        for one in briefing.sentiment
    ]
    yield from _section(
        say("sentiment"), [say("sentiment_head"), "|---|---|---|---|", *sentiment] if sentiment else []
    )
    yield from _section(say("sources"), [_source(card, say) for card in briefing.sources])
    yield from _section(say("gaps"), [f"- {_plain(gap)}" for gap in briefing.gaps])


def _section(title: str, rows: list[str]) -> Iterator[str]:
    if rows:
        yield from ["", f"## {title}", "", *rows]


def _statements(briefing: Briefing) -> Iterator[str]:
    tasks = briefing.plan.sub_tasks if briefing.plan else ()
    for place in dict.fromkeys(statement.sub_task for statement in briefing.statements):
        title = tasks[place].title if place < len(tasks) else briefing.subject
        rows = [_statement(one) for one in briefing.statements if one.sub_task == place]
        yield from _section(_plain(title), rows)


def _overview(briefing: Briefing) -> str:
    return " ".join(f"{_plain(one.text)} {_marks(one)}" for one in briefing.overview)


def _marks(statement: Statement) -> str:
    return "".join(f"[{number}]" for number in dict.fromkeys(quote.source for quote in statement.quotes))


def _statement(statement: Statement) -> str:
    """Return a statement; one in the source's own words is a quotation, another is followed by its proof."""
    marks = _marks(statement)
    day = f" ({statement.published.isoformat()})" if statement.published is not None else ""
    rows = [f"- {_plain(quoted(statement))} {marks}{day}"]
    rows += [
        f"  - “{_plain(quote.text)}” [{quote.source}]"
        for quote in statement.quotes
        if quote.text != statement.text
    ]
    rows += [f"  - ⚠ {_plain(doubt)}" for doubt in statement.doubts]
    return "\n".join(rows)


def _dispute(dispute: Dispute, say: Say) -> str:
    one, other = dispute.sides
    rows = [f"- {say('kind_' + dispute.kind)}: {_plain(one.says)} ↔ {_plain(other.says)}"]
    rows += [f"  - [{side.source}] “{_plain(side.quote)}”" for side in dispute.sides]
    if dispute.newer is not None:
        rows.append(f"  - {say('newer', f'[{dispute.newer}]')}")
    return "\n".join(rows)


def _source(card: SourceCard, say: Say) -> str:
    title = _plain(card.title) or _plain(card.url)
    is_web = urlsplit(card.url).scheme in ("http", "https")
    shown = f"[{title}](<{card.url}>)" if is_web and ">" not in card.url else f"{title} `{_code(card.url)}`"
    return f"{card.number}. {shown}: {'; '.join(_plain(fact) for fact in source_facts(card, say))}"


def _code(text: str) -> str:
    return text.replace("`", "'").replace("\n", " ")


def _plain(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    line = " ".join(text.split())
    escaped = "".join(f"\\{one}" if one in "\\`*_[]<>#|" else one for one in line)
    return _NUMBER.sub(r"[\1]", escaped)
