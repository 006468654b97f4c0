"""A briefing as one HTML page that loads nothing: its timeline is drawn as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from urllib.parse import urlsplit

from vidence.app.html import paragraph, table
from vidence.schema.briefing import Briefing, SentimentPoint, SourceCard, Statement, TimelineEntry

__all__ = ["briefing_page", "quoted", "sentiment_svg", "timeline_svg"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
    "blockquote{margin:.2rem 0 .2rem 1rem;color:#444}.doubt{color:#8a4b00}table{border-collapse:collapse}"
    "td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}"
    "svg{width:100%;height:auto}td:first-child{white-space:nowrap}li{margin:.5rem 0}"
    ".day{color:#666;font-size:.9em;white-space:nowrap}.short{font-size:1.1em;border-left:4px solid #1f6feb;"
    "padding-left:1rem}code{overflow-wrap:anywhere}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}blockquote{color:#bbb}"
    ".doubt{color:#f0b35a}a{color:#8ab4f8}.day{color:#aaa}td,th{border-color:#444}}"
)
_WIDTH, _MARGIN = 800, 40
_APART, _LANE, _LANES = 11, 12, 5
"""Points nearer than this stand one above the other, in lanes of this height."""
_BAR, _TALL = 100, 110
_COLOURS = {"positive": "#2e9e5b", "neutral": "#9a9a9a", "negative": "#d1495b"}


def briefing_page(
    briefing: Briefing, say: Callable[..., str], facts: Callable[[SourceCard], list[str]]
) -> str:
    """Return the whole page; everything a source says is escaped."""
    title = escape(briefing.command)
    parts = [f"<h1>{title}</h1>", paragraph(f"{briefing.day} · {say('head', briefing.pages_read)}")]
    if briefing.found_nothing:
        parts.append(paragraph(briefing.gaps[-1] if briefing.gaps else "", bold=True))
    if briefing.overview:
        short = " ".join(f"{escape(one.text)} {_marks(one)}" for one in briefing.overview)
        parts.append(f'<h2>{escape(say("overview"))}</h2><p class="short">{short}</p>')
    if briefing.changes is not None:
        rows = [f"{escape(say('change_' + one.kind))}: {escape(one.text)}" for one in briefing.changes]
        parts += _listed(say("changes"), rows or [escape(say("unchanged"))])
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
    if briefing.timeline:
        parts += [f"<h2>{escape(say('timeline'))}</h2>", timeline_svg(briefing.timeline)]
        parts.append(table(("", ""), [(one.when, f"{one.text} [{one.source}]") for one in briefing.timeline]))
    if briefing.sentiment:
        heads = [cell.strip() for cell in say("sentiment_head").strip("|").split("|")]
        counts = [
            (one.period or say("no_day"), str(one.positive), str(one.neutral), str(one.negative))
            for one in briefing.sentiment
        ]
        drawn = sentiment_svg(briefing.sentiment, heads[1:])
        parts += [f"<h2>{escape(say('sentiment'))}</h2>", drawn, table(heads, counts)]
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
    base = _LANE * _LANES
    points = []
    ends = [-1.0] * _LANES
    for entry in sorted(entries, key=lambda one: one.day):
        x = _place(entry.day, first, last)
        lane = next((at for at, end in enumerate(ends) if x - end >= _APART), _LANES - 1)
        ends[lane] = x
        points.append(
            f'<circle cx="{x:.1f}" cy="{base - _LANE * lane}" r="{5 if entry.is_event else 4}" '
            f'fill="{"#1f6feb" if entry.is_event else "#999"}">'
            f"<title>{entry.when}: {escape(entry.text)}</title></circle>"
        )
    ticks = "".join(
        f'<text x="{_place(day, first, last):.1f}" y="{base + 26}" font-size="12" text-anchor="middle" '
        f'fill="currentColor">{shown}</text>'
        for day, shown in _ticks(first, last)
    )
    line = f'<line x1="{_MARGIN}" y1="{base}" x2="{_WIDTH - _MARGIN}" y2="{base}" stroke="currentColor"/>'
    return (
        f'<svg viewBox="0 0 {_WIDTH} {base + 34}" role="img" aria-label="{first} – {last}" '
        f'xmlns="http://www.w3.org/2000/svg">{line}{"".join(points)}{ticks}</svg>'
    )


def _ticks(first: date, last: date) -> list[tuple[date, str]]:
    """Return the first and last day, and the beginnings of years between them, not too near to each other."""
    years = [date(year, 1, 1) for year in range(first.year + 1, last.year + 1)]
    kept = [(first, first.isoformat())]
    for day in years:
        x = _place(day, first, last)
        if x - _place(kept[-1][0], first, last) > 70 and _place(last, first, last) - x > 70:
            kept.append((day, str(day.year)))
    return [*kept, (last, last.isoformat())] if last > first else kept


def sentiment_svg(points: Sequence[SentimentPoint], names: Sequence[str]) -> str:
    """Return one bar for each period, stacked by how its sentences speak of the subject."""
    most = max(one.positive + one.neutral + one.negative for one in points) or 1
    step = (_WIDTH - 2 * _MARGIN) / len(points)
    wide = min(step * 0.7, 60)
    bars = []
    for place, one in enumerate(points):
        x, y = _MARGIN + step * (place + 0.5), float(_TALL)
        for name, shown in zip(_COLOURS, names, strict=True):
            number = int(getattr(one, name))
            height = _BAR * number / most
            y -= height
            bars.append(
                f'<rect x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{height:.1f}" '
                f'fill="{_COLOURS[name]}"><title>{one.period} {escape(shown)}: {number}</title></rect>'
                if number
                else ""
            )
        bars.append(
            f'<text x="{x:.1f}" y="{_TALL + 18}" font-size="11" text-anchor="middle" fill="currentColor">'
            f"{one.period or '–'}</text>"
        )
    legend = "".join(
        f'<tspan fill="{colour}">■</tspan> {escape(shown)} '
        for colour, shown in zip(_COLOURS.values(), names, strict=True)
    )
    bars.append(f'<text x="{_MARGIN}" y="{_TALL + 38}" font-size="12" fill="currentColor">{legend}</text>')
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_TALL + 46}" role="img" aria-label="{escape(" · ".join(names))}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(bars)}</svg>'
    )


def _place(day: date, first: date, last: date) -> float:
    share = (day - first).days / max((last - first).days, 1)
    return _MARGIN + share * (_WIDTH - 2 * _MARGIN)


def quoted(statement: Statement) -> str:
    """Return a statement, in quotation marks where it is in its source's own words."""
    is_own = any(quote.text == statement.text for quote in statement.quotes)
    return f"“{statement.text}”" if is_own and statement.text[0] not in "“\"'‘「" else statement.text


def _statements(briefing: Briefing) -> list[str]:
    tasks = briefing.plan.sub_tasks if briefing.plan else ()
    parts = []
    for place in dict.fromkeys(statement.sub_task for statement in briefing.statements):
        title = tasks[place].title if place < len(tasks) else briefing.subject
        rows = [_statement(one) for one in briefing.statements if one.sub_task == place]
        parts += _listed(title, rows)
    return parts


def _statement(statement: Statement) -> str:
    day = f' <span class="day">{statement.published}</span>' if statement.published is not None else ""
    quotes = "".join(
        _quote(quote.text, quote.source) for quote in statement.quotes if quote.text != statement.text
    )
    doubts = "".join(f'<p class="doubt">⚠ {escape(doubt)}</p>' for doubt in statement.doubts)
    return f"{escape(quoted(statement))} {_marks(statement)}{day}{quotes}{doubts}"


def _marks(statement: Statement) -> str:
    return "".join(
        f'<a href="#source-{number}">[{number}]</a>'
        for number in dict.fromkeys(quote.source for quote in statement.quotes)
    )


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
