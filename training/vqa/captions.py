"""Questions made from captions: what people wrote about a photograph answers simple questions about it.

    PYTHONPATH=src:. python -m training.vqa.captions --shared ../shared --work WORK

Only captioned photographs, all of them in the training part.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from training.vqa.prepare import Texts

MOST_A_PICTURE = 5
_COLOURS = frozenset(
    re.findall(r"\w+", "white black red blue green brown yellow gray orange pink purple tan silver")
)
_NUMBERS = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_MANY = frozenset(["people", "men", "women", "boys", "girls", "kids"])
_PEOPLE = _MANY | {"man", "woman", "person", "boy", "girl", "child", "guy", "lady", "player"}
_ANIMALS = frozenset(["cat", "dog", "horse", "cow", "sheep", "bird", "elephant", "bear", "zebra", "giraffe"])
_ROOMS = ("kitchen", "bathroom", "living room", "bedroom", "office", "dining room")
_SPORTS = {
    "tennis": "tennis",
    "baseball": "baseball",
    "soccer": "soccer",
    "skiing": "skiing",
    "skis": "skiing",
    "snowboard": "snowboarding",
    "snowboarding": "snowboarding",
    "surfboard": "surfing",
    "surfing": "surfing",
    "skateboard": "skateboarding",
    "skateboarding": "skateboarding",
    "frisbee": "frisbee",
}
_PLACES = ("beach", "street", "field", "park", "zoo", "ocean", "airport", "snow", "forest")
_NO_NOUNS = frozenset(
    re.findall(
        r"\w+",
        "and or double photo photograph picture image is are with of in on striped colored another different "
        "small large young little other way one the to fire stop traffic passenger school",
    )
)
_THERE = ("Is there a {} in the picture?", "Is there a {}?", "Do you see a {}?")
_NO_DEEDS = frozenset(["wearing", "being", "doing", "going"])

Made = Iterator[tuple[str, str]]


def questions_of(captions: list[str], tags: list[str], absent: list[str]) -> Made:
    """Yield questions and answers that hold for a photograph with these captions."""
    for caption in captions:
        words = re.findall("[a-z]+", caption.lower().replace("grey", "gray"))
        yield from _pairs(words)
    text = " ".join(captions).lower()
    for room in _ROOMS:
        if text.count(room) >= 2:
            yield "What room is this?", room
            yield f"Is this a {room}?", "yes"
            yield f"Is this a {random.choice([one for one in _ROOMS if one != room])}?", "no"
    sports = Counter(_SPORTS[word] for word in re.findall("[a-z]+", text) if word in _SPORTS)
    if sports and sports.most_common(1)[0][1] >= 2:
        yield (
            random.choice(("What sport is this?", "What sport is being played?", "What are they playing?")),
            (sports.most_common(1)[0][0]),
        )
    places = Counter({place: len(re.findall(rf"\b{place}\b", text)) for place in _PLACES})
    if places.most_common(1)[0][1] >= 3:
        yield random.choice(("Where is this?", "Where was this picture taken?")), places.most_common(1)[0][0]
    animals = [tag for tag in tags if tag in _ANIMALS]
    if len(animals) == 1:
        yield random.choice(("What animal is this?", "What kind of animal is shown?")), animals[0]
    for tag, answer in [*((tag, "yes") for tag in tags), *((tag, "no") for tag in absent if tag not in text)]:
        yield random.choice(_THERE).format(tag), answer


def _pairs(words: list[str]) -> Made:
    for before, after in pairwise(words):
        if before in _COLOURS and after not in _NO_NOUNS and after not in _COLOURS:
            verb = "are" if after.endswith("s") and not after.endswith("ss") else "is"
            yield f"What color {verb} the {after}?", before
        elif before in _NUMBERS and after not in _NO_NOUNS:
            yield (
                random.choice((f"How many {after} are there?", f"How many {after} are in the picture?")),
                (_NUMBERS[before]),
            )
        elif before in _PEOPLE and after.endswith("ing") and after not in _NO_DEEDS:
            verb = "are" if before in _MANY else "is"
            yield f"What {verb} the {before} doing?", after


def main() -> None:
    """Write `texts_made.npz`: questions, their photographs and answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    random.seed(5)
    with gzip.open(args.shared / "vqa" / "captions.json.gz", "rt") as file:
        captioned: dict[str, Any] = json.load(file)
    with np.load(args.shared / "vqa" / "images_index.npz") as index:
        place = {int(one): k for k, one in enumerate(index["ids"])}
    answers = {answer: k for k, answer in enumerate(json.loads((args.work / "answers.json").read_text()))}
    tags = sorted({tag for one in captioned.values() for tag in one["tags"]})
    rows = []
    for key, one in captioned.items():
        absent = random.sample([tag for tag in tags if tag not in one["tags"]], 2)
        made = list(dict(questions_of(one["captions"], one["tags"], absent)).items())
        made = [(question, answer) for question, answer in made if answer in answers]
        for question, answer in random.sample(made, min(MOST_A_PICTURE, len(made))):
            rows.append((place[int(key)], answers[answer], question))
    print(len(rows), "questions", Counter(list(answers)[answer] for _, answer, _ in rows).most_common(40))
    asked, texts = [question for _, _, question in rows], Texts()
    np.savez(
        args.work / "texts_made.npz",
        image=np.array([image for image, _, _ in rows]),
        answer=np.array([answer for _, answer, _ in rows]),
        ids=texts.ids(asked),
        sentence=texts.sentence(asked),
        lens=texts.lens(asked),
        named=texts.named(asked),
    )


if __name__ == "__main__":
    main()
