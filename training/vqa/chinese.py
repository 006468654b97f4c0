"""Chinese renderings of training questions, by rules and a glossary, so that Chinese pieces are learnt too.

    PYTHONPATH=src:. python -m training.vqa.chinese --shared ../shared --work WORK

Only questions whose every content word is known are rendered. `data/chinese_test.tsv` is translated by hand
and never trained on.
"""

from __future__ import annotations

import argparse
import random
import re
from functools import cache
from pathlib import Path

import numpy as np

from training.lens.chinese import _glossary, load_tags
from training.vqa.data import load_questions
from vidence.language.tables import read_table

MOST = 14_000
_COUNT = ("有多少", "有几个", "有几")
_FOLDER = Path(__file__).parent / "data"


def render(question: str, rng: random.Random) -> str | None:
    """Return a Chinese question, or None where a word is not known."""
    text = re.sub(r"[^a-z' ]", " ", question.lower().replace("colour", "color").replace("'s ", " ")).strip()
    for pattern, ways in _table("rules.tsv"):
        match = re.fullmatch(pattern, text)
        if not match:
            continue
        parts = {name: _words(value, rng) for name, value in match.groupdict().items()}
        if any(value is None for value in parts.values()):
            return None
        if parts and not any(parts.values()):
            return None
        return rng.choice(ways.split("|")).format(count=rng.choice(_COUNT), **parts)
    return None


def _words(text: str, rng: random.Random) -> str | None:
    """Return the words one by one in Chinese; a place comes before what is there."""
    words, found, k = text.split(), [], 0
    glossary = _lexicon()
    while k < len(words):
        for length in range(min(4, len(words) - k), 0, -1):
            known = glossary.get(" ".join(words[k : k + length]))
            if known is not None:
                found += [rng.choice(known)] if known else []
                k += length
                break
        else:
            return None
    return "".join(found)


@cache
def _lexicon() -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for english, chinese, *_ in read_table("visual_answers.tsv"):
        words[english] = (chinese,)
    for form, (chinese, kind) in _glossary().items():
        words[form] = (f"在{chinese}" if kind == "p" else chinese,)
    for tag in load_tags().values():
        for name in tag.english if tag.name != "person" else ():
            words[name] = words[f"{name}s"] = tag.chinese
    for english, chinese in _table("words.tsv"):
        words[english] = () if chinese == "-" else (chinese,)
    return words


@cache
def _table(name: str) -> list[list[str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def main() -> None:
    """Write `texts_zh.npz`, the rendered questions, and `pieces.npz`, the vectors of all pieces in use."""
    from training.vqa.prepare import Texts

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--show", type=int, default=0, help="print some instead")
    args = parser.parse_args()
    rng = random.Random(3)
    questions = load_questions(args.shared)
    part = np.load(args.work / "targets.npz")["part"]
    made = [(k, render(one["question"], rng)) for k, one in enumerate(questions) if part[k] == 0]
    kept = [(k, text) for k, text in made if text]
    print(len(kept), "of", len(made), "training questions rendered")
    if args.show:
        for k, text in rng.sample(kept, args.show):
            print(questions[k]["question"], text)
        return
    kept = sorted(rng.sample(kept, min(MOST, len(kept))))
    texts = Texts()
    chinese = [text for _, text in kept]
    np.savez(
        args.work / "texts_zh.npz",
        rows=np.array([k for k, _ in kept]),
        ids=texts.ids(chinese),
        sentence=texts.sentence(chinese),
        lens=texts.lens(chinese),
        named=texts.named(chinese),
    )
    with np.load(args.work / "texts.npz") as english, np.load(args.work / "texts_zh.npz") as rendered:
        used = np.unique(np.concatenate([english["ids"].ravel(), rendered["ids"].ravel()]))
    vectors = texts.pieces.vectors(used.astype(np.int64))
    vectors[used == 0] = 0
    np.savez(args.work / "pieces.npz", ids=used, vectors=vectors.astype(np.float16))


if __name__ == "__main__":
    main()
