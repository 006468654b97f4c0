"""Routes of topics: monitors, their runs as jobs, and their briefings."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from vidence.app.job_kinds import MonitorJob
from vidence.app.monitor import find_monitor, monitor_id, reports
from vidence.app.pages import style_policy
from vidence.errors import UserError
from vidence.schema.briefing import Briefing
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobRow
from vidence.schema.topics import MonitorRecord
from vidence.web.state import ServerState, State

__all__ = ["router"]

router = APIRouter(prefix="/api/topics", tags=["topics"])


class MonitorItem(Frozen):
    """A monitor and its runs."""

    monitor: MonitorRecord
    runs: int
    job: JobRow | None = None
    """The run that is under way."""


class BriefingItem(Frozen):
    """A finished run of a monitor."""

    run_id: str
    briefing: Briefing


class MonitorDetail(MonitorItem):
    """A monitor with its briefings, the newest first."""

    briefings: tuple[BriefingItem, ...]


@router.get("")
def list_topics(state: State) -> tuple[MonitorItem, ...]:
    """Return the monitors of the workspace."""
    return tuple(_item(state, record) for record in state.workspace.store.topics.monitors())


@router.post("", status_code=202)
def watch_topic(state: State, asked: MonitorJob) -> JobRow:
    """Look into a topic; follow the job's events for the thoughts and its result for the briefing."""
    sources = tuple(_source(state, one) for one in asked.sources)
    own = monitor_id(asked.command, sources or state.workspace.settings.monitor.sources)
    given = asked.model_copy(update={"sources": sources}).model_dump(mode="json")
    return state.runner.join("monitor", given, subject=own)


@router.get("/{name}")
def get_topic(state: State, name: str) -> MonitorDetail:
    """Return a monitor with its briefings."""
    record = find_monitor(state.workspace, name)
    done = reversed(reports(state.workspace, record.monitor_id))
    briefings = tuple(BriefingItem(run_id=one.run_id, briefing=one.briefing) for one in done)
    return MonitorDetail(**dict(_item(state, record)), briefings=briefings)


@router.get("/{name}/page", response_class=HTMLResponse)
def topic_as_page(state: State, name: str) -> HTMLResponse:
    """Return the latest briefing as one HTML page to keep."""
    done = reports(state.workspace, name)
    if not done:
        raise UserError(f"{name} has no finished briefing yet.")
    page = done[-1].html
    return HTMLResponse(page, headers={"content-security-policy": style_policy(page)})


def _item(state: ServerState, record: MonitorRecord) -> MonitorItem:
    runs = state.workspace.store.topics.runs(record.monitor_id)
    job = state.runner.active("monitor", record.monitor_id)
    return MonitorItem(monitor=record, runs=sum(run.status == "finished" for run in runs), job=job)


def _source(state: ServerState, text: str) -> str:
    """Return a source that may be read: an address, the videos, or a file this server may open."""
    is_address = "://" in text or text.startswith("videos:")
    return text if is_address else str(state.allowed(text))
