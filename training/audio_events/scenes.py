"""Composed five-second scenes for the student: events over a background, labelled frame by frame."""

from __future__ import annotations

import torch
from torch import Tensor

from training.audio_events import augment
from training.audio_events.augment import FRAMES, STRIDE, TIMES

MOST_EVENTS = 3
BACKGROUNDS = 3
"""The last classes (speech, music, ringing) also serve as backgrounds, labelled with what they are."""


def compose(power: Tensor, active: Tensor, labels: Tensor, count: int, classes: int) -> tuple[Tensor, Tensor]:
    """Return mel powers of `count` scenes and their frame targets (count, classes, frames)."""
    device = power.device
    scene, target = _background(power, active, labels, count, classes)
    wanted = torch.randint(0, MOST_EVENTS + 1, (count,), device=device)
    rows = torch.arange(count, device=device)
    for number in range(MOST_EVENTS):
        index = torch.randint(0, power.shape[0], (count,), device=device)
        moves = torch.randint(-24, 34, (count,), device=device)
        clip, sounding = _place(power, active, index, moves)
        level = augment.uniform(count, -40, -8, device) - augment.loudness(power[index])
        present = (wanted > number).float()
        scene = scene + clip * (10 ** (level / 10) * present).clamp(max=1e6)[:, None, None]
        now = target[rows, labels[index]]
        target[rows, labels[index]] = torch.maximum(now, sounding * present[:, None])
    return scene, target


def _place(power: Tensor, active: Tensor, index: Tensor, moves: Tensor) -> tuple[Tensor, Tensor]:
    """Return clips moved by whole output frames, with silence where they have nothing."""
    n, device = index.shape[0], power.device
    times = (torch.arange(TIMES, device=device)[None] - moves[:, None] * STRIDE).float()
    clip = augment.resample(power, index, times, augment.uniform(n, -0.2, 0.2, device), wrap=False)
    place = torch.arange(FRAMES, device=device)[None] - moves[:, None]
    within = ((place >= 0) & (place < FRAMES)).float()
    return clip, active[index].gather(1, place.clamp(0, FRAMES - 1)) * within


def _background(
    power: Tensor, active: Tensor, labels: Tensor, count: int, classes: int
) -> tuple[Tensor, Tensor]:
    """Return digital silence, coloured noise, or speech or music over noise."""
    device = power.device
    target = torch.zeros(count, classes, FRAMES, device=device)
    kind = torch.rand(count, device=device)
    level = 10 ** (augment.uniform(count, -80, -35, device) / 10) * (kind > 0.15)
    scene = augment.coloured_noise(count, device) * level[:, None, None]
    talk = torch.nonzero(labels >= classes - BACKGROUNDS)[:, 0]
    index = talk[torch.randint(0, talk.numel(), (count,), device=device)]
    still = torch.zeros(count, dtype=torch.long, device=device)
    clip, sounding = _place(power, active, index, still)
    loud = augment.uniform(count, -40, -10, device) - augment.loudness(power[index])
    chosen = (kind > 0.55).float()
    scene = scene + clip * (10 ** (loud / 10) * chosen).clamp(max=1e6)[:, None, None]
    target[torch.arange(count, device=device), labels[index]] = sounding * chosen[:, None]
    return scene, target
