"""Whether the camera moves, and how."""

from __future__ import annotations

import re
from collections import Counter

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.moments import moment_of, sample_times
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.wording import pick, seconds
from vidence.ops.get_scene_attributes import GetSceneAttributesResult

__all__ = ["answer"]

_LOOKS = 5
_STATIC = "static"
_CHINESE = {
    "static": "静止", "pan": "摇动", "pan_left": "向左摇", "pan_right": "向右摇", "tilt": "俯仰",
    "tilt_up": "上摇", "tilt_down": "下摇", "zoom": "变焦", "zoom_in": "推近", "zoom_out": "拉远",
    "tracking": "跟拍", "handheld": "手持晃动",
}  # fmt: skip
_NAMED = (
    ("zoom", r"\bzoom\w*|推近|拉远|变焦"),
    ("pan", r"\bpan(?:s|ning)?\b|摇镜"),
    ("tilt", r"\btilt\w*|俯仰|上摇|下摇"),
    ("moving", r"\bmov\w+|in motion|移动|运动|在动|动吗|晃"),
    ("static", r"\b(?:static|still|fixed|stationary|steady)\b|静止|固定|不动"),
)


def answer(inquiry: Inquiry) -> Steps:
    """Ask how the camera moves at several moments and go by the most common."""
    form = inquiry.form
    moment = yield from moment_of(inquiry)
    times = sample_times(moment, _LOOKS)
    records = yield [
        call("get_scene_attributes", inquiry, timestamp=time_s, attributes=["camera_motion"])
        for time_s in times
    ]
    seen = [
        (time_s, record, read(record, GetSceneAttributesResult))
        for time_s, record in zip(times, records, strict=True)
    ]
    told = [(t, r, str(one.camera_motion)) for t, r, one in seen if one is not None and one.camera_motion]
    if not told:
        words = pick(form.language, "It cannot be told how the camera moves.", "无法判断镜头如何运动。")
        return Finding(words, 0.05, cannot_tell=True)
    still = sum(motion == _STATIC for _, _, motion in told) / len(told)
    common = Counter(motion for _, _, motion in told).most_common(1)[0][0]
    motion = (
        _STATIC
        if still >= 0.6
        else next(m for _, _, m in told if m != _STATIC)
        if common == _STATIC
        else common
    )
    time_s, record, _ = next(one for one in told if one[2] == motion)
    agreed = still if motion == _STATIC else 1 - still
    said = pick(
        form.language,
        f"At {seconds(time_s, 'en')} the camera motion is {motion.replace('_', ' ')}.",
        f"{seconds(time_s, 'zh')}时镜头运动为 {motion}。",
    )
    return Finding(_worded(inquiry, motion), 0.45 + 0.45 * agreed, claim(said, record), said)


def _worded(inquiry: Inquiry, motion: str) -> str:
    form = inquiry.form
    static = motion == _STATIC
    name = motion.replace("_", " ")
    plain = pick(
        form.language,
        "Static" if static else f"Moving ({name})",
        "静止的" if static else f"在动（{_CHINESE.get(motion, motion)}）",
    )
    asked = [kind for kind, pattern in _NAMED if re.search(pattern, form.text, re.IGNORECASE)]
    is_yes_no = (
        bool(re.match(r"\W*(?:is|are|does|do|did|was|were|has)\b", form.text, re.IGNORECASE))
        or "吗" in form.text
    )
    if len(asked) != 1 or not is_yes_no or form.alternatives:
        return plain
    holds = {"static": static, "moving": not static}.get(asked[0], asked[0] in motion)
    return pick(
        form.language, f"{'Yes' if holds else 'No'}: {plain.lower()}", f"{'是' if holds else '不是'}，{plain}"
    )
