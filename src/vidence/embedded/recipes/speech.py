"""What is said: a phrase to be completed, the words at a time, or the sentence about something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from vidence.embedded.recipes.recipe import Embed, Finding, Inquiry, Steps, call, claim, lines_of
from vidence.embedded.recipes.spans import QuestionSpan, find_span
from vidence.embedded.recipes.wording import between, pick, quoted, sentence
from vidence.language.identify import HAN
from vidence.language.phrases import phrase
from vidence.language.question import Ordinal
from vidence.language.tables import words_of
from vidence.language.tokens import stems
from vidence.ops.get_transcript import TranscriptLine
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer", "mentions", "prefixes"]

_ONE_WORD = re.compile(r"\b(?:which|what) word\b|\bone word\b|哪个词|什么词|一个词", re.IGNORECASE)
_WHOLE = re.compile(
    r"^\W*what (?:is|was|does|did|do|are)\b[^?]{0,40}"
    r"\b(?:said|say|says|saying|speak|talk(?:ing)?)\b(?! about)"
    r"|说了?(?:些|了)?什么|讲了?什么",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\babout\b|关于|提到|谈到|\bmention", re.IGNORECASE)
_NEAR_ENOUGH = 0.3
_MOST_QUOTED = 3
_WORD = re.compile(rf"[\w'’]+(?:-[\w'’]+)*|[{HAN}]")
_GAP = r"(?:\.{2,}|…+|_{2,}|\[\s*\]|\bblank\b|……|＿+|\*{2,})"
_OPEN = re.compile(rf"[\"“'‘「『]?\s*([^\"“”:：?？]*?)\s*{_GAP}\s*([^\"“”?？:：]*)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$|[\"”’])|[。！？…]+|[.!?]|$)[\"”’]?")
_ENDED = re.compile(r"[.!?。！？…][\"”’]?$")
_MAX_PREFIX = 6
_ASKING = frozenset(
    stem for word in words_of("words.tsv", "about_speech", room="embedded") for stem in stems(word)
)
"""Stems of words about speech itself, which say nothing of its content."""
_SURE = 0.75


def answer(inquiry: Inquiry) -> Steps:
    """Answer from the transcript."""
    (whole,) = yield (call("get_transcript", inquiry),)
    heard = lines_of(whole)
    if not heard:
        return _nothing_said(inquiry, whole)
    ordinal = inquiry.form.ordinal
    if ordinal is not None and ordinal.unit in ("word", "sentence"):
        span = yield from find_span(inquiry)
        return _counted_to(inquiry, ordinal, _inside(heard, span), whole)
    for prefix, _ in prefixes(inquiry.form.text, inquiry.form.quoted):
        found = _complete(prefix, heard, most=1 if _ONE_WORD.search(inquiry.form.text) else 3)
        if found and found.words:
            return _completed(inquiry, found, whole)
    span = yield from find_span(inquiry)
    inside = _inside(heard, span) or heard
    if _asks_for_everything(inquiry, span):
        return _quote_lines(inquiry, inside, whole)
    ranked = mentions(_matter(inquiry), inside, inquiry.embed)
    if ranked[0].score < _NEAR_ENOUGH and len(inside) < len(heard):
        ranked = mentions(_matter(inquiry), heard, inquiry.embed)
    return _mentioned(inquiry, ranked, heard, whole)


def _counted_to(
    inquiry: Inquiry, ordinal: Ordinal, lines: Sequence[TranscriptLine], record: EvidenceRecord | None
) -> Finding:
    """Return the word or sentence the question names by number, with its line."""
    language = inquiry.form.language
    parts = _spoken_words(lines) if ordinal.unit == "word" else _spoken_sentences(lines)
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


def _inside(lines: Sequence[TranscriptLine], span: QuestionSpan) -> list[TranscriptLine]:
    return [one for one in lines if one.end_time > span.start_s and one.start_time < span.end_s]


def _asks_for_everything(inquiry: Inquiry, span: QuestionSpan) -> bool:
    text = inquiry.form.text
    return bool(_WHOLE.search(text)) and not _ABOUT.search(text) and not inquiry.form.quoted


def _completed(inquiry: Inquiry, found: _Completion, record: EvidenceRecord | None) -> Finding:
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


def _quote_lines(inquiry: Inquiry, lines: Sequence[TranscriptLine], record: EvidenceRecord | None) -> Finding:
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
    ranked: Sequence[_Mention],
    lines: Sequence[TranscriptLine],
    record: EvidenceRecord | None,
) -> Finding:
    language, best = inquiry.form.language, ranked[0]
    if best.score < _NEAR_ENOUGH:
        return Finding(phrase("no_utterance", language), 0.3, cannot_tell=True)
    line = best.segment
    name = _named_in(line.text, inquiry.form.text)
    words = quoted(_with_next(line, lines, inquiry), language)
    answer = f"{name}{pick(language, ': ', '：')}{words}" if name and _asks_for_name(inquiry) else words
    told = pick(
        language, f"What is said is {quoted(line.text, language)}", f"说的是{quoted(line.text, language)}"
    )
    proof = claim(told, record, start_s=line.start_time, end_s=line.end_time, quote=line.text)
    margin = best.score - (ranked[1].score if len(ranked) > 1 else 0.0)
    sure = min(0.85, 0.25 + 0.6 * min(1.0, best.score / 0.6) + 0.3 * min(margin, 0.3))
    return Finding(sentence(answer, language), sure, proof)


def _with_next(line: TranscriptLine, lines: Sequence[TranscriptLine], inquiry: Inquiry) -> str:
    """Return the sentence, joined with the next line if the recogniser split it."""
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


@dataclass(frozen=True)
class _Completion:
    """The words that follow a given prefix."""

    words: str
    segment: TranscriptLine
    fit: float


@dataclass(frozen=True)
class _Mention:
    """A sentence and how well it fits the question."""

    segment: TranscriptLine
    score: float


@dataclass(frozen=True)
class _Spoken:
    """A word or a sentence, and the transcript line it begins in."""

    text: str
    line: TranscriptLine


def _spoken_words(lines: Sequence[TranscriptLine]) -> list[_Spoken]:
    """Return all words in spoken order; each Chinese character is one."""
    return [_Spoken(match.group(), line) for line in lines for match in _WORD.finditer(line.text)]


def _spoken_sentences(lines: Sequence[TranscriptLine]) -> list[_Spoken]:
    """Return all sentences in spoken order; a transcript line may hold several, or a part of one."""
    found: list[_Spoken] = []
    is_open = False
    for line in lines:
        for part in _SENTENCE.findall(line.text):
            text = part.strip()
            if not text:
                continue
            if is_open:
                found[-1] = _Spoken(f"{found[-1].text} {text}", found[-1].line)
            else:
                found.append(_Spoken(text, line))
            is_open = not _ENDED.search(text)
    return found


def prefixes(text: str, quoted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the prefixes a question wants completed, each with the words after the gap."""
    found = []
    for part in (*quoted, text):
        match = _OPEN.search(part)
        if match and _WORD.search(match[1]):
            found.append((match[1], match[2]))
    return found


