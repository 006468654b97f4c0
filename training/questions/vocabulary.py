"""Write the words people ask with to `language/data/asking_words.tsv`.

python -m training.questions.vocabulary QUESTIONS.json.gz
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

LEAST = 12
"""A word counts when this many questions hold it."""
TARGET = Path("src/vidence/language/data/asking_words.tsv")
HEADER = "# Words people ask about pictures with (VQA v2, CC BY 4.0), commonest first: class, words.\n"


def main(path: str) -> None:
    """Count the words of all questions and write the common ones."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        questions = [row["question"].lower() for row in json.load(file)]
    counted = Counter(word for text in questions for word in set(re.findall(r"[a-z]+", text)))
    words = [word for word, number in counted.most_common() if number >= LEAST]
    TARGET.write_text(f"{HEADER}word\t{' '.join(words)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
