"""The graph of a story for other programs: GraphML, JSON-LD, and a picture (SVG)."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence

import numpy as np

from vidence.knowledge.relations import word_for
from vidence.schema.agent import AnswerLanguage
from vidence.schema.story import StoryEntity, StoryGraph, StoryRelation

__all__ = ["neighbourhood", "to_graphml", "to_json_ld", "to_svg"]

_SIZE = 1000
_ROUNDS = 120
_MOST_DRAWN = 40
_COLOURS = {"female": "#c2557a", "male": "#3b6ea5", "unknown": "#6b7280"}


def neighbourhood(graph: StoryGraph, entity_id: str | None = None, *, limit: int = _MOST_DRAWN) -> StoryGraph:
    """Return the part around one entity, or around the most mentioned ones, with stated relations first."""
    relations = sorted(graph.relations, key=lambda one: (not one.is_stated, -one.weight))
    if entity_id is None:
        kept = {one.entity_id for one in graph.entities[:limit]}
    else:
        kept = {entity_id}
        for one in relations:
            if entity_id in (one.source, one.target) and len(kept) < limit:
                kept |= {one.source, one.target}
    return StoryGraph(
        entities=tuple(one for one in graph.entities if one.entity_id in kept),
        relations=tuple(one for one in relations if {one.source, one.target} <= kept),
    )


def to_graphml(graph: StoryGraph, language: AnswerLanguage) -> str:
    """Return the graph as GraphML: names and aliases on nodes, relation, chapters and quotation on edges."""
    keys = [("node", name) for name in ("name", "kind", "aliases", "mentions")]
    keys += [("edge", name) for name in ("relation", "stated", "chapters", "quotation")]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    lines += [f'<key id="{name}" for="{part}" attr.name="{name}" attr.type="string"/>' for part, name in keys]
    lines.append('<graph edgedefault="directed">')
    for one in graph.entities:
        rows = {
            "name": one.name,
            "kind": one.kind,
            "aliases": ", ".join(one.aliases),
            "mentions": str(one.mentions),
        }
        lines.append(f'<node id="{one.entity_id}">{_data(rows)}</node>')
    for edge in graph.relations:
        rows = {
            "relation": word_for(edge.relation, language),
            "stated": str(edge.is_stated).lower(),
            "chapters": f"{edge.first_chapter}-{edge.last_chapter}",
            "quotation": f"{edge.quotes[0].label}: {edge.quotes[0].text}" if edge.quotes else "",
        }
        lines.append(f'<edge source="{edge.source}" target="{edge.target}">{_data(rows)}</edge>')
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def to_json_ld(graph: StoryGraph, story: str, language: AnswerLanguage) -> str:
    """Return the graph as JSON-LD in the words of schema.org."""
    kinds = {"person": "Person", "place": "Place", "organisation": "Organization", "thing": "Thing"}
    nodes = [
        {
            "@id": f"#{one.entity_id}",
            "@type": kinds[one.kind],
            "name": one.name,
            "alternateName": list(one.aliases),
        }
        for one in graph.entities
    ]
    edges = [
        {
            "@type": "Role",
            "roleName": word_for(edge.relation, language),
            "agent": {"@id": f"#{edge.source}"},
            "object": {"@id": f"#{edge.target}"},
            "citation": [
                {"@type": "Quotation", "text": one.text, "isPartOf": one.label} for one in edge.quotes
            ],
        }
        for edge in graph.relations
    ]
    events = [
        {
            "@type": "Event",
            "name": one.what,
            "actor": [{"@id": f"#{who}"} for who in one.people],
            "citation": {"@type": "Quotation", "text": one.quote.text, "isPartOf": one.quote.label},
        }
        for one in graph.events
    ]
    body = {
        "@context": "https://schema.org",
        "@type": "Book",
        "name": story,
        "@graph": [*nodes, *edges, *events],
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def to_svg(graph: StoryGraph, language: AnswerLanguage, *, title: str = "") -> str:
    """Return a picture: people as circles by how often they are named, relations as labelled lines."""
    places = _layout(graph.entities, graph.relations)
    most = max((one.mentions for one in graph.entities), default=1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" font-family="sans-serif">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="#ffffff"/>',
    ]
    drawn: set[tuple[str, str]] = set()
    for edge in graph.relations:
        if (edge.source, edge.target) in drawn:
            continue
        drawn.add((edge.source, edge.target))
        (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
        style = 'stroke="#9ca3af"' if edge.is_stated else 'stroke="#e5e7eb" stroke-dasharray="4 4"'
        lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" {style}/>')
        if edge.is_stated:
            word = html.escape(word_for(edge.relation, language))
            lines.append(
                f'<text x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2:.0f}" font-size="11" fill="#6b7280" '
                f'text-anchor="middle">{word}</text>'
            )
    for one in graph.entities:
        x, y = places[one.entity_id]
        radius = 6 + 18 * math.sqrt(one.mentions / most)
        colour = _COLOURS[one.gender]
        lines.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{colour}" opacity="0.85"/>')
        lines.append(
            f'<text x="{x:.0f}" y="{y - radius - 4:.0f}" font-size="15" text-anchor="middle" fill="#111827">'
            f"{html.escape(one.name)}</text>"
        )
    return "\n".join([*lines, "</svg>", ""])


def _data(rows: dict[str, str]) -> str:
    return "".join(f'<data key="{name}">{html.escape(value)}</data>' for name, value in rows.items())


def _layout(
    entities: Sequence[StoryEntity], relations: Sequence[StoryRelation]
) -> dict[str, tuple[float, float]]:
    """Return a place for each entity: springs along relations, repulsion between all; always the same."""
    names = [one.entity_id for one in entities]
    size = len(names)
    if size == 0:
        return {}
    angles = np.arange(size) * 2.399963  # The golden angle spreads points evenly.
    spots = (
        np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.sqrt(np.arange(1, size + 1) / size)[:, None]
    )
    pull = np.zeros((size, size))
    at = {name: number for number, name in enumerate(names)}
    for one in relations:
        pull[at[one.source], at[one.target]] = pull[at[one.target], at[one.source]] = 1.0 + one.is_stated
    best = 0.9 / math.sqrt(size)
    for turn in range(_ROUNDS):
        gaps = spots[:, None] - spots[None]
        far = np.linalg.norm(gaps, axis=2) + np.eye(size)
        push = (best**2 / far**2)[:, :, None] * gaps - (pull * far / best * 0.02)[:, :, None] * gaps
        step = push.sum(axis=1)
        length = np.linalg.norm(step, axis=1, keepdims=True)
        spots = spots + step / np.maximum(length, 1e-9) * np.minimum(length, 0.1 * (1 - turn / _ROUNDS))
    low, high = spots.min(axis=0), spots.max(axis=0)
    scaled = (spots - low) / np.maximum(high - low, 1e-9)
    margin = 70
    return {
        name: (float(margin + x * (_SIZE - 2 * margin)), float(margin + y * (_SIZE - 2 * margin)))
        for name, (x, y) in zip(names, scaled, strict=True)
    }
