"""The monitor's loop on the run kernel: plan → search and scrape → expand → critique → synthesise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import BaseModel

from vidence.agents.monitor.compose import compose, nothing_found, statement_claims
from vidence.agents.monitor.phases import check_transition
from vidence.errors import BackendError
from vidence.intel.digest import is_question
from vidence.language.phrases import phrase
from vidence.language.tokens import sentences
from vidence.llm.ask import ask_for
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt
from vidence.prompts.topics import (
    CHECK_TASK,
    SELECT_TASK,
    keywords_prompt,
    local_prompt,
    plan_prompt,
    review_prompt,
    synthesis_prompt,
)
from vidence.runs.budget import LimitReached
from vidence.runs.reading import READER, READER_SUMMARISE, reader_prompt
from vidence.runs.run import CallOutcome, Loop, Run
from vidence.schema.agent import AnswerPayload, OperationCall
from vidence.schema.briefing import CheckVariables, Findings
from vidence.schema.events import Briefed, Thought
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import Note, ReaderReply, ReaderVariables
from vidence.schema.thought import AgentPhase, AgentState, ThoughtStep
from vidence.schema.topics import (
    DraftStatement,
    KeywordReply,
    KeywordVariables,
    MonitorInput,
    ReadPage,
    ReviewReply,
    ReviewVariables,
    SelectReply,
    SelectVariables,
    SynthesisReply,
    SynthesisVariables,
    TaskPlan,
    TopicNote,
    TopicPlanVariables,
)

__all__ = ["LOCAL", "MONITOR", "Monitor"]

MONITOR = "monitor"
"""The role of the engine that plans and writes."""
LOCAL = "local"
"""The role of the critic, and of who plans and writes when the engine cannot: programs of ours."""
_MOST_KEYWORDS = 3
"""New searches that one look at the pages may add."""
_NOTES_SHOWN = 40
Response = TypeVar("Response", bound=BaseModel)
P = AgentPhase


class Monitor(Loop[MonitorInput]):
    """One run of a monitor."""

    name = "monitor"
    given = MonitorInput

    def __init__(self, run: Run[MonitorInput]) -> None:
        super().__init__(run)
        given = run.given
        self.state = AgentState(
            task_id=given.run_id, original_command=given.question, max_steps=given.max_steps
        )
        self.plan: TaskPlan | None = None
        self.pages: list[ReadPage] = []
        self.searched: list[str] = []
        self.failed: dict[str, str] = {}
        """Sources and pages that could not be read, with the reason."""
        self._addresses: set[str] = set()
        self._told_s = 0.0
        """When the last thought was told."""
        self._is_stopped = False
        """After a limit our own program writes the briefing; engines may not be asked any more."""

    def step(self) -> AnswerPayload | None:
        """Do the next part of the work; the briefing comes out of the last."""
        state = self.state
        if self.plan is None:
            self._make_plan()
            return None
        if state.pending_searches and state.current_step < state.max_steps:
            state.current_step += 1
            self._search_next()
            return None
        return self._conclude()

    def last_answer(self) -> AnswerPayload | None:
        """Report what was found before a limit was reached; without a plan there is nothing."""
        if self.plan is None:
            return None
        self._is_stopped = True
        if self.state.current_phase in (P.PLANNING, P.EXECUTING):
            stopped = phrase("monitor_stopped", self.run.language)
            for phase in (P.EXECUTING, P.RECOVERING, P.FAILED):
                self._enter(phase, stopped)
        return self._conclude() if self.state.current_phase != P.COMPLETED else None

    def _make_plan(self) -> None:
        given = self.run.given
        self._enter(P.PLANNING, phrase("monitor_planning", given.language, given.question))
        variables = TopicPlanVariables(
            command=given.question,
            language=given.language,
            today=given.today,
            sources=given.sources,
            known=given.known,
        )
        self.plan = self._ask(plan_prompt(variables, self.run.wording), TaskPlan)
        queries = [task.query for task in self.plan.sub_tasks]
        self.state.pending_searches = list(dict.fromkeys(queries))
        self._note(
            phrase("monitor_planned", given.language, len(queries)),
            observation=" | ".join(task.title for task in self.plan.sub_tasks),
        )

    def _search_next(self) -> None:
        """Search for the next query; a planned one by way of the diagram, a new keyword while expanding."""
        query = self.state.pending_searches.pop(0)
        planned = self.state.current_phase != P.EXPANDING
        if planned:
            if self.state.current_phase != P.PLANNING:
                self._enter(P.PLANNING, phrase("monitor_next", self.run.language, query))
            self._enter(P.EXECUTING, phrase("monitor_next", self.run.language, query))
        new = self._look(
            query, P.SEARCHING if planned else P.EXPANDING, P.SCRAPING if planned else P.EXPANDING
        )
        if not self.state.pending_searches:
            self._expand(new)

    def _look(self, query: str, searching: AgentPhase, scraping: AgentPhase) -> list[ReadPage]:
        """Search the sources and read the best pages that are new."""
        given = self.run.given
        self.searched.append(query)
        arguments: dict[str, Any] = {"query": query, "limit": 2 * given.pages_per_search}
        if given.since is not None:
            arguments["time_range"] = {"since": given.since.isoformat()}
        call = OperationCall(operation="platform_search", arguments=arguments)
        self._enter(searching, phrase("monitor_searching", given.language, query), calls=[call])
        found = self._call(call)
        results = found.get("results", [])
        for one in found.get("failed", []):
            self.failed.setdefault(one["source"], one["problem"])
        fresh = [one for one in results if one["url"] not in self._addresses][: given.pages_per_search]
        if not fresh:
            self._note(phrase("monitor_nothing_new", given.language), observation=str(len(results)))
            return []
        calls = [OperationCall(operation="web_scrape", arguments={"url": one["url"]}) for one in fresh]
        self._enter(scraping, phrase("monitor_reading", given.language, len(calls)), calls=calls)
        new = [page for call, one in zip(calls, fresh, strict=True) if (page := self._read(call, one))]
        self._note(
            phrase("monitor_read", given.language, len(new)),
            observation=" | ".join(page.title or page.url for page in new),
        )
        return new

    def _read(self, call: OperationCall, found: dict[str, Any]) -> ReadPage | None:
        url = str(call.arguments["url"])
        self._addresses.add(url)
        [outcome] = self.run.call([call]) or [CallOutcome(call, problem="the run was stopped")]
        record = outcome.record
        if record is None:
            self.state.error_count += 1
            self.failed[url] = outcome.problem
            return None
        page = _page(record, number=len(self.pages) + 1, source=str(found.get("source", "")))
        self.pages.append(page)
        self.state.collected_data.append({"url": page.url, "title": page.title, "record_id": page.record_id})
        return page

    def _call(self, call: OperationCall) -> dict[str, Any]:
        outcomes = self.run.call([call])
        record = outcomes[0].record if outcomes else None
        if record is None:
            self.state.error_count += 1
            problem = outcomes[0].problem if outcomes else "the run was stopped"
            self.failed.setdefault(call.operation, problem)
            return {}
        return record.result if isinstance(record.result, dict) else {}

    def _expand(self, new: list[ReadPage]) -> None:
        """Look for new keywords in what was read and queue searches for them."""
        given, plan = self.run.given, self.plan
        assert plan is not None
        self._enter(P.EXPANDING, phrase("monitor_expanding", given.language))
        if not new or self.state.current_step >= self.state.max_steps:
            return
        notes = self._select().notes[:_NOTES_SHOWN]
        variables = KeywordVariables(
            command=given.question,
            subject=plan.subject,
            language=given.language,
            sentences=tuple(note.text for note in notes),
            searched=tuple(self.searched),
        )
        reply = self._ask(keywords_prompt(variables, self.run.wording), KeywordReply)
        known = {one.casefold() for one in [*self.searched, *self.state.pending_searches]}
        fresh = [
            one for one in reply.keywords[:_MOST_KEYWORDS] if one.strip() and one.casefold() not in known
        ]
        self.state.discovered_keywords += fresh
        queries = [
            one if plan.subject.casefold() in one.casefold() else f"{plan.subject} {one}" for one in fresh
        ]
        self.state.pending_searches += queries
        self._note(phrase("monitor_expanded", given.language, len(fresh)), observation=" | ".join(fresh))

    def _select(self) -> SelectReply:
        assert self.plan is not None
        variables = SelectVariables(
            command=self.run.question,
            subject=self.plan.subject,
            language=self.run.language,
            sub_tasks=self.plan.sub_tasks,
            pages=tuple(self.pages),
        )
        return self._local(local_prompt(SELECT_TASK, variables, SelectReply), SelectReply)

    def _conclude(self) -> AnswerPayload:
        """Review the notes, write the briefing, and return it as an answer to be verified."""
        if self.state.current_phase in (P.SEARCHING, P.SCRAPING):
            self._enter(P.EXPANDING, phrase("monitor_expanding", self.run.language))
        is_over = self.state.current_phase == P.FAILED
        notes = self._review(list(self._select().notes), is_over=is_over)
        findings = self._synthesise(notes, is_over=is_over)
        assert self.plan is not None
        briefing = compose(self.run, self.plan, findings, self.pages, self.searched, self.failed)
        self.state.credibility_scores = {
            card.url: card.rating for card in findings.sources if card.rating is not None
        }
        self.run.emit(Briefed(step=self.run.meter.steps, briefing=briefing))
        if not is_over:
            number = len(briefing.statements)
            self._enter(P.COMPLETED, phrase("monitor_done", self.run.language, number))
        if briefing.found_nothing:
            return nothing_found(briefing)
        return statement_claims(briefing, self.pages)

    def _review(self, notes: list[TopicNote], *, is_over: bool) -> list[TopicNote]:
        """Return the notes that the reviewer lets stand."""
        given = self.run.given
        # A limit that is reached while writing leads here again, and no way leads back.
        if not is_over and self.state.current_phase != P.SYNTHESIZING:
            self._enter(P.CRITIQUING, phrase("monitor_critiquing", given.language, len(notes)))
        if not notes:
            return []
        variables = ReviewVariables(
            command=given.question, language=given.language, today=given.today, notes=tuple(notes)
        )
        prompt = review_prompt(variables, self.run.wording)
        reply = self._local(prompt, ReviewReply) if is_over else self._ask(prompt, ReviewReply)
        doubtful = set(reply.doubtful)
        kept = [note for note in notes if note.number not in doubtful]
        if not is_over:
            self._note(
                phrase("monitor_critiqued", given.language, len(notes) - len(kept)),
                observation=" | ".join(dict.fromkeys(reply.reasons)),
            )
        return kept

    def _synthesise(self, notes: list[TopicNote], *, is_over: bool) -> Findings:
        given, plan = self.run.given, self.plan
        assert plan is not None
        if not is_over:
            self._enter(P.SYNTHESIZING, phrase("monitor_writing", given.language))
        if not notes:
            return Findings()
        variables = SynthesisVariables(
            command=given.question,
            subject=plan.subject,
            language=given.language,
            sub_tasks=plan.sub_tasks,
            notes=tuple(notes),
            most=given.statements,
        )
        prompt = synthesis_prompt(variables, self.run.wording)
        reply = self._local(prompt, SynthesisReply) if is_over else self._ask(prompt, SynthesisReply)
        checked = CheckVariables(
            command=given.question,
            subject=plan.subject,
            language=given.language,
            today=given.today,
            statements=reply.statements,
            overview=() if is_over else self._sum_up(reply, notes),
            notes=tuple(notes),
            pages=tuple(self.pages),
        )
        return self._local(local_prompt(CHECK_TASK, checked, Findings), Findings)

    def _sum_up(self, reply: SynthesisReply, notes: list[TopicNote]) -> tuple[DraftStatement, ...]:
        """Return the briefing in a few sentences of the run's reader; nothing where it has none."""
        given, plan = self.run.given, self.plan
        assert plan is not None
        if READER not in self.run.engines or self._is_stopped:
            return ()
        order = [number for statement in reply.statements for number in statement.notes[:1]]
        known = {note.number: note for note in notes}
        cited = [known[number] for number in dict.fromkeys(order) if number in known]
        is_asked = is_question(given.question)
        wish = given.question if is_asked else phrase("monitor_wish", given.language, plan.subject)
        variables = ReaderVariables(
            question=wish,
            language=given.language,
            notes=tuple(
                Note(number=note.number, text=note.text, label=str(note.published or "")) for note in cited
            ),
        )
        prompt = reader_prompt(variables, task=READER_SUMMARISE, wording=self.run.wording)
        try:
            told = self.run.ask(prompt, ReaderReply, role=READER)
        except (BackendError, InvalidReply):
            told = None
        if told is None or told.replies[-1].engine not in ("", self.run.engines[READER].name):
            self.run.gaps.append(phrase("monitor_no_overview", given.language))
            return ()
        numbers = tuple(note.number for note in cited)
        return tuple(DraftStatement(text=one, notes=numbers) for one in sentences(told.value.answer) if one)

    def _ask(self, prompt: Prompt, response: type[Response]) -> Response:
        """Ask the engine; where it fails, our own program does the task and the gap is named."""
        if self._is_stopped:
            return self._local(prompt, response)
        try:
            return self.run.ask(prompt, response, attempts=2).value
        except LimitReached:
            raise
        except (BackendError, InvalidReply) as exc:
            if isinstance(exc, BackendError):
                self.run.note_failure(exc)
            self.run.gaps.append(phrase("monitor_fallback", self.run.language, prompt.task))
            return self._local(prompt, response)

    def _local(self, prompt: Prompt, response: type[Response]) -> Response:
        return ask_for(self.run.engines[LOCAL], prompt, response).value

    def _enter(self, phase: AgentPhase, thought: str, *, calls: list[OperationCall] | None = None) -> None:
        """Go to a phase and tell what is done there."""
        check_transition(self.state.current_phase, phase)
        self.state.current_phase = phase
        self._note(thought, calls=calls)

    def _note(
        self, thought: str, *, observation: str | None = None, calls: list[OperationCall] | None = None
    ) -> None:
        state, spent = self.state, self.run.meter.spent()
        before = state.total_tokens
        state.total_tokens = spent.usage.total_tokens
        taken_s, self._told_s = spent.seconds - self._told_s, spent.seconds
        step = ThoughtStep(
            step_id=f"step_{len(state.thought_chain) + 1:03d}",
            phase=state.current_phase,
            timestamp=datetime.fromtimestamp(self.run.given.began_at + spent.seconds, UTC),
            thought=thought,
            action=calls[0].operation if calls else None,
            observation=observation,
            tool_calls=[call.model_dump() for call in calls or ()],
            tokens_used=state.total_tokens - before,
            duration_ms=round(1000 * taken_s),
        )
        state.thought_chain.append(step)
        self.run.emit(Thought(step=self.run.meter.steps, thought=step))


def _page(record: EvidenceRecord, *, number: int, source: str) -> ReadPage:
    result = record.result
    assert isinstance(result, dict)
    fields = {
        name: result[name] for name in ("url", "title", "text", "platform", "published", "author", "language")
    }
    return ReadPage.model_validate(
        {**fields, "number": number, "source": source, "record_id": record.record_id}
    )
