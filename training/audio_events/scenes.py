"""Composed three-second scenes: events over a background, labelled frame by frame."""

from __future__ import annotations

import torch
from torch import Tensor

from training.audio_events import augment
from training.audio_events.augment import CROP, CROP_FRAMES, FRAMES, STRIDE

MOST_EVENTS = 3


def compose(
    power: Tensor, active: Tensor, hot: Tensor, events: Tensor, grounds: Tensor
) -> tuple[Tensor, Tensor]:
    """Return mel powers of scenes and their frame targets (scenes, classes, frames).

    `hot` (clips, classes) says what each clip is, `events` (3, scenes) which clips may sound and
    `grounds` (scenes) which speech, music or ringing may lie under them.
    """
    count, device = grounds.shape[0], power.device
    scene, target = _background(power, active, hot, grounds)
    wanted = torch.rand(count, device=device) * (MOST_EVENTS + 1)
    for number, index in enumerate(events):
        moves = (torch.rand(count, device=device) * 50 - 30).floor()
        clip, sounding = _place(power, active, index, moves)
        level = augment.uniform(count, -40, -8, device) - augment.loudness(power[index])
        present = (wanted > number + 1).float()
        scene = scene + clip * (10 ** (level / 10) * present).clamp(max=1e6)[:, None, None]
        sound = hot[index][:, :, None] * (sounding * present[:, None])[:, None]
        target = torch.maximum(target, sound)
    return scene, target


def _place(power: Tensor, active: Tensor, index: Tensor, moves: Tensor) -> tuple[Tensor, Tensor]:
    """Return clips moved by whole output frames, with silence where they have nothing."""
    n, device = index.shape[0], power.device
    times = torch.arange(CROP, device=device)[None] - moves[:, None] * STRIDE
    clip = augment.resample(power, index, times, augment.uniform(n, -0.15, 0.15, device), wrap=False)
    place = (torch.arange(CROP_FRAMES, device=device)[None] - moves[:, None]).long()
    within = ((place >= 0) & (place < FRAMES)).float()
    return clip, active[index].gather(1, place.clamp(0, FRAMES - 1)) * within


def _background(power: Tensor, active: Tensor, hot: Tensor, grounds: Tensor) -> tuple[Tensor, Tensor]:
    """Return digital silence, coloured noise, or speech or music over noise."""
    count, device = grounds.shape[0], power.device
    kind = torch.rand(count, device=device)
    level = 10 ** (augment.uniform(count, -80, -35, device) / 10) * (kind > 0.15)
    scene = augment.coloured_noise(count, device) * level[:, None, None]
    moves = (torch.rand(count, device=device) * -15).floor()
    clip, sounding = _place(power, active, grounds, moves)
    loud = augment.uniform(count, -40, -10, device) - augment.loudness(power[grounds])
    chosen = (kind > 0.55).float()
    scene = scene + clip * (10 ** (loud / 10) * chosen).clamp(max=1e6)[:, None, None]
    return scene, hot[grounds][:, :, None] * (sounding * chosen[:, None])[:, None]
