"""The networks: one residual CNN over log-mel frames, wide as teacher, narrow as the shipped student."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STRIDE = 8
"""Mel frames per output frame."""
N_MELS = 128


class Block(nn.Module):
    """Two 3×3 convolutions around a shortcut, after an optional average pool."""

    def __init__(self, inputs: int, outputs: int, pool: tuple[int, int] = (1, 1)) -> None:
        super().__init__()
        self.pool = pool
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.short = nn.Conv2d(inputs, outputs, 1, bias=False) if inputs != outputs else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        if self.pool != (1, 1):
            x = F.avg_pool2d(x, self.pool)
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.short(x))


class Backbone(nn.Module):
    """Log-mel (batch, 1, time, mel) to features (batch, channels, time / 8)."""

    def __init__(self, channels: tuple[int, int, int]) -> None:
        super().__init__()
        self.stem = nn.Conv2d(2, channels[0], 5, stride=2, padding=2, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels[0])
        layers: list[nn.Module] = []
        width = channels[0]
        for out, pool in zip(channels, [(2, 2), (2, 2), (1, 2)], strict=True):
            layers += [Block(width, out, pool), Block(out, out)]
            width = out
        self.blocks = nn.Sequential(*layers)
        # A weight per channel and band keeps where in the spectrum a pattern was seen.
        self.bands = nn.Parameter(torch.full((1, width, 1, N_MELS // 16), 16.0 / N_MELS))
        self.register_buffer("height", torch.linspace(-1, 1, N_MELS).view(1, 1, 1, N_MELS))

    def forward(self, mel: Tensor) -> Tensor:
        assert isinstance(self.height, Tensor)
        x = torch.cat([mel, self.height.to(mel.dtype).expand_as(mel)], dim=1)
        x = F.relu(self.stem_norm(self.stem(x)))
        return (self.blocks(x) * self.bands).sum(dim=3)


class Teacher(nn.Module):
    """Clip classifier: what a whole five-second clip is."""

    def __init__(self, classes: int, channels: tuple[int, int, int], dropout: float = 0.3) -> None:
        super().__init__()
        self.backbone = Backbone(channels)
        self.hidden = nn.Linear(channels[2], channels[2])
        self.out = nn.Linear(channels[2], classes)
        self.dropout = dropout

    def forward(self, mel: Tensor) -> Tensor:
        x = self.backbone(mel)
        x = F.dropout(x.mean(dim=2) + x.amax(dim=2), self.dropout, self.training)
        x = F.dropout(F.relu(self.hidden(x)), self.dropout, self.training)
        out: Tensor = self.out(x)
        return out


class Context(nn.Module):
    """A residual depthwise convolution over time: a frame sees its neighbours."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.depth = nn.Conv1d(
            channels, channels, 5, padding=2 * dilation, dilation=dilation, groups=channels, bias=False
        )
        self.norm = nn.BatchNorm1d(channels)
        self.point = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.point(F.relu(self.norm(self.depth(x))))


class Student(nn.Module):
    """Frame classifier with an attention pool: logits per frame and per clip from one pass."""

    def __init__(
        self, classes: int, channels: tuple[int, int, int] = (64, 128, 240), dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.backbone = Backbone(channels)
        self.context = nn.Sequential(Context(channels[2], 1), Context(channels[2], 2))
        self.frame = nn.Conv1d(channels[2], classes, 1)
        self.clip = nn.Conv1d(channels[2], classes, 1)
        self.attend = nn.Conv1d(channels[2], classes, 1)
        self.dropout = dropout

    def forward(self, mel: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return frame logits, clip logits per frame and attention logits, each (batch, classes, frames)."""
        x = F.dropout(self.context(self.backbone(mel)), self.dropout, self.training)
        return self.frame(x), self.clip(x), self.attend(x)


def pool_clip(clip: Tensor, attend: Tensor) -> Tensor:
    """Return clip logits (batch, classes) by attention over time."""
    weights = torch.softmax(attend.float().clamp(-8, 8), dim=2)
    return (clip.float() * weights).sum(dim=2)
