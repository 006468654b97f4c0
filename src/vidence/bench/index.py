"""`vidence bench index`: speed and memory of indexing, beside a pure decode of the same file."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import av
import click
import numpy as np
from numpy.typing import NDArray

from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import SOUND_RATE, load_sound, shared_folder
from vidence.errors import BackendError
from vidence.media import open_video, probe

__all__ = ["IndexRun", "command", "measure"]

_PICTURE = "sam2_dog.mp4"
_MIB = 1024 * 1024
_SOUND_FRAME = 1024
_GAP_S = 1.0


@dataclass(frozen=True)
class IndexRun:
    """One file indexed from nothing in its own process."""

    profile: str
    video_s: float
    seconds: float
    cpu_seconds: float
    """CPU time of all threads; the figure that a busy machine changes least."""
    decode_seconds: float
    peak_rss_mib: float

    @property
    def times_real_time(self) -> float:
        return self.video_s / self.seconds

    @property
    def times_decode(self) -> float:
        return self.seconds / self.decode_seconds


@click.command("index")
@click.option("--video", type=click.Path(path_type=Path), help="A file to index instead of the looped one.")
@click.option(
    "--seconds", default=60.0, show_default=True, help="Length of the looped 720p video with speech."
)
@click.option("--profile", "profiles", multiple=True, default=("fast", "default"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(video: Path | None, seconds: float, profiles: tuple[str, ...], as_json: bool) -> None:
    """Index a video without an earlier index and report × real time, × pure decode and peak memory.

    \b
    Example:
      vidence bench index --seconds 3600 --profile default
    """
    with tempfile.TemporaryDirectory(prefix="vidence-bench-") as folder:
        target = video or _looped(Path(folder), seconds)
        runs = [measure(target, profile) for profile in profiles]
    if as_json:
        rows = [
            {**asdict(r), "times_real_time": r.times_real_time, "times_decode": r.times_decode} for r in runs
        ]
        print_json(output(), rows)
        return
    headings = ("profile", "video s", "index s", "CPU s", "× real time", "decode s", "× decode", "RSS MiB")
    cells = [
        (r.profile, r.video_s, r.seconds, r.cpu_seconds, r.times_real_time, r.decode_seconds, r.times_decode,
         r.peak_rss_mib)
        for r in runs
    ]  # fmt: skip
    print_table(output(), "indexing from nothing", headings, cells)


def measure(video: Path, profile: str) -> IndexRun:
    """Index `video` in a fresh workspace and process, and decode it once for comparison."""
    with open_video(video) as reader:
        clock = time.perf_counter()
        for _ in reader.frames():
            pass
        decode_seconds = time.perf_counter() - clock
        duration_s = reader.info.duration_s
    with tempfile.TemporaryDirectory(prefix="vidence-bench-home-") as home, tempfile.TemporaryFile() as said:
        code = "from vidence.cli import main; main()"
        arguments = ["--home", home, "--quiet", "index", str(video), "--profile", profile]
        clock = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], stdout=said, stderr=subprocess.STDOUT
        )
        # wait4 gives the usage of this child alone; RUSAGE_CHILDREN would add up all runs.
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - clock
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            raise BackendError(
                f"Indexing {video.name} failed: {said.read().decode(errors='replace').strip()}"
            )
    cpu_seconds = used.ru_utime + used.ru_stime
    return IndexRun(profile, duration_s, seconds, cpu_seconds, decode_seconds, used.ru_maxrss * 1024 / _MIB)


def _looped(folder: Path, seconds: float) -> Path:
    shared = shared_folder()
    target = folder / "looped.mp4"
    speech = sorted((shared / "media" / "audio" / "speech").glob("*.flac"))
    _loop_video(shared / "media" / "videos" / _PICTURE, speech, seconds, target)
    return target


def _loop_video(picture: Path, speech: Sequence[Path], seconds: float, target: Path) -> None:
    """Write a long video: the pictures of one file in a loop, with speech recordings as sound."""
    info = probe(picture)
    period = info.video.num_frames / info.video.fps
    with av.open(str(picture)) as source, av.open(str(target), "w") as out:
        stream = next(s for s in source.streams.video if s.index == info.video.index)
        copied = out.add_stream_from_template(stream)
        sound = out.add_stream("aac", rate=SOUND_RATE, layout="mono")
        samples = _endless(speech)
        loops = max(1, int(seconds / float(period)))
        written = 0
        for number in range(loops):
            offset = int(number * period / stream.time_base) if stream.time_base else 0
            source.seek(0)
            for packet in source.demux(stream):
                if packet.dts is None:
                    continue
                packet.pts = (packet.pts or 0) + offset
                packet.dts += offset
                packet.stream = copied
                out.mux(packet)
            until = int((number + 1) * float(period) * SOUND_RATE)
            while written + _SOUND_FRAME <= until:
                frame = av.AudioFrame.from_ndarray(next(samples)[None], format="fltp", layout="mono")
                frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, written, Fraction(1, SOUND_RATE)
                out.mux(sound.encode(frame))
                written += _SOUND_FRAME
        out.mux(sound.encode(None))


def _endless(paths: Sequence[Path]) -> Iterator[NDArray[np.float32]]:
    """Yield the recordings in frames of equal length, in an endless loop with pauses."""
    rest = np.zeros(0, np.float32)
    pause = np.zeros(int(_GAP_S * SOUND_RATE), np.float32)
    while True:
        for path in paths:
            rest = np.concatenate([rest, load_sound(path), pause])
            while len(rest) >= _SOUND_FRAME:
                yield rest[:_SOUND_FRAME]
                rest = rest[_SOUND_FRAME:]
