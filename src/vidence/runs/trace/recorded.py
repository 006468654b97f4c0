"""A world whose every answer is written down, and one that gives the written answers again."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.errors import VidenceError
from vidence.runs.trace.recorder import Recorder, failure_of
from vidence.runs.worlds.world import Archive, Pictured, Preparing, World
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import Picture
from vidence.schema.trace import FramesStep, LookupStep, OperationStep, PictureStep

__all__ = ["RecordingWorld", "record_world"]


def record_world(world: World, recorder: Recorder, *, has_pictures: bool) -> RecordingWorld:
    """Return the world with everything it answers written down."""
    kind = _RecordingArchive if isinstance(world, Archive) else RecordingWorld
    return kind(world, recorder, has_pictures=has_pictures)


class RecordingWorld:
    """Passes everything on and keeps it."""

    def __init__(self, world: World, recorder: Recorder, *, has_pictures: bool) -> None:
        self._world, self._recorder = world, recorder
        self._has_pictures = has_pictures

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._world.videos

    @property
    def num_unseen(self) -> int | None:
        return self._world.num_unseen

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the world's first frames."""
        return self._frames(count, None, is_first=True)

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return the world's new frames."""
        return self._frames(count, focus, is_first=False)

    def prepare(self, calls: Sequence[OperationCall]) -> None:
        """Let the world get ready; that is no answer, so it is not kept."""
        if isinstance(self._world, Preparing):
            self._world.prepare(calls)

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run an operation."""
        try:
            record = self._world.call(call)
        except VidenceError as exc:
            self._recorder.steps.append(OperationStep(call=call, failure=failure_of(exc)))
            raise
        self._recorder.steps.append(OperationStep(call=call, record=record))
        return record

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records; they were kept with the frames."""
        return self._world.frame_records(frame_ids)

    def picture_of(self, frame_id: int) -> Picture | None:
        """Show a frame, where the world can."""
        if not self._has_pictures or not isinstance(self._world, Pictured):
            return None
        picture = self._world.picture_of(frame_id)
        name = None if picture is None else self._recorder.picture(picture)
        self._recorder.steps.append(PictureStep(frame_id=frame_id, picture=name))
        return picture

    def _frames(self, count: int, focus: str | None, *, is_first: bool) -> list[MemoryUnit]:
        step = FramesStep(is_first=is_first, count=count, focus=focus)
        try:
            frames = (
                self._world.first_frames(count) if is_first else self._world.fetch_new_frames(count, focus)
            )
        except VidenceError as exc:
            self._recorder.steps.append(step.model_copy(update={"failure": failure_of(exc)}))
            raise
        records = self._world.frame_records([frame.frame_id for frame in frames])
        told = {"frames": tuple(frames), "records": tuple(records), "num_unseen": self.num_unseen}
        self._recorder.steps.append(step.model_copy(update=told))
        return frames


class _RecordingArchive(RecordingWorld):
    """The same for a world that keeps its records."""

    def stored_hash(self, record_id: str) -> str | None:
        """Look into the world's archive."""
        found = self._world.stored_hash(record_id) if isinstance(self._world, Archive) else None
        self._recorder.steps.append(LookupStep(record_id=record_id, stored_hash=found))
        return found
