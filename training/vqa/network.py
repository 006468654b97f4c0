"""The network: the question looks at cells, regions and boxes of the picture, and every answer is scored.

`vidence.models.vision.eyes.network` computes the same in NumPy; the two must change together. Attention is
taken in the whitened cells themselves, without a projection of each: a fifth of a small transformer's cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

__all__ = ["Eyes", "Inputs"]

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
MOST = 8
LOUD = 20.0
"""Unit vectors of 512 numbers are multiplied by this, so that each number has about variance 1."""
WORD, BOX, PLACE = 128, 64, 12
CELL_GLANCES, GLANCES = 4, 3
KINDS = 3
"""Yes or no, a number, something else: each has a last layer of its own."""


@dataclass
class Inputs:
    """N questions and their pictures; rows of `boxes` are category or -1, score, x, y, w, h."""

    words: Tensor  # (N, T, 512)
    mask: Tensor  # (N, T): true where a piece is
    sentence: Tensor  # (N, 512)
    lens_text: Tensor  # (N, 512)
    named: Tensor  # (N, 80): 1 for the categories that the question names
    cells: Tensor  # (N, 81, C)
    boxes: Tensor  # (N, B, 6)
    box_cells: Tensor  # (N, B, C)
    regions: Tensor  # (N, R + B, D): windows, then boxes
    whole: Tensor  # (N, W + 80): the whole picture, ending in how likely each category is there
    lens_image: Tensor  # (N, 512)
    prior: Tensor  # (N, answers): the logarithm of how likely the question alone makes each answer


class Eyes(nn.Module):
    """Scores every known answer to a question on one picture."""

    def __init__(
        self,
        sizes: tuple[int, int, int, int],
        answer_lens: Tensor,
        answer_region: Tensor,
        category_lens: Tensor,
        *,
        width: int = 384,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        cell, windows, region, whole = sizes
        names = len(category_lens)
        self.word = nn.Linear(512, WORD)
        self.window = nn.Linear(3 * WORD, WORD)
        self.pick = nn.Linear(WORD, 4)
        self.question = nn.Linear(4 * WORD + 1024 + names, width)
        self.norm_question = nn.LayerNorm(width)
        self.first = Glance(width, cell, 81, CELL_GLANCES)
        self.second = Glance(2 * width, cell, 81, GLANCES)
        self.regions = Glance(width, region, windows, GLANCES)
        self.category = nn.Linear(512, 2 * BOX)
        self.shape = nn.Linear(6, BOX)
        self.box_cell = nn.Linear(cell + region, BOX)
        self.box_query = nn.Linear(width, GLANCES * BOX)
        self.nothing = nn.Linear(width, GLANCES)
        self.wanted, self.listed = nn.Linear(width, BOX), nn.Linear(512, BOX)
        self.asked_by_name = nn.Parameter(torch.tensor([6.0, -3.0]))
        seen = (
            CELL_GLANCES * (cell + PLACE)
            + GLANCES * (region + PLACE)
            + GLANCES * (BOX + 6 + cell + region)
            + len(THRESHOLDS) * (MOST + 2)
            + whole
            + names
        )
        self.seen = nn.Linear(seen, width)
        self.asked = nn.Linear(width, width)
        self.lens_gate = nn.Linear(width, 512)
        self.fuse = nn.Linear(3 * width + GLANCES * (cell + PLACE) + 1024, width)
        self.norm = nn.LayerNorm(width)
        self.kind = nn.Linear(width, KINDS)
        self.leave = nn.Linear(width, KINDS * width)
        self.answer = nn.Linear(width, len(answer_lens))
        self.answer_gate = nn.Linear(width, 512)
        self.answer_lens = nn.Parameter(answer_lens.clone())
        self.blend = nn.Linear(width, 2 * GLANCES)
        self.region_gate = nn.Linear(width, region)
        self.answer_region = nn.Parameter(answer_region.clone())
        self.trust = nn.Parameter(torch.ones(1))
        self.drop, self.drop_more = nn.Dropout(dropout), nn.Dropout(0.5)
        self.register_buffer("category_lens", category_lens)
        nn.init.zeros_(self.answer.weight)
        for gate, level in ((self.answer_gate, 2.0), (self.region_gate, 1.0)):
            nn.init.zeros_(gate.weight)
            nn.init.constant_(gate.bias, level)

    def forward(self, x: Inputs) -> tuple[Tensor, Tensor]:
        """Return (N, answers) logits and the (N, 3) logits of the kind of answer."""
        asked, image = x.lens_text * LOUD, x.lens_image * LOUD
        windows = self.regions.place.shape[0]
        q = self.read(x)
        kinds = torch.sigmoid(
            self.wanted(q) @ self.listed(self.category_lens).T / 8
            + self.asked_by_name[0] * x.named
            + self.asked_by_name[1]
        )
        near, near_where = self.regions(q, x.regions[:, :windows])
        boxes, box_regions = self.boxes(q, x)
        peaks = x.whole[:, -kinds.shape[1] :]
        look = [
            *(part.flatten(1) for part in self.first(q, x.cells)),
            near.flatten(1),
            near_where.flatten(1),
            boxes,
            box_regions.flatten(1),
            counts(kinds, x.boxes),
            x.whole,
            kinds * peaks,
        ]
        v = torch.relu(self.seen(self.drop(torch.cat(look, 1))))
        both = v * torch.relu(self.asked(q))
        again = [part.flatten(1) for part in self.second(torch.cat([q, both], 1), x.cells)]
        parts = [both, v, q, *again, self.lens_gate(q) * image, asked * image]
        h = self.norm(torch.relu(self.fuse(self.drop(torch.cat(parts, 1)))))
        kind = self.kind(q)
        ways = torch.relu(self.leave(self.drop(h))).view(len(h), KINDS, -1)
        h = self.drop_more(h + (kind.softmax(1).unsqueeze(2) * ways).sum(1))
        found = torch.cat([near, box_regions], 1)
        region = (self.blend(h).softmax(1).unsqueeze(2) * found).sum(1)
        by_region = (self.region_gate(h) * region) @ self.answer_region.T
        by_lens = (self.answer_gate(h) * x.lens_image * 5) @ self.answer_lens.T
        return self.trust * x.prior + self.answer(h) + by_lens + by_region, kind

    def read(self, x: Inputs) -> Tensor:
        """Return (N, width): the question, from its pieces in windows of three and its whole vectors."""
        inside = x.mask.unsqueeze(-1)
        w = torch.relu(self.word(x.words)) * inside
        before, after = nn.functional.pad(w, (0, 0, 1, 0))[:, :-1], nn.functional.pad(w, (0, 0, 0, 1))[:, 1:]
        w = w + torch.relu(self.window(torch.cat([before, w, after], -1)))
        weight = self.pick(w).masked_fill(~inside, -1e4).softmax(1)
        picked = (weight.transpose(1, 2) @ w).flatten(1)
        joined = torch.cat([picked, x.sentence * LOUD, x.lens_text * LOUD, x.named], 1)
        return self.norm_question(torch.relu(self.question(self.drop(joined))))

    def boxes(self, q: Tensor, x: Inputs) -> tuple[Tensor, Tensor]:
        """Return what the boxes that fit the question are, each glance ready to find none."""
        boxes, count = x.boxes, x.boxes.shape[1]
        regions = x.regions[:, -count:]
        category = boxes[..., 0].long()
        size = torch.cat([boxes[..., 1:], (boxes[..., 4:5] * boxes[..., 5:6]).clamp(min=1e-4).log()], -1)
        keys, values = self.category(self.category_lens)[category.clamp(min=0)].chunk(2, -1)
        keys = keys + self.shape(size) + self.box_cell(torch.cat([x.box_cells, regions], -1))
        scores = self.box_query(q).view(len(q), GLANCES, BOX) @ keys.transpose(1, 2) / 8
        scores = scores.masked_fill((category < 0).unsqueeze(1), -1e4)
        weight = torch.cat([scores, self.nothing(q).unsqueeze(-1)], -1).softmax(-1)[..., :-1]
        return (weight @ torch.cat([values, size, x.box_cells], -1)).flatten(1), weight @ regions


def counts(kinds: Tensor, boxes: Tensor) -> Tensor:
    """Return soft counts of the boxes whose category the question asks for, at several scores."""
    category = boxes[..., 0].long()
    match = kinds.gather(1, category.clamp(min=0)) * (category >= 0)
    sure = torch.sigmoid((boxes[..., 1:2] - torch.tensor(THRESHOLDS)) * 20)
    total = (match.unsqueeze(1) @ sure.to(match.dtype)).transpose(1, 2)
    near = torch.exp(-2 * (total - torch.arange(MOST + 1)) ** 2)
    return torch.cat([near, total / 4], -1).flatten(1)


class Glance(nn.Module):
    """Several looks at parts of a picture: each finds some by what they show and where they are."""

    def __init__(self, width: int, part: int, places: int, glances: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, glances * part)
        self.where = nn.Linear(width, glances * PLACE)
        self.place = nn.Parameter(torch.randn(places, PLACE) * 0.3)
        self.part, self.glances = part, glances

    def forward(self, q: Tensor, parts: Tensor) -> tuple[Tensor, Tensor]:
        """Return (N, glances, part) what each look finds, and (N, glances, PLACE) where."""
        scores = self.query(q).view(len(q), self.glances, self.part) @ parts.transpose(1, 2) / self.part**0.5
        scores = scores + self.where(q).view(len(q), self.glances, PLACE) @ self.place.T
        weight = scores.softmax(-1)
        return weight @ parts, weight @ self.place
