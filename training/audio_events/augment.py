"""Augmentation on the training device, in the mel-power domain: clips are bent, mixed and masked as pictures.

Powers of independent sounds add, so mixing mel powers is mixing sounds; it costs a hundredth of doing it
with samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

HOP, WINDOW, N_FFT, N_MELS = 256, 640, 1024, 128
FLOOR = 1e-9
FRAMES, STRIDE = 39, 8
"""Output frames of a five-second clip, and mel frames in each."""
TIMES = 313
"""Mel frames of a five-second clip."""
CROP, CROP_FRAMES = 192, 24
"""Mel frames and output frames of a training crop (3.07 s)."""
POWER_PER_SQUARE = 1.2
"""Sum of a frame's mel powers over its mean square, for this window and these filters."""


class FrontEnd(torch.nn.Module):
    """The product's mel front end in torch; window and filters come from the product itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        numbers = np.load(folder / "frontend.npz")
        self.register_buffer("window", torch.from_numpy(numbers["window"]))
        self.register_buffer("filters", torch.from_numpy(numbers["filters"]))

    def power(self, samples: Tensor) -> Tensor:
        """Return mel powers (batch, time, mel) of (batch, samples)."""
        frames = F.pad(samples, (WINDOW // 2, WINDOW // 2)).unfold(1, WINDOW, HOP) * self.window
        spectrum = torch.fft.rfft(frames, n=N_FFT)
        powers: Tensor = (spectrum.real.square() + spectrum.imag.square()) @ self.filters
        return powers

    def forward(self, samples: Tensor) -> Tensor:
        """Return the network's input (batch, 1, time, mel)."""
        return as_input(self.power(samples))


def as_input(power: Tensor) -> Tensor:
    """Return mel powers as scaled decibels with a channel axis, as the product scales them."""
    return ((10 * torch.log10(power + FLOOR) + 60.0) / 25.0).unsqueeze(1)


@dataclass(frozen=True, slots=True)
class Strength:
    """How hard to augment."""

    stretch: float = 0.2
    """Largest change of speed, in octaves."""
    pitch: float = 0.15
    """Largest change of pitch, in octaves."""
    mix: float = 0.6
    """Share of clips mixed with another."""
    eq_db: float = 5.0
    masks: int = 2
    noise: float = 0.15


def uniform(n: int, low: float, high: float, device: torch.device) -> Tensor:
    return torch.rand(n, device=device) * (high - low) + low


def chance(n: int, probability: float, device: torch.device) -> Tensor:
    return (torch.rand(n, device=device) < probability).float()


def resample(power: Tensor, index: Tensor, times: Tensor, pitch: Tensor, *, wrap: bool) -> Tensor:
    """Return clips `index` read at mel frames `times` (n, T) with pitch moved by `pitch` octaves (n)."""
    left = times.floor()
    part = (times - left).unsqueeze(2)
    rows = left.long()
    if wrap:
        early, late = rows % TIMES, (rows + 1) % TIMES
        out = power[index[:, None], early] * (1 - part) + power[index[:, None], late] * part
    else:
        inside = ((rows >= 0) & (rows < TIMES)).float().unsqueeze(2)
        out = power[index[:, None], rows.clamp(0, TIMES - 1)] * inside
    return _move_pitch(out, pitch)


def _move_pitch(power: Tensor, pitch: Tensor) -> Tensor:
    bins = torch.arange(N_MELS, device=power.device)
    low, high = 2595 * np.log10(1 + 40 / 700), 2595 * np.log10(1 + 8000 / 700)
    step = (high - low) / (N_MELS + 1)
    hertz = 700 * (10 ** ((low + (bins + 1) * step) / 2595) - 1)
    source = hertz[None] / 2 ** pitch[:, None]
    place = (2595 * torch.log10(1 + source / 700) - low) / step - 1
    inside = ((place > -0.5) & (place < N_MELS - 0.5)).float()
    left = place.floor().clamp(0, N_MELS - 2)
    part = ((place - left).clamp(0, 1)).unsqueeze(1)
    column = left.long().unsqueeze(1).expand(-1, power.shape[1], -1)
    return (power.gather(2, column) * (1 - part) + power.gather(2, column + 1) * part) * inside.unsqueeze(1)


