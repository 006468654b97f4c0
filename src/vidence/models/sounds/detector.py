"""The embedded sound classifier: FireRed's network, our own network and signal analysis together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.models.sounds.audio_events import EVENT_TYPES
from vidence.models.sounds.mel import KALDI_SHIFT, kaldi_frames, kaldi_log_mel
from vidence.models.sounds.settle import Ears, settle_sounds
from vidence.models.sounds.signal import SignalAnalyser
from vidence.models.sounds.stream import SoundMemo, SoundProgress, join_events, listen, runs
from vidence.models.speech.vad import VAD_FRAME, SileroVad, vad_graph
from vidence.models.speech.windows import RATE, SoundChunk, WholeSound
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["FireRedNetwork", "SoundEvents", "build"]

_MODEL = "firered-aed"
_CLASSES = ("speech", "singing", "music")
_FRAME_S = KALDI_SHIFT / RATE
_SMOOTH = 11
_ON, _OFF = 0.5, 0.35
_MERGE_S = {"speech": 0.5, "singing": 1.0, "music": 2.0}
_SHORTEST_S = {"speech": 0.3, "singing": 1.0, "music": 1.5}
_VOICE_REACH = 30
"""Frames around a voice in which the network's speech probability counts."""
_QUIETEST = 10 ** (-60 / 20)
_REACH_SAMPLES = RATE // 10


class FireRedNetwork:
    """FireRed's speech, singing and music; voice activity keeps barks and creaks out of speech."""

    def __init__(self, graph: Path, vad: Path) -> None:
        self._model = OnnxModel(graph)
        self._vad = SileroVad(vad)

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return speech, singing and music, in seconds from the first sample."""
        probabilities = self.probabilities(samples)
        events: list[SoundEvent] = []
        for column, label in enumerate(_CLASSES):
            events += _events(label, probabilities[:, column])
        return events

    def probabilities(self, samples: FloatArray) -> FloatArray:
        """Return (frames, 3) probabilities, one row per 10 ms, smoothed."""
        frames = kaldi_frames(len(samples))
        audible = _audible(samples, frames)
        if not audible.any():
            return np.zeros((frames, len(_CLASSES)), dtype=np.float32)
        features = np.ascontiguousarray(kaldi_log_mel(samples).T)
        (chances,) = self._model.run({"features": features[None, :, None]})
        # Over digital silence the features are only the floor of the logarithm, so its output is ignored.
        found = chances[0, :, 0].T * audible[:, None]
        found[:, 0] = np.minimum(found[:, 0], self._voice(samples, len(found)))
        kernel = np.ones(_SMOOTH) / _SMOOTH
        smooth = [np.convolve(found[:, c], kernel, mode="same") for c in range(found.shape[1])]
        return np.stack(smooth, axis=1).astype(np.float32)

    def _voice(self, samples: FloatArray, frames: int) -> FloatArray:
        whole = len(samples) // VAD_FRAME
        voice = self._vad.stream().probabilities(samples[: whole * VAD_FRAME])
        at = np.minimum(np.arange(frames) * KALDI_SHIFT // VAD_FRAME, max(whole - 1, 0))
        spread = np.pad(voice[at] if whole else np.zeros(frames, np.float32), _VOICE_REACH)
        widest: FloatArray = np.lib.stride_tricks.sliding_window_view(spread, 2 * _VOICE_REACH + 1).max(
            axis=1
        )
        return widest


class SoundEvents:
    """The two networks and the signal analysis together."""

    model_id = "firered-aed+vidence-audio-events-1+signal"
    labels: Sequence[str] = tuple(dict.fromkeys((*_CLASSES, *EVENT_TYPES, *SignalAnalyser.labels)))

    def __init__(self, network: FireRedNetwork, ears: Ears) -> None:
        self._network = network
        self._ears = ears
        self._signal = SignalAnalyser()

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return what all of them find, without events that another explains better."""
        classes = self._network.analyse(samples)
        return settle_sounds(classes, self._ears.analyse(samples), self._signal.analyse(samples))

    def classify(self, samples: FloatArray) -> list[SoundEvent]:
        """Return the sounds in 16 kHz mono samples in [-1, 1], in order of time."""
        return join_events(e for step in self.stream([WholeSound(samples)]) for e in step.events)

    def stream(
        self, chunks: Iterable[SoundChunk], *, memo: SoundMemo | None = None
    ) -> Iterator[SoundProgress]:
        """Yield events as they end; to resume, give the whole sound again and the last step's memo."""
        return listen(chunks, [self], memo=memo)


def build(context: ModelContext) -> SoundEvents:
    """Build the embedded sound classifier."""
    graph = context.converted(_MODEL, "model", "v1.onnx", "dfsmn:convert", growth=2)
    network = FireRedNetwork(graph, vad_graph(context))
    ears = Ears(context.cache.path("vidence-audio-events", "weights"), threads=context.threads)
    return SoundEvents(network, ears)


def _events(label: str, probabilities: FloatArray) -> list[SoundEvent]:
    spans = [
        (first, last) for first, last in runs(probabilities >= _OFF) if probabilities[first:last].max() >= _ON
    ]
    parts = [
        SoundEvent.of(label, first * _FRAME_S, last * _FRAME_S, float(probabilities[first:last].mean()))
        for first, last in spans
    ]
    merged = join_events(parts, gap_s=_MERGE_S[label])
    return [event for event in merged if event.end_time - event.start_time >= _SHORTEST_S[label]]


def _audible(samples: FloatArray, frames: int) -> NDArray[np.bool_]:
    padded = np.pad(np.abs(samples), (0, max(0, frames * KALDI_SHIFT + _REACH_SAMPLES - len(samples))))
    peaks = np.lib.stride_tricks.sliding_window_view(padded, _REACH_SAMPLES)[::KALDI_SHIFT][:frames].max(
        axis=1
    )
    loud: NDArray[np.bool_] = peaks > _QUIETEST
    return loud
