"""The reliability plot: how often answers are right against how probable they were held, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from vidence.bench.ask_metrics import Bin

__all__ = ["reliability_svg"]

_SIDE, _MARGIN = 320, 48
_LARGEST = 12.0


def reliability_svg(bins: Sequence[Bin], title: str) -> str:
    """Return a plot with one dot per step of probability; its area says how many answers it stands for."""
    total = _SIDE + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {total}" role="img"'
        ' font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{total}" height="{total}" fill="#fff"/>',
        f'<text x="{total / 2}" y="24" text-anchor="middle" font-size="13">{escape(title)}</text>',
        *_axes(),
        *_dots(bins),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axes() -> list[str]:
    low, high, middle = _MARGIN, _MARGIN + _SIDE, _MARGIN + _SIDE / 2
    parts = [
        f'<rect x="{low}" y="{low}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>',
        f'<line x1="{low}" y1="{high}" x2="{high}" y2="{low}" stroke="#bbb" stroke-dasharray="4 4"/>',
        f'<text x="{middle}" y="{high + 36}" text-anchor="middle">held probable</text>',
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">right</text>',
    ]
    for step in range(0, 11, 2):
        at = step / 10
        parts.append(f'<text x="{_x(at):.1f}" y="{high + 16}" text-anchor="middle">{at:.1f}</text>')
        parts.append(f'<text x="{low - 6}" y="{_y(at) + 4:.1f}" text-anchor="end">{at:.1f}</text>')
    return parts


def _dots(bins: Sequence[Bin]) -> list[str]:
    if not bins:
        return []
    most = max(one.number for one in bins)
    line = " ".join(f"{_x(one.held):.1f},{_y(one.right):.1f}" for one in bins)
    dots = [
        f'<circle cx="{_x(one.held):.1f}" cy="{_y(one.right):.1f}" '
        f'r="{max(2.0, _LARGEST * (one.number / most) ** 0.5):.1f}" fill="#2a6fdb" fill-opacity="0.6">'
        f"<title>{one.number} answers: held {one.held:.2f}, right {one.right:.2f}</title></circle>"
        for one in bins
    ]
    return [f'<polyline points="{line}" fill="none" stroke="#2a6fdb"/>', *dots]


def _x(share: float) -> float:
    return _MARGIN + share * _SIDE


def _y(share: float) -> float:
    return _MARGIN + (1 - share) * _SIDE
