"""The page's own files: pinned, in both languages, and asking nobody else."""

from __future__ import annotations

import hashlib
import json
import re

from vidence.web.server import STATIC

SCRIPTS = {path.name: path.read_text("utf-8") for path in sorted((STATIC / "js").glob("*.js"))}
ROW = re.compile(r"^  (\w+): (\[.*\]),$", re.MULTILINE)
WORDS: dict[str, list[str]] = {name: json.loads(pair) for name, pair in ROW.findall(SCRIPTS["i18n.js"])}


def test_the_vendored_file_is_the_pinned_one() -> None:
    told = (STATIC / "vendor" / "README.txt").read_text("utf-8")
    for path in (STATIC / "vendor").glob("*.js"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in told, path.name


def test_every_word_stands_in_both_languages_with_the_same_places_to_fill() -> None:
    assert len(WORDS) > 150
    for name, pair in WORDS.items():
        assert len(pair) == 2, name
        english, chinese = (set(re.findall(r"\{(\w+)\}", text)) for text in pair)
        assert english == chinese, name
        assert all(text.strip() for text in pair), name


def test_every_word_that_is_asked_for_is_known_and_none_is_left_over() -> None:
    others = "".join(text for name, text in SCRIPTS.items() if name != "i18n.js")
    asked = set(re.findall(r"\bt\(\"(\w+)\"", others))
    assert asked - set(WORDS) == set()
    families = tuple(re.findall(r"\bt\(`(\w+)\$\{", others))
    unused = {
        name
        for name in WORDS
        if not name.startswith(families) and not re.search(rf"[\"{{ ,]{name}[\":,]", others)
    }
    assert unused == set()


def test_no_file_of_the_page_names_another_site() -> None:
    own = [STATIC / "index.html", STATIC / "style.css", *(STATIC / "js").glob("*.js")]
    for path in own:
        assert not re.findall(r"(?:src|href|url|import|fetch)\W{1,4}https?://", path.read_text("utf-8")), (
            path.name
        )
