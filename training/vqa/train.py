"""Train one network on the photographs extracted so far (needs torch, no GPU).

python -m training.vqa.train --work WORK --name a --minutes 20
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from training.vqa.data import TYPES
from training.vqa.network import Eyes

BOXES = 16
CHINESE = 0.3
"""Share of the questions with a Chinese rendering that are asked in Chinese."""


class Data:
    """The questions whose photograph is ready, as tensors, batch by batch."""

    def __init__(self, work: Path) -> None:
        self.t = dict(np.load(work / "targets.npz"))
        english, chinese = dict(np.load(work / "texts.npz")), dict(np.load(work / "texts_zh.npz"))
        ids, self.sentence, self.lens = (
            np.concatenate([english[name], chinese[name]]) for name in ("ids", "sentence", "lens")
        )
        with np.load(work / "pieces.npz") as pieces:
            self.ids, self.table = np.searchsorted(pieces["ids"], ids), pieces["vectors"]
        self.lengths = (ids > 0).sum(1)
        self.chinese = np.full(len(english["ids"]), -1)
        self.chinese[chinese["rows"]] = len(english["ids"]) + np.arange(len(chinese["rows"]))
        # Half precision on disk; a batch is read from the page cache and widened.
        self.cells, self.box_cells = (
            np.load(work / f"{name}.npy", mmap_mode="r") for name in ("seen_cells", "seen_box_cells")
        )
        self.boxes = np.load(work / "boxes.npy", mmap_mode="r")[:, :BOXES]
        self.lens_images = np.load(work / "lens_images.npy", mmap_mode="r")
        self.ready = np.load(work / "seen.npy")[self.t["image"]]
        self.answers = json.loads((work / "answers.json").read_text())
        order = np.argsort(self.t["rows"], kind="stable")
        self._rows, self._answers, self._values = (self.t[k][order] for k in ("rows", "answers", "values"))

    def of(self, part: int) -> np.ndarray:
        return np.flatnonzero((self.t["part"] == part) & self.ready)

    def targets(self, rows: np.ndarray) -> torch.Tensor:
        out = torch.zeros(len(rows), len(self.answers))
        low, high = np.searchsorted(self._rows, rows), np.searchsorted(self._rows, rows + 1)
        for k, (a, b) in enumerate(zip(low, high, strict=True)):
            out[k, torch.from_numpy(self._answers[a:b])] = torch.from_numpy(self._values[a:b])
        return out

    def batch(
        self, rows: np.ndarray, *, exact: bool = False, texts: np.ndarray | None = None
    ) -> list[torch.Tensor]:
        """Return the network's inputs; `texts` are the numbers of the texts where they are not the rows."""
        texts = rows if texts is None else texts
        longest = int(self.lengths[texts].max())
        ids = self.ids[texts, :longest]
        image = self.t["image"][rows]
        kind = torch.float32 if exact else torch.bfloat16
        boxes = torch.from_numpy(self.boxes[image].astype(np.float32))
        boxes[~self.ready[rows], :, 0] = -1
        return [
            torch.from_numpy(self.table[ids].astype(np.float32)),
            torch.from_numpy(np.arange(longest)[None] < self.lengths[texts][:, None]),
            torch.from_numpy(self.sentence[texts].astype(np.float32)),
            torch.from_numpy(self.lens[texts].astype(np.float32)),
            torch.from_numpy(self.cells[image]).to(kind),
            boxes,
            torch.from_numpy(self.box_cells[image]).to(kind),
            torch.from_numpy(self.lens_images[image].astype(np.float32)),
        ]


def open_network(data: Data, work: Path, width: int) -> Eyes:
    """Return a new network for these questions."""
    lens = torch.from_numpy(data.t["answer_lens"].astype(np.float32))
    categories = torch.from_numpy(np.load(work / "categories.npy").astype(np.float32))
    return Eyes(data.cells.shape[-1], lens, categories, width=width)


