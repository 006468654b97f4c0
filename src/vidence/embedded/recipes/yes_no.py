"""Yes or no: whether something is heard, said, written or seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vidence.embedded.recipes.colour import measured_colours
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, hits_of, read
from vidence.embedded.recipes.sounds import asked_sounds
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import between, pick, seconds
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
_UNSEEN = 0.35
"""The probability of a no without counter-evidence: of 9 such answers measured, 2 were right."""
_MOST_OF = 0.8
"""A hit over more than this share of the video is no evidence of an event."""
_SURE_OBJECT, _SURE_NAME, _SURE_SEARCH = 0.5, 0.4, 0.55
_OTHER = re.compile(
    r"\b(?:other|another|second|anyone else|anybody else|more than one)\b|别的|其他|另", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:indoors?|outdoors?|inside|outside|night|daytime|day|dark|sunny|rainy|raining|snowing|cloudy)\b"
    r"|室内|室外|户外|白天|晚上|夜|晴|下雨|阴",
    re.IGNORECASE,
)
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
    if thing is not None and not _is_action(inquiry):
        return (yield from _present(inquiry, thing))
    if _makes_sound(form):
        heard = yield from is_heard(inquiry)
        if heard.answer.startswith(("Yes", "有")):
            return heard
    return (yield from _happens(inquiry))


def _makes_sound(form: QuestionForm) -> bool:
    """Return whether the action makes a sound: somebody sneezes, a dog barks."""
    done = form.action or ""
    if form.language == "zh":
        done = form.text
        for target in form.targets:
            done = done.replace(target.head, " ")
    return bool(asked_sounds(done))


def _placed(inquiry: Inquiry) -> Steps:
    span = yield from find_span(inquiry)
    times = sample_times(span, 3)
    looks = yield [call("get_scene_attributes", inquiry, timestamp=time) for time in times]
    told = [(one, read(one, GetSceneAttributesResult)) for one in looks if one is not None]
    language, asked = inquiry.form.language, inquiry.form.text.lower()
    for record, scene in told:
        if scene is None:
            continue
        facts = " ".join(
            str(value)
            for value in (scene.location, scene.lighting, scene.time_of_day, scene.weather)
            if value
        )
        verdict = _agrees(asked, facts)
        if verdict is not None:
            words = facts.replace("_", " ")
            text = pick(
                language,
                f"{'Yes' if verdict else 'No'}: {words}.",
                f"{'是' if verdict else '不是'}：{words}。",
            )
            return Finding(text, 0.7, claim(text, record))
    return (yield from _happens(inquiry))


_OPPOSED = (
    (r"indoor|inside|室内", "indoor", "outdoor"),
    (r"outdoor|outside|室外|户外", "outdoor", "indoor"),
    (r"\bnight|\bdark|晚上|夜", "night", "daytime"),
    (r"\bday|白天", "daytime", "night"),
    (r"sunny|晴", "sunny", "rainy cloudy"),
    (r"rain|下雨", "rainy", "sunny"),
    (r"snow|下雪", "snowy", "sunny"),
    (r"cloud|阴", "cloudy", "sunny"),
)


def _agrees(asked: str, facts: str) -> bool | None:
    for pattern, yes, no in _OPPOSED:
        if re.search(pattern, asked):
            return True if yes in facts else False if any(word in facts for word in no.split()) else None
    return None


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
        return (yield from _happens(inquiry))
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
    asked = {} if thing.category and not thing.colours else {"query": " ".join([*thing.colours, thing.head])}
    (searched, *looks) = yield [
        call("temporal_search", inquiry, query=thing.text, top_k=3, modality="visual"),
        *(call("detect_objects", inquiry, timestamp=time, **asked) for time in times),
    ]
    found = [(one, read(one, DetectObjectsResult)) for one in looks if one is not None]
    sure = _SURE_OBJECT if thing.category else _SURE_NAME
    seen = [
        (one.confidence, record, result.timestamp, one.category)
        for record, result in found
        if result is not None
        for one in result.objects
        if one.confidence >= sure and _is(one, thing) and not _mistaken(one, result.objects)
    ]
    hit = next(iter(hits_of(searched)), None)
    likely = hit.confidence if hit else 0.0
    language = inquiry.form.language
    several = len({at for _, _, at, _ in seen}) >= 2
    # A single frame may be wrong; then the search must agree.
    enough = several or (likely >= 0.25 and max((each[0] for each in seen), default=0.0) >= 0.7)
    if seen and enough:
        return _seen(inquiry, thing, *max(seen, key=lambda each: each[0]))
    if hit is not None and likely >= _SURE_SEARCH and not thing.category:
        when = between(hit.start_time, hit.end_time, language)
        text = pick(language, f"Yes, probably at {when}.", f"有，大概在 {when}。")
        return Finding(
            text, 0.3 + 0.4 * likely, claim(text, searched, start_s=hit.start_time, end_s=hit.end_time)
        )
    doubtful = {record.record_id for _, record, _, _ in seen}
    none = next((record for record, _ in found if record.record_id not in doubtful), searched)
    text = pick(language, f"No, no {thing.head} was seen.", f"没有，没有看到{thing.head}。")
    return Finding(text, 0.7 if thing.category else _UNSEEN, claim(text, none))


def _seen(
    inquiry: Inquiry, thing: Target, confidence: float, record: EvidenceRecord, at: float, category: str
) -> Finding:
    """Answer yes, citing the frame that shows the thing best."""
    if is_some_person(thing):
        return _some_person(inquiry, thing, record, at)
    time_s = seconds(at, inquiry.form.language)
    text = pick(inquiry.form.language, f"Yes, at {time_s} for example.", f"有，例如在 {time_s}。")
    told = pick(inquiry.form.language, f"A {category} is seen at {time_s}.", f"{time_s}时看到{category}。")
    proof = claim(told, record, start_s=at, end_s=at, quote=category)
    return Finding(text, min(0.85, 0.45 + 0.4 * confidence), proof)


def _some_person(inquiry: Inquiry, thing: Target, record: EvidenceRecord, at: float) -> Finding:
    """Answer that a person is seen, and that sex and age are unknown."""
    time_s = seconds(at, inquiry.form.language)
    text = pick(
        inquiry.form.language,
        f"Yes, perhaps: a person is seen at {time_s}, but it cannot be told that it is a {thing.head}.",
        f"有可能：{time_s}时看到一个人，但无法确定是不是{thing.head}。",
    )
    told = pick(inquiry.form.language, f"A person is seen at {time_s}.", f"{time_s}时看到一个人（person）。")
    return Finding(text, 0.45, claim(told, record, start_s=at, end_s=at, quote="person"))


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


def _happens(inquiry: Inquiry) -> Steps:
    """Answer whether something happens; without good evidence the answer is no."""
    span = yield from find_span(inquiry)
    statement = re.sub(
        r"^\W*(?:is|are|was|were|does|do|did|has|have|can|could|will)\b",
        "",
        inquiry.form.text,
        flags=re.IGNORECASE,
    )
    statement = re.sub(
        r"\b(?:again|ever|before the (?:clip|video) ends?|any|at any (?:time|point))\b|吗|是否|有没有|[?？]",
        " ",
        statement,
    )
    searchable = " ".join(statement.split()) or inquiry.form.text
    start, end = span.start_s, span.end_s
    searched, acts = yield (
        call("temporal_search", inquiry, query=searchable, top_k=3, modality="visual"),
        call("recognize_activity", inquiry, start_time=start, end_time=end, granularity="atomic"),
    )  # fmt: skip
    best = next(iter(hits_of(searched)), None)
    language = inquiry.form.language
    everywhere = best is not None and best.end_time - best.start_time > _MOST_OF * inquiry.duration_s
    if best is not None and best.confidence >= 0.72 and not everywhere:
        when = between(best.start_time, best.end_time, language)
        text = pick(language, f"Yes, probably at {when}.", f"是的，大概在 {when}。")
        return Finding(text, 0.5, claim(text, searched, start_s=best.start_time, end_s=best.end_time))
    text = pick(language, "No, nothing of the kind was seen.", "没有，没有看到这样的情况。")
    return Finding(text, _UNSEEN, claim(text, searched, also=(acts,)))


def _unknown(inquiry: Inquiry) -> Finding:
    text = phrase("cannot_tell", inquiry.form.language)
    return Finding(text, 0.1, cannot_tell=True)
