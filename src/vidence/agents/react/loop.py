"""ReActAgent: think, call a tool, observe, answer; graded, refined and tried again up to three times.

attempt ──► Thought ──► Action ──► Observation ─┐
              ▲                                 │
              └─────────────────────────────────┤
              Answer ──► verifier ──► AnswerGrader ─┬─► passed: done
                                                    └─► failed: QueryRefiner ──► next attempt
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from vidence.agents.react.grader import AnswerGrader
from vidence.agents.react.refiner import hint, refiner_prompt
from vidence.errors import BackendError
from vidence.language.identify import LANGUAGE_NAMES
from vidence.language.phrases import phrase
from vidence.language.tokens import sentences
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt
from vidence.prompts.fenced import data, one_line
from vidence.runs.budget import LimitReached
from vidence.runs.judge import Candidate
from vidence.runs.notes import token_count
from vidence.runs.reading import READER, ask_reader
from vidence.runs.run import CallOutcome, Loop, Run
from vidence.runs.worlds.story import NumberedQuote, number_quotes, observation_text
from vidence.schema.agent import AnswerPayload, CheckerResponse, OperationCall
from vidence.schema.events import Graded, Refined
from vidence.schema.evidence import Claim
from vidence.schema.message import Message
from vidence.schema.react import (
    Grade,
    GraderReply,
    GraderVariables,
    ReActInput,
    ReActReply,
    ReActVariables,
    RefinerReply,
    RefinerVariables,
)
from vidence.schema.reading import Note, ReaderVariables

__all__ = ["AGENT", "GRADER", "GRADER_TASK", "REACT_TASK", "REFINER", "ReActAgent"]

AGENT, GRADER, REFINER = "agent", "grader", "refiner"
REACT_TASK, GRADER_TASK = "react.step", "grader.grade"
_MOST_CALLS = 6
"""Tool calls of one attempt."""
_CITED = re.compile(r"[\[【(（]\s*(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\s*[\]】)）]")
_CANNOT = re.compile(
    r"^\W*(?:cannot tell|can't tell|the story does not say|unknown|无法判断|无法得知|故事没有|不知道)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\s*\[\d[\d,，、 ]*\]")
_QUOTE_TOKENS = 1700
"""For the sentences that a reader is given."""
_HARDLY_LESS = 0.6
_MEASURED = 0.5
"""How often quoted sentences held the reference answer on stories that nothing was fitted to."""
_SCORES = ((85, 5), (70, 4), (50, 3), (25, 2))
"""The least total for each confidence score; below all of them it is 1."""


class ReActAgent(Loop[ReActInput]):
    """Answers a question about a story by text-controlled tool calls."""

    name = "react"
    given = ReActInput
    looks_further = True

    def __init__(self, run: Run[ReActInput]) -> None:
        super().__init__(run)
        self._grader = AnswerGrader()
        self._attempt = 1
        self._queries: tuple[str, ...] = ()
        self._calls: list[OperationCall] = []
        self._history: list[Message] = []
        self._begin()

    def step(self) -> AnswerPayload | None:
        """Let the agent think once: call a tool, or answer."""
        must_answer = len(self._calls) >= _MOST_CALLS or self.run.meter.steps_left == 0
        try:
            reply = self.run.ask(self._prompt(must_answer), ReActReply)
        except InvalidReply as exc:
            self._said(exc.reply, phrase("react_form", self.run.language))
            self._calls.append(OperationCall(operation=""))
            return None
        if reply.value.answer is not None:
            return self._payload(self._worded(reply.value.answer))
        assert reply.value.call is not None
        if must_answer:
            self._said(reply.text, phrase("react_answer", self.run.language))
            return None
        outcome = self.run.call([self._limited(reply.value.call)])[0]
        self._calls.append(outcome.call)
        self._said(reply.text, f"Observation:\n{self._observed(outcome)}")
        return None

    def judge(self, candidate: Candidate) -> Candidate:
        """Grade an answer: counts first, then a language model within what they allow."""
        grade = self._graded(candidate)
        self.run.emit(Graded(step=self.run.meter.steps, attempt=self._attempt, grade=grade))
        score = next((one for least, one in _SCORES if grade.score >= least), 1)
        score = max(score, 4) if grade.passed else min(score, 3)
        verdict = CheckerResponse(confidence_score=score, feedback=grade.suggestion)
        return replace(candidate.judged(verdict, self.run.language), grade=float(grade.score))

    def rejected(self, candidate: Candidate) -> bool:
        """Refine the queries and try again, three attempts in all."""
        if self._attempt >= self.run.given.attempts:
            return False
        feedback = candidate.verdict.feedback if candidate.verdict else ""
        queries, limit = self._refine(feedback), self._limit
        self.run.emit(Refined(step=self.run.meter.steps, attempt=self._attempt, queries=queries))
        self._attempt += 1
        self._queries = queries
        self._calls = []
        self._begin()
        return bool(queries) or self._limit > limit or self._attempt < self.run.given.attempts

    def last_answer(self) -> AnswerPayload | None:
        """Say that it cannot be told, when a limit came before any answer."""
        return self._nothing()

    def _begin(self) -> None:
        """Open an attempt with the role, the tools and the question; earlier observations come along."""
        run = self.run
        schemas = "\n".join(json.dumps(one, ensure_ascii=False) for one in run.given.tools)
        system = run.wording.fill("react.system", tools=schemas, language=LANGUAGE_NAMES[run.language])
        asked = hint(run.question, self._queries, run.language) if self._queries else run.question
        turns = "\n".join(
            f"Q: {one_line(one.question)}\nA: {one_line(one.answer)}" for one in run.given.turns
        )
        known = [
            observation_text(record, number_quotes(run.ledger.operations)) for record in run.ledger.operations
        ]
        text = run.wording.fill(
            "react.question",
            question=asked,
            names=", ".join(run.given.names) or "–",
            turns=data(turns, 'kind="conversation"') if turns else "–",
            known=data("\n".join(known)[:4000], 'kind="observations"') if known else "–",
        )
        self._history = [Message(role="system", text=system), Message(role="user", text=text)]

    def _prompt(self, must_answer: bool) -> Prompt:
        run = self.run
        variables = ReActVariables(
            question=run.question,
            language=run.language,
            question_type=run.given.question_type,
            names=run.given.names,
            records=run.ledger.operations,
            called=tuple(self._calls),
            queries=self._queries,
            attempt=self._attempt,
            limit=self._limit,
            must_answer=must_answer,
            turns=run.given.turns,
        )
        uses = run.wording.uses("react.system", "react.question")
        return Prompt(REACT_TASK, tuple(self._history), variables, None, uses)

    @property
    def _limit(self) -> int:
        limits = self.run.given.limits
        return limits[min(self._attempt, len(limits)) - 1]

    def _limited(self, call: OperationCall) -> OperationCall:
        """Return the call with the attempt's limit on search results."""
        if call.operation != "search_memory":
            return call
        return call.model_copy(update={"arguments": {**call.arguments, "limit": self._limit}})

    def _said(self, reply: str, answer: str) -> None:
        self._history += [Message(role="assistant", text=reply), Message(role="user", text=answer)]

    def _observed(self, outcome: CallOutcome) -> str:
        if outcome.record is None:
            return one_line(outcome.problem)
        quotes = number_quotes(self.run.ledger.operations)
        return data(observation_text(outcome.record, quotes), f'tool="{outcome.call.operation}"')

    def _nothing(self) -> AnswerPayload:
        return AnswerPayload(final_answer=phrase("story_cannot_tell", self.run.language), cannot_tell=True)

    def _worded(self, answer: str) -> str:
        """Return quoted sentences with the reader's answer before them, where it reads one in them."""
        run = self.run
        can_word = READER in run.engines and run.engines[READER].capabilities.reads_text
        if not can_word or run.given.question_type != "detail" or _CANNOT.match(answer):
            # Plain extraction quotes, as the answer does already.
            return answer
        cited = {int(number) for found in _CITED.findall(answer) for number in re.findall(r"\d+", found)}
        quotes = sorted(
            number_quotes(run.ledger.operations), key=lambda one: (one.number not in cited, one.number)
        )
        notes, left = list[Note](), float(_QUOTE_TOKENS)
        for one in quotes:
            left -= token_count(one.quote.text)
            if left > 0:
                notes.append(one.note())
        read = ask_reader(
            run, ReaderVariables(question=run.question, language=run.language, notes=tuple(notes))
        )
        if read.cannot_tell or any(_repeats(read.answer, line) for line in answer.splitlines()):
            return answer
        numbers = ", ".join(map(str, read.notes))
        return f"{one_line(read.answer).rstrip('.。')} [{numbers}]\n{answer}"

    def _payload(self, answer: str) -> AnswerPayload:
        """Return the answer with each sentence as a claim that cites the quotations it numbers."""
        quotes = {one.number: one for one in number_quotes(self.run.ledger.operations)}
        if not answer.strip() or _CANNOT.match(answer):
            return self._nothing()
        claims = [_claim(sentence, quotes) for sentence in _sentences(answer)]
        return AnswerPayload(
            final_answer=_NUMBERS.sub("", answer).strip(),  # Else the verifier takes [2] for a count.
            claims=tuple(claim for claim in claims if claim),
            probability=None if self.run.engine.capabilities.reads_text else _MEASURED,
        )

    def _graded(self, candidate: Candidate) -> Grade:
        run = self.run
        counted = self._grader.count(
            run.question,
            run.given.question_type,
            run.language,
            candidate.payload,
            candidate.claims,
            run.ledger.operations,
            self._calls,
        )
        engine = run.engines[GRADER]
        if not engine.capabilities.reads_text or candidate.payload.cannot_tell:
            return counted
        quotes = number_quotes(run.ledger.operations)
        variables = GraderVariables(
            question=run.question,
            language=run.language,
            question_type=run.given.question_type,
            answer=candidate.payload,
            claims=candidate.claims,
            observations=tuple(observation_text(record, quotes) for record in run.ledger.operations),
            counted=counted,
        )
        text = run.wording.fill(
            GRADER_TASK,
            question=one_line(run.question),
            kind=run.given.question_type,
            observations=data("\n\n".join(variables.observations), 'kind="observations"'),
            answer=data(candidate.payload.final_answer, 'kind="answer"'),
            counted=json.dumps(counted.scores.model_dump()),
        )
        prompt = Prompt(
            GRADER_TASK,
            (Message(role="user", text=text),),
            variables,
            GraderReply,
            run.wording.uses(GRADER_TASK),
        )
        try:
            return self._grader.adjust(counted, run.ask(prompt, GraderReply, role=GRADER, attempts=2).value)
        except LimitReached:
            raise
        except (BackendError, InvalidReply) as exc:
            # The counts stand on their own; a failed judge is named and is no score.
            run.gaps.append(phrase("unchecked", run.language, str(exc)))
            return counted

    def _refine(self, suggestion: str) -> tuple[str, ...]:
        run = self.run
        variables = RefinerVariables(
            question=run.question,
            language=run.language,
            question_type=run.given.question_type,
            names=run.given.names,
            suggestion=suggestion,
            seen=tuple(one.quote.text for one in number_quotes(run.ledger.operations)),
            tried=tuple(
                str(one.asked.get("query", "")) for one in run.ledger.operations if one.asked.get("query")
            ),
        )
        try:
            reply = run.ask(refiner_prompt(variables, run.wording), RefinerReply, role=REFINER, attempts=2)
        except LimitReached:
            raise
        except (BackendError, InvalidReply) as exc:
            run.gaps.append(phrase("reader_failed", run.language, str(exc)))
            return ()
        return tuple(one_line(query) for query in reply.value.queries if query.strip())


def _sentences(answer: str) -> list[str]:
    """Return the sentences of an answer; a citation after the full stop belongs to the sentence before."""
    tight = re.sub(r"\s+(?=\[\d)", "", answer)
    joined = re.sub(r"\s*([.。!！?？…”\"]+)((?:\[\d[\d,，、 ]*\])+)", r"\2\1 ", tight)
    return [part for line in joined.splitlines() for part in sentences(line) if part.strip()]


def _repeats(answer: str, line: str) -> bool:
    """Say whether an answer is hardly less than a line that is quoted anyway."""
    said, held = ("".join(filter(str.isalnum, text.casefold())) for text in (answer, _CITED.sub("", line)))
    return said in held and len(said) > _HARDLY_LESS * len(held)


def _claim(sentence: str, quotes: dict[int, NumberedQuote]) -> Claim | None:
    numbers = [int(one) for found in _CITED.findall(sentence) for one in re.split(r"\s*[,，、]\s*", found)]
    text = _CITED.sub("", sentence).strip(" -*•·")
    if not any(character.isalnum() for character in text):
        return None
    cited = tuple(quotes[number].citation(text) for number in dict.fromkeys(numbers) if number in quotes)
    return Claim(text=text, citations=cited)
