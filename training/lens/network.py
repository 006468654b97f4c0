"""The two towers: a head on the labeller's features, and a text tower grown from the sentence encoder."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["DIMENSIONS", "ImageTower", "Lens", "Shape", "TextTower"]

DIMENSIONS = 512
BRANCH = 256
PARTS = DIMENSIONS + 3 * BRANCH  # of a piece's features: its vector and the three convolutions
SHARPEST = 12.0  # most a piece's weight may be raised or lowered, as a logarithm
ORDERS = ((2, 0), (3, 1), (5, 2))  # (window, pieces of it to the left) of the three convolutions
ROUND = 4096  # rows
GAP = 2  # rows of zeros after each sentence, so that no window reaches the next one


@dataclass(frozen=True)
class Shape:
    """How wide the towers are and how hard training disturbs them."""

    hidden: int = 1536
    heads: int = 8  # that weigh a sentence's pieces
    wide: int = 1024  # units of the text tower's last hidden layer
    feature_dropout: float = 0.1
    hidden_dropout: float = 0.3
    piece_dropout: float = 0.2
    text_dropout: float = 0.2
    scale: float = 25.0


class ImageTower(nn.Module):
    """Standardised log-features through one hidden layer, and past it, to a unit vector."""

    def __init__(self, shape: Shape, mean: Tensor, std: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.enter, self.leave = nn.Linear(len(mean), shape.hidden), nn.Linear(shape.hidden, DIMENSIONS)
        self.skip = nn.Linear(len(mean), DIMENSIONS, bias=False)
        self.drops = shape.feature_dropout, shape.hidden_dropout

    def forward(self, features: Tensor, noise: float = 0.0) -> Tensor:
        x = (torch.log1p(features) - self.mean) / self.std
        x = F.dropout(x + torch.randn_like(x) * noise, self.drops[0], self.training)
        y = self.leave(F.dropout(F.gelu(self.enter(x)), self.drops[1], self.training))
        return F.normalize((y + self.skip(x)).float(), dim=-1)


class TextTower(nn.Module):
    """The sentence encoder's layers, started from its weights, on its frozen table of pieces."""

    table: Tensor

    def __init__(self, shape: Shape, use: dict[str, Tensor]) -> None:
        super().__init__()
        table = use["table"].float() * use["scale"][:, None] + use["low"][:, None]
        self.register_buffer("table", table, persistent=False)
        joined = {name: [use[f"{name}{n}"] for n, _ in ORDERS] for name in ("proj", "proj_b", "ln_g", "ln_b")}
        start = {
            "proj": torch.cat(joined["proj"], 1),
            **{name: torch.cat(joined[name]) for name in ("proj_b", "ln_g", "ln_b")},
            **{f"{k}_{n}": use[f"{k}_{n}"] for k in ("w1", "b1", "w2", "b2") for n, _ in ORDERS},
            "sum_g": use["ln_g"],
            "sum_b": use["ln_b"],
            **{name: use[name] for name in ("cnn_W", "cnn_b", "d0", "d1", "p1", "d2", "p3", "d3")},
            "direct": torch.zeros(DIMENSIONS, DIMENSIONS),
            "att_q": torch.randn(PARTS, shape.heads) * 0.01,
            "att_v": torch.randn(PARTS, DIMENSIONS) * PARTS**-0.5,
            "att_o": torch.randn(DIMENSIONS, DIMENSIONS) * 0.01,
            "f1": torch.randn(2 * DIMENSIONS, shape.wide) * DIMENSIONS**-0.5,
            "f2": torch.zeros(shape.wide, DIMENSIONS),
        }
        self.weights = nn.ParameterDict({k: nn.Parameter(v.float().clone()) for k, v in start.items()})
        self.drops = shape.piece_dropout, shape.text_dropout
        self.heads = shape.heads

    def forward(self, ids: Tensor) -> Tensor:
        """Return a unit vector per row of piece ids (-1 is no piece)."""
        w = self.weights
        x, inside, sentence = self._lay_out(ids)
        branches = F.layer_norm(x @ w["proj"] + w["proj_b"], (len(w["ln_g"]),), w["ln_g"], w["ln_b"], 1e-6)
        split = enumerate(branches.split(BRANCH, -1))
        parts = torch.cat([x, *[self._branch(i, branch * inside, inside) for i, branch in split]], -1)
        features = F.layer_norm(parts.float(), (len(w["sum_g"]),), w["sum_g"], w["sum_b"], 1e-6)
        sums = _sums(features, sentence, len(ids))
        count = (ids >= 0).sum(1, keepdim=True).clamp(min=1).float()
        mean = (sums @ w["cnn_W"] + count * w["cnn_b"]) * count.rsqrt()
        return self._project(mean, self._attend(features, inside, sentence, len(ids)))

    def _attend(self, features: Tensor, inside: Tensor, sentence: Tensor, count: int) -> Tensor:
        """Weigh a sentence's pieces, each head in a way of its own."""
        w = self.weights
        weight = torch.exp((features @ w["att_q"]).float().clamp(-SHARPEST, SHARPEST)) * inside
        values = (features @ w["att_v"]).view(len(features), self.heads, -1).float() * weight[..., None]
        spread = _sums(weight, sentence, count).clamp(min=1e-6)
        picked = _sums(values.flatten(1), sentence, count).view(count, self.heads, -1) / spread[..., None]
        return F.layer_norm(picked.flatten(1), (DIMENSIONS,))

    def _lay_out(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lay all sentences end to end: their pieces, which rows hold one, and whose each row is."""
        real = ids >= 0
        lengths = real.sum(1)
        starts = torch.cumsum(lengths + GAP, 0) - lengths - GAP
        owner, column = real.nonzero(as_tuple=True)
        rows = (starts[:, None] + torch.cumsum(real, 1) - 1)[owner, column]
        # Rounding up keeps the shapes few, so that the accelerator's memory is reused from step to step.
        total = -(-(len(owner) + GAP * len(ids)) // ROUND) * ROUND
        pieces = F.dropout(self.table[ids[owner, column].long()], self.drops[0], self.training)
        x = torch.zeros(total, DIMENSIONS, device=ids.device).index_copy(0, rows, pieces)
        inside = torch.zeros(total, 1, device=ids.device).index_fill(0, rows, 1.0)
        sentence = torch.full((total,), len(ids), device=ids.device).index_copy(0, rows, owner)
        return x, inside, sentence

    def _branch(self, i: int, x: Tensor, inside: Tensor) -> Tensor:
        (n, left), w = ORDERS[i], self.weights
        x = (x + F.relu(_windows(x, n, left) @ w[f"w1_{n}"] + w[f"b1_{n}"])) * inside
        return x + F.relu(_windows(x, n, left) @ w[f"w2_{n}"] + w[f"b2_{n}"])

    def _project(self, mean: Tensor, picked: Tensor) -> Tensor:
        w = self.weights
        first = self._drop(F.relu(mean @ w["p1"] + F.relu(mean @ w["d0"]) @ w["d1"]))
        second = self._drop(F.relu(first @ w["d2"]))
        out = first @ w["p3"] + second @ w["d3"] + self._drop(mean) @ w["direct"]
        joint = self._drop(F.gelu(torch.cat([mean, picked], -1) @ w["f1"]))
        out = out + self._drop(picked) @ w["att_o"] + joint @ w["f2"]
        return F.normalize(out.float(), dim=-1)

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.drops[1], self.training)


class Lens(nn.Module):
    """Both towers and the two learned scales of their similarities: captions' and object names'."""

    def __init__(self, shape: Shape, mean: Tensor, std: Tensor, use: dict[str, Tensor]) -> None:
        super().__init__()
        self.image, self.text = ImageTower(shape, mean, std), TextTower(shape, use)
        self.caption_scale = nn.Parameter(torch.tensor(math.log(shape.scale)))
        self.name_scale = nn.Parameter(torch.tensor(math.log(shape.scale)))


def _sums(rows: Tensor, sentence: Tensor, count: int) -> Tensor:
    """Add up each sentence's rows; what lies between sentences ends in a row of its own, left out."""
    start = torch.zeros(count + 1, rows.shape[1], device=rows.device)
    return start.index_add(0, sentence, rows.float())[:-1]


def _windows(x: Tensor, n: int, left: int) -> Tensor:
    padded = F.pad(x, (0, 0, left, n - 1 - left))
    return torch.cat([padded[k : k + len(x)] for k in range(n)], -1)
