"""Searching every video at once: a quick look decides which ones to search closely."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.question.search import SearchQuery
from vidence.models.shelf import ModelShelf
from vidence.queries.search.fuse import Modality
from vidence.queries.search.material import Material
from vidence.queries.search.meaning import Phrases
from vidence.queries.search.search import Found, search_video
from vidence.store import Store

__all__ = ["search_library"]

_ALL_CLOSELY = 40
"""Up to so many videos are each searched closely."""
_DEPTH = 400
_SHORT = 40
_NAMED = ("transcript", "ocr", "sounds", "objects", "labels", "captions")


def search_library(
    store: Store,
    shelf: ModelShelf,
    query: SearchQuery,
    *,
    videos: Sequence[str],
    modality: Modality,
    limit: int,
) -> list[Found]:
    """Return the best spans of all `videos`, the likeliest first."""
    phrases = Phrases(query, shelf)
    chosen = videos if len(videos) <= _ALL_CLOSELY else _shortlist(store, query, phrases, videos)
    found = [
        one
        for video_id in chosen
        for one in search_video(query, Material(store, video_id), phrases, modality=modality, limit=limit)
    ]
    return sorted(found, key=lambda one: -one.confidence)[:limit]


def _shortlist(store: Store, query: SearchQuery, phrases: Phrases, videos: Sequence[str]) -> list[str]:
    """Return the videos that look, say or show something like the query."""
    ranked: list[str] = []
    if not query.exact:
        encoder = phrases.encoder
        if encoder is not None:
            ranked += store.vectors.best_videos(
                "lens_vectors", phrases.for_pictures(encoder)[0], depth=_DEPTH
            )[:_SHORT]
        ranked += store.vectors.best_videos("text_vectors", phrases.for_texts()[0], depth=_DEPTH)[:_SHORT]
    for words in query.exact or query.stems:
        ranked += store.observations.videos_naming(words, _NAMED, limit=_SHORT)
    known = set(videos)
    return [video_id for video_id in dict.fromkeys(ranked) if video_id in known]
