"""The training loops: teachers on mixed clips, then a student that matches them and hears frame by frame."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.audio_events import augment, scenes
from training.audio_events.augment import FrontEnd, Strength
from training.audio_events.nets import Student, Teacher, pool_clip

ESC = 50


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a run; fixed on an inner split, then used for every fold."""

    channels: tuple[int, int, int] = (64, 160, 320)
    steps: int = 4500
    batch: int = 64
    rate: float = 2e-3
    decay: float = 0.05
    dropout: float = 0.3
    strength: Strength = field(default_factory=Strength)
    scenes: int = 48
    """Composed scenes per step, for the student only."""
    truth: float = 0.3
    """Weight of the true label beside the teachers' in the student's clip loss."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """The training share of the clips, on the device."""

    power: Tensor
    """(clips, 313, 128) mel powers."""
    labels: Tensor
    active: Tensor
    classes: int


def mixed_batch(sounds: Sounds, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Return augmented mel powers and their soft labels."""
    n, device, strength = recipe.batch, sounds.power.device, recipe.strength
    index = torch.randint(0, sounds.power.shape[0], (2 * n,), device=device)
    bent = augment.bend(sounds.power, index, strength)
    ratio = torch.where(torch.rand(n, device=device) < strength.mix, torch.rand(n, device=device), 1.0)
    power = augment.between_class(bent[:n], bent[n:], ratio)
    if strength.echo:
        power = augment.echo(power)
    hot = F.one_hot(sounds.labels[index], sounds.classes).float()
    target = hot[:n] * ratio[:, None] + hot[n:] * (1 - ratio[:, None])
    power = augment.set_gain(power)
    hiss = 10 ** ((augment.loudness(power) - augment.uniform(n, 10, 40, device)) / 10)
    hiss = hiss * augment.chance(n, strength.noise, device)
    return power + augment.coloured_noise(n, device) * hiss[:, None, None], target


def train_teacher(sounds: Sounds, recipe: Recipe, seed: int, *, log: str = "") -> Teacher:
    """Return the averaged weights of one clip classifier."""
    torch.manual_seed(seed)
    net = Teacher(sounds.classes, recipe.channels, recipe.dropout)

    def loss(model: nn.Module) -> Tensor:
        power, target = mixed_batch(sounds, recipe)
        mel = augment.mask(augment.as_input(power), recipe.strength)
        with torch.autocast(mel.device.type, torch.bfloat16):
            logits = model(mel.contiguous(memory_format=torch.channels_last))
        return F.cross_entropy(logits.float(), target)

    trained = _descend(net, loss, recipe, sounds.power.device, log)
    assert isinstance(trained, Teacher)
    return trained


def train_student(
    sounds: Sounds, recipe: Recipe, teachers: list[Teacher], seed: int, *, log: str = ""
) -> Student:
    """Return a student that agrees with the teachers on clips and finds events in scenes."""
    torch.manual_seed(seed)
    net = Student(sounds.classes, recipe.channels, recipe.dropout)

    def loss(model: nn.Module) -> Tensor:
        power, target = mixed_batch(sounds, recipe)
        scene, truth = scenes.compose(
            sounds.power, sounds.active, sounds.labels, recipe.scenes, sounds.classes
        )
        clips = augment.as_input(power)
        kind = power.device.type
        with torch.no_grad(), torch.autocast(kind, torch.bfloat16):
            plain = clips.contiguous(memory_format=torch.channels_last)
            soft = torch.stack([teacher(plain).float().softmax(dim=1) for teacher in teachers]).mean(dim=0)
        stage = augment.mask(augment.as_input(scene), recipe.strength, moments=False)
        mel = torch.cat([augment.mask(clips, recipe.strength), stage])
        with torch.autocast(kind, torch.bfloat16):
            frame, clip, attend = model(mel.contiguous(memory_format=torch.channels_last))
        logits = pool_clip(clip[: recipe.batch], attend[: recipe.batch])
        aim = recipe.truth * target + (1 - recipe.truth) * soft
        return F.cross_entropy(logits, aim) + 10 * _frame_loss(frame[recipe.batch :].float(), truth)

    trained = _descend(net, loss, recipe, sounds.power.device, log)
    assert isinstance(trained, Student)
    return trained


def _frame_loss(logits: Tensor, truth: Tensor) -> Tensor:
    each = F.binary_cross_entropy_with_logits(logits, truth * 0.95 + 0.002, reduction="none")
    return each.mean()


def _descend(net: nn.Module, loss, recipe: Recipe, device: torch.device, log: str) -> nn.Module:  # type: ignore[no-untyped-def]
    net = net.to(device, memory_format=torch.channels_last).train()
    average = copy.deepcopy(net).eval()
    kept, moving = list(average.state_dict().values()), list(net.state_dict().values())
    pairs = [(k, m) for k, m in zip(kept, moving, strict=True) if k.dtype.is_floating_point]
    heavy = [p for p in net.parameters() if p.ndim > 1]
    light = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": heavy, "weight_decay": recipe.decay}, {"params": light, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, fused=device.type == "cuda")
    started = time.time()
    for step in range(recipe.steps):
        warm = min(1.0, (step + 1) / 200)
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * warm * 0.5 * (1 + math.cos(math.pi * step / recipe.steps))
        value = loss(net)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_([k for k, _ in pairs], [m for _, m in pairs], max(0.004, 1 / (step + 1)))
        if log and (step % 500 == 0 or step == recipe.steps - 1):
            print(f"{log} step {step} loss {value.item():.3f} {time.time() - started:.0f} s", flush=True)
    return average.eval()


@torch.no_grad()
def score_clips(model: nn.Module, front: FrontEnd, samples: Tensor) -> Tensor:
    """Return log-probabilities (clips, classes) of whole clips."""
    found = []
    for part in samples.split(100):
        out = model(front(part.float()))
        found.append((pool_clip(out[1], out[2]) if isinstance(out, tuple) else out).float().log_softmax(dim=1))
    return torch.cat(found)


def top1(scores: Tensor, labels: Tensor) -> float:
    """Return the share of clips whose best of the 50 recorded classes is right."""
    return (scores[:, :ESC].argmax(dim=1) == labels).float().mean().item()
