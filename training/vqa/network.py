"""The network: the question looks at cells and boxes of the picture, and every answer is scored.

`vidence.models.vision.eyes.network` computes the same in NumPy; the two must change together. Attention is
taken in the whitened cells themselves, without a projection of each: a fifth of a small transformer's cost.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Eyes"]

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
MOST = 8
LOUD = 20.0
"""Unit vectors of 512 numbers are multiplied by this, so that each number has about variance 1."""
WORD, BOX, PLACE = 160, 64, 16
GLANCES, BOX_GLANCES = 6, 4


class Eyes(nn.Module):
    """Scores every known answer to a question on one picture."""

    def __init__(
        self,
        cell: int,
        answer_lens: Tensor,
        category_lens: Tensor,
        *,
        width: int = 384,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        self.word = nn.Linear(512, WORD)
        self.window = nn.Linear(3 * WORD, WORD)
        self.pick = nn.Linear(WORD, 4)
        self.question = nn.Linear(4 * WORD + 1024, width)
        self.norm_question = nn.LayerNorm(width)
        self.first, self.second = Glance(width, cell), Glance(2 * width, cell)
        self.category = nn.Linear(512, 2 * BOX)
        self.shape = nn.Linear(6, BOX)
        self.box_cell = nn.Linear(cell, BOX)
        self.box_query = nn.Linear(width, BOX_GLANCES * BOX)
        self.nothing = nn.Linear(width, BOX_GLANCES)
        self.wanted, self.named = nn.Linear(width, BOX), nn.Linear(512, BOX)
        seen = GLANCES * (cell + PLACE) + BOX_GLANCES * (BOX + 6 + cell) + len(THRESHOLDS) * (MOST + 2)
        self.seen = nn.Linear(seen, width)
        self.asked = nn.Linear(width, width)
        self.lens_gate = nn.Linear(width, 512)
        self.fuse = nn.Linear(3 * width + GLANCES * (cell + PLACE) + 1024, width)
        self.norm = nn.LayerNorm(width)
        self.leave = nn.Linear(width, width)
        self.answer = nn.Linear(width, len(answer_lens))
        self.answer_gate = nn.Linear(width, 512)
        self.answer_lens = nn.Parameter(answer_lens.clone())
        self.drop, self.drop_more = nn.Dropout(dropout), nn.Dropout(0.5)
        self.register_buffer("category_lens", category_lens)
        nn.init.zeros_(self.answer_gate.weight)
        nn.init.constant_(self.answer_gate.bias, 2.0)

    def forward(
        self,
        words: Tensor,
        mask: Tensor,
        sentence: Tensor,
        lens_text: Tensor,
        cells: Tensor,
        boxes: Tensor,
        box_cells: Tensor,
        lens_image: Tensor,
    ) -> Tensor:
        """Return (N, answers) logits.

        words (N, T, 512), mask (N, T) true where a piece is, sentence and lens_text (N, 512),
        cells (N, 81, C), boxes (N, B, 6): category or -1, score, x, y, w, h; box_cells (N, B, C);
        lens_image (N, 512).
        """
        asked, image = lens_text * LOUD, lens_image * LOUD
        q = self.read(words, mask, sentence * LOUD, asked)
        look = [self.first(q, cells), self.boxes(q, boxes, box_cells), self.counts(q, boxes)]
        v = torch.relu(self.seen(self.drop(torch.cat(look, 1))))
        both = v * torch.relu(self.asked(q))
        again = self.second(torch.cat([q, both], 1), cells)
        parts = [both, v, q, again, self.lens_gate(q) * image, asked * image]
        h = self.norm(torch.relu(self.fuse(self.drop(torch.cat(parts, 1)))))
        h = self.drop_more(h + torch.relu(self.leave(self.drop(h))))
        return self.answer(h) + (self.answer_gate(h) * lens_image * 5) @ self.answer_lens.T

    def read(self, words: Tensor, mask: Tensor, sentence: Tensor, asked: Tensor) -> Tensor:
        """Return (N, width): the question, from its pieces in windows of three and its two whole vectors."""
        x = torch.relu(self.word(words)) * mask.unsqueeze(-1)
        before, after = nn.functional.pad(x, (0, 0, 1, 0))[:, :-1], nn.functional.pad(x, (0, 0, 0, 1))[:, 1:]
        x = x + torch.relu(self.window(torch.cat([before, x, after], -1)))
        weight = self.pick(x).masked_fill(~mask.unsqueeze(-1), -1e4).softmax(1)
        picked = (weight.transpose(1, 2) @ x).flatten(1)
        return self.norm_question(
            torch.relu(self.question(self.drop(torch.cat([picked, sentence, asked], 1))))
        )

    def boxes(self, q: Tensor, boxes: Tensor, box_cells: Tensor) -> Tensor:
        """Return what the boxes that fit the question are, each glance ready to find none."""
        category = boxes[..., 0].long()
        size = torch.cat([boxes[..., 1:], (boxes[..., 4:5] * boxes[..., 5:6]).clamp(min=1e-4).log()], -1)
        keys, values = self.category(self.category_lens)[category.clamp(min=0)].chunk(2, -1)
        keys = keys + self.shape(size) + self.box_cell(box_cells)
        scores = self.box_query(q).view(len(q), BOX_GLANCES, BOX) @ keys.transpose(1, 2) / 8
        scores = scores.masked_fill((category < 0).unsqueeze(1), -1e4)
        weight = torch.cat([scores, self.nothing(q).unsqueeze(-1)], -1).softmax(-1)[..., :-1]
        return (weight @ torch.cat([values, size, box_cells], -1)).flatten(1)

    def counts(self, q: Tensor, boxes: Tensor) -> Tensor:
        """Return soft counts of the boxes whose category the question asks for, at several scores."""
        kinds = torch.sigmoid(self.wanted(q) @ self.named(self.category_lens).T / 8)
        category = boxes[..., 0].long()
        match = kinds.gather(1, category.clamp(min=0)) * (category >= 0)
        sure = torch.sigmoid((boxes[..., 1:2] - torch.tensor(THRESHOLDS)) * 20)
        total = (match.unsqueeze(1) @ sure).transpose(1, 2)
        near = torch.exp(-2 * (total - torch.arange(MOST + 1)) ** 2)
        return torch.cat([near, total / 4], -1).flatten(1)


class Glance(nn.Module):
    """Several looks at the grid: each finds cells by what they show and where they are."""

    def __init__(self, width: int, cell: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, GLANCES * cell)
        self.where = nn.Linear(width, GLANCES * PLACE)
        self.place = nn.Parameter(torch.randn(81, PLACE) * 0.3)
        self.cell = cell

    def forward(self, q: Tensor, cells: Tensor) -> Tensor:
        scores = self.query(q).view(len(q), GLANCES, self.cell) @ cells.transpose(1, 2) / self.cell**0.5
        scores = scores + self.where(q).view(len(q), GLANCES, PLACE) @ self.place.T
        weight = scores.softmax(-1)
        return torch.cat([(weight @ cells).flatten(1), (weight @ self.place).flatten(1)], 1)
