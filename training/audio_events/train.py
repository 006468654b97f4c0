"""The training loop: clips mixed between classes and scenes labelled by frame, one network for both."""

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
from training.audio_events.nets import Student, pool_clip

RECORDED = 50
"""Classes with recordings; those after them are made ones."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a run; fixed on an inner split, then used for every fold."""

    batch: int = 64
    scenes: int = 32
    rate: float = 2e-3
    decay: float = 0.05
    warm: int = 200
    average: float = 0.002
    """Share of the newest weights in the moving average."""
    frame_weight: float = 10.0
    truth: float = 0.3
    """Weight of the true label beside the teachers', where there are teachers."""
    strength: Strength = field(default_factory=Strength)


class Trainer:
    """Trains one network after another in the same memory, so that a CUDA graph of the step serves all."""

    def __init__(
        self,
        power: Tensor,
        active: Tensor,
        labels: Tensor,
        classes: int,
        recipe: Recipe,
        teachers: list[Student],
    ) -> None:
        self._power, self._active, self._recipe, self._teachers = power, active, recipe, teachers
        self._hot = torch.eye(classes, device=power.device)[labels]
        self._classes, self._labels, self._device = classes, labels, power.device
        self._net = self._fresh(0).train()
        self._average = copy.deepcopy(self._net).eval()
        heavy = [p for p in self._net.parameters() if p.ndim > 1]
        light = [p for p in self._net.parameters() if p.ndim <= 1]
        self._lr = torch.zeros((), device=self._device)
        on_gpu = self._device.type == "cuda"
        self._optimiser = torch.optim.AdamW(
            [{"params": heavy, "weight_decay": recipe.decay}, {"params": light, "weight_decay": 0.0}],
            lr=self._lr, fused=on_gpu, capturable=on_gpu,
        )  # fmt: skip
        self._step = torch.zeros((), device=self._device)
        self._steps = torch.ones((), device=self._device)
        self._members = torch.zeros(len(labels), dtype=torch.long, device=self._device)
        self._count = torch.ones((), device=self._device)
        self._grounds = torch.nonzero(labels >= RECORDED)[:, 0]
        self._loss = torch.zeros((), device=self._device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def fit(self, used: Tensor, steps: int, seed: int, *, log: str = "") -> Student:
        """Return the averaged network trained on the clips `used` for `steps` steps."""
        self._reset(used, steps, seed)
        if self._device.type == "cuda" and self._graph is None:
            self._capture()
            self._reset(used, steps, seed)
        started = time.time()
        for step in range(steps):
            if self._graph is None:
                self._advance()
            else:
                self._graph.replay()
            if step == steps // 3:
                self._average.load_state_dict(self._net.state_dict())
            if log and (step % 2000 == 0 or step == steps - 1):
                print(
                    f"{log} step {step} loss {self._loss.item():.3f} {time.time() - started:.0f} s",
                    flush=True,
                )
        return copy.deepcopy(self._average).eval()

    def time_step(self, used: Tensor) -> float:
        """Return the seconds a step takes."""
        self.fit(used, 20, 0)
        torch.cuda.synchronize()
        started = time.time()
        self.fit(used, 200, 0)
        torch.cuda.synchronize()
        return (time.time() - started) / 200

    def _fresh(self, seed: int) -> Student:
        torch.manual_seed(seed)
        return Student(self._classes).to(self._device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _reset(self, used: Tensor, steps: int, seed: int) -> None:
        self._net.load_state_dict(self._fresh(seed).state_dict())
        self._average.load_state_dict(self._net.state_dict())
        for state in self._optimiser.state.values():
            for value in state.values():
                value.zero_()
        self._step.zero_()
        self._steps.fill_(steps)
        chosen = torch.nonzero(used)[:, 0]
        self._members[: len(chosen)] = chosen
        self._count.fill_(len(chosen))

    def _capture(self) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(4):
                self._advance()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._advance()
        self._graph = graph

    def _advance(self) -> None:
        recipe = self._recipe
        warm = ((self._step + 1) / recipe.warm).clamp(max=1.0)
        self._lr.copy_(recipe.rate * warm * 0.5 * (1 + torch.cos(math.pi * self._step / self._steps)))
        self._step.add_(1)
        self._optimiser.zero_grad(set_to_none=True)
        loss = self._value()
        loss.backward()
        nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimiser.step()
        kept, moving = self._average.state_dict().values(), self._net.state_dict().values()
        pairs = [(k, m) for k, m in zip(kept, moving, strict=True) if k.dtype.is_floating_point]
        with torch.no_grad():
            torch._foreach_lerp_([k for k, _ in pairs], [m for _, m in pairs], recipe.average)
        self._loss.copy_(loss.detach())

    def _value(self) -> Tensor:
        recipe, size = self._recipe, self._recipe.batch
        with torch.no_grad():
            power, target = self._mixed()
            events = self._draw(scenes.MOST_EVENTS * recipe.scenes).view(scenes.MOST_EVENTS, recipe.scenes)
            spots = (torch.rand(recipe.scenes, device=self._device) * len(self._grounds)).long()
            scene, truth = scenes.compose(self._power, self._active, self._hot, events, self._grounds[spots])
            clips = augment.as_input(power)
            if self._teachers:
                target = recipe.truth * target + (1 - recipe.truth) * self._opinion(clips)
            stage = augment.mask(augment.as_input(scene), recipe.strength, moments=False)
            mel = torch.cat([augment.mask(clips, recipe.strength), stage])
            mel = mel.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self._device.type, torch.bfloat16, cache_enabled=False):
            frame, clip, attend = self._net(mel)
        found = F.binary_cross_entropy_with_logits(frame[size:].float(), truth * 0.95 + 0.002)
        return F.cross_entropy(pool_clip(clip[:size], attend[:size]), target) + recipe.frame_weight * found

    def _opinion(self, clips: Tensor) -> Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, cache_enabled=False):
            plain = clips.contiguous(memory_format=torch.channels_last)
            answers = [pool_clip(*teacher(plain)[1:]).softmax(dim=1) for teacher in self._teachers]
        return torch.stack(answers).mean(dim=0)

    def _draw(self, count: int) -> Tensor:
        return self._members[(torch.rand(count, device=self._device) * self._count).long()]

    def _mixed(self) -> tuple[Tensor, Tensor]:
        """Return augmented mel powers of mixed clips and their soft labels."""
        n, device, strength = self._recipe.batch, self._device, self._recipe.strength
        index = self._draw(2 * n)
        bent = augment.bend(self._power, self._active, index, strength)
        alone = torch.rand(n, device=device) > strength.mix
        ratio = torch.where(alone, torch.ones(n, device=device), torch.rand(n, device=device))
        power = augment.set_gain(augment.echo(augment.between_class(bent[:n], bent[n:], ratio)))
        hot = self._hot[index]
        target = hot[:n] * ratio[:, None] + hot[n:] * (1 - ratio[:, None])
        hiss = 10 ** ((augment.loudness(power) - augment.uniform(n, 10, 40, device)) / 10)
        hiss = hiss * augment.chance(n, strength.noise, device)
        return power + augment.coloured_noise(n, device) * hiss[:, None, None], target


@torch.no_grad()
def score_clips(model: Student, front: FrontEnd, samples: Tensor) -> Tensor:
    """Return probabilities (clips, classes) of whole clips, each heard once from end to end."""
    found = [pool_clip(*model(front(part))[1:]).softmax(dim=1) for part in samples.split(100)]
    return torch.cat(found)


def top1(scores: Tensor, labels: Tensor) -> float:
    """Return the share of clips whose best of the recorded classes is right."""
    return (scores[:, :RECORDED].argmax(dim=1) == labels).float().mean().item()
