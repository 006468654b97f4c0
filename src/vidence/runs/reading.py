"""The reader: a question and numbered notes become an answer with the notes it rests on.

Any source can be noted: a video, a book, a page, the result of a tool. The notes come first in the prompt, so
a model that caches prompts reads them once for all questions about a source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, Literal, TypeVar

from vidence.errors import BackendError
from vidence.language.phrases import phrase
from vidence.llm.ask import Answered
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import NOTHING, data, one_line
from vidence.runs.brief import short_time
from vidence.runs.budget import LimitReached
from vidence.runs.guard import guarded
from vidence.runs.run import Run
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation
from vidence.schema.message import Message
from vidence.schema.reading import ChoiceReply, Note, ReaderReply, ReaderVariables

__all__ = [
    "READER",
    "READER_ANSWER",
    "READER_CHOOSE",
    "READER_SUMMARISE",
    "ReaderTask",
    "ask_reader",
    "blend",
    "choice_prompt",
    "choose_by_reader",
    "cited_notes",
    "note_citations",
    "note_line",
    "reader_prompt",
]

_Said = TypeVar("_Said", ReaderReply, ChoiceReply)
ReaderTask = Literal["reader.answer", "reader.summarise"]
READER_ANSWER: ReaderTask = "reader.answer"
READER_SUMMARISE: ReaderTask = "reader.summarise"
READER_CHOOSE = "reader.choose"
READER = "reader"
"""The role of the engine that reads notes."""
_LONGEST_REPLY = {READER_ANSWER: 96, READER_SUMMARISE: 112}
"""Tokens."""
_ENDS = tuple("?？.。!！")
_LEAST = 1e-6


def reader_prompt(
    variables: ReaderVariables, *, task: ReaderTask = READER_ANSWER, wording: Wording | None = None
) -> Prompt:
    """Return the prompt that asks a question about notes, or for their summary."""
    used = wording or Wording(variables.language)
    notes = data("\n".join(note_line(note, variables.language) for note in variables.notes), 'kind="notes"')
    question = one_line(variables.question)
    if task == READER_SUMMARISE:
        # The same beginning, so that a model that has read the notes for one reads them for the other.
        question = used.fill(READER_SUMMARISE, question=question).strip()
    message = Message(role="user", text=used.fill(READER_ANSWER, notes=notes, question=question))
    return Prompt(
        task,
        (message,),
        variables,
        ReaderReply,
        used.uses(*dict.fromkeys((READER_ANSWER, task))),
        is_direct=True,
        max_tokens=_LONGEST_REPLY[task],
        source=_source(variables, used),
    )


def _source(variables: ReaderVariables, wording: Wording) -> str:
    """Name what other prompts begin with, too: the template, then the notes that every question shares.

    Passages of a text differ by question, and have no name.
    """
    if not any(note.start_s is not None and not note.label for note in variables.notes):
        return ""
    (template,) = wording.uses(READER_ANSWER)
    shared = (note_line(note, variables.language) for note in variables.notes[: variables.shared])
    return "\n".join((f"{READER_ANSWER} {template.sha256}", *shared))


def ask_reader(
    run: Run[Any], variables: ReaderVariables, *, task: ReaderTask = READER_ANSWER, guard: bool = True
) -> ReaderReply:
    """Ask the reader of a run once and return what the guard leaves; a failure becomes a gap of the run.

    Args:
        guard: False where the caller checks the answer sentence by sentence.
    """
    prompt = reader_prompt(variables, task=task, wording=run.wording)
    answered = _ask(run, prompt, ReaderReply, gap="reader_failed")
    if answered is None:
        return ReaderReply()
    reply = answered.value.model_copy(update={"sure": answered.replies[-1].confidence})
    return guarded(reply, variables) if guard else reply


def _ask(run: Run[Any], prompt: Prompt, response: type[_Said], *, gap: str) -> Answered[_Said] | None:
    """Return the reader's reply; None where it fails. A failure, or another engine in its place, is a gap."""
    name = run.engines[READER].name
    try:
        answered = run.ask(prompt, response, role=READER)
    except LimitReached:
        raise
    except (BackendError, InvalidReply) as exc:
        run.gaps.append(phrase(gap, run.language, str(exc)))
        return None
    if answered.replies[-1].engine not in ("", name):
        run.gaps.append(phrase(gap, run.language, name))
    return answered


