"""Fit the two small networks that tell people apart: coreference and speakers of quotations, on LitBank.

    python -m training.story.people --shared FOLDER --out src/vidence/models/weights/people-1.npz
    python -m training.story.people --shared FOLDER --folds 5

Needs torch. The first form leaves out every fifth book, as the tagger does, and writes the weights; the
second scores each book by networks fitted without it, mentions given. A few minutes on one core.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from training.story.tagger import pack
from vidence.bench.litbank import (
    HELD_OUT,
    Book,
    Scores,
    gold_clusters,
    load_books,
    marked_mentions,
    score_people,
)
from vidence.knowledge.coreference import (
    Cluster,
    DescribedMention,
    Network,
    candidates,
    cluster_features,
)
from vidence.knowledge.speakers_en import Turn, speaker_features
from vidence.schema.perception import FloatArray

Choice = tuple[FloatArray, int]
"""The features of every option, and which is right."""


def coreference_choices(book: Book) -> Iterator[Choice]:
    """Yield the options of each mention, the mentions before it joined as people joined them."""
    clusters: list[Cluster] = []
    chains: list[str] = []
    told = [one for one in marked_mentions(book) if _is_linked(one)]
    for seen, one in enumerate(told):
        chain = book.chains[one.start, one.end]
        options = candidates(one, clusters)
        rows = [cluster_features(one, clusters[at], seen) for at in options]
        right = chains.index(chain) if chain in chains else -1
        answer = options.index(right) if right in options else len(options)
        yield np.array([*rows, cluster_features(one, None, seen)], np.float32), answer
        if right < 0:
            clusters.append(Cluster())
            chains.append(chain)
        clusters[right].add(one)


def speaker_choices(book: Book) -> Iterator[Choice]:
    """Yield the people around each quotation, the quotations before it given to whom people gave them."""
    chains = gold_clusters(book)
    names, clusters = list(chains), list(chains.values())
    turns: list[Turn] = []
    for at, (quote, who) in enumerate(zip(book.quotes, book.speakers, strict=True)):
        rows = speaker_features(book.words, book.quotes, at, clusters, turns)
        right = names.index(who)
        if right in rows:
            yield np.array(list(rows.values()), np.float32), list(rows).index(right)
        turns.append((quote, right))


def _is_linked(one: DescribedMention) -> bool:
    """Say whether a mention is joined before the speakers are known."""
    return one.quote < 0 or one.person == 3


def fit(choices: Sequence[Choice], *, hidden: int, epochs: int, decay: float, batch: int = 64) -> Network:
    """Return a network of one hidden layer that prefers the right option."""
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Linear(choices[0][0].shape[1], hidden),
        nn.ReLU(),
        nn.Dropout(0.25),
        nn.Linear(hidden, 1, bias=False),
    )
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3, weight_decay=decay)
    rows = list(choices)
    for epoch in range(epochs):
        random.Random(epoch).shuffle(rows)
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * (1 - epoch / epochs)
        for start in range(0, len(rows), batch):
            part = rows[start : start + batch]
            sizes = [len(options) for options, _ in part]
            scores = torch.split(
                network(torch.from_numpy(np.concatenate([one for one, _ in part])))[:, 0], sizes
            )
            padded = nn.utils.rnn.pad_sequence(list(scores), batch_first=True, padding_value=-1e9)
            loss = functional.cross_entropy(padded, torch.tensor([right for _, right in part]))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    first, last = network[0], network[3]
    assert isinstance(first, nn.Linear)
    assert isinstance(last, nn.Linear)
    weights = (first.weight.T, first.bias, last.weight[0])
    return Network(tuple(one.detach().numpy().copy() for one in weights))


def fit_both(books: Sequence[Book], choices: Sequence[list[Choice]]) -> tuple[Network, Network]:
    """Return the networks for coreference and for speakers."""
    coreference = fit([one for rows in choices for one in rows], hidden=48, epochs=8, decay=1e-5)
    quotes = [one for book in books for one in speaker_choices(book)]
    return coreference, fit(quotes, hidden=24, epochs=25, decay=1e-4, batch=32)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    books = load_books(arguments.shared)
    rows = [list(coreference_choices(book)) for book in books]

    def left_out(fold: int, folds: int) -> tuple[Network, Network]:
        kept = [at for at in range(len(books)) if at % folds != fold]
        return fit_both([books[at] for at in kept], [rows[at] for at in kept])

    if arguments.out:
        networks = left_out(0, HELD_OUT)
        arrays = {
            f"{kind}.{name}": array
            for kind, network in zip(("coreference", "speech"), networks, strict=True)
            for name, array in zip(("first", "bias", "last"), network, strict=True)
        }
        arguments.out.write_bytes(pack({}, arrays))
    scores = Scores.empty()
    for fold in range(arguments.folds):
        networks = left_out(fold, arguments.folds)
        for book in books[fold :: arguments.folds]:
            score_people(scores, book, None, networks)
        print(f"{fold + 1} folds: {scores.people()}", flush=True)


if __name__ == "__main__":
    main()
