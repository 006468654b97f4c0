"""Which sound is heard: at a time, in a scene, of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, has_cue, lines_of, sounds_of
from vidence.embedded.recipes.spans import QuestionSpan, find_span, place_clause
from vidence.embedded.recipes.wording import between, joined, quoted, sentence
from vidence.index.narrate.naming import sound_name
from vidence.language.tables import read_table
from vidence.language.tokens import stems
from vidence.ops.detect_audio_events import AudioEvent
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer", "asked_kinds", "asked_sounds", "fits_kinds", "sound_words"]

_BESIDE_S = 1.0
_MOST = 3
_SYNONYMS = {
    word: kind for kind, words in read_table("sound_kinds.tsv", "embedded") for word in words.split()
}
_KINDS = frozenset(_SYNONYMS.values())
_MUSICAL = frozenset({"music", "singing"})


def answer(inquiry: Inquiry) -> Steps:
    """Answer from the sounds of the part asked about."""
    span = yield from find_span(inquiry)
    if span.whole and (clause := _scene_words(inquiry)):
        span = yield from place_clause(inquiry, clause)
    sounds, speech = yield (
        call("detect_audio_events", inquiry),
        call("get_transcript", inquiry),
    )
    events, lines = sounds_of(sounds), lines_of(speech)
    if not events and not lines:
        return _silence(inquiry, sounds)
    inside = _inside(events, span)
    kinds = asked_kinds(inquiry.form.text)
    fitting = [one for one in inside if fits_kinds(one, kinds)]
    if not fitting and kinds:
        # The scene may be located a little off; sounds of the kind asked for are rare.
        fitting = [one for one in events if fits_kinds(one, kinds)]
        return _named(inquiry, fitting, sounds, 0.45) if fitting else _none_such(inquiry, inside, sounds)
    spoken = [line for line in lines if span.holds(line)]
    if spoken and not kinds and not fitting:
        text = inquiry.say("voice_speaking", quoted(spoken[0].text))
        proof = claim(text, speech, spoken[0], quote=spoken[0].text)
        # A question about sounds rarely means a voice.
        return Finding(sentence(text, inquiry.language), 0.45, proof)
    if not fitting:
        return _none_such(inquiry, inside, sounds)
    placed = 0.9 if span.chance > 0.6 else 0.8
    # In a whole video with many sounds it is unclear which one is meant.
    vague = span.whole and not kinds and len({one.event_type for one in fitting}) > _MOST
    return _named(inquiry, fitting, sounds, 0.6 if vague else placed)


def _scene_words(inquiry: Inquiry) -> str:
    """Return the things a question names besides sounds; they describe the scene."""
    named = asked_sounds(inquiry.form.text)
    kinds = asked_kinds(inquiry.form.text)
    kept = [
        target
        for target in inquiry.form.targets
        if not has_cue("about_sound", target.text)
        and not (named and asked_sounds(target.text))
        and target.head not in kinds
    ]
    known = [target for target in kept if target.category]
    # Chinese word segmentation is uncertain, so only known things are searched for.
    chosen = known if known or inquiry.language == "zh" else kept
    return " ".join(target.text for target in chosen)


def _silence(inquiry: Inquiry, record: EvidenceRecord | None) -> Finding:
    """Report that there is nothing to hear."""
    has_track = inquiry.variables.videos[0].has_audio
    text = inquiry.say("silent_track" if has_track else "silent_no_track")
    return Finding(text, 0.85, claim(text, record))


def _inside(events: Sequence[AudioEvent], span: QuestionSpan) -> list[AudioEvent]:
    near = [one for one in events if span.holds(one, _BESIDE_S)]
    return sorted(near, key=lambda one: -_worth(one, span))


def _worth(event: AudioEvent, span: QuestionSpan) -> float:
    overlap = min(event.end_time, span.end_s) - max(event.start_time, span.start_s)
    length = max(min(event.end_time - event.start_time, span.end_s - span.start_s), 0.1)
    return event.confidence * (0.3 + 0.7 * max(0.0, min(1.0, overlap / length)))


def _named(
    inquiry: Inquiry, events: Sequence[AudioEvent], record: EvidenceRecord | None, most: float
) -> Finding:
    language, best = inquiry.language, events[0]
    kept = [one for one in events if one.confidence >= 0.5 * best.confidence]
    kept = kept[:1] if asked_kinds(inquiry.form.text) else kept[:_MOST]
    names = list(dict.fromkeys(sound_words(one, language) for one in kept))
    when = between(best.start_time, best.end_time, language)
    answer = inquiry.say("with_time", joined(names, language), when=when)
    proofs: list[Claim] = []
    for one in kept:
        told = inquiry.say("heard_kind", sound_words(one, language), kind=one.event_type)
        proofs += claim(told, record, one, quote=one.event_type)
    sure = most * min(1.0, 0.3 + 0.75 * best.confidence)
    return Finding(sentence(answer, language), sure, tuple(proofs))


def _none_such(inquiry: Inquiry, inside: Sequence[AudioEvent], record: EvidenceRecord | None) -> Finding:
    names = list(dict.fromkeys(sound_words(one, inquiry.language) for one in inside[:_MOST]))
    text = inquiry.say("no_such_sound")
    if names:
        text = inquiry.say("other_sounds", joined(names, inquiry.language))
    is_named = bool(asked_sounds(inquiry.form.text) or asked_kinds(inquiry.form.text))
    return Finding(text, 0.3, claim(text, record), cannot_tell=not is_named)


def asked_kinds(question: str) -> frozenset[str]:
    """Return the kinds of sound a question asks for: animal, human, water, aircraft, …

    Only the words before "sound" or "heard" count: "which animal sound is heard while the woman plays".
    """
    lowered = question.lower()
    cut = min(
        (
            place
            for word in (" heard", " hear ", " sound", " noise", "声", "听")
            if (place := lowered.find(word)) > 0
        ),
        default=len(lowered),
    )
    front = lowered[: cut + 1]
    words = front.replace("(", " ").replace(")", " ").replace("-", " ").split() if front.isascii() else []
    found = {_SYNONYMS.get(word.strip(",.?"), word.strip(",.?")) for word in words} & _KINDS
    found |= {kind for word, kind in _SYNONYMS.items() if not word.isascii() and word in front}
    return frozenset(found - {"human"} if "animal" in found else found)


def fits_kinds(event: AudioEvent, kinds: frozenset[str]) -> bool:
    """Return whether a sound is of every kind asked for; any sound is when no kind is named."""
    if not kinds:
        return True
    own = _kinds_of(event)
    return kinds <= own or ("natural" in kinds and bool((kinds - {"natural"}) & own) and "natural" in own)


def asked_sounds(question: str) -> frozenset[str]:
    """Return the event types a question names, such as dog_bark for "bark"."""
    wanted = set(stems(question))
    lowered = question.lower()
    return frozenset(
        name
        for name, (english, chinese, _) in _table().items()
        if english & wanted or any(word in lowered for word in chinese)
    )


def sound_words(event: AudioEvent, language: AnswerLanguage) -> str:
    """Return the name of a sound in the language."""
    known = sound_name(event.event_type, event.description or "")
    return known.zh if language == "zh" else known.en


def _kinds_of(event: AudioEvent) -> frozenset[str]:
    own: set[str] = set()
    for name in (event.event_type, event.description or ""):
        if name in _table():
            own |= _table()[name][2]
    if event.event_type in _MUSICAL:
        own |= {"music"}
    return frozenset(own)


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[frozenset[str], tuple[str, ...], frozenset[str]]]:
    """Return each sound's English stems, Chinese words and kinds."""
    table = {}
    for name, words, kinds in read_table("search_sounds.tsv"):
        each = words.split(",")
        english = frozenset(stem for word in each if word.isascii() for stem in stems(word))
        chinese = tuple(word for word in each if not word.isascii())
        of = frozenset(_SYNONYMS.get(kind, kind) for kind in kinds.split(","))
        table[name] = (english, chinese, of | ({"natural"} if "nature" in kinds else frozenset()))
    return table
