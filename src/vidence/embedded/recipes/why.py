"""Why something happens: from speech, sounds and activity before it, or from its usual purpose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    hits_of,
    lines_of,
    read,
    sounds_of,
)
from vidence.embedded.recipes.sounds import sound_words
from vidence.embedded.recipes.speech import mentions
from vidence.embedded.recipes.wording import pick, quoted, seconds, sentence
from vidence.language.tables import read_table, words_of
from vidence.ops.detect_audio_events import AudioEvent
from vidence.ops.get_transcript import TranscriptLine
from vidence.ops.recognize_activity import RecognizeActivityResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["answer"]

_BEFORE_S, _AFTER_S = 10.0, 3.0
_CAUSE = re.compile(
    r"\b(?:because|since|so that|in order to|due to|that's why|therefore|as a result)\b|因为|由于|所以|为了",
    re.IGNORECASE,
)
_STARTLING = words_of("words.tsv", "startling", room="embedded")


def answer(inquiry: Inquiry) -> Steps:
    """Find the event, check what came before it, and infer; an inference is never certain."""
    statement = _statement(inquiry.form.text)
    searched, speech = yield (
        call("temporal_search", inquiry, query=statement, top_k=3, modality="visual"),
        call("get_transcript", inquiry),
    )
    hit = next(iter(hits_of(searched)), None)
    at = hit.start_time if hit else inquiry.duration_s / 2
    start = max(0.0, at - _BEFORE_S)
    end = max(min(inquiry.duration_s, (hit.end_time if hit else at) + _AFTER_S), start + 0.2)
    described, sounds, acts = yield (
        call("describe_visual", inquiry, start_time=start, end_time=end,
             detail_level="detailed", language=inquiry.form.language),
        call("detect_audio_events", inquiry, time_range={"start_time": start, "end_time": end}),
        call("recognize_activity", inquiry, start_time=start, end_time=end, granularity="event"),
    )  # fmt: skip
    said = _said_cause(inquiry, lines_of(speech))
    if said is not None:
        return _from_speech(inquiry, said, speech)
    startled = _startling(sounds_of(sounds), at)
    purpose = _purpose(inquiry)
    if startled is not None and (purpose is None or startled.confidence > 0.8):
        return _from_sound(inquiry, startled, sounds)
    return _from_custom(inquiry, purpose, read(acts, RecognizeActivityResult), acts, described)


def _statement(question: str) -> str:
    kept = re.sub(
        r"^\W*(?:why|how come)\s+(?:is|are|was|were|does|do|did|has|have|had|can)?\b",
        "",
        question,
        flags=re.IGNORECASE,
    )
    return re.sub(r"为什么|为何|怎么会|[?？]", "", kept).strip() or question


def _said_cause(inquiry: Inquiry, lines: Sequence[TranscriptLine]) -> TranscriptLine | None:
    """Return a spoken sentence that gives a reason and fits the question."""
    giving = [one for one in lines if _CAUSE.search(one.text)]
    ranked = mentions(inquiry.form.text, giving, inquiry.embed)
    return ranked[0].segment if ranked and ranked[0].score > 0.25 else None


def _startling(events: Sequence[AudioEvent], at: float) -> AudioEvent | None:
    near = [one for one in events if one.event_type in _STARTLING and at - 4.0 <= one.start_time <= at + 1.0]
    return max(near, key=lambda one: one.confidence, default=None)


def _purpose(inquiry: Inquiry) -> tuple[str, str] | None:
    text = inquiry.form.text.lower()
    heads = {target.head.lower() for target in inquiry.form.targets[:1]}
    for who, pattern, english, chinese in _purposes():
        if (who == "-" or who in heads) and pattern.search(text):
            return english, chinese
    return None


def _from_speech(inquiry: Inquiry, line: TranscriptLine, record: EvidenceRecord | None) -> Finding:
    language = inquiry.form.language
    text = sentence(quoted(line.text, language), language)
    told = pick(
        language, f"What is said is {quoted(line.text, language)}", f"说的是{quoted(line.text, language)}"
    )
    return Finding(
        text, 0.6, claim(told, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
    )


def _from_sound(inquiry: Inquiry, event: AudioEvent, record: EvidenceRecord | None) -> Finding:
    language = inquiry.form.language
    name, at = sound_words(event, language), seconds(event.start_time, language)
    text = pick(language, f"Probably because of {name}, heard at {at}.", f"可能是因为 {at}时听到的{name}。")
    told = pick(language, f"{name} is heard at {at}.", f"{at}时听到{name}。")
    proof = claim(told, record, start_s=event.start_time, end_s=event.end_time, quote=event.event_type)
    return Finding(text, 0.45, proof)


def _from_custom(
    inquiry: Inquiry,
    purpose: tuple[str, str] | None,
    acts: RecognizeActivityResult | None,
    record: EvidenceRecord | None,
    described: EvidenceRecord | None,
) -> Finding:
    language = inquiry.form.language
    primary = acts.primary_activity if acts else None
    doing = primary.replace("_", " ") if primary else None
    if purpose is None and doing is None:
        text = pick(language, "The video does not show why.", "视频没有显示原因。")
        note = pick(language, "No reason was seen, said or heard.", "没有看到、听到或说到原因。")
        return Finding(text, 0.15, claim(note, described, also=(record,)), cannot_tell=True)
    reason = (
        pick(language, *purpose)
        if purpose
        else pick(language, "it belongs to what is going on", "这是正在进行的活动的一部分")
    )
    context = (
        pick(language, f"; what goes on seems to be {doing}", f"；正在进行的似乎是 {doing}") if doing else ""
    )
    text = pick(language, f"Probably {reason}{context}.", f"可能{reason}{context}。")
    told = (
        pick(language, f"What goes on seems to be {doing}.", f"正在进行的似乎是 {doing}。")
        if doing
        else pick(language, "This is what was seen around that time.", "这是当时看到的情况。")
    )
    return Finding(text, 0.5 if purpose and doing else 0.35, claim(told, record if doing else described))


@lru_cache(maxsize=1)
def _purposes() -> tuple[tuple[str, re.Pattern[str], str, str], ...]:
    rows = read_table("purposes.tsv", "embedded")
    return tuple((who, re.compile(pattern, re.IGNORECASE), en, zh) for who, pattern, en, zh in rows)
