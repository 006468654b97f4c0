"""The scene: where it is, where in the picture a thing is, and how the camera moves."""

from __future__ import annotations

import re
from collections import Counter

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, read
from vidence.embedded.recipes.spans import QuestionSpan, find_span, sample_times
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.language.question import Target
from vidence.language.tables import read_table
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult

__all__ = ["scene_words", "tell_camera", "tell_place"]

_FRAMES = 5
_PICTURE = re.compile(r"\b(?:picture|frame|screen|image|side)\b|画面|屏幕|哪一?边|哪一侧", re.IGNORECASE)
_PLACE_ASKED = re.compile(
    r"\b(?:take place|taking place|happen|happening|set|filmed|shot|recorded|going on|video|clip|"
    r"scene|location|are they|is he|is she|are we)\b|哪里拍|什么地方|场景|发生在|地点",
    re.IGNORECASE,
)
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


def tell_place(inquiry: Inquiry) -> Steps:
    """Name the place, or the position of a thing in the picture."""
    span = yield from find_span(inquiry)
    thing = next((one for one in inquiry.form.targets if one.category and one.category != "person"), None)
    if thing is not None and (
        _PICTURE.search(inquiry.form.text) or not _PLACE_ASKED.search(inquiry.form.text)
    ):
        return (yield from _in_picture(inquiry, thing, span))
    return (yield from _scene(inquiry, span))


def _scene(inquiry: Inquiry, span: QuestionSpan) -> Steps:
    language = inquiry.form.language
    looks = yield [
        call("get_scene_attributes", inquiry, timestamp=time) for time in sample_times(span, _FRAMES)
    ]
    found = [(scene, one) for one in looks if (scene := read(one, GetSceneAttributesResult)) is not None]
    votes = Counter(scene.location for scene, _ in found if scene.location)
    if not votes:
        text = pick(language, "It cannot be told where this is.", "无法判断这是哪里。")
        return Finding(text, 0.1, claim(text, found[0][1] if found else None), cannot_tell=True)
    place, count = votes.most_common(1)[0]
    record = next(one for scene, one in found if scene.location == place)
    words = pick(language, *scene_words("location", place))
    text = sentence(words, language)
    told = pick(language, f"The place is {place.replace('_', ' ')}", f"地点是{words}（{place}）")
    return Finding(text, 0.3 + 0.3 * count / len(found), claim(told, record, quote=place))


def scene_words(attribute: str, value: str) -> tuple[str, str]:
    """Return a value of a scene's attribute in English and Chinese."""
    kind = {"location": "place", "time_of_day": "time"}.get(attribute, attribute)
    for row in read_table("scene_names.tsv"):
        if row[:2] == [kind, value]:
            return row[2], row[3]
    plain = value.partition("_")[2].replace("_", " ") or value
    return plain, plain


def _in_picture(inquiry: Inquiry, thing: Target, span: QuestionSpan) -> Steps:
    language = inquiry.form.language
    looks = yield [
        call("detect_objects", inquiry, timestamp=time, query=thing.head)
        for time in sample_times(span, _FRAMES)
    ]
    found = [(result, one) for one in looks if (result := read(one, DetectObjectsResult)) and result.objects]
    if not found:
        text = pick(
            language,
            f"It cannot be told: no {thing.head} was made out.",
            f"无法判断：没有辨认出{thing.head}。",
        )
        return Finding(text, 0.1, claim(text, looks[0] if looks else None), cannot_tell=True)
    places = Counter(_place(result.objects[0].bbox) for result, _ in found)
    place, count = places.most_common(1)[0]
    result, record = next(each for each in found if _place(each[0].objects[0].bbox) == place)
    english, chinese = _PLACE_WORDS[place]
    at = seconds(result.timestamp, language)
    text = sentence(pick(language, english, chinese), language)
    told = pick(
        language, f"At {at} the {result.objects[0].category} is {english}", f"{at}时{thing.head}{chinese}"
    )
    return Finding(
        text, 0.35 + 0.3 * count / len(found), claim(told, record, quote=result.objects[0].category)
    )


def _place(bbox: tuple[float, float, float, float]) -> str:
    x, y = bbox[0] + bbox[2] / 2, bbox[1] + bbox[3] / 2
    column = "left" if x < 0.36 else "right" if x > 0.64 else "middle"
    row = "top" if y < 0.3 else "bottom" if y > 0.75 else ""
    return f"{row} {column}".strip()


_PLACE_WORDS = {
    "left": ("on the left of the picture", "在画面左侧"),
    "right": ("on the right of the picture", "在画面右侧"),
    "middle": ("in the middle of the picture", "在画面中间"),
    "top left": ("at the top left of the picture", "在画面左上方"),
    "top right": ("at the top right of the picture", "在画面右上方"),
    "top middle": ("at the top of the picture", "在画面上方"),
    "bottom left": ("at the bottom left of the picture", "在画面左下方"),
    "bottom right": ("at the bottom right of the picture", "在画面右下方"),
    "bottom middle": ("at the bottom of the picture", "在画面下方"),
}


def tell_camera(inquiry: Inquiry) -> Steps:
    """Return the most common camera motion of several times."""
    form = inquiry.form
    span = yield from find_span(inquiry)
    times = sample_times(span, _LOOKS)
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
