"""The server: its routes, its page, and its start and stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, PlainTextResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from vidence import __version__
from vidence.app import Workspace
from vidence.app.guard import LOOPBACK, Asgi, Guard, GuardOptions, is_loopback
from vidence.app.http_server import http_server
from vidence.app.jobs import JobRunner
from vidence.app.telemetry import follow_jobs, is_wanted
from vidence.app.uploads import Uploads
from vidence.errors import UserError
from vidence.web import jobs, library, stories, topics, videos
from vidence.web.metrics import RequestMeter, exposition
from vidence.web.problems import add_handlers
from vidence.web.state import ServerState

__all__ = ["STATIC", "ServeOptions", "create_app", "guarded", "page_server"]

STATIC = Path(__file__).parent / "static"
_UPLOAD_BYTES = 8 << 30
_LOCK = "serve"


@dataclass(frozen=True)
class ServeOptions:
    """How a server is reached and what it allows."""

    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = None
    origins: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
    max_upload_bytes: int = _UPLOAD_BYTES
    tls: tuple[Path, Path] | None = None
    """The files of a certificate and of its key, to serve https."""

    @property
    def is_secure(self) -> bool:
        return self.tls is not None

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.token:
            raise UserError(f"A server on {self.host} can be reached by others, so it needs a token.")


class _Pages(StaticFiles):
    """The page's files, checked for changes by the browser each time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.setdefault("cache-control", "no-cache")
        return response


def create_app(workspace: Workspace, options: ServeOptions | None = None) -> FastAPI:
    """Return the app of a workspace, without its guard; its jobs run while it is up."""
    chosen = options or ServeOptions()
    runner = JobRunner(workspace)
    state = ServerState(
        workspace,
        runner,
        Uploads(workspace, max_bytes=chosen.max_upload_bytes),
        roots=chosen.roots,
        allows_paths=is_loopback(chosen.host) or bool(chosen.roots),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        _refuse_second(workspace)
        with workspace.store.locks.hold(_LOCK):
            state.changes.attach(asyncio.get_running_loop())
            unfollow = runner.follow(state.changes.told)
            stop_export = follow_jobs(runner) if is_wanted() else unfollow
            runner.start()
            try:
                yield
            finally:
                unfollow()
                stop_export()
                await asyncio.to_thread(runner.close)

    app = FastAPI(
        title="vidence",
        version=__version__,
        description="Ask videos questions and get answers with evidence.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.server = state
    add_handlers(app)
    for module in (videos, jobs, library, stories, topics):
        app.include_router(module.router)

    @app.get("/healthz", tags=["server"])
    def healthz() -> dict[str, str]:
        """Say that the server is up."""
        return {"status": "ok", "version": __version__}

    @app.get("/metrics", tags=["server"], response_class=PlainTextResponse)
    def metrics() -> PlainTextResponse:
        """Return figures in Prometheus' text format."""
        text = exposition(state, getattr(app.state, "meter", None))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    app.mount("/static", _Pages(directory=STATIC), name="static")
    return app


def guarded(app: FastAPI, options: ServeOptions) -> Asgi:
    """Return the app behind the guard that fits the options."""
    app.state.meter = meter = RequestMeter(app)
    return Guard(
        meter,
        GuardOptions(
            hosts=LOOPBACK if is_loopback(options.host) else (),
            token=options.token,
            origins=options.origins,
            unlimited=("/api/uploads/",),
            is_secure=options.is_secure,
        ),
    )


def _refuse_second(workspace: Workspace) -> None:
    if workspace.store.locks.is_held(_LOCK):
        raise UserError(f"Another vidence server is working on {workspace.settings.home}. Use that one.")


def page_server(workspace: Workspace, options: ServeOptions) -> uvicorn.Server:
    """Return the server of a workspace, ready to run."""
    # Checked here too: an error while the server starts would come with its whole traceback.
    _refuse_second(workspace)
    return http_server(guarded(create_app(workspace, options), options), tls=options.tls)
