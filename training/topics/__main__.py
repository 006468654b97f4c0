"""`python -m training.topics`: fit the critic's models on the shared training parts and write their weights.

What is held out, here and in `vidence bench topics`, is decided by `vidence.bench.topics_sets.is_held_out`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from training.topics.sets import entailment_pairs, news_rows, reviews, support_rows
from vidence.app import open_workspace
from vidence.bench.shared import shared_folder
from vidence.intel.critic.entailment import GRAM_BUCKETS, LABELS, gram_rows, pair_rows
from vidence.intel.critic.features import BUCKETS, char_grams, hashed, support_features, target_grams
from vidence.intel.critic.sentiment import REVIEW_BUCKETS

OUT = Path(__file__).parents[2] / "src" / "vidence" / "intel" / "data" / "critic.npz"
_NETWORKS = 3
_MEANING = 0.5
"""What a sentence vector counts beside grams."""
Embed = Callable[[Sequence[str]], Any]


def main() -> None:
    """Fit every model and write one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cache", type=Path, help="folder of embeddings from an earlier run: NAME.json and NAME.npy"
    )
    parser.add_argument("--only", nargs="+", choices=tuple(FITS), help="fit these and keep the others")
    arguments = parser.parse_args()
    folder = shared_folder() / "topics"
    with open_workspace() as workspace:
        embed = cached(workspace.indexer.shelf.text.embed, arguments.cache)
        chosen = arguments.only or tuple(FITS)
        arrays = dict(np.load(OUT)) if arguments.only else {}
        for name in chosen:
            arrays |= FITS[name](folder, embed)
    np.savez_compressed(OUT, **arrays)
    print(f"wrote {OUT} ({OUT.stat().st_size:,} bytes)")


def cached(embed: Embed, folder: Path | None) -> Embed:
    """Return the embedder, answering from a folder what it holds."""
    import json

    known: dict[str, Any] = {}
    for path in sorted(folder.glob("*.npy")) if folder else ():
        if path.with_suffix(".json").is_file():
            texts = json.loads(path.with_suffix(".json").read_text("utf-8"))
            vectors = np.load(path)
            known |= dict(zip(texts, vectors, strict=True)) if len(texts) == len(vectors) else {}

    def look_up(texts: Sequence[str]) -> Any:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for first in range(0, len(missing), 256):
            part = missing[first : first + 256]
            known.update(zip(part, embed(part), strict=True))
        return np.stack([np.asarray(known[text], np.float32) for text in texts])

    return look_up


def fit_reviews(folder: Path, embed: Embed) -> dict[str, Any]:
    """Fit the sentiment of Chinese texts on reviews of hotels and meals.

    Grams count by how unevenly they are spread over praise and blame (NB-SVM).
    """
    rows = reviews(folder)
    labels = np.array([label for _, label in rows])
    buckets = [hashed(char_grams(text.lower()), REVIEW_BUCKETS) for text, _ in rows]
    uneven = _log_ratio(_sparse(buckets, REVIEW_BUCKETS), labels)
    grams = _sparse(buckets, REVIEW_BUCKETS, scaled=True).multiply(uneven)
    meaning = csr_matrix(embed([text for text, _ in rows]) * _MEANING)
    model = LogisticRegression(C=10.0, solver="liblinear", max_iter=500).fit(
        hstack([grams, meaning]).tocsr(), labels
    )
    print(f"reviews: {len(rows)} fitted")
    return {
        **_quantised("reviews", model.coef_[0, :REVIEW_BUCKETS] * uneven),
        "reviews_meaning": (model.coef_[0, REVIEW_BUCKETS:] * _MEANING).astype(np.float16),
        "reviews_bias": model.intercept_,
    }


def _log_ratio(counts: csr_matrix, labels: Any) -> Any:
    """Return how unevenly each column is spread over two classes."""
    praise, blame = (np.asarray(counts[labels == one].sum(axis=0)).ravel() + 1 for one in (1, 0))
    return np.abs(np.log((praise / praise.sum()) / (blame / blame.sum())))


def fit_news(folder: Path, embed: Embed) -> dict[str, Any]:
    """Fit the sentiment of English sentences towards a target."""
    rows = news_rows(folder, "sentiment_en_news_train")
    buckets = [hashed(target_grams(row.text, *row.span)) for row in rows]
    grams = _sparse(buckets, BUCKETS, scaled=True)
    meaning = embed([row.text for row in rows])
    matrix = hstack([grams, csr_matrix(meaning * 2)]).tocsr()
    model = LogisticRegression(C=0.7, max_iter=500, class_weight="balanced").fit(
        matrix, [row.label for row in rows]
    )
    print(f"news: {len(rows)} fitted")
    return {
        **_quantised("news_grams", model.coef_[:, :BUCKETS]),
        "news_meaning": (model.coef_[:, BUCKETS:] * 2).astype(np.float16),
        "news_bias": model.intercept_,
    }