def _complete(prefix: str, segments: Sequence[TranscriptLine], *, most: int = 3) -> _Completion | None:
    """Find a prefix in the transcript, allowing small misspellings, and return the words after it."""
    wanted = [word.lower() for word in _WORD.findall(prefix)][-_MAX_PREFIX:]
    best: _Completion | None = None
    for segment in segments:
        words = [(match.group(), match.end()) for match in _WORD.finditer(segment.text)]
        for index in range(len(words) - 1):
            fit = _fit(wanted, [word.lower() for word, _ in words[: index + 1]])
            if fit >= _SURE and (best is None or fit > best.fit + 1e-6):
                follow = _following(segment.text, words, index, most)
                best = _Completion(follow, segment, fit)
    return best


def mentions(question: str, segments: Sequence[TranscriptLine], embed: Embed) -> list[_Mention]:
    """Rank transcript lines by shared words and by meaning."""
    if not segments:
        return []
    wanted = set(stems(question)) - _ASKING
    owned = [set(stems(one.text)) for one in segments]
    weights = {word: 1.0 / (1 + sum(word in own for own in owned)) ** 0.5 for word in wanted}
    total = sum(weights.values()) or 1.0
    vectors = np.asarray(embed([question, *(one.text for one in segments)]))
    near = vectors[1:] @ vectors[0]
    scored = [
        _Mention(one, 0.6 * sum(weights[w] for w in wanted & own) / total + 0.4 * max(0.0, float(likeness)))
        for one, own, likeness in zip(segments, owned, near, strict=True)
    ]
    return sorted(scored, key=lambda each: -each.score)


def _named_in(text: str, question: str) -> str | None:
    """Return the longest name in a sentence that is not in the question; it is likely the answer."""
    known = {word.lower() for word in _WORD.findall(question)}
    names = []
    for match in re.finditer(
        r"(?:[A-Z][\w'’-]+|\d[\w-]*)(?:\s+(?:of|or|and|the|\d[\w-]*|[a-z]+(?=\s+[A-Z])|[A-Z][\w'’-]+))*", text
    ):
        first = match.start() == 0 or text[: match.start()].rstrip().endswith((".", "!", "?"))
        name = match.group().strip()
        words = [w for w in _WORD.findall(name) if w.lower() not in known]
        capital = any(word[0].isupper() or word[0].isdigit() for word in words)
        if words and capital and not (first and len(words) == 1):
            names.append(name)
    return max(names, key=len) if names else None


def _fit(wanted: Sequence[str], said: Sequence[str]) -> float:
    """Return how well the last words said match the prefix; later words weigh more."""
    own = said[-len(wanted) :]
    if len(own) < min(2, len(wanted)):
        return 0.0
    score = weight = 0.0
    for place, word in enumerate(reversed(wanted)):
        worth = 0.7**place
        weight += worth
        if place < len(own):
            score += worth * _alike(word, own[-1 - place])
    return score / weight


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    ratio = SequenceMatcher(None, one, other).ratio()
    return ratio if ratio >= 0.75 else 0.0


def _following(text: str, words: Sequence[tuple[str, int]], index: int, most: int) -> str:
    rest = text[words[index][1] :]
    clause = re.split(r"[.,;:!?。，；！？]", rest.lstrip(" ,"), maxsplit=1)[0]
    found = list(_WORD.finditer(clause))[:most]
    return clause[: found[-1].end()].strip() if found else ""
