"""`python -m training.search --home HOME`: fit the weights of the search and print the table it ships.

HOME is a workspace in which the shared clips and the sample are indexed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.search.cases import Case, cases
from vidence.app import Workspace, open_workspace
from vidence.bench.shared import shared_folder
from vidence.language.question import read_question
from vidence.queries.search import fuse
from vidence.queries.search.fuse import FEATURES, EvidenceTimeline, features, peaks
from vidence.queries.search.material import Material
from vidence.queries.search.meaning import Phrases
from vidence.queries.search.search import evidence

Floats = NDArray[np.float64]

UNASKED = 0.5
RIDGE = 0.1
"""Holds a weight near where it began when little speaks about it."""
START = {
    "bias": -3.2,
    "labels": 2.0,
    "objects": 2.6,
    "described": 3.2,
    "actions": 1.5,
    "screen": 4.0,
    "captions": 1.5,
    "lens": 3.0,
    "change": 3.2,
    "speech": 4.0,
    "sounds": 4.0,
    "spoken": 2.0,
    "hint": 2.2,
    "asked_heard": 0.0,
    "asked_read": 0.0,
}


def main() -> None:
    """Fit cells first, then make what comes out of whole searches mean what it says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", required=True)
    with open_workspace(home=parser.parse_args().home) as workspace:
        found = list(cases(shared_folder() / "media", Path("samples/vidence_sample.json")))
        laid = _lay_out(workspace, found)
    weights = _fit_cells(found, laid)
    scale, shift, before, after = _calibrate(found, laid, weights)
    print(f"# {len(found)} cases; log loss of results {before:.3f}, calibrated {after:.3f}")
    for name, value in weights.items():
        scaled = value * scale + (shift if name == "bias" else 0.0)
        print(f"{name}\t{value if name == 'unasked' else scaled:.3f}")


def _lay_out(workspace: Workspace, found: Sequence[Case]) -> list[EvidenceTimeline]:
    materials: dict[str, Material] = {}
    laid = []
    for case in found:
        if case.video not in materials:
            video_id = workspace.store.catalogue.resolve(case.video).video_id
            materials[case.video] = Material(workspace.store, video_id)
        material, query = materials[case.video], read_question(case.query).search
        hits = list(evidence(query, material, Phrases(query, workspace.indexer.shelf)))
        cuts = [shot.start_time for shot in material.shots[1:]]
        edges = [edge for span in case.answers for edge in span]
        laid.append(features(query, hits, duration_s=material.duration_s, cuts=[*cuts, *edges]))
    return laid


def _fit_cells(found: Sequence[Case], laid: Sequence[EvidenceTimeline]) -> dict[str, float]:
    rows, truths, counts = [], [], []
    for case, timeline in zip(found, laid, strict=True):
        right = _right(case, timeline)
        lengths = np.diff(timeline.edges)
        share = np.where(
            right, lengths / max(lengths[right].sum(), 1e-9), lengths / max(lengths[~right].sum(), 1e-9)
        )
        rows.append(_damped(timeline.values))
        truths.append(right)
        counts.append(share * (1.0 if case.answers else 0.3))
    x, y, w = np.concatenate(rows), np.concatenate(truths).astype(float), np.concatenate(counts)
    x = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    names = [*FEATURES, "bias"]
    start = np.array([START[name] for name in names])
    weights = start.copy()
    for _ in range(4000):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (w * (chance - y)) / w.sum() + RIDGE * (weights - start) / len(names)
        weights -= 1.0 * slope
        weights[:-3] = np.maximum(weights[:-3], 0.0)
        weights[-3:-1] = 0.0  # They say what is asked for, which is no evidence.
    fitted = dict(zip(names, (float(value) for value in weights), strict=True))
    return {"bias": fitted.pop("bias"), **fitted, "unasked": UNASKED}


def _right(case: Case, timeline: EvidenceTimeline) -> NDArray[np.bool_]:
    middles = (timeline.edges[:-1] + timeline.edges[1:]) / 2
    inside = np.zeros(len(middles), bool)
    for start, end in case.answers:
        inside |= (middles >= start) & (middles <= end)
    return inside


def _damped(values: Floats) -> Floats:
    """Return the features as the logistic model takes them."""
    columns = []
    for name in FEATURES:
        weights = {one: float(one == name) for one in FEATURES} | {"bias": 0.0, "unasked": UNASKED}
        chance = np.clip(fuse.probability(values, weights), 1e-12, 1 - 1e-12)
        columns.append(np.log(chance / (1 - chance)))
    return np.stack(columns, axis=1)


def _calibrate(
    found: Sequence[Case], laid: Sequence[EvidenceTimeline], weights: dict[str, float]
) -> tuple[float, float, float, float]:
    odds, truths, counts = [], [], []
    for case, timeline in zip(found, laid, strict=True):
        chances = fuse.probability(timeline.values, weights)
        joined = np.ones(len(chances), bool)
        for peak in peaks(timeline.edges, chances, joined=joined, limit=3, least=0.02):
            chance = min(peak.probability, 1 - 1e-9)
            odds.append(np.log(chance / (1 - chance)))
            truths.append(any(_answers((peak.start_s, peak.end_s), span) for span in case.answers))
            counts.append(1.0 if case.answers else 0.3)
    x, y, w = np.array(odds), np.array(truths, float), np.array(counts)
    scale, shift = 1.0, 0.0
    before = _loss(x, y, w)
    for _ in range(5000):
        wrong = w * (1 / (1 + np.exp(-(scale * x + shift))) - y) / w.sum()
        scale, shift = scale - 0.3 * float(wrong @ x), shift - 0.3 * float(wrong.sum())
    return scale, shift, before, _loss(scale * x + shift, y, w)


def _answers(span: tuple[float, float], answer: tuple[float, float]) -> bool:
    overlap = min(span[1], answer[1]) - max(span[0], answer[0])
    return overlap >= 0.5 * min(span[1] - span[0], answer[1] - answer[0])


def _loss(odds: Floats, truth: Floats, weight: Floats) -> float:
    return float((weight * np.logaddexp(0, np.where(truth > 0, -odds, odds))).sum() / weight.sum())


if __name__ == "__main__":
    main()