def augment(batch: list[torch.Tensor], *, words: float, cells: float) -> list[torch.Tensor]:
    """Drop words and cells, and add noise to the whole-picture vector."""
    w, mask, s, lens, c, b, bc, li = batch
    # Now and then only the sentence vector is left, so that it learns to stand alone.
    keep = (torch.rand(mask.shape) > words) & (torch.rand(len(w), 1) > 0.1)
    gone = (torch.rand(c.shape[:2]) < cells).unsqueeze(-1)
    b = b.clone()
    b[..., 0] = torch.where(torch.rand(b.shape[:2]) < 0.1, torch.tensor(-1.0), b[..., 0])
    return [
        w * keep.unsqueeze(-1),
        mask,
        s,
        lens,
        c.masked_fill(gone, 0),
        b,
        bc,
        li + 0.01 * torch.randn_like(li),
    ]


def score(
    model: nn.Module, data: Data, rows: np.ndarray
) -> tuple[dict[str, float], torch.Tensor, torch.Tensor]:
    """Return accuracy in all and by type, the logits and the targets."""
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        logits = torch.cat([model(*data.batch(rows[k : k + 512])).float() for k in range(0, len(rows), 512)])
    targets = data.targets(rows)
    right = targets.gather(1, logits.argmax(1, keepdim=True)).squeeze(1)
    kinds = data.t["type"][rows]
    out = {"all": float(right.mean())}
    for k, name in enumerate(TYPES):
        out[name] = float(right[kinds == k].mean())
    return out, logits, targets


def main() -> None:
    """Train until the time is up or validation has not improved for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--name", default="a")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--start", default="", help="name of a trained network to go on from")
    parser.add_argument("--loss", default="bce", choices=["bce", "ce"])
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    data = Data(args.work)
    train, val = data.of(0), data.of(1)
    # Questions whose photograph was not extracted still teach which answers a question may have.
    blind = np.flatnonzero((data.t["part"] == 0) & ~data.ready)
    model = open_network(data, args.work, args.width)
    prior = data.targets(train).mean(0).clamp(min=1e-4)
    with torch.no_grad():
        model.answer.bias.copy_((prior / (1 - prior)).log())
    if args.start:
        model.load_state_dict(torch.load(args.work / f"net-{args.start}.pt")["state"])
    print(len(train), len(val), sum(p.numel() for p in model.parameters()), flush=True)
    optimiser = torch.optim.AdamW(model.parameters(), args.rate, weight_decay=0.02, betas=(0.9, 0.98))
    size = 256
    steps = args.epochs * ((len(train) + len(blind) // 2) // size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min(1, (s + 1) / 100) * max(0.02, 0.5 * (1 + np.cos(np.pi * min(1, s / steps))))
    )
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995)
    )
    best, since, started = 0.0, 0, time.time()
    for epoch in range(args.epochs):
        model.train()
        began = time.process_time()
        order = rng.permutation(np.concatenate([train, rng.choice(blind, len(blind) // 2, replace=False)]))
        losses = []
        for k in range(0, len(order) - size + 1, size):
            rows = order[k : k + size]
            chinese = data.chinese[rows]
            texts = np.where((chinese >= 0) & (rng.random(size) < CHINESE), chinese, rows)
            batch = augment(data.batch(rows, texts=texts), words=0.1, cells=0.2)
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(*batch).float()
            targets = data.targets(rows)
            if args.loss == "bce":
                loss = nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="sum") / size
            else:
                loss = -(targets * logits.log_softmax(1)).sum(1).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimiser.step()
            schedule.step()
            average.update_parameters(model)
            losses.append(loss.item())
            if len(losses) == 20:
                print(f"20 steps {np.mean(losses):.3f} {time.process_time() - began:.0f} cpu s", flush=True)
        spent = time.process_time() - began
        found, _, _ = score(average.module, data, val)
        print(
            epoch,
            f"{np.mean(losses):.3f}",
            {k: round(100 * v, 2) for k, v in found.items()},
            f"{time.time() - started:.0f}s",
            f"{spent:.0f} cpu s",
            flush=True,
        )
        if found["all"] > best:
            best, since = found["all"], 0
            torch.save(
                {"state": average.module.state_dict(), "width": args.width}, args.work / f"net-{args.name}.pt"
            )
        else:
            since += 1
        if since >= 3 or time.time() - started > 60 * args.minutes:
            break
    print("best", best)


if __name__ == "__main__":
    main()
