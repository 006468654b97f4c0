"""Chains of calls in which a later call uses what an earlier one found: data flow becomes templates.

A value that an earlier result held, such as the start of the first hit of a search, is not an input of the
tool but a path into that result. Chains that link their calls in the same way are one tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vidence.tools.induction.build import Found, Use, found_tool
from vidence.tools.induction.episodes import Episode, PastCall, Unit
from vidence.tools.templates import main_list

__all__ = ["find_chains"]

_SHORTEST_TEXT = 3
_MOST_ITEMS = 10
"""Items of a result that are looked at for a value."""


@dataclass(frozen=True)
class _Node:
    """One call of a chain, and where its linked arguments come from."""

    call: PastCall
    links: Mapping[str, tuple[int, str]]
    """For an argument the place of an earlier call of the run, and the path into its result."""


def find_chains(episodes: Sequence[Episode]) -> list[Found]:
    """Return a tool for each way of linking calls that two questions about two sources share."""
    uses: dict[tuple[Any, ...], list[Use]] = {}
    for episode in episodes:
        nodes = _nodes(episode)
        for place, node in enumerate(nodes):
            if node.links:
                chain = _chain(nodes, place)
                uses.setdefault(_signature(chain), []).append(_use(episode, chain))
    found = [_found(signature, group) for signature, group in uses.items()]
    kept: list[Found] = []
    for one in sorted(filter(None, found), key=lambda one: (-len(one.tool.calls), one.tool.name)):
        # A chain that is only ever the beginning of a longer one is that one.
        if not any(set(one.questions) <= set(other.questions) for other in kept):
            kept.append(one)
    return kept


def _nodes(episode: Episode) -> list[_Node]:
    """Return the calls of a run; each may be linked to calls of earlier batches."""
    nodes: list[_Node] = []
    for batch in episode.batches:
        earlier = len(nodes)
        for call in batch:
            given = {name: value for name, value in call.arguments.items() if name != "video_id"}
            links = {name: link for name, value in given.items() if (link := _origin(value, nodes[:earlier]))}
            nodes.append(_Node(replace(call, arguments=given), links))
    return nodes


def _origin(value: Any, nodes: Sequence[_Node]) -> tuple[int, str] | None:
    """Return the latest earlier result that holds a value, and the path to it; None for common values."""
    is_text = isinstance(value, str) and len(value) >= _SHORTEST_TEXT
    is_measured = isinstance(value, float) and value != 0.0
    if not (is_text or is_measured):
        return None
    for place in reversed(range(len(nodes))):
        if value in nodes[place].call.arguments.values():
            # It was known before: the same words are asked for again.
            return None
        for path, item in _values(nodes[place].call.result):
            if type(item) is type(value) and item == value:
                return place, path
    return None


def _values(result: Any) -> Iterator[tuple[str, Any]]:
    """Yield the plain values of a result and of the items of its list, with the paths of a template."""
    if not isinstance(result, Mapping):
        return
    for name, value in result.items():
        if isinstance(value, str | float):
            yield f".{name}", value
    for number, item in enumerate((main_list(result) or [])[:_MOST_ITEMS]):
        if isinstance(item, Mapping):
            for name, value in item.items():
                if isinstance(value, str | float):
                    yield f"[{number}].{name}", value


def _chain(nodes: Sequence[_Node], last: int) -> list[_Node]:
    """Return a call and all that it is linked to, directly or not, with links that count inside the chain."""
    places: list[int] = []
    waiting = [last]
    while waiting:
        place = waiting.pop()
        if place not in places:
            places.append(place)
            waiting += [origin for origin, _ in nodes[place].links.values()]
    places.sort()
    return [
        replace(
            nodes[place],
            links={name: (places.index(at), path) for name, (at, path) in nodes[place].links.items()},
        )
        for place in places
    ]


def _signature(chain: Sequence[_Node]) -> tuple[Any, ...]:
    return tuple(
        (node.call.api, tuple(sorted(node.call.arguments)), tuple(sorted(node.links.items())))
        for node in chain
    )


def _use(episode: Episode, chain: Sequence[_Node]) -> Use:
    """Return a use in which the linked arguments are left out: they are no inputs."""
    units = {}
    for place, node in enumerate(chain):
        free = {name: value for name, value in node.call.arguments.items() if name not in node.links}
        units[place] = Unit((replace(node.call, arguments=free),))
    return Use(episode, units)


def _found(signature: tuple[Any, ...], uses: Sequence[Use]) -> Found | None:
    structure = tuple(uses[0].filled[place].shape for place in range(len(signature)))
    links = {place: dict(links) for place, (_, _, links) in enumerate(signature)}
    return found_tool(structure, uses, sum(use.num_calls - 1 for use in uses), links=links)
