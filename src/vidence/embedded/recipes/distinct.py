"""How many different ones there are over time: each is given a name, and the names are counted."""

from __future__ import annotations

from collections.abc import Mapping

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.nouns import counted
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.timeline import Look, look, spread
from vidence.embedded.recipes.wording import pick, seconds
from vidence.language.question.form import Target
from vidence.ops.register_entity import RegisterEntityResult
from vidence.ops.track_entity import TrackEntityResult
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["count_distinct"]

_EVERY_S = 2.5
_LEAST, _MOST = 4, 24
_MOST_NAMED = 150
_SEEN_S = 0.5
_SEEN_SHARE = 0.03
"""Who is followed for less than this much of the video is more often a slip than another one."""


def count_distinct(inquiry: Inquiry, target: Target) -> Steps:
    """Name everyone seen at moments spread over the video; the same one keeps its name."""
    duration, language = inquiry.duration_s, inquiry.form.language
    number = min(_MOST, max(_LEAST, int(duration / _EVERY_S) + 1))
    looks = yield from look(inquiry, spread(0.0, duration, number, duration), target)
    if not any(one.count for one in looks):
        none = counted(0, target, language)
        return Finding(none, 0.35, claim(none, looks[0].record) if looks else (), none)
    pointed = [
        call("register_entity", inquiry, initial_timestamp=one.time_s, object_id=thing.object_id)
        for one in looks
        for thing in one.objects
    ]
    registered = yield pointed[:_MOST_NAMED]
    told = [read(record, RegisterEntityResult) for record in registered]
    names = list(dict.fromkeys(one.entity_id for one in told if one is not None))
    followed = yield [call("track_entity", inquiry, entity_id=name) for name in names]
    least = max(_SEEN_S, _SEEN_SHARE * duration)
    lasting = {
        name: record for name, record in zip(names, followed, strict=True) if _followed_s(record) >= least
    }
    return _finding(inquiry, target, {k: v for k, v in lasting.items() if v is not None}, looks)


def _followed_s(record: EvidenceRecord | None) -> float:
    track = read(record, TrackEntityResult)
    return 0.0 if track is None else track.summary.total_duration


def _finding(
    inquiry: Inquiry, target: Target, lasting: Mapping[str, EvidenceRecord], looks: list[Look]
) -> Finding:
    language = inquiry.form.language
    fullest = max(looks, key=lambda one: one.count)
    value = max(len(lasting), fullest.count)
    things = counted(value, target, language)
    claims: tuple[Claim, ...] = ()
    if len(lasting) == value:
        first, *rest = lasting.values()
        apart = pick(language, f"{things} are told apart.", f"可以区分出 {things}。")
        claims = claim(apart, first, also=tuple(rest))
    at_once = counted(fullest.count, target, language)
    seen = pick(
        language,
        f"At {seconds(fullest.time_s, 'en')} {at_once} are in the picture at once.",
        f"{seconds(fullest.time_s, 'zh')}时画面中同时有 {at_once}。",
    )
    different = pick(language, f"{value} different {things.split(' ', 1)[1]}", f"{things}（不同的）")
    # Those seen at once are certainly different; beyond them, one may have been given two names.
    probability = 0.3 + 0.55 * fullest.count / value
    return Finding(different, probability, claims + claim(seen, fullest.record), f"{different}. {seen}")
