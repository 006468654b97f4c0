"""The tools: each returns text of at most 8,000 tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver import Context, Image
from pydantic import Field

from vidence.app import Workspace
from vidence.app.answer import answer_lines, gap_lines
from vidence.app.moments import proofs_of
from vidence.app.narration import tell
from vidence.app.paths import allowed_path, expand
from vidence.app.pictures import exact_frame
from vidence.app.runs import TraceFolder, replay_trace
from vidence.app.story import Story
from vidence.app.story_view import story_lines
from vidence.errors import UnknownName, UserError, VidenceError
from vidence.mcp.paging import page_of
from vidence.mcp.work import Worker, run_work
from vidence.schema.agent import AgentAnswer, Budget
from vidence.schema.events import Listener, StepEvent, Working
from vidence.schema.time import format_timecode
from vidence.schema.trace import Trace

__all__ = ["VideoTools", "answer_text", "trace_lines"]

_SIDE = 768
Offset = Annotated[int, Field(ge=0, description="The line to begin with, to read on.")]
Video = Annotated[str, Field(description="A file path, an id (vid_…) or a file name.")]


class VideoTools:
    """The tools; each returns text of at most 8,000 tokens."""

    def __init__(self, workspace: Workspace, roots: tuple[Path, ...], allows_paths: bool) -> None:
        self._workspace, self._roots, self._allows_paths = workspace, roots, allows_paths

    def _video(self, reference: str, worker: Worker) -> str:
        """Return the id of a video; a new file is added."""
        path = Path(reference).expanduser()
        if not path.is_file():
            return self._workspace.find(reference).video_id
        known = self._workspace.store.catalogue.known(path.absolute())
        if known is not None:
            return known.video_id
        return self._workspace.add(self._allowed(reference), progress=worker.progress).video.video_id

    def _allowed(self, path: str) -> Path:
        if not self._allows_paths:
            raise UserError("This server was started without --library, so it takes no new files.")
        return allowed_path(path, self._roots)

    def _source(self, text: str) -> str:
        is_address = "://" in text or text.startswith(("videos:", "vid_"))
        return text if is_address else str(self._allowed(text))

    async def add(
        self,
        context: Context,
        path: Annotated[str, Field(description="A video file, or a folder that is searched for videos.")],
        index: Annotated[
            bool, Field(description="Index them now; otherwise the first question does.")
        ] = True,
        offset: Offset = 0,
    ) -> str:
        """Add videos from this machine to the library and index them. Files are named by path."""

        def work(worker: Worker) -> list[str]:
            lines: list[str] = []
            for name in expand([str(self._allowed(path))]):
                if worker.is_stopped():
                    break
                try:
                    video = self._workspace.add(self._allowed(name), progress=worker.progress).video
                    outcomes = (
                        self._workspace.index(
                            video.video_id, progress=worker.progress, cancel=worker.is_stopped
                        )
                        if index
                        else []
                    )
                except VidenceError as exc:
                    lines.append(f"failed: {exc}")
                    continue
                failed = ", ".join(one.stage for one in outcomes if one.error is not None)
                length = format_timecode(video.info.duration_s)
                lines.append(
                    f"{video.video_id}  {length}  {video.name}{f'  (failed: {failed})' if failed else ''}"
                )
            return lines

        return page_of(await run_work(context, work), offset)

    async def ask(
        self,
        context: Context,
        question: Annotated[str, Field(description="In English or Chinese; the answer is in its language.")],
        videos: Annotated[
            list[str] | None, Field(description="Paths, ids or names; all indexed videos by default.")
        ] = None,
        options: Annotated[list[str] | None, Field(description="What to choose from.")] = None,
        seconds: Annotated[float | None, Field(gt=0, description="The longest time to think.")] = None,
    ) -> str:
        """Ask a question about videos; each claim of the answer comes with the moments that prove it.

        New files are indexed first, which takes a fraction of their length.
        """

        def work(worker: Worker) -> AgentAnswer:
            chosen = None if videos is None else [self._video(one, worker) for one in videos]
            return self._workspace.ask(
                chosen,
                question,
                options=options or (),
                budget=Budget(seconds=seconds),
                listener=_listener(worker),
                cancel=worker.is_stopped,
            )

        answer = await run_work(context, work)
        # Asking again would be another run: the rest of a long answer is in its trace.
        again = f"call trace with trace_id={answer.trace_id} for all of it" if answer.trace_id else "cut here"
        return page_of(answer_text(answer), more=again)

    async def search(
        self,
        context: Context,
        query: Annotated[str, Field(description="What is seen, said, heard or written on screen.")],
        videos: Annotated[list[str] | None, Field(description="All indexed videos by default.")] = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Offset = 0,
    ) -> str:
        """Find moments by words, the likeliest first: confidence, times, file and what the match rests on."""

        def work(worker: Worker) -> list[str]:
            chosen = None if videos is None else [self._video(one, worker) for one in videos]
            found = self._workspace.search(query, chosen, limit=limit, progress=worker.progress)
            return [f"{hit}  {hit.video_id}" for hit in found.results] or [str(found)]

        return page_of(await run_work(context, work), offset)

    async def look(
        self,
        context: Context,
        video: Video,
        time: Annotated[float, Field(ge=0, description="Seconds from the beginning.")],
        picture: Annotated[
            bool, Field(description="Also return the frame, at most 768 pixels wide.")
        ] = False,
        offset: Offset = 0,
    ) -> list[str | Image]:
        """Look at one moment of a video: what is seen and where, the text on screen and the words spoken."""

        def work(worker: Worker) -> list[str | Image]:
            video_id = self._video(video, worker)
            lines = _moment_lines(self._workspace, video_id, time, worker)
            shown: list[str | Image] = [page_of(lines, offset)]
            if picture:
                frame = exact_frame(self._workspace, video_id, time, side=_SIDE)
                shown.append(Image(data=frame, format="jpeg"))
            return shown

        return await run_work(context, work)

    async def transcript(self, context: Context, video: Video, offset: Offset = 0) -> str:
        """Read what is said in a video, a line for each phrase with its time and speaker."""

        def work(worker: Worker) -> list[str]:
            said = self._workspace.transcript(self._video(video, worker), progress=worker.progress)
            return [
                f"[{format_timecode(one.start_time)}] {f'{one.speaker}: ' if one.speaker else ''}"
                f"{' '.join(one.text.split())}"
                for one in said
            ]

        lines = await run_work(context, work)
        return page_of(lines, offset) if lines else "Nothing is said in this video."

    async def story(
        self,
        context: Context,
        story: Annotated[str, Field(description="The name of a story; it is made when sources are given.")],
        question: Annotated[
            str | None, Field(description="What to ask; without it the people are shown.")
        ] = None,
        sources: Annotated[
            list[str] | None, Field(description="Texts, subtitles, folders or videos to add first.")
        ] = None,
        offset: Offset = 0,
    ) -> str:
        """Ask a novel, a script or subtitles; every sentence of the answer quotes chapter and paragraph."""

        def work(worker: Worker) -> list[str]:
            known = Story(story, workspace=self._workspace)
            if sources:
                known.add(
                    *(self._source(one) for one in sources),
                    progress=worker.progress,
                    cancel=worker.is_stopped,
                )
            elif story not in self._workspace.store.stories.names():
                raise UnknownName("story", story, self._workspace.store.stories.names())
            if question is None:
                return [
                    f"{one.name} ({one.kind}, {one.mentions} mentions): {'; '.join(known.relations_of(one))}"
                    for one in known.people()
                ]
            answer = known.ask(question, listener=_listener(worker), cancel=worker.is_stopped)
            return [*story_lines(answer), *gap_lines(answer), f"trace: {answer.trace_id}"]

        return page_of(await run_work(context, work), offset)

    async def topic(
        self,
        context: Context,
        command: Annotated[str, Field(description="What to look into, such as: latest news of DeepSeek.")],
        sources: Annotated[
            list[str] | None,
            Field(description="Folders, files, feeds or archives; the settings' by default."),
        ] = None,
        offset: Offset = 0,
    ) -> str:
        """Look into a topic and get a briefing; each sentence names the sources that say it."""

        def work(worker: Worker) -> list[str]:
            named = [self._source(one) for one in sources or ()]
            report = self._workspace.monitor(
                command, sources=named, listener=_listener(worker), cancel=worker.is_stopped
            )
            return str(report).splitlines()

        return page_of(await run_work(context, work), offset)

    async def trace(
        self,
        context: Context,
        trace_id: Annotated[
            str | None, Field(description="An id or `last`; without it the latest are listed.")
        ] = None,
        replay: Annotated[bool, Field(description="Repeat the run without a model and compare it.")] = False,
        offset: Offset = 0,
    ) -> str:
        """See how an answer was found: every step of a run, or a list of the latest runs."""

        def work(worker: Worker) -> list[str]:
            folder = TraceFolder(self._workspace.settings.home)
            if trace_id is None:
                files = list(reversed(folder.all()))[:200]
                return [f"{file.trace_id}  {file.read().question}" for file in files]
            file = folder.find(trace_id)
            if replay:
                again = replay_trace(file.load())
                return ["identical" if again.is_identical else f"different: {again.difference}"]
            return trace_lines(file.load())

        return page_of(await run_work(context, work), offset)


def _listener(worker: Worker) -> Listener:
    """Return a listener that shows a run's steps as progress."""

    def listen(event: StepEvent) -> None:
        if isinstance(event, Working):
            worker.progress(event.what, event.progress)
        elif line := tell(event, "en"):
            worker.progress(line.strip(), min(0.95, event.step / 10))

    return listen


