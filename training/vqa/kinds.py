"""Tell which types of question each answer of eyes suits, from what people answered to which questions.

python -m training.vqa.kinds

Writes the third column of `language/data/visual_answers.tsv`. A type counts where people gave the answer to
questions of that type not much more rarely than to others, each type taken to be asked equally often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from training.vqa.data import load_questions
from vidence.bench.shared import shared_folder
from vidence.language.question import read_question

TABLE = Path("src/vidence/language/data/visual_answers.tsv")
KINDS = ("thing", "place", "action", "person", "weather", "material", "pattern", "direction", "daytime")
_AGREE = 3
"""How many of the ten people must give an answer."""
_SHARE = 0.1
_RARE = 5
"""An answer given to so many questions at most is told by one of them."""
_NO_KIND = frozenset(
    {"yes", "no", "none", "nothing", "unknown", "no one", "nobody", "both", "neither", "left", "right"}
)
"""Answers that say nothing of a kind, and sides, which are asked for by their own type."""


def main() -> None:
    """Count, decide and write."""
    given: dict[str, Counter[str]] = defaultdict(Counter)
    for one in load_questions(shared_folder()):
        kind = read_question(one["question"]).expected.type
        for answer, people in Counter(one["answers"]).items():
            if people >= _AGREE:
                given[answer][kind] += 1
    totals = {kind: sum(counts[kind] for counts in given.values()) for kind in KINDS}
    lines = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            lines.append(line)
            continue
        english, chinese = line.split("\t")[:2]
        lines.append(
            "\t".join([english, chinese, " ".join(_kinds(english, given[english], totals))]).rstrip()
        )
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _kinds(answer: str, counts: Counter[str], totals: dict[str, int]) -> list[str]:
    if answer in _NO_KIND:
        return ["direction"] if answer in ("left", "right") else []
    rates = {kind: counts[kind] / totals[kind] for kind in KINDS}
    known, total = sum(rates.values()), sum(counts[kind] for kind in KINDS)
    return [
        kind
        for kind in KINDS
        if rates[kind] and rates[kind] >= _SHARE * known and (counts[kind] > 1 or total <= _RARE)
    ]


if __name__ == "__main__":
    main()
