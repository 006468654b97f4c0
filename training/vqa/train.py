"""Train one network on the photographs extracted so far (needs torch, no GPU).

python -m training.vqa.train --work WORK --name a --minutes 20
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.vqa.data import TYPES
from training.vqa.network import Eyes, Inputs

BOXES = 16
SIDE = 9
CHINESE = 0.3
"""Share of the questions with a Chinese rendering that are asked in Chinese."""
FINE, COLOUR = slice(48, 64), slice(112, 124)
"""Where the numbers of a cell lie that change when the picture is mirrored."""
WINDOWS = (4, 3)
MADE = 4
"""The part of the questions made from captions."""


class Data:
    """The questions whose photograph is ready, as tensors, batch by batch."""

    def __init__(self, work: Path) -> None:
        self.t = dict(np.load(work / "targets.npz"))
        self.answers = json.loads((work / "answers.json").read_text())
        english, made, chinese = (
            dict(np.load(work / f"{name}.npz")) for name in ("texts", "texts_made", "texts_zh")
        )
        self._add_made(len(english["ids"]), made)
        ids, self.sentence, self.lens, self.named = (
            np.concatenate([texts[name] for texts in (english, made, chinese)])
            for name in ("ids", "sentence", "lens", "named")
        )
        with np.load(work / "pieces.npz") as pieces:
            self.ids, self.table = np.searchsorted(pieces["ids"], ids), pieces["vectors"]
        self.lengths = (ids > 0).sum(1)
        count = len(self.t["image"])
        self.chinese = np.full(count, -1)
        self.chinese[chinese["rows"]] = count + np.arange(len(chinese["rows"]))
        # Half precision on disk; a batch is read from the page cache and widened.
        self.cells, self.box_cells, self.regions, self.whole, self.lens_images = (
            np.load(work / f"{name}.npy", mmap_mode="r")
            for name in ("seen_cells", "seen_box_cells", "regions", "whole", "lens_images")
        )
        self.boxes = np.load(work / "boxes.npy", mmap_mode="r")[:, :BOXES]
        self.prior = np.load(work / "prior_logits.npy", mmap_mode="r")
        self.ready = np.load(work / "seen.npy")[self.t["image"]]
        self.categories = np.load(work / "categories.npy")
        order = np.argsort(self.t["rows"], kind="stable")
        self._rows, self._answers, self._votes = (self.t[k][order] for k in ("rows", "answers", "votes"))
        with np.load(work / "basis.npz") as basis:
            self.basis = dict(basis)

    def _add_made(self, asked: int, made: dict[str, np.ndarray]) -> None:
        """Add the questions made from captions, a part of their own, after those that people asked."""
        count = len(made["image"])
        kinds = np.array([kind_of(one) for one in self.answers])
        more = {
            "image": made["image"],
            "part": np.full(count, MADE, np.int8),
            "type": kinds[made["answer"]],
            "rows": asked + np.arange(count),
            "answers": made["answer"],
            "votes": np.full(count, 10, np.int8),
        }
        self.t |= {name: np.concatenate([self.t[name], values]) for name, values in more.items()}

    def of(self, part: int) -> np.ndarray:
        return np.flatnonzero((self.t["part"] == part) & self.ready)

    def votes(self, rows: np.ndarray) -> Tensor:
        """Return (rows, answers): how many of ten people gave each answer."""
        low, high = np.searchsorted(self._rows, rows), np.searchsorted(self._rows, rows + 1)
        flat = np.concatenate([np.arange(a, b) for a, b in zip(low, high, strict=True)])
        out = np.zeros((len(rows), len(self.answers)), np.float32)
        out[np.repeat(np.arange(len(rows)), high - low), self._answers[flat]] = self._votes[flat]
        return torch.from_numpy(out)

    def targets(self, rows: np.ndarray) -> Tensor:
        """Return what the network should say: the share of the people, or for open questions what is right.

        Of "yes" and "no" both are often called right, and only the shares tell which is likelier.
        """
        votes = self.votes(rows)
        is_open = torch.from_numpy(self.t["type"][rows] == TYPES.index("other")).unsqueeze(1)
        return torch.where(is_open, (votes / 3).clamp(max=1), votes / 10)

    def batch(self, rows: np.ndarray, *, exact: bool = False, texts: np.ndarray | None = None) -> Inputs:
        """Return the network's inputs; `texts` are the numbers of the texts where they are not the rows."""
        texts = rows if texts is None else texts
        longest = int(self.lengths[texts].max())
        image = self.t["image"][rows]
        kind = torch.float32 if exact else torch.bfloat16

        def wide(values: np.ndarray) -> Tensor:
            return torch.from_numpy(values).to(kind)

        return Inputs(
            wide(self.table[self.ids[texts, :longest]]),
            torch.from_numpy(np.arange(longest)[None] < self.lengths[texts][:, None]),
            wide(self.sentence[texts]),
            wide(self.lens[texts]),
            torch.from_numpy(self.named[texts].astype(np.float32)),
            wide(self.cells[image]),
            torch.from_numpy(self.boxes[image].astype(np.float32)),
            wide(self.box_cells[image]),
            wide(self.regions[image]),
            wide(self.whole[image]),
            torch.from_numpy(self.lens_images[image].astype(np.float32)),
            torch.from_numpy(self.prior[texts].astype(np.float32)),
        )


