"""What the processes of `test_processes` do; forked from a server that has imported this already."""

from __future__ import annotations

import itertools
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from tests.store.videos import add, make_file, make_record
from vidence.schema.observations import Segment
from vidence.store.files import FileBlobs
from vidence.store.sqlite import SqliteStore

SHOTS = [
    Segment(segment_id=f"seg_{n:03d}", start_time=n, end_time=n + 1, type="shot", transition="cut")
    for n in range(20)
]


def add_at_once(home: Path, path: Path, start: Barrier, teller: Connection) -> None:
    """Add `path` at the same moment as the others and tell whether it was new."""
    start.wait()
    with SqliteStore.open(home) as store:
        teller.send(add(store, path).is_new)


def write_blobs_until_killed(root: Path, teller: Connection) -> None:
    """Write the same blob over and over, each time all of one byte, telling when the first is written."""
    blobs = FileBlobs(root)
    teller.send("ready")
    for n in itertools.count():
        blobs.write("vid_1", "frame.bin", bytes([n % 250]) * 300_000)
        if n == 0:
            teller.send("written")


def write_until_killed(home: Path, files: Path, run: int, teller: Connection) -> None:
    """Add whole videos and remove every third, telling of each step."""
    with SqliteStore.open(home) as store:
        teller.send(("ready", ""))
        for n in itertools.count():
            path = make_file(files / f"{run}-{n}.mp4", f"{run}-{n}".encode())
            with store.unit_of_work():
                video_id = add(store, path).video.video_id
                store.stages.begin(video_id, "shots", "m1")
                store.segments.replace(video_id, "fine", SHOTS)
                store.stages.finish(video_id, "shots")
                record = make_record(video_id, "{}", record_id=f"{run}-{n}")
                store.results.record(record, result_json="{}")
            teller.send(("added", video_id))
            if n % 3 == 2:
                store.blobs.write(video_id, "thumb.jpg", b"jpeg")
                teller.send(("removing", video_id))
                store.catalogue.remove(video_id)
                teller.send(("removed", video_id))
