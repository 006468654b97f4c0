"""From evidence to an answer: proposals of every source are scored; the best is given, or none is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vidence.embedded.extraction import extract
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.proposals import Proposal, best_proven, fitting, polarity_of, repeats
from vidence.embedded.recipes.recipe import Finding, Inquiry, StepsOf
from vidence.embedded.recipes.shown import text_meant
from vidence.embedded.recipes.wording import joined, sentence
from vidence.embedded.recipes.worn import asks_worn
from vidence.embedded.score import UNSURE, Situation, log_odds, rank
from vidence.embedded.summaries import is_summary_read, span_of, summary_proposals
from vidence.language.phrases import phrase
from vidence.language.question import AnswerType, Question, name_of, read_question
from vidence.language.tokens import query_terms, stems, terms
from vidence.runs.notes import NOTE_TOKENS, choose_notes, noted_lines
from vidence.runs.reading import cited_notes, note_citations
from vidence.runs.verify.bearing import is_denial
from vidence.runs.verify.content import Content
from vidence.runs.verify.support import words_stand_in
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim, EvidenceRecord
from vidence.schema.reading import Note, NotedLine, NoteKind, ReaderReply, ReaderVariables

__all__ = [
    "LEAST",
    "answer_alone",
    "conclude",
    "is_read",
    "proposals_of",
    "reading_of",
    "situation_of",
    "unreadable",
]

LEAST = 0.4
"""Below this probability no answer is given."""
_NOTED = 0.25
"""Below this probability a look is not told to the reader."""
_WORTH_TELLING = 0.12
"""Below this probability a proposal is not even told as a possibility."""
_WORTH_BESIDE = 0.4
"""Nor below this share of the probability that nothing can be told."""
_SURE_NO = 0.6
"""Below this a "no" only says that nothing was seen."""
_READER_SURE = {True: 0.6, False: 0.4}
"""How sure an answer of the reader is that rests on words, or on what was recognised in pictures."""
_WORDS: frozenset[NoteKind] = frozenset({"said", "written"})
_TOLD_BY: dict[AnswerType, frozenset[NoteKind]] = {
    "utterance": frozenset({"said"}),
    "text": frozenset({"written"}),
    **dict.fromkeys(("name", "job", "date", "money", "language"), _WORDS),
}
"""The notes that alone can tell an answer of a type."""
_CHOICE_TOKENS = 200
"""For a choice, whose notes no other question shares; they are shown without number and time."""
_UNREAD: frozenset[AnswerType] = frozenset(
    {"daytime", "time", "order", "colour", "camera", "direction", "sound"}
)
"""Types of answer that are measured: a reader compares no times and sees no colours."""
_BY_FORM: frozenset[AnswerType] = frozenset({"date", "money"})
_ALL = 10**9


def answer_alone(inquiry: Inquiry) -> StepsOf[Finding]:
    """Gather, copy from the notes without a reader, and answer."""
    question = read_question(inquiry.variables.question)
    evidence = yield from gather(inquiry)
    reply = None
    if is_read(question, evidence):
        reply = extract(reading_of(inquiry, question, evidence), inquiry.embed)
    proposals = proposals_of(inquiry, question, evidence, reply)
    return conclude(question, situation_of(question, evidence, proposals, reply))


def unreadable(question: Question) -> Finding:
    """Say that a question cannot be read, and what can be asked."""
    return Finding(phrase("unreadable", question.language), 0.0, cannot_tell=True)


def is_read(question: Question, evidence: Evidence) -> bool:
    """Tell whether the notes can hold the answer better than a measurement, so that reading is worth it."""
    form, expected = question.form, question.expected.type
    if evidence.notes is None or expected in _UNREAD or form.kind == "cuts":
        return False
    if asks_worn(question) is not None and any(_is_measured(one) for one in evidence.proposals):
        return False
    if expected == "summary":
        return is_summary_read(form.text, evidence)
    if expected == "yes_no":
        return form.sense != "seen" or _is_told_of(question, evidence.notes)
    if form.kind == "read" and expected == "text" and not text_meant(form.text):
        return False
    is_counted = expected == "number" and form.sense == "seen" and form.kind == "count"
    return not (is_counted and form.targets and form.targets[0].category is not None)


def _is_told_of(question: Question, notes: EvidenceRecord) -> bool:
    """Tell whether what is said or written names a thing of the question that no detector knows: TikTok."""
    named = [set(stems(one.head)) for one in question.form.targets if one.category is None]
    told = [set(stems(line.text)) for line in noted_lines(notes) if line.kind in _WORDS]
    return any(one and one <= words for one in named for words in told)


def _is_measured(one: Proposal) -> bool:
    return one.source == "measured" and not one.cannot_tell


def reading_of(
    inquiry: Inquiry,
    question: Question,
    evidence: Evidence,
    *,
    options: tuple[str, ...] = (),
) -> ReaderVariables:
    """Return what to ask the reader: for an answer, or for a choice between options by the nearest notes."""
    language = inquiry.form.language
    expected = question.expected
    # A summary rests on what tells most, which has been read ahead, and is asked for in one way.
    is_summary = expected.type == "summary" and not options
    asked = "" if is_summary else question.text
    notes, shared = tuple[Note, ...](), 0
    if evidence.notes is not None:
        notes, shared = choose_notes(
            evidence.notes,
            " ".join([asked, *options]),
            inquiry.embed,
            language=language,
            span=span_of(evidence),
            more=_looked_notes(evidence),
            tokens=_CHOICE_TOKENS if options else NOTE_TOKENS,
        )
    return ReaderVariables(
        question=phrase("summary_wish", language) if is_summary else question.text,
        language=language,
        notes=notes,
        shared=shared,
        answer_type=expected.type,
        head=expected.head,
        options=options,
    )


def _all_notes(evidence: Evidence, language: AnswerLanguage) -> tuple[Note, ...]:
    """Return every note under the number that the reader was given."""
    if evidence.notes is None:
        return ()
    return choose_notes(
        evidence.notes, "", _unused, language=language, more=_looked_notes(evidence), tokens=_ALL
    ).notes


def _unused(texts: Sequence[str]) -> Any:
    raise AssertionError("no note is left out, so none is compared")


def _looked_notes(evidence: Evidence) -> list[Note]:
    """Return what the visual answerer says surely enough as notes: a guess would mislead the reader."""
    return [
        Note(
            number=1,
            text=claim.text,
            kind="seen",
            record_id=claim.citations[0].record_id,
            quote=claim.citations[0].quote,
        )
        for one in evidence.proposals
        if one.source in ("look", "likeness") and one.sure >= _NOTED
        for claim in one.claims[:1]
    ]


def proposals_of(
    inquiry: Inquiry, question: Question, evidence: Evidence, reply: ReaderReply | None
) -> tuple[Proposal, ...]:
    """Return every proposal of the type that is asked for, and the one that nothing can be told."""
    found = list(evidence.proposals)
    if question.expected.type == "summary" and evidence.notes is not None:
        found += summary_proposals(inquiry, evidence, reply, reading_of(inquiry, question, evidence))
    else:
        told = _copied(inquiry, question, evidence) if reply is not None and reply.cannot_tell else reply
        if told is not None and not told.cannot_tell:
            found += _read_proposal(question, told, _all_notes(evidence, question.language), found)
    kept = fitting([one for one in found if not one.cannot_tell], question)
    silent = next((one for one in found if one.cannot_tell), None)
    refusal = reply if reply is not None and reply.cannot_tell else None
    return (*kept, _nothing(question, evidence, silent, kept, _told_sure("nothing", refusal)))


def _copied(inquiry: Inquiry, question: Question, evidence: Evidence) -> ReaderReply | None:
    """Return what can be copied by its form alone, a date or a sum, where a reader did not find it."""
    if question.expected.type not in _BY_FORM:
        return None
    return extract(reading_of(inquiry, question, evidence), inquiry.embed)


def situation_of(
    question: Question,
    evidence: Evidence,
    proposals: tuple[Proposal, ...],
    reply: ReaderReply | None,
) -> Situation:
    """Return what the scorer is told about a question."""
    lines = _lines(evidence)
    return Situation(
        question,
        proposals,
        is_reader_silent=reply is not None
        and reply.cannot_tell
        and not any(one.source == "reader" for one in proposals),
        num_missing=len(evidence.premises.missing(lines)),
        has_speech=any(line.kind == "said" for line in lines),
    )


def conclude(question: Question, situation: Situation) -> Finding:
    """Return the likeliest proposal, or say that it cannot be told and what was found."""
    ranked = rank(situation.proposals, situation)
    likely, best = ranked[0]
    if best.cannot_tell or likely < LEAST:
        return _abstention(question, ranked, is_missing=situation.num_missing > 0)
    best = best_proven(best, [one for _, one in ranked], question)
    answer = best.answer
    is_unseen = not best.claims or any(is_denial(claim.text) for claim in best.claims)
    if is_unseen and likely < _SURE_NO and polarity_of(answer) == "no" and question.expected.type == "yes_no":
        answer = f"{answer.rstrip()} {phrase('could_be_missed', question.language)}"
    return Finding(answer, likely, best.claims, best.explanation)


def _abstention(question: Question, ranked: list[tuple[float, Proposal]], *, is_missing: bool) -> Finding:
    """Say that it cannot be told, and what it may be where something was found."""
    sure, nothing = next((value, one) for value, one in ranked if one.cannot_tell)
    likely, best = next(((value, one) for value, one in ranked if not one.cannot_tell), (0.0, nothing))
    text, guess = nothing.answer, best.answer.rstrip(".。")
    is_denied = question.expected.type != "yes_no" and is_denial(guess)
    least = max(_WORTH_TELLING, _WORTH_BESIDE * sure)
    if likely >= least and not is_missing and not is_denied and guess not in text:
        text = f"{text} {phrase('perhaps', question.language, guess)}"
        # It is right where nothing can be told, and where the guess is right.
        sure = max(sure, min(sure + likely, UNSURE))
    return Finding(text, sure, nothing.claims, nothing.explanation, cannot_tell=True)


def _read_proposal(
    question: Question, reply: ReaderReply, notes: Sequence[Note], others: Sequence[Proposal]
) -> list[Proposal]:
    """Return the reader's answer, unless it repeats the question or rests on notes that cannot tell it.

    What only repeats a look is no second source.
    """
    cited = cited_notes(reply, notes)
    is_look = any(one.source == "look" and _plain(one.answer) == _plain(reply.answer) for one in others)
    if all(note.start_s is None or (is_look and not _holds(note, reply.answer)) for note in cited):
        return []
    told_by = _TOLD_BY.get(question.expected.type)
    if told_by is not None and not any(note.kind in told_by for note in cited):
        # A picture may be told by the text that it shows; the text itself stands in another note.
        cited = [note for note in notes if note.kind in told_by and _holds(note, reply.answer)][:1]
        if not cited:
            return []
    kinds = {note.kind for note in cited}
    wanted = set(query_terms(question.text))
    shared = len(wanted & {term for note in cited for term in terms(note.text)}) / max(1, len(wanted))
    if question.expected.type == "reason" and not shared:
        return []
    if question.expected.type != "yes_no" and repeats(reply.answer, question):
        return []
    in_words = bool(kinds & _WORDS)
    return [
        Proposal(
            "reader",
            sentence(reply.answer, question.language),
            _READER_SURE[in_words],
            (Claim(text=reply.answer.strip(), citations=note_citations(cited)),),
            facts={
                "reader:shared": shared,
                "reader:in words": float(in_words),
                **_told_sure("reader", reply),
            },
        )
    ]


def _plain(answer: str) -> str:
    return answer.strip(" .。").casefold()


def _holds(note: Note, answer: str) -> bool:
    return words_stand_in(answer, Content(texts=[note.text]))


def _told_sure(source: str, reply: ReaderReply | None) -> dict[str, float]:
    """Return how sure a reader's model was, as a feature; nothing where it does not say."""
    if reply is None or reply.sure is None:
        return {}
    return {f"{source}:says how sure": 1.0, f"{source}:model sure": log_odds(reply.sure)}


