"""The results of `vidence bench ask`: figures, tables and the reliability plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from rich.console import Console

from vidence.bench.ask_metrics import (
    Bin,
    Grounding,
    Interval,
    Paired,
    calibration_bins,
    ece,
    ground,
    mcnemar,
    wilson,
)
from vidence.bench.ask_rows import AskRow
from vidence.bench.report import print_table

__all__ = ["Rival", "Summary", "print_summary", "reliability_svg", "summarise", "write_plot"]

_CONFIDENT = 0.6
_BINS = 5
_SIDE, _MARGIN = 320, 48
_LARGEST = 12.0
Spans = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Rival:
    """A floor or another run on the same questions, and the paired test against it."""

    name: str
    accuracy: Interval
    paired: Paired


@dataclass(frozen=True)
class Summary:
    """The figures of one set."""

    name: str
    engine: str
    questions: int
    accuracy: Interval
    by_kind: dict[str, Interval]
    rivals: tuple[Rival, ...]
    ece: float
    mean_probability: float
    wrong: float
    """Share of the questions that were answered, and wrongly."""
    abstained: float
    """Share of the questions without an answer; a right "it does not tell" counts as right."""
    stated_sure: int
    """How many answers were stated at 60 % or more, and the share of them that is right below."""
    right_when_sure: float
    wrong_but_confident: float
    """Share of all questions answered wrongly at 60 % or more."""
    reliability: tuple[Bin, ...]
    type_violations: int
    """Answers that are not of the type that was asked for."""
    cited: float
    """Share of answers with evidence."""
    verified_citations: float
    llm_calls: float
    frames: float
    tokens: float
    seconds: float
    median_s: float
    p95_s: float
    grounding: Grounding | None


def summarise(
    name: str,
    engine: str,
    rows: Sequence[AskRow],
    *,
    spans: Mapping[str, Spans],
    against: Mapping[str, Mapping[str, bool]],
) -> Summary:
    """Return the figures; `against` holds, by rival and question, whether the rival was right."""
    right = [row.right for row in rows]
    held = [row.probability for row in rows]
    citations = sum(row.citations for row in rows)
    # What was not answered was stated to be unknown, so it says nothing about a stated probability.
    stated = [row for row in rows if row.status == "answered"]
    sure = [row for row in stated if row.probability >= _CONFIDENT]
    return Summary(
        name=name,
        engine=engine,
        questions=len(rows),
        accuracy=wilson(sum(right), len(right)),
        by_kind=_by_kind(rows),
        rivals=tuple(_rival(rival, rows, theirs) for rival, theirs in against.items()),
        ece=ece(held, right),
        mean_probability=_mean(held),
        wrong=_mean([_is_wrong(row) for row in rows]),
        abstained=_mean([row.status != "answered" and not row.right for row in rows]),
        stated_sure=len(sure),
        right_when_sure=_mean([row.right for row in sure]),
        wrong_but_confident=sum(_is_wrong(row) for row in sure) / max(1, len(rows)),
        reliability=tuple(calibration_bins(held, right, number=_BINS)),
        type_violations=sum(not row.fits for row in rows),
        cited=_mean([row.citations > 0 for row in rows]),
        verified_citations=sum(row.verified for row in rows) / citations if citations else 1.0,
        llm_calls=_mean([row.llm_calls for row in rows]),
        frames=_mean([row.frames for row in rows]),
        tokens=_mean([row.tokens for row in rows]),
        seconds=_mean([row.seconds for row in rows]),
        median_s=_at_share([row.seconds for row in rows], 0.5),
        p95_s=_at_share([row.seconds for row in rows], 0.95),
        grounding=_grounding(rows, spans),
    )


def print_summary(console: Console, summary: Summary) -> None:
    """Print the figures of one set as tables."""
    rows = [_accuracy_row(summary.engine, summary.accuracy, None)]
    rows += [_accuracy_row(rival.name, rival.accuracy, rival.paired) for rival in summary.rivals]
    title = f"{summary.name}: {summary.questions} questions"
    print_table(console, title, ("who", "right", "95 % from", "to", "we alone", "they alone", "p"), rows)
    if len(summary.by_kind) > 1:
        kinds = [_accuracy_row(kind, one, None)[:4] for kind, one in summary.by_kind.items()]
        print_table(console, "by type", ("type", "right", "95 % from", "to"), kinds)
    outcome = {
        "right": summary.accuracy.share,
        "wrong": summary.wrong,
        "abstained": summary.abstained,
        "wrong at ≥ 60 %": summary.wrong_but_confident,
        "stated ≥ 60 %": summary.stated_sure,
        "of them right": summary.right_when_sure,
        "wrong type": summary.type_violations,
    }
    print_table(console, "outcome", list(outcome), [list(outcome.values())])
    bins = [[one.number, one.held, one.right] for one in summary.reliability]
    print_table(console, "reliability", ("answers", "stated", "right"), bins)
    sure = {
        "ECE": summary.ece,
        "mean p": summary.mean_probability,
        "cite": summary.cited,
        "citations hold": summary.verified_citations,
    }
    print_table(console, "confidence and evidence", list(sure), [list(sure.values())])
    cost = {
        "LLM calls": summary.llm_calls,
        "frames": summary.frames,
        "tokens": summary.tokens,
        "seconds": summary.seconds,
        "median": summary.median_s,
        "p95": summary.p95_s,
    }
    print_table(console, "a question takes", list(cost), [list(cost.values())])
    if summary.grounding is not None:
        found = summary.grounding
        values = [found.number, found.miop, found.miou, found.iop_half, found.iou_half]
        print_table(console, "grounding", ("questions", "mIoP", "mIoU", "IoP@0.5", "IoU@0.5"), [values])


def write_plot(rows: Sequence[AskRow], title: str, path: Path) -> None:
    """Write the reliability plot beside the rows."""
    bins = calibration_bins([row.probability for row in rows], [row.right for row in rows])
    path.write_text(reliability_svg(bins, title), encoding="utf-8")


def reliability_svg(bins: Sequence[Bin], title: str) -> str:
    """Return a plot with one dot per bin; its area shows the number of answers."""
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


def _by_kind(rows: Sequence[AskRow]) -> dict[str, Interval]:
    kinds = sorted({row.kind for row in rows})
    groups = {kind: [row.right for row in rows if row.kind == kind] for kind in kinds}
    return {kind: wilson(sum(group), len(group)) for kind, group in groups.items()}


def _rival(name: str, rows: Sequence[AskRow], theirs: Mapping[str, bool]) -> Rival:
    shared = [row for row in rows if row.item_id in theirs]
    other = [theirs[row.item_id] for row in shared]
    return Rival(name, wilson(sum(other), len(other)), mcnemar([row.right for row in shared], other))


def _grounding(rows: Sequence[AskRow], spans: Mapping[str, Spans]) -> Grounding | None:
    grounded = [row for row in rows if spans.get(row.item_id)]
    if not grounded:
        return None
    return ground([row.span for row in grounded], [spans[row.item_id] for row in grounded])


def _accuracy_row(name: str, accuracy: Interval, paired: Paired | None) -> list[str | float | int | None]:
    if paired is None:
        return [name, accuracy.share, accuracy.low, accuracy.high, None, None, None]
    return [
        name, accuracy.share, accuracy.low, accuracy.high, paired.ours_only, paired.theirs_only,
        f"{paired.p:.2g}",
    ]  # fmt: skip


def _is_wrong(row: AskRow) -> bool:
    return row.status == "answered" and not row.right


def _at_share(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of all values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


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