def kind_of(answer: str) -> int:
    """Return the number of an answer's type."""
    return TYPES.index("yes/no" if answer in ("yes", "no") else "number" if answer.isdigit() else "other")


def open_network(data: Data, width: int, dropout: float = 0.3) -> Eyes:
    """Return a new network for these questions."""
    lens = torch.from_numpy(data.t["answer_lens"].astype(np.float32))
    # A region is stored as (x - mean) @ axes; products with these rows are those with x, but for a constant.
    seen = data.t["answer_lens"].astype(np.float32) @ np.linalg.pinv(data.basis["region"]).T
    categories = torch.from_numpy(data.categories.astype(np.float32))
    windows = sum(n * n for n in WINDOWS)
    sizes = (data.cells.shape[-1], windows, data.regions.shape[-1], data.whole.shape[-1])
    return Eyes(sizes, lens, torch.from_numpy(5 * seen), categories, width=width, dropout=dropout)


class Mirror:
    """Mirrors the pictures of a batch, left for right."""

    def __init__(self, basis: dict[str, np.ndarray]) -> None:
        grid = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
        self._cells = torch.from_numpy(grid[:, ::-1].ravel().copy())
        windows, start = [], 0
        for n in WINDOWS:
            windows.append(start + np.arange(n * n).reshape(n, n)[:, ::-1].ravel())
            start += n * n
        self._regions = torch.from_numpy(np.concatenate([*windows, start + np.arange(BOXES)]))
        axes = basis["fine"]
        swapped = axes.reshape(2, 2, -1, axes.shape[1])[:, ::-1].reshape(axes.shape)
        self._fine = torch.from_numpy((np.linalg.pinv(axes) @ swapped).astype(np.float32))
        self._colour = torch.from_numpy(np.arange(12).reshape(2, 2, 3)[:, ::-1].ravel().copy())

    def __call__(self, x: Inputs, chosen: Tensor) -> Inputs:
        cells, boxes, regions = x.cells.clone(), x.boxes.clone(), x.regions.clone()
        turned = cells[chosen][:, self._cells]
        turned[..., FINE] = turned[..., FINE] @ self._fine.to(turned.dtype)
        turned[..., COLOUR] = turned[..., COLOUR][..., self._colour]
        cells[chosen] = turned
        regions[chosen] = regions[chosen][:, self._regions]
        boxes[chosen, :, 2] = 1 - boxes[chosen, :, 2] - boxes[chosen, :, 4]
        return replace(x, cells=cells, boxes=boxes, regions=regions)


def augment(x: Inputs, *, words: float, noise: float) -> Inputs:
    """Drop words, boxes and whole views, and add noise: a view must not tell which picture it is."""
    # Now and then only the sentence vector is left, so that it learns to stand alone.
    keep = (torch.rand(x.mask.shape) > words) & (torch.rand(len(x.mask), 1) > 0.1)
    boxes = x.boxes.clone()
    boxes[..., 0] = torch.where(torch.rand(boxes.shape[:2]) < 0.05, torch.tensor(-1.0), boxes[..., 0])

    def blurred(view: Tensor, size: float, gone: float = 0.1) -> Tensor:
        there = (torch.rand(len(view), *[1] * (view.dim() - 1)) > gone).to(view.dtype)
        return (view + size * torch.randn_like(view)) * there

    return replace(
        x,
        words=x.words * keep.unsqueeze(-1),
        cells=blurred(x.cells, noise),
        boxes=boxes,
        box_cells=blurred(x.box_cells, noise),
        regions=blurred(x.regions, noise),
        whole=blurred(x.whole, noise),
        lens_image=blurred(x.lens_image, noise / 20),
    )


