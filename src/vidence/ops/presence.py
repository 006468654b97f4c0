"""Where a registered entity is: shared by the operations that follow it."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.errors import OpRetry
from vidence.ops.context import OpContext
from vidence.queries.entities.identities import Appearance, Identity, identity_of, load_identities
from vidence.schema.entities import Entity
from vidence.schema.observations import NormalBox

__all__ = ["EntityId", "find_entity", "place_of", "spans_text"]

EntityId = str
_MAX_SPANS = 6


def find_entity(context: OpContext, video_id: str, entity_id: EntityId) -> tuple[Entity, Identity]:
    """Return a registered entity and whom it stands for."""
    entity = context.store.entities.get(video_id, entity_id)
    return entity, identity_of(entity, load_identities(context.store, video_id))


def place_of(
    context: OpContext, entity: Entity, identity: Identity, time_s: float
) -> tuple[NormalBox, float]:
    """Return where the entity is at a time and how sure that is, or say when it is in the picture."""
    place = identity.box_at(time_s)
    if place is not None:
        return place
    shots = context.store.segments.load(entity.video_id, "fine")
    raise OpRetry(
        f"{entity.entity_id} ({entity.description}) is not in the picture at {time_s:g} s. "
        f"It is seen at {spans_text(identity.appearances(shots))}. Ask about one of those times."
    )


def spans_text(appearances: Sequence[Appearance]) -> str:
    """Write spans of time as '0–5.2 s, 7–9.1 s'."""
    shown = [f"{one.start_s:.1f}–{one.end_s:.1f} s" for one in appearances[:_MAX_SPANS]]
    more = len(appearances) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
