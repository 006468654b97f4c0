"""A caption decoder on the labeller's features: tried, measured, and left out of the product.

`docs/model-cards/lens.md` says why. Kept so that the figures can be made again:
`python -m training.lens.captioner`, on the folder that `python -m training.lens pack` wrote.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.lens.caption_decode import END, HEADS, LAYERS, PREFIX, START, UNKNOWN, decode
from training.lens.caption_score import bleu4, cider
from training.lens.rows import Row, Rows, dequantise, load_rows

WIDTH, WORDS = 256, 22
RAREST = 5  # times a word must occur to be learned
BATCH, EPOCHS, RATE, WARM_UP = 1024, 36, 1e-3, 200
DROP, NOISE, FORGOTTEN, SMOOTHING, AVERAGED = 0.25, 0.2, 0.08, 0.1, 0.999


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        count, length, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(count, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1 * self.training)
        x = x + F.dropout(self.o(seen.transpose(1, 2).flatten(2)), DROP, self.training)
        wide = F.dropout(F.gelu(self.f1(self.n2(x)), approximate="tanh"), DROP, self.training)
        return x + F.dropout(self.f2(wide), DROP, self.training)


class Captioner(nn.Module):
    """Words after words, after four positions made from the picture."""

    def __init__(self, words: int, mean: Tensor, std: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.pre, self.emb = nn.Linear(len(mean), PREFIX * WIDTH), nn.Embedding(words, WIDTH)
        nn.init.normal_(self.emb.weight, std=0.04)
        self.pos = nn.Parameter(torch.randn(PREFIX + WORDS + 2, WIDTH) * 0.02)
        self.blocks = nn.ModuleList(_Layer() for _ in range(LAYERS))
        self.n, self.b = nn.LayerNorm(WIDTH), nn.Parameter(torch.zeros(words))

    def forward(self, features: Tensor, words: Tensor) -> Tensor:
        x = (torch.log1p(features) - self.mean) / self.std
        if self.training:
            x = F.dropout(x + torch.randn_like(x) * NOISE, 0.2)
        x = torch.cat([self.pre(x).view(len(x), PREFIX, WIDTH), self.emb(words)], 1)
        x = F.dropout(x + self.pos[: x.shape[1]], DROP / 2, self.training)
        for block in self.blocks:
            x = block(x)
        return self.n(x[:, PREFIX:]) @ self.emb.weight.T + self.b


def split(text: str) -> list[str]:
    """Return the words of a caption, as they are learned and scored."""
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())


def fit(rows: Rows, device: str) -> tuple[Captioner, list[str]]:
    """Train on the train part; return the running average of the weights and the vocabulary."""
    torch.manual_seed(0)
    train = rows.of("train")
    counts = Counter(word for row in train for caption in row.captions for word in split(caption))
    vocabulary = ["<pad>", "<start>", "<end>", "<unknown>"]
    vocabulary += [word for word, count in counts.most_common() if count >= RAREST]
    ids, owners = (part.to(device) for part in _numbered(train, vocabulary))
    features = torch.from_numpy(dequantise(rows.features[[row.number for row in train]])).to(device)
    logs = torch.log1p(features)
    model = Captioner(len(vocabulary), logs.mean(0), logs.std(0) + 1e-3).to(device)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05, betas=(0.9, 0.98))
    steps, step = EPOCHS * (len(ids) // BATCH), 0
    for _ in range(EPOCHS):
        order = torch.randperm(len(ids), device=device)
        for chosen in order[: len(ids) // BATCH * BATCH].split(BATCH):
            for group in optimiser.param_groups:
                warm = min(1.0, (step + 1) / WARM_UP)
                group["lr"] = RATE * warm * 0.5 * (1 + math.cos(math.pi * step / steps))
            loss = _loss(model.train(), features[owners[chosen]], ids[chosen], device)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            with torch.no_grad():
                kept = min(AVERAGED, (step + 1) / (step + 10))
                torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - kept)
            step += 1
    return average.eval(), vocabulary


def _loss(model: Captioner, features: Tensor, words: Tensor, device: str) -> Tensor:
    given = words[:, :-1]
    # Some words are forgotten on the way, so that the picture has to say them.
    forgotten = (torch.rand(given.shape, device=device) < FORGOTTEN) & (given > END)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        logits = model(features, torch.where(forgotten, UNKNOWN, given))
    wanted = words[:, 1:].flatten()
    return F.cross_entropy(logits.float().flatten(0, 1), wanted, ignore_index=0, label_smoothing=SMOOTHING)


def _numbered(rows: list[Row], vocabulary: list[str]) -> tuple[Tensor, Tensor]:
    number = {word: i for i, word in enumerate(vocabulary)}
    ids, owners = [], []
    for i, row in enumerate(rows):
        for words in filter(None, map(split, row.captions)):
            known = [START, *(number.get(word, UNKNOWN) for word in words[: WORDS - 2]), END]
            ids.append(known + [0] * (WORDS - len(known)))
            owners.append(i)
    return torch.tensor(ids), torch.tensor(owners)


def main() -> None:
    """Train, and score on the first photographs of the test part."""
    parser = argparse.ArgumentParser(prog="python -m training.lens.captioner", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/lens"))
    parser.add_argument("--work", type=Path, default=Path(".carry/lens"))
    parser.add_argument("--photographs", type=int, default=1500)
    options = parser.parse_args()
    rows = load_rows(options.data)
    model, vocabulary = fit(rows, "cuda" if torch.cuda.is_available() else "cpu")
    weights = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
    np.savez(
        options.work / "captioner.npz", **{name: value.astype(np.float16) for name, value in weights.items()}
    )
    test = rows.of("test")[: options.photographs]
    features = dequantise(rows.features[[row.number for row in test]])
    said = [[vocabulary[i] for i in caption] for caption in decode(weights, features)]
    wanted = [[words for words in map(split, row.captions) if words] for row in test]
    print(json.dumps({"BLEU-4": bleu4(said, wanted), "CIDEr-D": cider(said, wanted)}))


if __name__ == "__main__":
    main()