def predict(model: nn.Module, data: Data, rows: np.ndarray) -> Tensor:
    """Return (rows, answers) logits."""
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        parts = [model(data.batch(rows[k : k + 256]))[0].float() for k in range(0, len(rows), 256)]
    return torch.cat(parts)


def score(logits: Tensor, data: Data, rows: np.ndarray) -> dict[str, float]:
    """Return accuracy in all and by type, in percent."""
    votes = data.votes(rows)
    right = (votes / 3).clamp(max=1).gather(1, logits.argmax(1, keepdim=True)).squeeze(1)
    kinds = data.t["type"][rows]
    loss = -(votes / 10 * logits.log_softmax(1)).sum(1).mean()
    found = {"loss": loss / 100, "all": right.mean()} | {
        name: right[kinds == k].mean() for k, name in enumerate(TYPES)
    }
    return {name: round(100 * float(value), 2) for name, value in found.items()}


def main() -> None:
    """Train for some passes; keep the one that is best on validation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--name", default="a")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--made", type=float, default=0.3, help="share of the made questions in a pass")
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--words", type=float, default=0.2, help="share of the words that are dropped")
    parser.add_argument("--decay", type=float, default=1.0)
    parser.add_argument("--noise", type=float, default=0.6, help="added to what is seen, of variance 1")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    data = Data(args.work)
    train, val = data.of(0), data.of(1)
    model = open_network(data, args.width, args.dropout)
    nn.init.zeros_(model.answer.bias)
    print(len(train), len(val), sum(p.numel() for p in model.parameters()), flush=True)
    optimiser = torch.optim.AdamW(
        model.parameters(), args.rate, weight_decay=args.decay, betas=(0.9, 0.98), fused=True
    )
    size = 256
    made = data.of(MADE)
    steps = args.epochs * ((len(train) + int(args.made * len(made))) // size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min(1, (s + 1) / 100) * max(0.02, 0.5 * (1 + np.cos(np.pi * min(1, s / steps))))
    )
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99)
    )
    sided = np.zeros(len(data.t["image"]), bool)
    asked = np.load(args.work / "sided.npy")
    sided[: len(asked)] = asked
    mirror = Mirror(data.basis)
    types = torch.from_numpy(data.t["type"].astype(np.int64))
    best, started = 0.0, time.time()
    for epoch in range(args.epochs):
        model.train()
        began = time.process_time()
        extra = rng.choice(made, int(args.made * len(made)), replace=False)
        order = rng.permutation(np.concatenate([train, extra]))
        losses = []
        for k in range(0, len(order) - size + 1, size):
            rows = order[k : k + size]
            chinese = data.chinese[rows]
            texts = np.where((chinese >= 0) & (rng.random(size) < CHINESE), chinese, rows)
            batch = augment(data.batch(rows, texts=texts), words=args.words, noise=args.noise)
            batch = mirror(batch, torch.from_numpy(np.flatnonzero((rng.random(size) < 0.5) & ~sided[rows])))
            with torch.autocast("cpu", torch.bfloat16):
                logits, kind = model(batch)
            shares = logits.float().log_softmax(1)
            loss = -(data.targets(rows) * shares).sum(1).mean()
            loss = loss + 0.2 * nn.functional.cross_entropy(kind.float(), types[rows])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimiser.step()
            schedule.step()
            average.update_parameters(model)
            losses.append(loss.item())
            if len(losses) in (20, 80):
                print(
                    f"{len(losses)} steps {np.mean(losses[-20:]):.3f} {time.process_time() - began:.0f} s",
                    flush=True,
                )
        found = score(predict(average.module, data, val), data, val)
        spent = time.process_time() - began
        print(
            epoch,
            f"{np.mean(losses):.3f}",
            found,
            f"{time.time() - started:.0f}s {spent:.0f} cpu s",
            flush=True,
        )
        if found["all"] > best:
            best = found["all"]
            torch.save(
                {"state": average.module.state_dict(), "width": args.width}, args.work / f"net-{args.name}.pt"
            )
        if time.time() - started > 60 * args.minutes:
            break
    print("best", best)


if __name__ == "__main__":
    main()