def answer_text(answer: AgentAnswer) -> list[str]:
    """Return an answer in lines: each claim with its verdict and the moments that prove it."""
    lines = answer_lines(answer, with_evidence=False)
    for claim in proofs_of(answer):
        lines.append(f"{claim.verdict}: {claim.text}")
        lines += [f"  {moment.video_id} {moment.line}" for moment in claim.moments]
        lines += [f"  {note}" for note in claim.notes]
        lines += [f"  problem: {problem}" for problem in claim.problems]
    return [*lines, *gap_lines(answer), f"trace: {answer.trace_id}"]


def _moment_lines(workspace: Workspace, video_id: str, time_s: float, worker: Worker) -> list[str]:
    length = workspace.store.catalogue.get(video_id).info.duration_s
    if time_s > length:
        raise UserError(f"{time_s:g} s lies outside the video, which is {length:.3f} s long.")
    start, end = max(0.0, min(time_s - 1, length - 0.1)), min(length, time_s + 1)
    span = {"video_id": video_id, "start_time": start, "end_time": end}
    seen = workspace.run("describe_visual", span, progress=worker.progress).result
    objects = workspace.run("detect_objects", {"video_id": video_id, "timestamp": min(time_s, length)}).result
    said = workspace.run(
        "get_transcript", {"video_id": video_id, "time_range": {"start_time": start, "end_time": end}}
    )
    lines = [f"seen: {seen.description}"]
    lines += [
        f"object: {one.category} {one.confidence:.2f} at {[round(value, 3) for value in one.bbox]}"
        for one in objects.objects
    ]
    return lines + [f"said: {one.text}" for one in said.result.transcript]


def trace_lines(trace: Trace) -> list[str]:
    """Return every step of a run, a line each, and its answer."""
    lines = [f"{trace.loop}, {trace.engine}, {trace.ended}: {trace.question}"]
    lines += [
        f"{event.step:>3} {line.strip()}" for event in trace.events if (line := tell(event, trace.language))
    ]
    return lines + (answer_text(trace.answer) if trace.answer else [trace.error or ""])
