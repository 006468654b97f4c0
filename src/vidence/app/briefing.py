"""A briefing as Markdown and HTML: claims with quotations and links, disputes, timeline, sources and gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from vidence.language.phrases import phrase
from vidence.schema.briefing import Briefing, SourceCard, Statement

__all__ = ["MonitorReport", "to_html", "to_markdown"]


@dataclass(frozen=True)
class MonitorReport:
    """A briefing with the run that wrote it; print it, or show it in a notebook."""

    run_id: str
    briefing: Briefing
    trace_id: str | None = None

    def __str__(self) -> str:
        return to_markdown(self.briefing)

    @property
    def markdown(self) -> str:
        """The briefing as Markdown."""
        return to_markdown(self.briefing)

    @property
    def html(self) -> str:
        """The briefing as one HTML page that loads nothing."""
        return to_html(self.briefing)

    def _repr_html_(self) -> str:
        return to_html(self.briefing)


def to_markdown(briefing: Briefing) -> str:
    """Return a briefing as Markdown."""
    return "\n".join(_lines(briefing)).rstrip() + "\n"


def to_html(briefing: Briefing) -> str:
    """Return a briefing as one HTML page that loads nothing."""
    return f"<pre>{escape(to_markdown(briefing))}</pre>"


def _lines(briefing: Briefing) -> Iterator[str]:
    language = briefing.language

    def say(name: str, value: object = "") -> str:
        return phrase(f"briefing_{name}", language, value)

    yield f"# {_plain(briefing.command)}"
    yield ""
    yield say("head", f"{briefing.day.isoformat()} · {briefing.pages_read}")
    yield ""
    if briefing.found_nothing:
        yield f"**{phrase('monitor_nothing', language, briefing.command)}**"
        yield ""
    yield from _statements(briefing)
    if briefing.changes is not None:
        yield from ["", f"## {say('changes')}", ""]
        yield from [f"- {say('change_' + one.kind)}: {_plain(one.text)}" for one in briefing.changes] or [
            say("unchanged")
        ]
    if briefing.sources:
        yield from ["", f"## {say('sources')}", ""]
        yield from (_source(card) for card in briefing.sources)
    if briefing.gaps:
        yield from ["", f"## {say('gaps')}", ""]
        yield from (f"- {_plain(gap)}" for gap in briefing.gaps)


def _statements(briefing: Briefing) -> Iterator[str]:
    tasks = briefing.plan.sub_tasks if briefing.plan else ()
    for place in dict.fromkeys(statement.sub_task for statement in briefing.statements):
        if place < len(tasks):
            yield from ["", f"## {_plain(tasks[place].title)}", ""]
        for statement in briefing.statements:
            if statement.sub_task == place:
                yield _statement(statement)


def _statement(statement: Statement) -> str:
    marks = "".join(f"[{number}]" for number in dict.fromkeys(quote.source for quote in statement.quotes))
    return f"- {_plain(statement.text)} {marks}"


def _source(card: SourceCard) -> str:
    parts = [_plain(card.title) or card.url, card.url, card.published.isoformat() if card.published else ""]
    return f"{card.number}. {' · '.join(part for part in parts if part)}"


def _plain(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    line = " ".join(text.split())
    return "".join(f"\\{one}" if one in "\\`*_[]<>#|" else one for one in line)
