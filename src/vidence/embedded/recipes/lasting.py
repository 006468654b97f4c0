"""How long: the video itself, or a thing in its picture."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.happening import watched
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.timeline import shown, stretches
from vidence.embedded.recipes.wording import between, joined, pick, seconds
from vidence.language.question.form import Target
from vidence.ops.get_video_info import GetVideoInfoResult

__all__ = ["time_in_picture", "whole_length"]

_LISTED = 4


def whole_length(inquiry: Inquiry) -> Steps:
    """Return how long the video is."""
    language = inquiry.form.language
    (record,) = yield [call("get_video_info", inquiry)]
    told = read(record, GetVideoInfoResult)
    length = seconds(told.duration if told else inquiry.duration_s, language)
    said = pick(language, f"The video lasts {length}.", f"视频长 {length}。")
    return Finding(length, 0.95, claim(said, record), said)


def time_in_picture(inquiry: Inquiry, thing: Target) -> Steps:
    """Add up the stretches in which a thing is seen, look by look."""
    language = inquiry.form.language
    looks = yield from watched(inquiry, thing)
    runs = stretches(looks, there=True)
    if not runs:
        text = pick(
            language, f"It cannot be told: no {thing.head} was seen.", f"无法判断：没有看到{thing.head}。"
        )
        return Finding(text, 0.1, cannot_tell=True)
    step = median([after.time_s - before.time_s for before, after in pairwise(looks)] or [0.0])
    # It came and went somewhere between two looks: half a step at either end.
    spans = [
        (max(0.0, run[0].time_s - step / 2), min(inquiry.duration_s, run[-1].time_s + step / 2))
        for run in runs
    ]
    total = seconds(sum(end - start for start, end in spans), language)
    listed = joined([between(start, end, language) for start, end in spans[:_LISTED]], language)
    text = pick(language, f"About {total} ({listed})", f"约 {total}（{listed}）")
    ends = {one.time_s: one for run in runs[:_LISTED] for one in (run[0], run[-1])}
    return Finding(text, 0.5, shown(ends.values(), thing, language))
