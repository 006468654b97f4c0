"""Where something happens, or where in the picture something is."""

from __future__ import annotations

import re
from collections import Counter

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.moments import Moment, moment_of, sample_times
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.language.question.form import Target
from vidence.language.tables import read_table
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult

__all__ = ["answer"]

_FRAMES = 5
_PICTURE = re.compile(r"\b(?:picture|frame|screen|image|side)\b|画面|屏幕|哪一?边|哪一侧", re.IGNORECASE)
_SCENE = re.compile(
    r"\b(?:take place|taking place|happen|happening|set|filmed|shot|recorded|going on|video|clip|"
    r"scene|location|are they|is he|is she|are we)\b|哪里拍|什么地方|场景|发生在|地点",
    re.IGNORECASE,
)


def answer(inquiry: Inquiry) -> Steps:
    """Name the place, or where in the picture the thing asked for is."""
    moment = yield from moment_of(inquiry)
    thing = next((one for one in inquiry.form.targets if one.category and one.category != "person"), None)
    if thing is not None and (_PICTURE.search(inquiry.form.text) or not _SCENE.search(inquiry.form.text)):
        return (yield from _in_picture(inquiry, thing, moment))
    return (yield from _scene(inquiry, moment))


def _scene(inquiry: Inquiry, moment: Moment) -> Steps:
    language = inquiry.form.language
    looks = yield [
        call("get_scene_attributes", inquiry, timestamp=time) for time in sample_times(moment, _FRAMES)
    ]
    found = [(scene, one) for one in looks if (scene := read(one, GetSceneAttributesResult)) is not None]
    votes = Counter(scene.location for scene, _ in found if scene.location)
    if not votes:
        text = pick(language, "It cannot be told where this is.", "无法判断这是哪里。")
        return Finding(text, 0.1, claim(text, found[0][1] if found else None), cannot_tell=True)
    place, count = votes.most_common(1)[0]
    record = next(one for scene, one in found if scene.location == place)
    words = pick(language, *_place_words(place))
    text = sentence(words, language)
    told = pick(language, f"The place is {place.replace('_', ' ')}", f"地点是{words}（{place}）")
    return Finding(text, 0.3 + 0.3 * count / len(found), claim(told, record, quote=place))


def _place_words(place: str) -> tuple[str, str]:
    for row in read_table("scene_names.tsv"):
        if row[:2] == ["place", place]:
            return row[2], row[3]
    plain = place.partition("_")[2].replace("_", " ") or place
    return plain, plain


def _in_picture(inquiry: Inquiry, thing: Target, moment: Moment) -> Steps:
    language = inquiry.form.language
    looks = yield [
        call("detect_objects", inquiry, timestamp=time, query=thing.head)
        for time in sample_times(moment, _FRAMES)
    ]
    found = [(result, one) for one in looks if (result := read(one, DetectObjectsResult)) and result.objects]
    if not found:
        return (yield from _scene(inquiry, moment))
    places = Counter(_place(result.objects[0].bbox) for result, _ in found)
    place, count = places.most_common(1)[0]
    result, record = next(each for each in found if _place(each[0].objects[0].bbox) == place)
    english, chinese = _WORDS[place]
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


_WORDS = {
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
