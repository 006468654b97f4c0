"""Yes or no: whether something is heard, said, written or seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vidence.embedded.recipes.colour import measured_colours
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, hits_of, read
from vidence.embedded.recipes.scene import scene_words
from vidence.embedded.recipes.sounds import asked_sounds
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import pick, seconds
from vidence.embedded.recipes.yes_no_audio_text import is_heard, is_said, is_written
from vidence.language.colours import colour_terms, find_colours
from vidence.language.objects import resolve_asked
from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm, Target, read_question
from vidence.language.question.naming import is_some_person
from vidence.language.tables import words_of
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["answer"]

_FRAMES = 8
_UNSEEN = 0.7
_SURE_OBJECT = 0.5
_OTHER = re.compile(
    r"\b(?:other|another|second|anyone else|anybody else|more than one)\b|别的|其他|另", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:indoors?|outdoors?|night(?:time)?|daytime|sunny|rainy|raining|snowing|cloudy)\b|\b(?:inside|outside|dark)\W*$"
    r"|室内|室外|户外|白天|晚上|夜|晴天|下雨|下雪|阴天",
    re.IGNORECASE,
)
_EXISTS = re.compile(
    r"^\W*(?:is|are|was|were) there\b|\b(?:can|do|could) (?:you|we|one|i) see\b|\b(?:can|could) be seen\b"
    r"|\b(?:visible|in (?:the|this) (?:video|clip|film|picture|scene|image|photo|shot|view|footage))\W*$"
    r"|\b(?:appears?|shows?|contains?)\b|^\W*(?:视频|画面|影片|片段|镜头|图)?[里中上]?.{0,8}(?:有没有|有无|是否有|有|出现|看到|看见)",
    re.IGNORECASE,
)
"""A question whether something is there at all; whether a tie has a pattern is another question."""
_ENDED = re.compile(
    r"\b(?:the )?(?:video|clip|film|picture|scene|frame|screen|ends?|start|visible|seen|shown|appear\w*)\b",
    re.IGNORECASE,
)
_SEEING = words_of("words.tsv", "seeing", room="embedded")


def answer(inquiry: Inquiry) -> Steps:
    """Answer from the sense that the question asks about."""
    form = inquiry.form
    if form.sense == "heard":
        return (yield from is_heard(inquiry))
    if form.sense == "said":
        return (yield from is_said(inquiry))
    if form.sense == "read":
        return (yield from is_written(inquiry))
    if _PLACE.search(form.text):
        return (yield from _placed(inquiry))
    subject = _coloured_subject(inquiry)
    if subject is not None:
        return (yield from _coloured(inquiry, subject, find_colours(form.text)))
    thing = _thing(form.targets)
    if thing is not None and thing.category == "person" and _OTHER.search(form.text):
        return (yield from _others(inquiry))
    if (
        thing is not None
        and thing.category is not None
        and _EXISTS.search(form.text)
        and not _is_action(inquiry)
    ):
        return (yield from _present(inquiry, thing))
    if _makes_sound(form):
        heard = yield from is_heard(inquiry)
        if heard.answer.startswith(("Yes", "有")):
            return heard
    return _unknown(inquiry)


def _makes_sound(form: QuestionForm) -> bool:
    """Return whether the action makes a sound: somebody sneezes, a dog barks."""
    done = form.action or ""
    if form.language == "zh":
        done = form.text
        for target in form.targets:
            done = done.replace(target.head, " ")
    return bool(asked_sounds(done))


def _placed(inquiry: Inquiry) -> Steps:
    """Answer from the attributes of the scene that most of three looks agree on."""
    language, asked = inquiry.form.language, inquiry.form.text
    name, yes, no = next(row[1:] for row in _OPPOSED if re.search(row[0], asked, re.IGNORECASE))
    span = yield from find_span(inquiry)
    looks = yield [call("get_scene_attributes", inquiry, timestamp=time) for time in sample_times(span, 3)]
    told = [
        (value, one)
        for one in looks
        if (scene := read(one, GetSceneAttributesResult))
        and re.match(f"{yes}|{no}", value := getattr(scene, name) or "")
    ]
    if not told:
        return _unknown(inquiry)
    agreeing = sum(bool(re.match(yes, value)) for value, _ in told)
    verdict = 2 * agreeing > len(told)
    value, record = next(one for one in told if bool(re.match(yes, one[0])) == verdict)
    words = pick(language, *scene_words(name, value))
    text = pick(
        language, f"{'Yes' if verdict else 'No'}, {words}.", f"{'是' if verdict else '不是'}，{words}。"
    )
    share = max(agreeing, len(told) - agreeing) / len(told)
    plain = value.replace("_", " ")
    said = pick(language, f"The {name.replace('_', ' ')} is {plain}.", f"{words}（{plain}）。")
    return Finding(text, 0.4 + 0.35 * share, claim(said, record, quote=value))


_OPPOSED = (
    # What is asked, the attribute of the scene, and what its value begins with for a yes and for a no.
    (r"indoor|inside|室内", "location", "indoor", "outdoor"),
    (r"outdoor|outside|室外|户外", "location", "outdoor", "indoor"),
    (r"\bnight|\bdark|晚上|夜", "time_of_day", "night|dusk", "day|morning|noon|afternoon|dawn"),
    (r"\bday|白天", "time_of_day", "day|morning|noon|afternoon", "night"),
    (r"sunny|晴", "weather", "sunny", "rainy|cloudy|snowy"),
    (r"rain|下雨", "weather", "rainy", "sunny"),
    (r"snow|下雪", "weather", "snowy", "sunny|cloudy|rainy"),
    (r"cloud|阴", "weather", "cloudy", "sunny"),
)


def _coloured_subject(inquiry: Inquiry) -> str | None:
    """Return the colour question behind "is the mug red?"; None for any other question."""
    text = inquiry.form.text
    names = [word for word, _ in colour_terms()]
    ascii_names = "|".join(re.escape(word) for word in names if word.isascii())
    english = re.match(
        rf"\W*(?:is|are|was|were)\s+((?:the|his|her|their|this|that)\b.*?)\s+(?:{ascii_names})\W*$",
        text,
        re.IGNORECASE,
    )
    if english:
        return f"What colour is {english[1]}?"
    chinese = re.match(r"(.+?)是[^是]{1,4}色的?吗", text)
    return f"{chinese[1]}是什么颜色？" if chinese else None


def _coloured(inquiry: Inquiry, subject: str, asked: Sequence[str]) -> Steps:
    found = yield from measured_colours(replace(inquiry, form=read_question(subject).form))
    if found is None:
        return _unknown(inquiry)
    colour, finding = found
    language = inquiry.form.language
    agrees = any(one in colour for one in asked)
    lead = pick(language, "Yes, " if agrees else "No, ", "是的，" if agrees else "不是，")
    text = f"{lead}{finding.answer[:1].lower()}{finding.answer[1:]}"
    return Finding(text, 0.65 if agrees else 0.6, finding.claims)


def _thing(targets: Sequence[Target]) -> Target | None:
    """Return the first target that is more than a word for the video or picture."""
    return next((one for one in targets if not _ENDED.fullmatch(one.text.strip())), None)


def _is_action(inquiry: Inquiry) -> bool:
    action = (inquiry.form.action or "").lower()
    return bool(action) and not (set(action.split()) & _SEEING)


def _others(inquiry: Inquiry) -> Steps:
    """Answer whether more than one person is ever in the picture."""
    span = yield from find_span(inquiry)
    times = sample_times(span, _FRAMES)
    looks = yield [
        call("detect_objects", inquiry, timestamp=time, category="person", confidence_threshold=0.5)
        for time in times
    ]
    counts = [
        (len(found.objects), one, found.timestamp)
        for one in looks
        if (found := read(one, DetectObjectsResult))
    ]
    if not counts:
        return _unknown(inquiry)
    most, record, at = max(counts, key=lambda each: each[0])
    several = sum(count > 1 for count, _, _ in counts)
    language = inquiry.form.language
    if several >= max(1, len(counts) // 4) and most > 1:
        text = pick(
            language,
            f"Yes, {most} people are in the picture at {seconds(at, 'en')}.",
            f"有，{seconds(at, 'zh')}时画面中有 {most} 个人。",
        )
        return Finding(text, 0.8, claim(text, record, start_s=at, end_s=at))
    text = pick(
        language, "No, never more than one person is in the picture.", "没有，画面中始终不超过一个人。"
    )
    plain = pick(language, "No other person is in the picture.", "画面中没有其他人。")
    return Finding(text, 0.85, claim(plain, record, start_s=at, end_s=at))


def _present(inquiry: Inquiry, thing: Target) -> Steps:
    """Detect the thing in several frames, and search for it."""
    span = yield from find_span(inquiry)
    times = sample_times(span, _FRAMES)
    # Detect all objects, so that a dog that looks a little like a cat is still named a dog.
    asked = {"query": " ".join([*thing.colours, thing.head])} if thing.colours else {}
    (searched, *looks) = yield [
        call("temporal_search", inquiry, query=thing.text, top_k=3, modality="visual"),
        *(call("detect_objects", inquiry, timestamp=time, **asked) for time in times),
    ]
    found = [(one, read(one, DetectObjectsResult)) for one in looks if one is not None]
    seen = [
        (one.confidence, record, result.timestamp, one.category)
        for record, result in found
        if result is not None
        for one in result.objects
        if one.confidence >= _SURE_OBJECT and _is(one, thing) and not _mistaken(one, result.objects)
    ]
    hit = next(iter(hits_of(searched)), None)
    likely = hit.confidence if hit else 0.0
    language = inquiry.form.language
    several = len({at for _, _, at, _ in seen}) >= 2
    # A single frame may be wrong; then the search must agree.
    enough = several or (likely >= 0.25 and max((each[0] for each in seen), default=0.0) >= 0.7)
    if seen and is_some_person(thing):
        # Detectors tell people, not their sex or age.
        return _unknown(inquiry)
    if seen and enough:
        return _seen(inquiry, *max(seen, key=lambda each: each[0]))
    doubtful = {record.record_id for _, record, _, _ in seen}
    none = next((record for record, _ in found if record.record_id not in doubtful), searched)
    text = pick(language, f"No, no {thing.head} was seen.", f"没有，没有看到{thing.head}。")
    return Finding(text, _UNSEEN, claim(text, none))


def _seen(inquiry: Inquiry, confidence: float, record: EvidenceRecord, at: float, category: str) -> Finding:
    """Answer yes, citing the frame that shows the thing best."""
    time_s = seconds(at, inquiry.form.language)
    text = pick(inquiry.form.language, f"Yes, at {time_s} for example.", f"有，例如在 {time_s}。")
    told = pick(inquiry.form.language, f"A {category} is seen at {time_s}.", f"{time_s}时看到{category}。")
    proof = claim(told, record, start_s=at, end_s=at, quote=category)
    return Finding(text, min(0.85, 0.45 + 0.4 * confidence), proof)


def _is(one: DetectedObject, thing: Target) -> bool:
    if thing.category is None or thing.colours:
        return True
    return one.category in (resolve_asked(thing.head) or resolve_asked(thing.category) or {thing.category})


def _mistaken(one: DetectedObject, objects: Sequence[DetectedObject]) -> bool:
    """Return whether another category has a higher confidence at the same place."""
    x, y, w, h = one.bbox
    for other in objects:
        if other.category == one.category or other.confidence <= one.confidence:
            continue
        wide = min(x + w, other.bbox[0] + other.bbox[2]) - max(x, other.bbox[0])
        high = min(y + h, other.bbox[1] + other.bbox[3]) - max(y, other.bbox[1])
        if wide > 0 and high > 0 and wide * high > 0.6 * w * h and other.category != "person":
            return True
    return False


def _unknown(inquiry: Inquiry) -> Finding:
    text = phrase("cannot_tell", inquiry.form.language)
    return Finding(text, 0.1, cannot_tell=True)
