"""Monitoring a topic: run the loop over the sources, resume what was interrupted, store the briefing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, TypedDict, Unpack

from vidence.agents.monitor.loop import LOCAL, MONITOR, Monitor
from vidence.agents.monitor.orchestrator import AgentOrchestrator
from vidence.app.briefing import MonitorReport
from vidence.app.engines import open_engine, open_reader
from vidence.app.runs import progress_events, run_loop_in, stored_hash
from vidence.app.topics import named_sources, topic_sources
from vidence.app.workspace import Workspace
from vidence.embedded.monitor import MONITOR_SKILLS, critic_skills
from vidence.errors import BackendError, UnknownName, UserError
from vidence.intel.changes import changes_between
from vidence.intel.web.crawler import Crawler
from vidence.language.identify import question_language
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import Engine
from vidence.memory import open_book
from vidence.ops.topics.memory import TOPICS_SCOPE
from vidence.runs.budget import Cancel
from vidence.runs.inputs import check_question
from vidence.runs.journal import JournaledEngine, JournaledWorld
from vidence.runs.reading import READER
from vidence.runs.run import CHECKER
from vidence.runs.worlds.topics import TopicWorld
from vidence.schema.agent import Budget
from vidence.schema.briefing import Briefing
from vidence.schema.events import Briefed, Listener, StepEvent
from vidence.schema.evidence import hash_of
from vidence.schema.memory import NewMemory
from vidence.schema.topics import MonitorInput, MonitorRecord, TopicRun
from vidence.store import Topics

__all__ = [
    "MonitorOptions",
    "MonitorReport",
    "find_monitor",
    "monitor",
    "monitor_every",
    "monitor_id",
    "orchestrator",
    "reports",
    "stop_monitor",
]

_KNOWN = 20
_LOOK_S = 5.0
"""How often a waiting monitor looks whether it was stopped."""
logger = logging.getLogger(__name__)
_STEPS_AROUND = 2
"""Steps of the kernel beyond the searches: the plan and the briefing."""


class MonitorOptions(TypedDict, total=False):
    """The options of `monitor`."""

    sources: Sequence[str]
    """Folders, files, feeds, archives and search services; the settings' sources by default."""
    since: date | None
    engine: Engine | str | None
    budget: Budget | None
    listener: Listener | None
    cancel: Cancel | None
    max_steps: int
    crawler: Crawler | None
    """Who fetches; the settings' own by default."""


def monitor(
    workspace: Workspace,
    command: str,
    *,
    sources: Sequence[str] = (),
    since: date | None = None,
    engine: Engine | str | None = None,
    budget: Budget | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    max_steps: int = 10,
    every_s: float | None = None,
    crawler: Crawler | None = None,
) -> MonitorReport:
    """Run a command over its sources and return the briefing; a run that was killed is resumed."""
    if not command.strip():
        raise UserError("The command is empty. Say what to look into, such as: latest news of DeepSeek")
    check_question(command)
    named = named_sources(workspace, sources)
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    record = _register(workspace, command, named, engine=chosen.name, every_s=every_s)
    if workspace.store.locks.is_held(record.monitor_id):
        raise UserError(f"{record.monitor_id} is running already in another process.")
    with workspace.store.locks.hold(record.monitor_id):
        run = _Running(workspace, record, chosen, crawler, listener, cancel)
        limits = (budget or Budget()).model_copy(update={"steps": max_steps + _STEPS_AROUND})
        return run.finish(run.begin(command, since, limits, max_steps))


@dataclass(frozen=True)
class _Running:
    """One run with everything it needs."""

    workspace: Workspace
    record: MonitorRecord
    engine: Engine
    crawler: Crawler | None
    listener: Listener | None
    cancel: Cancel | None

    def begin(self, command: str, since: date | None, budget: Budget, max_steps: int) -> TopicRun:
        """Return the run to finish: the one that was interrupted, else a new one."""
        topics = self.workspace.store.topics
        past = topics.runs(self.record.monitor_id)
        if past and past[-1].status == "running":
            return past[-1]
        now = time.time()
        last = _last_briefing(past)
        given = MonitorInput(
            question=command,
            language=question_language(command),
            budget=budget,
            run_id=f"{self.record.monitor_id}-{len(past) + 1}",
            today=datetime.fromtimestamp(now, UTC).date(),
            sources=self.record.sources,
            since=since,
            max_steps=max_steps,
            known=tuple(one.text for one in last.statements[:_KNOWN]) if last else (),
        )
        run = TopicRun(
            run_id=given.run_id,
            monitor_id=self.record.monitor_id,
            started_at=now,
            given=given.model_dump_json(),
        )
        topics.save_run(run)
        return run

    def finish(self, run: TopicRun) -> MonitorReport:
        """Run the loop, answering from the journal what it got before, and store the briefing."""
        workspace, topics = self.workspace, self.workspace.store.topics
        given = MonitorInput.model_validate_json(run.given).model_copy(update={"began_at": time.time()})
        journal = _RunJournal(topics, run.run_id)
        briefings: list[Briefing] = []

        def heard(event: StepEvent) -> None:
            if isinstance(event, Briefed):
                briefings.append(event.briefing)
            if self.listener is not None:
                self.listener(event)

        sources = topic_sources(
            workspace,
            given.sources,
            crawler=self.crawler,
            progress=progress_events(self.listener, ""),
            seconds=given.budget.seconds,
        )
        call = partial(workspace.run, topics=sources)
        world = TopicWorld(call, stored_hash=partial(stored_hash, workspace))
        main = (
            self.engine if self.engine.capabilities.deterministic else JournaledEngine(self.engine, journal)
        )
        local = _local_engine(workspace)
        engines = {MONITOR: main, LOCAL: local, CHECKER: local}
        reader = open_reader(workspace, self.engine)
        if reader is not self.engine or self.engine.capabilities.reads_text:
            engines[READER] = JournaledEngine(reader, journal)
        answer = run_loop_in(
            workspace,
            Monitor,
            given,
            JournaledWorld(world, journal),
            engines,
            listener=heard,
            cancel=self.cancel,
        )
        if not briefings:
            topics.save_run(run.model_copy(update={"status": "failed"}))
            raise UserError(f"The monitor reached no briefing: {' '.join(answer.gaps)}")
        last = _last_briefing(topics.runs(self.record.monitor_id))
        changes = changes_between(last, briefings[-1]) if last else None
        briefing = briefings[-1].model_copy(update={"changes": changes})
        _remember(workspace, briefing)
        done = run.model_copy(update={"status": "finished", "briefing": briefing.model_dump_json()})
        topics.save_run(done)
        return MonitorReport(run_id=run.run_id, briefing=briefing, trace_id=answer.trace_id)


