"""The `shots` stage: shots and scenes of a video, kept in the store."""

from __future__ import annotations

from vidence.index.indexer import StageJob
from vidence.index.shots import DETECTOR_ID, detect_shots
from vidence.media import open_video

__all__ = ["StructureStage"]


class StructureStage:
    """Finds shots, groups them into scenes and commits both at once."""

    name = "shots"
    fingerprint = DETECTOR_ID

    def run(self, job: StageJob) -> None:
        """Compute and commit the temporal structure of one video."""
        with open_video(job.path, threads=job.settings.threads, max_pixels=job.settings.max_pixels) as reader:
            structure = detect_shots(reader, progress=job.progress)
        with job.store.db.transaction() as connection:
            job.store.segments.replace(job.video_id, "fine", structure.shots, connection=connection)
            job.store.segments.replace(job.video_id, "coarse", structure.scenes, connection=connection)
            job.store.stages.finish(job.video_id, self.name, connection=connection)