def _lines(evidence: Evidence) -> list[NotedLine]:
    return noted_lines(evidence.notes) if evidence.notes is not None else []


def _nothing(
    question: Question,
    evidence: Evidence,
    silent: Proposal | None,
    kept: Sequence[Proposal],
    facts: dict[str, float],
) -> Proposal:
    """Return the proposal that the video does not tell, with what was found instead."""
    language = question.language
    missing = evidence.premises.missing(_lines(evidence))
    record = next((one.record for one in missing if one.record is not None), evidence.notes)
    text = _untold(question, evidence, [name for one in missing if (name := name_of(one.target))])
    claims: tuple[Claim, ...] = ()
    if silent is not None and not missing:
        text, claims = silent.answer, silent.claims
    unseen = next((one for one in kept if one.source == "measured" and polarity_of(one.answer) == "no"), None)
    if unseen is not None and question.expected.type == "yes_no":
        text, claims = f"{unseen.answer} {phrase('could_be_missed', language)}", unseen.claims
    if not claims and record is not None:
        claims = (Claim(text=text, citations=(Citation(record_id=record.record_id),)),)
    return Proposal("measured", text, _UNTOLD, claims, cannot_tell=True, facts=facts)


def _untold(question: Question, evidence: Evidence, missing: Sequence[str]) -> str:
    """Say what the video does not tell."""
    language, expected = question.language, question.expected.type
    if missing:
        return phrase("not_there", language, joined(missing, language))
    if expected == "utterance" and not any(line.kind == "said" for line in _lines(evidence)):
        return phrase("nothing_said", language)
    return phrase(f"no_{expected}" if expected in _TOLD else "cannot_tell", language)


_UNTOLD = 0.3
_TOLD = frozenset({"name", "job", "date", "money", "reason", "utterance", "text"})
"""Types of answer for which the abstention says what is not told."""
