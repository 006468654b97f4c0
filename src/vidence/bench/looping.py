"""Long videos made of short real ones: packets copied again and again, with speech laid under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.resampler import AudioResampler
from numpy.typing import NDArray

from vidence.media import probe

__all__ = ["loop_video"]

_RATE = 16000
_FRAME = 1024
_GAP_S = 1.0


def loop_video(picture: Path, speech: Sequence[Path], seconds: float, target: Path) -> None:
    """Write `target`: the pictures of one video over and over, and spoken recordings one after another."""
    info = probe(picture)
    period = info.video.num_frames / info.video.fps
    with av.open(str(picture)) as source, av.open(str(target), "w") as out:
        stream = next(s for s in source.streams.video if s.index == info.video.index)
        copied = out.add_stream_from_template(stream)
        sound = out.add_stream("aac", rate=_RATE, layout="mono")
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
            until = int((number + 1) * float(period) * _RATE)
            while written + _FRAME <= until:
                frame = av.AudioFrame.from_ndarray(next(samples)[None], format="fltp", layout="mono")
                frame.sample_rate, frame.pts, frame.time_base = _RATE, written, Fraction(1, _RATE)
                out.mux(sound.encode(frame))
                written += _FRAME
        out.mux(sound.encode(None))


def _endless(paths: Sequence[Path]) -> Iterator[NDArray[np.float32]]:
    """Yield the recordings in frames of equal length, for ever, with a pause after each."""
    rest = np.zeros(0, np.float32)
    pause = np.zeros(int(_GAP_S * _RATE), np.float32)
    while True:
        for path in paths:
            rest = np.concatenate([rest, *_decode(path), pause])
            while len(rest) >= _FRAME:
                yield rest[:_FRAME]
                rest = rest[_FRAME:]


def _decode(path: Path) -> Iterator[NDArray[np.float32]]:
    resampler = AudioResampler(format="fltp", layout="mono", rate=_RATE)
    with av.open(str(path)) as source:
        for frame in source.decode(audio=0):
            for piece in resampler.resample(frame):
                yield piece.to_ndarray()[0]