def choice_prompt(
    variables: ReaderVariables, order: Sequence[int], *, wording: Wording | None = None
) -> Prompt:
    """Return the prompt that asks for the letter of an option, with the options in this order."""
    used = wording or Wording(variables.language)
    letters = ascii_uppercase[: len(order)]
    shown = [one_line(variables.options[place]) for place in order]
    noted = "\n".join(_told(note, variables.language) for note in variables.notes)
    asked = one_line(variables.question)
    text = used.fill(
        READER_CHOOSE,
        notes=data(noted) if noted else NOTHING,
        question=asked if asked.endswith(_ENDS) else f"{asked}?",
        options="\n".join(f"{letter}. {option}" for letter, option in zip(letters, shown, strict=True)),
    )
    message = Message(role="user", text=text.strip())
    return Prompt(READER_CHOOSE, (message,), variables, templates=used.uses(READER_CHOOSE), letters=letters)


def choose_by_reader(run: Run[Any], variables: ReaderVariables) -> tuple[float, ...]:
    """Return the reader's probability of each option; all are equal where it does not choose.

    A reader that gives probabilities is asked twice, with the options in another order: a small model prefers
    some letters. A failure becomes a gap of the run.
    """
    number, said = len(variables.options), list[ChoiceReply]()
    for order in _orders(number):
        prompt = choice_prompt(variables, order, wording=run.wording)
        try:
            answered = _ask(run, prompt, ChoiceReply, gap="reader_not_choosing")
        except LimitReached:
            break
        if answered is None:
            break
        said.append(answered.value)
        if not answered.value.shares:
            break
    return blend(said, number)


def blend(replies: Sequence[ChoiceReply], number: int) -> tuple[float, ...]:
    """Return the probability of each option by the replies to each order of them; one alone counts half."""
    total = [0.0] * number
    for reply, order in zip(replies, _orders(number), strict=False):
        for letter, place in zip(ascii_uppercase, order, strict=False):
            total[place] += math.log(max(reply.share(letter, number), _LEAST)) / 2
    odds = [math.exp(one) for one in total]
    return tuple(round(one / sum(odds), 6) for one in odds)


def _orders(number: int) -> list[list[int]]:
    """Return the two orders in which options are shown."""
    return [[(place + turn) % number for place in range(number)] for turn in (0, number // 2)]


def _told(note: Note, language: AnswerLanguage) -> str:
    """Return a note without number and time, which a choice has no use for."""
    kind = "" if note.kind in ("text", "seen") else f"{phrase(f'note_{note.kind}', language)}: "
    return f"{kind}{one_line(note.text)}"


def cited_notes(reply: ReaderReply, notes: Sequence[Note]) -> list[Note]:
    """Return the notes that a reply cites, in its order; numbers of no note are left out."""
    known = {note.number: note for note in notes}
    return [known[number] for number in reply.notes if number in known]


def note_citations(notes: Sequence[Note]) -> tuple[Citation, ...]:
    """Return the citations of notes that come from records, for the verifier to resolve."""
    return tuple(
        Citation(
            record_id=note.record_id,
            start_time=note.start_s,
            end_time=note.end_s,
            quote=note.quote,
        )
        for note in notes
        if note.record_id is not None
    )


def note_line(note: Note, language: AnswerLanguage) -> str:
    """Return a note as `[3] 00:12 said: …`; its number alone stands in brackets."""
    times = "" if note.start_s is None else short_time(note.start_s)
    kind = "" if note.kind == "text" else phrase(f"note_{note.kind}", language)
    head = " ".join(part for part in (one_line(note.label) or times, kind) if part)
    return f"[{note.number}] {head}{': ' if head else ''}{one_line(note.text)}"
