"""Yes or no: whether something is heard, said, written or seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vidence.embedded.recipes.colour import measured_colours
from vidence.embedded.recipes.objects import TimedDetections, detect_at, looks_of, sure_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, has_cue, hits_of, untold
from vidence.embedded.recipes.scene import scene_words, scenes_at
from vidence.embedded.recipes.sounds import asked_sounds
from vidence.embedded.recipes.spans import find_span, likely_times, sample_times
from vidence.embedded.recipes.wording import in_picture, pick, seconds, sentence
from vidence.embedded.recipes.yes_no_audio_text import is_heard, is_said, is_written
from vidence.language.categories import category_words
from vidence.language.colours import colour_terms, find_colours
from vidence.language.objects import resolve_asked
from vidence.language.question import QuestionForm, Target, read_question
from vidence.language.question.naming import is_some_person
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, terms
from vidence.ops.detect_objects import DetectedObject
from vidence.runs.notes import noted_lines
from vidence.schema.agent import AnswerLanguage
from vidence.schema.perception import Box

__all__ = ["answer"]

_FRAMES = 8
_UNSEEN = 0.7
_SURE_OBJECT = 0.5
_ENDED = re.compile(
    r"\b(?:the )?(?:video|clip|film|picture|scene|frame|screen|ends?|start|visible|seen|shown|appear\w*)\b",
    re.IGNORECASE,
)
_PERSON: dict[AnswerLanguage, str] = {"en": "person", "zh": "人"}
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
    if has_cue("placed", form.text):
        return (yield from _placed(inquiry))
    subject = _coloured_subject(inquiry)
    if subject is not None:
        return (yield from _coloured(inquiry, subject, find_colours(form.text)))
    thing = _thing(form.targets)
    if thing is not None and thing.category == "person" and has_cue("others", form.text):
        return (yield from _others(inquiry))
    if has_cue("empty_place", form.text):
        return (yield from _is_empty(inquiry))
    if (
        thing is not None
        and thing.category is not None
        and has_cue("exists", form.asked)
        and not _is_action(inquiry)
    ):
        return (yield from _present(inquiry, thing))
    if _makes_sound(form):
        heard = yield from is_heard(inquiry)
        if heard.answer.startswith(("Yes", "有")):
            return heard
    return (yield from _is_done(inquiry))


def _is_done(inquiry: Inquiry) -> Steps:
    """Answer yes where an action that was recognised is the one asked about; its absence says nothing."""
    asked = set(query_terms(inquiry.form.text)) - category_words()["person"]
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    for line in noted_lines(record) if record else ():
        if line.kind == "action" and asked & set(terms(line.text)):
            return Finding(
                sentence(inquiry.say("yes_that", line.text), inquiry.language),
                line.confidence,
                claim(line.text, record, line, quote=line.text),
            )
    return untold(inquiry)


def _is_empty(inquiry: Inquiry) -> Steps:
    """Answer whether nobody is there from the people that are seen."""
    span = yield from find_span(inquiry)
    looks = yield from detect_at(inquiry, sample_times(span, _FRAMES), "person")
    if not looks:
        return untold(inquiry)
    most = max(looks, key=lambda one: one.count)
    if most.count:
        people = Target(text=_PERSON[inquiry.language], head=_PERSON[inquiry.language], category="person")
        told = in_picture(most.count, people, most.time_s, inquiry.language)
        text = inquiry.say("is_not_so", f"{told[:1].lower()}{told[1:]}")
        return Finding(text, sure_of([most]), claim(told, most.record, most.time_s))
    text = inquiry.say("nobody_seen")
    return Finding(inquiry.say("is_so", text), _UNSEEN, claim(text, most.record, most.time_s))


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
    language, asked = inquiry.language, inquiry.form.text
    name, yes, no = next(row[1:] for row in _OPPOSED if re.search(row[0], asked, re.IGNORECASE))
    span = yield from find_span(inquiry)
    looks = yield from scenes_at(inquiry, sample_times(span, 3))
    known = [(getattr(one.scene, name) or "", one.record) for one in looks]
    told = [pair for pair in known if re.match(f"{yes}|{no}", pair[0])]
    if not told:
        return untold(inquiry)
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
        return untold(inquiry)
    colour, finding = found
    agrees = any(one in colour for one in asked)
    words = f"{finding.answer[:1].lower()}{finding.answer[1:]}"
    text = inquiry.say("is_so" if agrees else "is_not_so", words)
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
    looks = yield from detect_at(inquiry, sample_times(span, _FRAMES), "person")
    if not looks:
        return untold(inquiry)
    most = max(looks, key=lambda one: one.count)
    several = sum(one.count > 1 for one in looks)
    if several >= max(1, len(looks) // 4):
        text = inquiry.say("others_seen", most.count, at=seconds(most.time_s, inquiry.language))
        return Finding(text, 0.8, claim(text, most.record, most.time_s))
    plain = inquiry.say("no_other_person")
    return Finding(inquiry.say("no_others"), 0.85, claim(plain, most.record, most.time_s))


def _present(inquiry: Inquiry, thing: Target) -> Steps:
    """Detect the thing in several frames, and search for it."""
    span = yield from find_span(inquiry)
    # Detect all objects, so that a dog that looks a little like a cat is still named a dog.
    asked = {"query": " ".join([*thing.colours, thing.head])} if thing.colours else {}
    times = yield from likely_times(inquiry, span, thing.text, _FRAMES)
    (searched, *records) = yield [
        call("temporal_search", inquiry, query=thing.text, top_k=3, modality="visual"),
        *(call("detect_objects", inquiry, timestamp=time, **asked) for time in times),
    ]
    looks = looks_of(records)
    seen = [
        (one, look)
        for look in looks
        for one in look.objects
        if one.confidence >= _SURE_OBJECT and _is(one, thing) and not _mistaken(one, look.objects)
    ]
    if seen and is_some_person(thing):
        # Detectors tell people, not their sex or age.
        return untold(inquiry)
    shown_at = {look.time_s for _, look in seen}
    # A single frame may be wrong; then the search must agree.
    is_found = any(hit.confidence >= 0.25 for hit in hits_of(searched)[:1])
    is_once = len(shown_at) < 2 and not (is_found and any(one.confidence >= 0.7 for one, _ in seen))
    if is_once or _is_outvoted(seen, looks):
        text = inquiry.say("not_seen", thing.head)
        # A look with a doubtful one would not prove it.
        bare = (look.record for look in looks if not any(_is(one, thing) for one in look.objects))
        none = next(bare, searched)
        return Finding(text, _UNSEEN, claim(text, none))
    best, shown = max(seen, key=lambda pair: pair[0].confidence)
    at = seconds(shown.time_s, inquiry.language)
    told = inquiry.say("kind_seen_at", best.category, at=at)
    proof = claim(told, shown.record, shown.time_s, quote=best.category)
    return Finding(inquiry.say("yes_at", at), min(0.85, 0.45 + 0.4 * best.confidence), proof)


def _is(one: DetectedObject, thing: Target) -> bool:
    if thing.category is None or thing.colours:
        return True
    return one.category in (resolve_asked(thing.head) or resolve_asked(thing.category) or {thing.category})


def _is_outvoted(
    seen: Sequence[tuple[DetectedObject, TimedDetections]], looks: Sequence[TimedDetections]
) -> bool:
    """Tell whether the animal that was seen is another one, which most looks show instead of it.

    Detectors mix animals up from frame to frame: a dog is a cat in two of eight.
    """
    animals, own = category_words()["animal"], {one.category for one, _ in seen}
    if not own or not own <= animals:
        return False
    times = {look.time_s for _, look in seen}
    others = Counter(
        name
        for look in looks
        if look.time_s not in times
        for name in {one.category for one in look.objects if one.confidence >= _SURE_OBJECT} & animals - own
    )
    together = {
        one.category
        for look in looks
        if look.time_s in times
        for one in look.objects
        if one.confidence >= _SURE_OBJECT
    }
    return any(number > len(times) and name not in together for name, number in others.items())


def _mistaken(one: DetectedObject, objects: Sequence[DetectedObject]) -> bool:
    """Return whether another category has a higher confidence at the same place."""
    own = Box(*one.bbox)
    return any(
        own.overlap(Box(*other.bbox)) > 0.6 * own.area
        for other in objects
        if other.category not in (one.category, "person") and other.confidence > one.confidence
    )
