"""A briefing as one HTML page that loads nothing: its timeline is drawn as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from urllib.parse import urlsplit

from vidence.app.html import paragraph, table
from vidence.schema.briefing import Briefing, SourceCard, Statement, TimelineEntry

__all__ = ["briefing_page", "timeline_svg"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
    "blockquote{margin:.2rem 0 .2rem 1rem;color:#444}.doubt{color:#8a4b00}table{border-collapse:collapse}"
    "td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left}svg{width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}blockquote{color:#bbb}"
    ".doubt{color:#f0b35a}a{color:#8ab4f8}}"
)
_WIDTH, _HEIGHT, _MARGIN = 800, 90, 40


def briefing_page(
    briefing: Briefing, say: Callable[..., str], facts: Callable[[SourceCard], list[str]]
) -> str:
    """Return the whole page; everything a source says is escaped."""
    title = escape(briefing.command)
    parts = [f"<h1>{title}</h1>", paragraph(say("head", f"{briefing.day} · {briefing.pages_read}"))]
    if briefing.found_nothing:
        parts.append(paragraph(briefing.gaps[-1] if briefing.gaps else "", bold=True))
    parts += _statements(briefing)
    parts += _listed(
        say("disputes"),
        [
            f"{escape(say('kind_' + one.kind))}: {escape(one.sides[0].says)} ↔ {escape(one.sides[1].says)}"
            + "".join(_quote(side.quote, side.source) for side in one.sides)
            + (escape(say("newer", f"[{one.newer}]")) if one.newer is not None else "")
            for one in briefing.disputes
        ],
    )
    if briefing.changes is not None:
        rows = [f"{escape(say('change_' + one.kind))}: {escape(one.text)}" for one in briefing.changes]
        parts += _listed(say("changes"), rows or [escape(say("unchanged"))])
    if briefing.timeline:
        parts += [f"<h2>{escape(say('timeline'))}</h2>", timeline_svg(briefing.timeline)]
        parts.append(
            table(
                ("", ""), [(one.day.isoformat(), f"{one.text} [{one.source}]") for one in briefing.timeline]
            )
        )
    if briefing.sentiment:
        heads = [cell.strip() for cell in say("sentiment_head").strip("|").split("|")]
        counts = [(o.period, str(o.positive), str(o.neutral), str(o.negative)) for o in briefing.sentiment]
        parts += [f"<h2>{escape(say('sentiment'))}</h2>", table(heads, counts)]
    parts.append(f"<h2>{escape(say('sources'))}</h2>")
    parts += [_source(card, facts(card)) for card in briefing.sources]
    parts += _listed(say("gaps"), [escape(gap) for gap in briefing.gaps])
    body = "\n".join(parts)
    head = f'<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
    return f'<!doctype html>\n<html lang="{briefing.language}">{head}<body>\n{body}\n</body></html>\n'


def timeline_svg(entries: Sequence[TimelineEntry]) -> str:
    """Return the entries as points on a line of time; a point tells its sentence to a mouse and a reader."""
    days = [entry.day for entry in entries]
    first, last = min(days), max(days)
    points = "".join(
        f'<circle cx="{_place(entry.day, first, last):.1f}" cy="45" r="{6 if entry.is_event else 4}" '
        f'fill="{"#1f6feb" if entry.is_event else "#999"}"><title>{entry.day}: {escape(entry.text)}</title>'
        "</circle>"
        for entry in entries
    )
    ends = "".join(
        f'<text x="{_place(day, first, last):.1f}" y="78" font-size="12" text-anchor="middle" '
        f'fill="currentColor">{day}</text>'
        for day in dict.fromkeys((first, last))
    )
    line = f'<line x1="{_MARGIN}" y1="45" x2="{_WIDTH - _MARGIN}" y2="45" stroke="currentColor"/>'
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{first} – {last}" '
        f'xmlns="http://www.w3.org/2000/svg">{line}{points}{ends}</svg>'
    )


def _place(day: date, first: date, last: date) -> float:
    share = (day - first).days / max((last - first).days, 1)
    return _MARGIN + share * (_WIDTH - 2 * _MARGIN)


def _statements(briefing: Briefing) -> list[str]:
    tasks = briefing.plan.sub_tasks if briefing.plan else ()
    parts = []
    for place in dict.fromkeys(statement.sub_task for statement in briefing.statements):
        title = tasks[place].title if place < len(tasks) else briefing.subject
        rows = [_statement(one) for one in briefing.statements if one.sub_task == place]
        parts += _listed(title, rows)
    return parts


def _statement(statement: Statement) -> str:
    marks = "".join(
        f'<a href="#source-{number}">[{number}]</a>'
        for number in dict.fromkeys(quote.source for quote in statement.quotes)
    )
    quotes = "".join(
        _quote(quote.text, quote.source) for quote in statement.quotes if quote.text != statement.text
    )
    doubts = "".join(f'<p class="doubt">⚠ {escape(doubt)}</p>' for doubt in statement.doubts)
    return f"{escape(statement.text)} {marks}{quotes}{doubts}"


def _quote(text: str, source: int) -> str:
    return f'<blockquote>“{escape(text)}” <a href="#source-{source}">[{source}]</a></blockquote>'


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    return [f"<h2>{escape(title)}</h2><ul>", *(f"<li>{row}</li>" for row in rows), "</ul>"]


def _source(card: SourceCard, facts: Sequence[str]) -> str:
    title = escape(card.title or card.url)
    is_web = urlsplit(card.url).scheme in ("http", "https")
    shown = (
        f'<a href="{escape(card.url)}" rel="noreferrer">{title}</a>'
        if is_web
        else f"{title} <code>{escape(card.url)}</code>"
    )
    return f'<p id="source-{card.number}">{card.number}. {shown}<br>{escape("; ".join(facts))}</p>'