def bend(power: Tensor, active: Tensor, index: Tensor, strength: Strength) -> Tensor:
    """Crop each clip around a sounding moment, stretched and transposed by random amounts."""
    n, device = index.shape[0], power.device
    speed = 2 ** uniform(n, -strength.stretch, strength.stretch, device)
    moment = (active[index] * torch.rand(n, FRAMES, device=device)).argmax(dim=1) * STRIDE
    start = moment - torch.rand(n, device=device) * CROP * speed
    times = start[:, None] + torch.arange(CROP, device=device)[None] * speed[:, None]
    return resample(power, index, times, uniform(n, -strength.pitch, strength.pitch, device), wrap=True)


def loudness(power: Tensor) -> Tensor:
    """Return the level of each clip's loudest tenth of a second, in dB."""
    level = F.avg_pool1d(power.sum(dim=2).unsqueeze(1), 6).amax(dim=2)[:, 0]
    return 10 * torch.log10(level / POWER_PER_SQUARE + FLOOR)


def between_class(first: Tensor, second: Tensor, ratio: Tensor) -> Tensor:
    """Mix two batches so that the first is heard at `ratio` (Tokozume et al., between-class learning)."""
    gap = (loudness(first) - loudness(second)) / 20
    share = 1 / (1 + 10**gap * (1 - ratio) / ratio.clamp(min=1e-3))
    mine, other = share.square()[:, None, None], (1 - share).square()[:, None, None]
    return (mine * first + other * second) / (mine + other)


def echo(power: Tensor) -> Tensor:
    """Let a fifth of the clips ring on as in a room."""
    count = power.shape[0] // 5
    time = torch.arange(32, device=power.device)
    tail = (
        torch.exp(-time / (1 + 8 * torch.rand((), device=power.device)))
        * torch.rand((), device=power.device)
        * 0.5
    )
    kernel = torch.cat([tail.flip(0), torch.ones(1, device=power.device)]).view(1, 1, 33, 1)
    wet = F.conv2d(F.pad(power[:count].unsqueeze(1), (0, 0, 32, 0)), kernel)[:, 0]
    return torch.cat([wet, power[count:]])


def coloured_noise(n: int, device: torch.device) -> Tensor:
    """Return mel powers of noise of unit mean square whose spectrum falls by a random slope."""
    slope = uniform(n, -1.0, 0.5, device)[:, None]
    bands = torch.linspace(0, 1, N_MELS, device=device)[None]
    shape = 10 ** (2 * slope * bands + bands * 0.8)
    shape = shape / shape.sum(dim=1, keepdim=True) * POWER_PER_SQUARE
    grain = -torch.log(torch.rand(2, n, CROP, N_MELS, device=device) + 1e-6)
    return shape[:, None] * grain.mean(dim=0)


def set_gain(power: Tensor, low: float = -36.0, high: float = -6.0) -> Tensor:
    """Bring each clip's loudest moment to a random level."""
    gain = 10 ** ((uniform(power.shape[0], low, high, power.device) - loudness(power)) / 10)
    return power * gain.clamp(max=1e6)[:, None, None]


def mask(mel: Tensor, strength: Strength, *, moments: bool = True) -> Tensor:
    """Tilt and bump the spectrum, then blank random bands and, if asked, moments."""
    n, _, frames, mels = mel.shape
    knots = torch.randn(n, 1, 6, device=mel.device) * strength.eq_db / 2 / 25.0
    curve = F.interpolate(knots, size=mels, mode="linear", align_corners=True)
    mel = (mel + curve.unsqueeze(2)).clamp(min=-1.2)
    keep = torch.ones_like(mel)
    for _ in range(strength.masks):
        keep = keep * _stripe(n, mels, 16, mel.device)[:, None, None, :]
        if moments:
            keep = keep * _stripe(n, frames, 24, mel.device)[:, None, :, None]
    return torch.where(keep > 0, mel, mel.new_full((), -1.2))


def _stripe(n: int, size: int, widest: int, device: torch.device) -> Tensor:
    width = uniform(n, 0, widest, device)[:, None]
    start = uniform(n, 0, size, device)[:, None] - width / 2
    position = torch.arange(size, device=device)[None]
    return ((position < start) | (position >= start + width)).float()
