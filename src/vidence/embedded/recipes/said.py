"""What is said: a phrase to be completed, the words at a time, or the sentence about something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.moments import Moment, moment_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.speech import (
    Completion,
    Mention,
    complete,
    mentions,
    named_in,
    prefixes,
    sentences_of,
    words_of,
)
from vidence.embedded.recipes.wording import between, pick, quoted, sentence
from vidence.language.question.form import Ordinal
from vidence.ops.get_transcript import GetTranscriptResult, TranscriptLine
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer"]

_ONE_WORD = re.compile(r"\b(?:which|what) word\b|\bone word\b|哪个词|什么词|一个词", re.IGNORECASE)
_WHOLE = re.compile(
    r"^\W*what (?:is|was|does|did|do|are)\b[^?]{0,40}"
    r"\b(?:said|say|says|saying|speak|talk(?:ing)?)\b(?! about)"
    r"|说了?(?:些|了)?什么|讲了?什么",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\babout\b|关于|提到|谈到|\bmention", re.IGNORECASE)
_NEAR_ENOUGH = 0.3
_MOST_QUOTED = 3


def answer(inquiry: Inquiry) -> Steps:
    """Answer from the transcript."""
    (whole,) = yield (call("get_transcript", inquiry),)
    heard = read(whole, GetTranscriptResult)
    if heard is None or not heard.transcript:
        return _nothing_said(inquiry, whole)
    ordinal = inquiry.form.ordinal
    if ordinal is not None and ordinal.unit in ("word", "sentence"):
        moment = yield from moment_of(inquiry)
        return _counted_to(inquiry, ordinal, _inside(heard.transcript, moment), whole)
    for prefix, _ in prefixes(inquiry.form.text, inquiry.form.quoted):
        found = complete(prefix, heard.transcript, most=1 if _ONE_WORD.search(inquiry.form.text) else 3)
        if found and found.words:
            return _completed(inquiry, found, whole)
    moment = yield from moment_of(inquiry)
    inside = _inside(heard.transcript, moment) or heard.transcript
    if _asks_for_everything(inquiry, moment):
        return _spoken(inquiry, inside, whole)
    ranked = mentions(_matter(inquiry), inside, inquiry.embed)
    if ranked[0].score < _NEAR_ENOUGH and len(inside) < len(heard.transcript):
        ranked = mentions(_matter(inquiry), heard.transcript, inquiry.embed)
    return _mentioned(inquiry, ranked, heard.transcript, whole)


def _counted_to(
    inquiry: Inquiry, ordinal: Ordinal, lines: Sequence[TranscriptLine], record: EvidenceRecord | None
) -> Finding:
    """Return the word or the sentence a question counts to, with the line it stands in."""
    language = inquiry.form.language
    parts = words_of(lines) if ordinal.unit == "word" else sentences_of(lines)
    place = ordinal.of(len(parts))
    if place is None:
        noun = pick(language, f"{ordinal.unit}s", "个词" if ordinal.unit == "word" else "句话")
        text = pick(language, f"Only {len(parts)} {noun} are said.", f"只说了 {len(parts)} {noun}。")
        last = quoted(lines[-1].text, language) if lines else ""
        told = pick(language, f"The last that is said is {last}", f"最后说的是{last}")
        return Finding(text, 0.4, claim(told, record, quote=lines[-1].text) if lines else ())
    part = parts[place]
    words = quoted(part.text, language)
    line = quoted(part.line.text, language)
    answer = (
        pick(language, f"{words}, in {line}", f"{words}，原话是{line}") if ordinal.unit == "word" else words
    )
    told = pick(language, f"What is said is {line}", f"说的是{line}")
    proof = claim(told, record, start_s=part.line.start_time, end_s=part.line.end_time, quote=part.line.text)
    return Finding(sentence(answer, language), 0.8 * part.line.confidence, proof)


def _matter(inquiry: Inquiry) -> str:
    return re.sub(
        r"^\W*(?:what|who|which)\b[^?]*?\b(?:says?|said|saying) (?:about|that)\b", "", inquiry.form.text
    )


def _inside(lines: Sequence[TranscriptLine], moment: Moment) -> list[TranscriptLine]:
    return [one for one in lines if one.end_time > moment.start_s and one.start_time < moment.end_s]


def _asks_for_everything(inquiry: Inquiry, moment: Moment) -> bool:
    text = inquiry.form.text
    return bool(_WHOLE.search(text)) and not _TOPIC.search(text) and not inquiry.form.quoted


def _completed(inquiry: Inquiry, found: Completion, record: EvidenceRecord | None) -> Finding:
    language, line = inquiry.form.language, found.segment
    text = pick(
        language,
        f"“{found.words}”: the words are {quoted(line.text, language)}",
        f"“{found.words}”：原话是{quoted(line.text, language)}",
    )
    told = pick(
        language, f"What is said is {quoted(line.text, language)}", f"说的是{quoted(line.text, language)}"
    )
    proof = claim(told, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
    return Finding(sentence(text, language), 0.55 + 0.35 * found.fit * line.confidence, proof)


def _spoken(inquiry: Inquiry, lines: Sequence[TranscriptLine], record: EvidenceRecord | None) -> Finding:
    language, kept = inquiry.form.language, list(lines[:_MOST_QUOTED])
    words = " ".join(quoted(one.text, language) for one in kept)
    more = pick(language, " and more", "等") if len(lines) > len(kept) else ""
    when = between(kept[0].start_time, kept[-1].end_time, language)
    answer = pick(language, f"{words}{more} ({when})", f"{words}{more}（{when}）")
    proofs: list[Claim] = []
    for one in kept:
        said = quoted(one.text, language)
        told = pick(language, f"What is said is {said}", f"说的是{said}")
        proofs += claim(told, record, start_s=one.start_time, end_s=one.end_time, quote=one.text)
    return Finding(sentence(answer, language), 0.8, tuple(proofs))


def _mentioned(
    inquiry: Inquiry,
    ranked: Sequence[Mention],
    lines: Sequence[TranscriptLine],
    record: EvidenceRecord | None,
) -> Finding:
    language, best = inquiry.form.language, ranked[0]
    line = best.segment
    name = named_in(line.text, inquiry.form.text)
    words = quoted(_with_next(line, lines, inquiry), language)
    answer = f"{name}{pick(language, ': ', '：')}{words}" if name and _asks_for_name(inquiry) else words
    told = pick(
        language, f"What is said is {quoted(line.text, language)}", f"说的是{quoted(line.text, language)}"
    )
    proof = claim(told, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
    margin = best.score - (ranked[1].score if len(ranked) > 1 else 0.0)
    sure = min(0.85, 0.25 + 0.6 * min(1.0, best.score / 0.6) + 0.3 * min(margin, 0.3))
    return Finding(sentence(answer, language), sure if best.score >= _NEAR_ENOUGH else 0.25, proof)


def _with_next(line: TranscriptLine, lines: Sequence[TranscriptLine], inquiry: Inquiry) -> str:
    """Return the sentence, with its other half where the recogniser cut it in two."""
    later = [one for one in lines if one.start_time >= line.end_time - 0.05]
    if later and not line.text.rstrip().endswith((".", "!", "?", "。", "！", "？")):
        return f"{line.text} {later[0].text}"
    return line.text


def _asks_for_name(inquiry: Inquiry) -> bool:
    return bool(
        re.search(
            r"\b(?:which|who|whose|what (?:is|was) the name|where|name)\b|哪|谁|名",
            inquiry.form.text,
            re.IGNORECASE,
        )
    )


def _nothing_said(inquiry: Inquiry, record: EvidenceRecord | None) -> Finding:
    language = inquiry.form.language
    silent = not inquiry.variables.videos[0].has_audio
    text = pick(
        language,
        "Nothing is said: the video has no sound track." if silent else "Nothing is said in the video.",
        "没有人说话：视频没有音轨。" if silent else "视频中没有人说话。",
    )
    return Finding(text, 0.6, claim(text, record))
