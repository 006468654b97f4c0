"""What is said: a phrase to be completed, the words at a time, or the sentence about something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from vidence.embedded.recipes.recipe import (
    Embed,
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    has_cue,
    lines_of,
    untold,
)
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import between, pick, quoted, sentence
from vidence.language.identify import HAN
from vidence.language.question import Ordinal
from vidence.language.tables import patterns_of, words_of
from vidence.language.times import without_times
from vidence.language.tokens import query_terms, terms
from vidence.ops.get_transcript import TranscriptLine
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer", "mentions", "prefixes"]

_NEAR_ENOUGH = 0.3
"""The least score of a line that bears on a question as a whole."""
_NAMED, _MEANT = 0.5, 0.35
"""The least share of the words of the matter that is asked about, or likeness to it, of a line about it: the
least errors on scenes of a series, asked about their own matters and about those of other scenes."""
_MOST_QUOTED = 3
_WORD = re.compile(rf"[\w'’]+(?:-[\w'’]+)*|[{HAN}]")
_GAP = r"(?:\.{2,}|…+|_{2,}|\[\s*\]|\bblank\b|……|＿+|\*{2,})"
_OPEN = re.compile(rf"[\"“'‘「『]?\s*([^\"“”:：?？]*?)\s*{_GAP}", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$|[\"”’])|[。！？…]+|[.!?]|$)[\"”’]?")
_ENDED = re.compile(r"[.!?。！？…][\"”’]?$")
_MAX_PREFIX = 6
_ASKING = frozenset(
    term for word in words_of("words.tsv", "about_speech", room="embedded") for term in terms(word)
)
"""Terms of words about speech itself, which say nothing of its content."""
_SURE = 0.75


def answer(inquiry: Inquiry) -> Steps:
    """Answer from the transcript."""
    form = inquiry.form
    (whole,) = yield (call("get_transcript", inquiry),)
    heard = lines_of(whole)
    if not heard:
        text = inquiry.say("unsaid" if inquiry.variables.videos[0].has_audio else "unsaid_no_track")
        return Finding(text, 0.6, claim(text, whole))
    is_counted = form.ordinal is not None and form.ordinal.unit in ("word", "sentence")
    for prefix in () if is_counted else prefixes(form.text, form.quoted):
        found = _complete(prefix, heard, most=1 if has_cue("one_word", form.text) else 3)
        if found and found.words:
            text = inquiry.say("the_words_are", found.words, line=quoted(found.segment.text))
            sure = 0.55 + 0.35 * found.fit * found.segment.confidence
            return Finding(sentence(text, form.language), sure, _proof(inquiry, found.segment, whole))
    span = yield from find_span(inquiry)
    inside = [line for line in heard if span.holds(line)]
    if is_counted and form.ordinal is not None:
        return _counted_to(inquiry, form.ordinal, inside, whole)
    inside = inside or heard
    if has_cue("all_said", form.asked) and not has_cue("said_about", form.text) and not form.quoted:
        return _quote_lines(inquiry, inside, whole)
    ranked = mentions(form.text, inside, inquiry.embed)
    if not ranked[0].is_near and len(inside) < len(heard):
        ranked = mentions(form.text, heard, inquiry.embed)
    return _mentioned(inquiry, ranked, heard, whole)


def _proof(inquiry: Inquiry, line: TranscriptLine, record: EvidenceRecord | None) -> tuple[Claim, ...]:
    return claim(inquiry.say("said_is", quoted(line.text)), record, line, quote=line.text)


def _counted_to(
    inquiry: Inquiry, ordinal: Ordinal, lines: Sequence[TranscriptLine], record: EvidenceRecord | None
) -> Finding:
    """Return the word or sentence the question names by number, with its line."""
    parts = _spoken_words(lines) if ordinal.unit == "word" else _spoken_sentences(lines)
    place = ordinal.of(len(parts))
    if place is None:
        text = inquiry.say(f"only_{ordinal.unit}s_said", len(parts))
        told = [(inquiry.say("last_said_is", quoted(line.text)), line.text) for line in lines[-1:]]
        return Finding(text, 0.4, tuple(one for last, own in told for one in claim(last, record, quote=own)))
    words, line = parts[place]
    answer = quoted(words)
    if ordinal.unit == "word":
        answer = inquiry.say("word_in", answer, line=quoted(line.text))
    return Finding(sentence(answer, inquiry.language), 0.8 * line.confidence, _proof(inquiry, line, record))


def _quote_lines(inquiry: Inquiry, lines: Sequence[TranscriptLine], record: EvidenceRecord | None) -> Finding:
    language, kept = inquiry.language, lines[:_MOST_QUOTED]
    words = " ".join(quoted(one.text) for one in kept)
    more = pick(language, " and more", "等") if len(lines) > len(kept) else ""
    when = between(kept[0].start_time, kept[-1].end_time, language)
    answer = inquiry.say("with_time", f"{words}{more}", when=when)
    proofs = tuple(part for one in kept for part in _proof(inquiry, one, record))
    return Finding(sentence(answer, language), 0.8, proofs)


def _mentioned(
    inquiry: Inquiry,
    ranked: Sequence[_Mention],
    lines: Sequence[TranscriptLine],
    record: EvidenceRecord | None,
) -> Finding:
    language, best = inquiry.language, ranked[0]
    if not best.is_near:
        return untold(inquiry, "no_utterance")
    line = best.segment
    answer = quoted(_with_next(line, lines))
    if (name := _named_in(line.text, inquiry.form.text)) and has_cue("name_asked", inquiry.form.text):
        answer = f"{name}{pick(language, ': ', '：')}{answer}"
    margin = best.score - (ranked[1].score if len(ranked) > 1 else 0.0)
    sure = min(0.85, 0.25 + 0.6 * min(1.0, best.score / 0.6) + 0.3 * min(margin, 0.3))
    return Finding(sentence(answer, language), sure, _proof(inquiry, line, record))


def _with_next(line: TranscriptLine, lines: Sequence[TranscriptLine]) -> str:
    """Return the sentence, joined with the next line if the recogniser split it."""
    later = [one for one in lines if one.start_time >= line.end_time - 0.05]
    if later and not line.text.rstrip().endswith((".", "!", "?", "。", "！", "？")):
        return f"{line.text} {later[0].text}"
    return line.text


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
    is_near: bool
    """Whether it speaks of what the question asks about."""


def _spoken_words(lines: Sequence[TranscriptLine]) -> list[tuple[str, TranscriptLine]]:
    """Return all words in spoken order, each with its line; each Chinese character is one."""
    return [(word, line) for line in lines for word in _WORD.findall(line.text)]


def _spoken_sentences(lines: Sequence[TranscriptLine]) -> list[tuple[str, TranscriptLine]]:
    """Return all sentences in spoken order, each with the line it begins in.

    A transcript line may hold several sentences, or a part of one.
    """
    found: list[tuple[str, TranscriptLine]] = []
    is_open = False
    for line in lines:
        for text in filter(None, map(str.strip, _SENTENCE.findall(line.text))):
            if is_open:
                found[-1] = (f"{found[-1][0]} {text}", found[-1][1])
            else:
                found.append((text, line))
            is_open = not _ENDED.search(text)
    return found


def prefixes(text: str, quoted: Sequence[str]) -> list[str]:
    """Return the words before each gap that a question wants filled."""
    found = (_OPEN.search(part) for part in (*quoted, text))
    return [match[1] for match in found if match and _WORD.search(match[1])]


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
    """Rank transcript lines by shared words and by meaning; those about the matter asked about come first."""
    if not segments:
        return []
    matter = _matter(question)
    wanted = set(query_terms(matter or question)) - _ASKING
    owned = [set(terms(one.text)) for one in segments]
    weights = {word: 1.0 / (1 + sum(word in own for own in owned)) ** 0.5 for word in wanted}
    total = sum(weights.values()) or 1.0
    vectors = np.asarray(embed([matter or question, *(one.text for one in segments)]))
    scored = []
    for one, own, likeness in zip(segments, owned, vectors[1:] @ vectors[0], strict=True):
        share = sum(weights[word] for word in wanted & own) / total
        score = 0.6 * share + 0.4 * max(0.0, float(likeness))
        is_near = share >= _NAMED or likeness >= _MEANT if matter else score >= _NEAR_ENOUGH
        scored.append(_Mention(one, score, bool(is_near)))
    return sorted(scored, key=lambda each: (not each.is_near, -each.score))


def _matter(question: str) -> str:
    """Return what a question asks speech to be about; "" where it names nothing."""
    found = patterns_of("cues.tsv", "embedded")["said_about"].search(without_times(question))
    matter = next(filter(None, found.groups()), "") if found else ""
    return matter if set(terms(matter)) - _ASKING else ""


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
