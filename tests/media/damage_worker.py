"""Reads damaged copies of a video in a process of its own, where a crash or hang of libav can be seen."""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vidence.errors import VidenceError
from vidence.media import open_video, probe, read_audio, read_subtitles

OPEN_FILES = Path("/proc/self/fd")


def truncate(data: bytearray, rng: random.Random) -> bytearray:
    return data[: rng.randrange(1, len(data))]


def flip_bytes(data: bytearray, rng: random.Random) -> bytearray:
    for _ in range(rng.choice([1, 4, 30, 300])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return data


def flip_header_bytes(data: bytearray, rng: random.Random) -> bytearray:
    for _ in range(rng.choice([1, 4, 16])):
        data[rng.randrange(min(len(data), 2500))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return data


def zero_span(data: bytearray, rng: random.Random) -> bytearray:
    begin = rng.randrange(len(data))
    length = min(rng.choice([16, 200, 4000]), len(data) - begin)
    data[begin : begin + length] = bytes(length)
    return data


def splice(data: bytearray, rng: random.Random) -> bytearray:
    begin, other = rng.randrange(len(data)), rng.randrange(len(data))
    length = rng.randrange(1, max(2, len(data) // 4))
    return data[:begin] + data[other : other + length] + data[begin:]


def cut_out(data: bytearray, rng: random.Random) -> bytearray:
    begin = rng.randrange(len(data))
    return data[:begin] + data[begin + rng.randrange(1, max(2, len(data) // 4)) :]


DAMAGES: list[Callable[[bytearray, random.Random], bytearray]] = [
    truncate,
    flip_bytes,
    flip_header_bytes,
    zero_span,
    splice,
    cut_out,
]


def damaged(source: bytes, seed: int) -> bytes:
    """Return the copy of `source` that `seed` stands for."""
    return bytes(DAMAGES[seed % len(DAMAGES)](bytearray(source), random.Random(seed)))


def read_everything(path: Path) -> str:
    """Use every way of reading the file; return how it ended."""
    try:
        info = probe(path)
        with open_video(path) as reader:
            for picture in reader.frames():
                picture.gray(size=(16, 16))
            middle = info.duration_s / 2
            for picture in reader.at([middle, 0.0, info.duration_s]):
                picture.rgb(max_side=64)
        if info.audio:
            for _ in read_audio(path, info=info):
                pass
        if any(stream.is_text for stream in info.subtitles):
            read_subtitles(path, info=info)
    except VidenceError as error:
        return type(error).__name__ if "\n" not in str(error) else f"many lines: {error!r}"
    return "read"


def peak_mib() -> float:
    """Return the most memory this program held; `ru_maxrss` would count what its parent held at the fork."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def main(source: str, folder: str, first: int, last: int) -> None:
    data = Path(source).read_bytes()
    path = Path(folder) / f"damaged{Path(source).suffix}"
    outcomes: dict[str, int] = {}
    slowest = (0.0, -1)
    for seed in range(first, last):
        # The parent reads the last of these when this process dies.
        print(f"seed {seed}", file=sys.stderr, flush=True)
        path.write_bytes(damaged(data, seed))
        began = time.process_time()
        outcome = read_everything(path)
        slowest = max(slowest, (time.process_time() - began, seed))
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    report = {
        "outcomes": outcomes,
        "slowest_cpu_s": slowest[0],
        "slowest_seed": slowest[1],
        "open_files": sum(1 for _ in OPEN_FILES.iterdir()) if OPEN_FILES.is_dir() else 0,
        "peak_mib": peak_mib(),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
