"""The shared sets of the monitor, and which part of each was never fitted."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidence.bench.shared import load_set_file

__all__ = ["WildQuestion", "WildTopic", "is_held_out", "load_wild"]

_BARE = re.compile(r"[^a-z0-9\u4e00-\u9fff]+")
_LONG = 20
_COMPARED = 60


def is_held_out(text: str, *, of: int = 5) -> bool:
    """Tell whether a row is reported and not fitted: one of `of`, by what it says."""
    return zlib.crc32(text.encode()) % of == 0


@dataclass(frozen=True)
class WildQuestion:
    """A question and the pages that answer it, by their places."""

    text: str
    kinds: tuple[str, ...]
    pages: frozenset[int]


@dataclass(frozen=True)
class WildTopic:
    """One offline web: pages, and questions about them."""

    name: str
    pages: tuple[tuple[str, str], ...]
    """Title and text of each page."""
    questions: tuple[WildQuestion, ...]
    """Those with at least one page that is there."""


def load_wild(folder: Path) -> list[WildTopic]:
    """Return the topics of the offline web; the article, which is the answer, is left out."""
    names = sorted(path.name.removesuffix(".json.gz") for path in (folder / "wild").glob("*.json.gz"))
    return [_topic(load_set_file(name, folder / "wild")) for name in names]


def _topic(row: dict[str, Any]) -> WildTopic:
    titles = {_bare(page["title"]): place for place, page in enumerate(row["pages"])}
    places: dict[str, int] = {}
    for reference in row["references"]:
        place = _page_of(_bare(reference["title"]), titles)
        if place is not None:
            places[reference["url"].split(" ")[0]] = place
            if reference["archive_url"]:
                places[reference["archive_url"]] = place
    questions = [
        WildQuestion(
            one["question"],
            tuple(one["question_type"]),
            frozenset(places[url] for url in one["ref_urls"] if url in places),
        )
        for one in row["questions"]
    ]
    return WildTopic(
        row["topic"],
        tuple((page["title"], page["text"]) for page in row["pages"]),
        tuple(one for one in questions if one.pages),
    )


def _page_of(title: str, titles: dict[str, int]) -> int | None:
    """Return the page of a reference by its title; file names cut long ones short."""
    if title in titles:
        return titles[title]
    for known, place in titles.items():
        if len(known) > _LONG and title.startswith(known[:_COMPARED]):
            return place
        if len(title) > _LONG and known.startswith(title[:_COMPARED]):
            return place
    return None


def _bare(text: str) -> str:
    return _BARE.sub("", text.lower())