def orchestrator(workspace: Workspace, **options: Unpack[MonitorOptions]) -> AgentOrchestrator:
    """Return the seed's orchestrator over a workspace: its `run` yields the thoughts of a command."""

    def run_command(command: str, listener: Listener, stop: Cancel) -> MonitorReport:
        own: MonitorOptions = {**options, "listener": listener, "cancel": stop}
        return monitor(workspace, command, **own)

    return AgentOrchestrator(run_command)


def monitor_every(
    workspace: Workspace,
    command: str,
    every_s: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    **options: Unpack[MonitorOptions],
) -> Iterator[MonitorReport]:
    """Yield a briefing every so often, until the monitor is stopped; a failed run is tried the next time."""
    named = named_sources(workspace, options.get("sources", ()))
    own = monitor_id(command, named)
    options["sources"] = named
    wished: float | None = every_s
    while True:
        began = time.time()
        try:
            yield monitor(workspace, command, every_s=wished, **options)
        except BackendError as exc:
            logger.warning("this run failed and is tried again: %s", exc)
        wished = None
        while (left := began + every_s - time.time()) > 0 and not find_monitor(workspace, own).is_stopped:
            sleep(min(left, _LOOK_S))
        if find_monitor(workspace, own).is_stopped:
            return


class _RunJournal:
    """The journal of a run in the store."""

    def __init__(self, topics: Topics, run_id: str) -> None:
        self._topics, self._run_id = topics, run_id

    def read(self, entry: str) -> str | None:
        return self._topics.noted(self._run_id, entry)

    def write(self, entry: str, body: str) -> None:
        self._topics.note(self._run_id, entry, body)


def monitor_id(command: str, sources: Sequence[str]) -> str:
    """Return the id of a command over some sources, the same every time."""
    return f"mon_{hash_of([' '.join(command.split()), list(sources)])[:8]}"


def find_monitor(workspace: Workspace, name: str) -> MonitorRecord:
    """Return the monitor with an id or the beginning of one."""
    known = workspace.store.topics.monitors()
    found = [one for one in known if one.monitor_id == name or one.monitor_id.startswith(name)]
    if len(found) != 1:
        raise UnknownName(
            "monitor", name, [one.monitor_id for one in known], remedy="See: vidence monitor list"
        )
    return found[0]


def reports(workspace: Workspace, name: str) -> list[MonitorReport]:
    """Return the finished briefings of a monitor, the oldest first."""
    record = find_monitor(workspace, name)
    return [
        MonitorReport(run_id=run.run_id, briefing=Briefing.model_validate_json(run.briefing))
        for run in workspace.store.topics.runs(record.monitor_id)
        if run.status == "finished"
    ]


def stop_monitor(workspace: Workspace, name: str) -> MonitorRecord:
    """Stop a monitor that runs again and again; its briefings are kept."""
    record = find_monitor(workspace, name).model_copy(update={"is_stopped": True})
    workspace.store.topics.save_monitor(record)
    return record


def _register(
    workspace: Workspace, command: str, sources: tuple[str, ...], *, engine: str, every_s: float | None
) -> MonitorRecord:
    own = monitor_id(command, sources)
    topics = workspace.store.topics
    known = next((one for one in topics.monitors() if one.monitor_id == own), None)
    record = MonitorRecord(
        monitor_id=own,
        command=command,
        sources=sources,
        engine=engine,
        every_s=every_s if every_s is not None or known is None else known.every_s,
        created_at=known.created_at if known else time.time(),
        is_stopped=known.is_stopped if known and every_s is None else False,
    )
    topics.save_monitor(record)
    return record


def _last_briefing(runs: Sequence[TopicRun]) -> Briefing | None:
    done = [run for run in runs if run.status == "finished"]
    return Briefing.model_validate_json(done[-1].briefing) if done else None


def _local_engine(workspace: Workspace) -> EmbeddedEngine:
    """Return the critic, and who plans and writes when the engine cannot."""
    skills: Mapping[str, Any] = {**MONITOR_SKILLS, **critic_skills(workspace.embed)}
    return EmbeddedEngine(skills, name="critic")


def _remember(workspace: Workspace, briefing: Briefing) -> None:
    """Keep each statement in the memory of topics, with where it comes from."""
    book, _ = open_book(workspace.store.memories, TOPICS_SCOPE, embedder=lambda: workspace.indexer.shelf.text)
    urls = {card.number: card.url for card in briefing.sources}
    for statement in briefing.statements:
        day = statement.published or briefing.day
        said_at = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
        book.write(
            NewMemory(
                content=statement.text,
                source=urls[statement.quotes[0].source],
                subject=briefing.subject,
                said_at=said_at,
                derived_from=tuple(dict.fromkeys(urls[quote.source] for quote in statement.quotes)),
            )
        )
