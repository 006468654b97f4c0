"""Small pieces of HTML for notebooks: escaped text, tables, and pictures inside the page itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape as escape_html

from vidence.schema.printable import visible_lines

__all__ = ["escape", "figures", "paragraph", "table"]


def escape(text: str) -> str:
    """Return text from outside as HTML shows it: no markup, nothing that reverses or hides letters."""
    return escape_html(visible_lines(text))


def paragraph(text: str, *, bold: bool = False) -> str:
    """Return a paragraph of plain text."""
    return f"<p><b>{escape(text)}</b></p>" if bold else f"<p>{escape(text)}</p>"


def figures(pictures: Iterable[tuple[bytes, str]]) -> str:
    """Return JPEG pictures side by side, each over its caption; nothing is fetched to show them."""
    shown = [
        f'<figure style="margin:0;max-width:260px"><img alt="" style="max-width:100%" '
        f'src="data:image/jpeg;base64,{b64encode(jpeg).decode()}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
        for jpeg, caption in pictures
    ]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(shown)}</div>' if shown else ""


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of plain text."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
