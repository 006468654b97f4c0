"""How many cuts there are, and when one scene cuts to another."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from vidence.agents.embedded.recipes.cite import claim
from vidence.agents.embedded.recipes.locate import hits_of, shots_of
from vidence.agents.embedded.recipes.moments import Moment, moment_of
from vidence.agents.embedded.recipes.recipe import Answers, Finding, Inquiry, Steps, call
from vidence.agents.embedded.recipes.wording import pick, seconds
from vidence.ops.get_temporal_structure import StructureSegment
from vidence.ops.temporal_search import SearchHit
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import EvidenceRecord

__all__ = ["answer"]

_NEAR_S = 0.6
_SHOTS = re.compile(
    r"\b(?:many|number of)(?: different| camera)? (?:shots|scenes)\b|多少个?镜头|几个?镜头|几个?场景",
    re.IGNORECASE,
)
_EXISTS = re.compile(r"^\W*(?:is|are|does|do|has|have)\b|吗|有没有|是否", re.IGNORECASE)
_BY_LINE = re.compile(
    r"\b(?:scene|picture|image|shot|view|footage)(?: of)?\b|\b(?:the|a|an)\b|的?(?:画面|场景|镜头|图像)",
    re.IGNORECASE,
)


def answer(inquiry: Inquiry) -> Steps:
    """Read the shots; count their boundaries or find the one meant."""
    form = inquiry.form
    moment = yield from _part(inquiry)
    (record,) = yield [call("get_temporal_structure", inquiry, granularity="fine")]
    shots = shots_of(record)
    if record is None or not shots:
        words = pick(form.language, "The cuts cannot be told.", "无法判断镜头切换。")
        return Finding(words, 0.05, cannot_tell=True)
    cuts = [shot for shot in shots[1:] if moment.start_s < shot.start_time < moment.end_s]
    if form.wants_seconds:
        return (yield from _when(inquiry, shots, cuts, record))
    return _count(inquiry, shots, cuts, record)


def _part(inquiry: Inquiry) -> Generator[Sequence[OperationCall], Answers, Moment]:
    """Return the part asked about; first and last mean cuts here, scenes are found by the cuts."""
    anchor = inquiry.form.anchor("at", "before", "after")
    if anchor is None or (anchor.start_s is None and inquiry.form.wants_seconds):
        return Moment(0.0, inquiry.duration_s, whole=True)
    return (yield from moment_of(inquiry))


def _count(
    inquiry: Inquiry,
    shots: Sequence[StructureSegment],
    cuts: Sequence[StructureSegment],
    record: EvidenceRecord,
) -> Finding:
    form = inquiry.form
    shots_asked = bool(_SHOTS.search(form.text))
    value = len(cuts) + 1 if shots_asked else len(cuts)
    noun = "shot" if shots_asked else "cut"
    text = pick(
        form.language,
        f"{value} {noun}{'' if value == 1 else 's'}",
        f"{value} {'个镜头' if shots_asked else '次切换'}",
    )
    if len(cuts) == len(shots) - 1:
        said = pick(
            form.language,
            f"The video has {len(shots)} shot{'' if len(shots) == 1 else 's'}.",
            f"视频共有 {len(shots)} 个镜头。",
        )
    else:
        listed = ", ".join(seconds(cut.start_time, form.language) for cut in cuts[:8])
        said = pick(form.language, f"Cuts lie at {listed}.", f"切换发生在 {listed}。") if cuts else pick(
            form.language, "No cut lies in that part.", "该段中没有切换。"
        )  # fmt: skip
    if _EXISTS.search(form.text) and not re.search(r"how many|多少|几", form.text, re.IGNORECASE):
        text = pick(form.language, f"Yes: {text}" if cuts else "No", f"有，{text}" if cuts else "没有")
    probability = 0.85 if value == 0 else max(0.5, 0.8 - 0.02 * value)
    return Finding(text, probability, claim(said, record), said)


def _when(
    inquiry: Inquiry,
    shots: Sequence[StructureSegment],
    cuts: Sequence[StructureSegment],
    record: EvidenceRecord,
) -> Steps:
    form = inquiry.form
    if not cuts:
        words = pick(form.language, "There is no cut.", "没有镜头切换。")
        return Finding(words, 0.5, claim(words, record), words)
    scored, basis = yield from _scored(inquiry, shots, cuts)
    best = max(scored, key=lambda pair: pair[1])
    rest = sorted((score for _, score in scored), reverse=True)
    margin = rest[0] - rest[1] if len(rest) > 1 else 1.0
    time_s = best[0].start_time
    said = pick(
        form.language, f"A cut lies at {seconds(time_s, 'en')}.", f"{seconds(time_s, 'zh')}处有切换。"
    )
    probability = 0.9 if len(cuts) == 1 else min(0.85, 0.35 + 0.6 * margin) if basis else 0.35
    return Finding(seconds(time_s, form.language), probability, claim(said, record), said)


def _scored(
    inquiry: Inquiry, shots: Sequence[StructureSegment], cuts: Sequence[StructureSegment]
) -> Generator[Sequence[OperationCall], Answers, tuple[list[tuple[StructureSegment, float]], bool]]:
    """Say of each cut how well what is before and after it fits the words."""
    form = inquiry.form
    sides = [" ".join(_BY_LINE.sub(" ", side).split()) or side for side in form.items]
    asked = [form.text, *(side for side in sides if side)]
    records = yield [
        call("temporal_search", inquiry, query=query, top_k=8, modality="visual") for query in asked
    ]
    hits = dict(zip(asked, (hits_of(one) for one in records), strict=True))
    if not sides:
        last = form.anchor("last") is not None
        pointed = hits[form.text]
        if last or form.anchor("first") is not None or not pointed:
            ordered = list(cuts) if not last else list(reversed(cuts))
            return [(cut, 1.0 - 0.3 * index) for index, cut in enumerate(ordered)], True
        return [(cut, _near(cut.start_time, pointed)) for cut in cuts], True
    by_start = {shot.start_time: shot for shot in shots}
    before = {cut.start_time: shots[shots.index(cut) - 1] for cut in cuts}
    scored = []
    for cut in cuts:
        earlier, later = before[cut.start_time], by_start[cut.start_time]
        score = 0.5 * _near(cut.start_time, hits[form.text])
        if sides[0]:
            score += _ends(earlier, hits[sides[0]]) - 0.5 * _begins(later, hits[sides[0]])
        if len(sides) > 1 and sides[1]:
            score += _begins(later, hits[sides[1]]) - 0.5 * _ends(earlier, hits[sides[1]])
        scored.append((cut, score))
    return scored, any(hits[side] for side in sides if side)


def _near(time_s: float, hits: Sequence[SearchHit]) -> float:
    return max(
        (hit.confidence for hit in hits if hit.start_time - _NEAR_S <= time_s <= hit.end_time + _NEAR_S
         and hit.end_time - hit.start_time < 4 * _NEAR_S),
        default=0.0,
    )  # fmt: skip


def _ends(shot: StructureSegment, hits: Sequence[SearchHit]) -> float:
    """How surely a shot shows something, best where it shows it last."""
    return max((hit.confidence for hit in hits if _overlap(shot, hit) > 0), default=0.0)


def _begins(shot: StructureSegment, hits: Sequence[SearchHit]) -> float:
    """How surely a shot shows something from its very beginning."""
    return max(
        (
            hit.confidence * (1.0 if hit.start_time - shot.start_time < _NEAR_S else 0.6)
            for hit in hits
            if _overlap(shot, hit) > 0
        ),
        default=0.0,
    )


def _overlap(shot: StructureSegment, hit: SearchHit) -> float:
    return min(shot.end_time, hit.end_time) - max(shot.start_time, hit.start_time) - 0.05