def fit_support(folder: Path, embed: Embed) -> dict[str, Any]:
    """Fit whether evidence supports a claim, the threshold at 0.5 being the best for F1."""
    rows = support_rows(folder)
    values = []
    for claim, evidence, _ in rows:
        vectors = embed([claim, *evidence])
        values.append(support_features(claim, evidence, vectors[0], vectors[1:]))
    labels = np.array([label for _, _, label in rows])
    scaler = StandardScaler().fit(values)
    model = LogisticRegression(C=0.03).fit(scaler.transform(values), labels)
    scores = model.decision_function(scaler.transform(values))
    # Averaged with its neighbours, so that one claim of a small set does not place it.
    steps = np.quantile(scores, np.linspace(0.3, 0.9, 61))
    f1 = np.array([_f1(labels, scores >= step) for step in steps])
    smooth = np.convolve(f1, np.ones(7) / 7, mode="same")
    print(f"support: {len(rows)} fitted, {labels.sum()} supported, F1 {smooth[3:-3].max():.3f} on them")
    threshold = steps[3 + int(np.argmax(smooth[3:-3]))]
    return {
        "support_mean": scaler.mean_,
        "support": model.coef_[0] / scaler.scale_,
        "support_bias": model.intercept_ - threshold,
    }


def fit_entailment(folder: Path, embed: Embed) -> dict[str, Any]:
    """Fit entailment, neutral and contradiction: a network of one hidden layer, and a model of grams."""
    rows = entailment_pairs(folder)
    pairs = [(premise, claim) for premise, claim, _ in rows]
    labels = np.array([LABELS.index(label) for _, _, label in rows])  # type: ignore[arg-type]
    values = pair_rows(pairs, embed)
    scaler = StandardScaler().fit(values)
    networks = [_network(scaler.transform(values), labels, seed) for seed in range(_NETWORKS)]
    grams = LogisticRegression(C=1.0, max_iter=400).fit(
        _sparse(gram_rows(pairs), 2 * GRAM_BUCKETS, scaled=True), labels
    )
    print(f"entailment: {len(rows)} fitted")
    inner = [one.coefs_[0] / scaler.scale_[:, None] for one in networks]
    return {
        "nli_in": np.stack(inner).astype(np.float16),
        "nli_in_bias": np.stack(
            [one.intercepts_[0] - scaler.mean_ @ held for one, held in zip(networks, inner, strict=True)]
        ),
        "nli_out": np.stack([one.coefs_[1] for one in networks]),
        "nli_out_bias": np.stack([one.intercepts_[1] for one in networks]),
        **_quantised("nli_grams", grams.coef_),
        "nli_grams_bias": grams.intercept_,
    }


def _network(values: Any, labels: Any, seed: int) -> MLPClassifier:
    return MLPClassifier(
        (256,),
        alpha=3.0,
        early_stopping=True,
        validation_fraction=0.08,
        learning_rate_init=5e-4,
        max_iter=40,
        n_iter_no_change=4,
        random_state=seed,
    ).fit(values, labels)


def _sparse(rows: Sequence[Any], width: int, *, scaled: bool = False) -> csr_matrix:
    counts = np.array([len(row) for row in rows])
    values = np.repeat(1 / np.sqrt(np.maximum(counts, 1)) if scaled else np.ones(len(rows)), counts)
    edges = np.concatenate([[0], np.cumsum(counts)])
    return csr_matrix((values, np.concatenate(rows), edges), shape=(len(rows), width))


def _quantised(name: str, weights: Any) -> dict[str, Any]:
    """Return weights as bytes with their scale."""
    scale = float(np.abs(weights).max()) / 127
    return {name: np.round(weights / scale).astype(np.int8), f"{name}_scale": np.array(scale)}


def _f1(labels: Any, chosen: Any) -> float:
    hits = float((labels * chosen).sum())
    return 2 * hits / max(float(labels.sum() + chosen.sum()), 1.0)


FITS: dict[str, Callable[[Path, Embed], dict[str, Any]]] = {
    "reviews": fit_reviews,
    "news": fit_news,
    "support": fit_support,
    "entailment": fit_entailment,
}


if __name__ == "__main__":
    main()
