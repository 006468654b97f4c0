"""Scenes: neighbouring shots that belong together, by appearance and by time.

Two shots that look alike and lie close in time are linked, and a link holds everything between them, so a
dialogue cut A-B-A-B stays whole. Where no link crosses, a scene ends. A fade or a dissolve loosens links; a
scene too short to be one joins the neighbour it is most like. No shot is ever split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.index.shots.signature import ShotSignature, likeness
from vidence.schema.observations import Segment

__all__ = ["SCENE_PARAMETERS", "group_scenes"]

_LINK = 0.62
_REACH_SHOTS = 8
_HALF_LIFE_S = 60.0
_MIN_SCENE_S = 6.0
_LOOSENING = {"fade": 0.2, "dissolve": 0.85}

SCENE_PARAMETERS = (_LINK, _REACH_SHOTS, _HALF_LIFE_S, _MIN_SCENE_S, tuple(_LOOSENING.items()))


@dataclass(frozen=True)
class _Film:
    """The shots of a video with their signatures."""

    shots: Sequence[Segment]
    signatures: Sequence[ShotSignature]

    def bond(self, early: int, late: int) -> float:
        """Return how strongly two shots are linked: likeness, reduced by time and transitions between."""
        gap_s = self.shots[late].start_time - self.shots[early].end_time
        decay: float = 0.5 ** (gap_s / _HALF_LIFE_S)
        strength = decay * likeness(self.signatures[early], self.signatures[late])
        for shot in self.shots[early + 1 : late + 1]:
            strength *= _LOOSENING.get(shot.transition, 1.0)
        return strength

    def length_s(self, scene: range) -> float:
        return self.shots[scene[-1]].end_time - self.shots[scene[0]].start_time

    def affinity(self, left: range, right: range) -> float:
        """Return the strongest bond across the line between two neighbouring scenes."""
        return max(self.bond(a, b) for a in left[-_REACH_SHOTS:] for b in right[:_REACH_SHOTS])


def group_scenes(shots: Sequence[Segment], signatures: Sequence[ShotSignature]) -> list[Segment]:
    """Return the scenes: runs of whole shots that cover the same time."""
    if len(shots) != len(signatures):
        raise ValueError(f"{len(shots)} shots came with {len(signatures)} signatures")
    film = _Film(shots, signatures)
    scenes = _absorb_short(film, _linked(film))
    return [_scene(number, [shots[index] for index in scene]) for number, scene in enumerate(scenes, 1)]


def _linked(film: _Film) -> list[range]:
    """Return the runs of shots that links hold together."""
    count = len(film.shots)
    scenes: list[range] = []
    start, reach = 0, 0
    for index in range(count):
        for other in range(min(count - 1, index + _REACH_SHOTS), max(index, reach), -1):
            if film.bond(index, other) >= _LINK:
                reach = other
                break
        if index >= reach:
            scenes.append(range(start, index + 1))
            start = reach = index + 1
    return scenes


def _absorb_short(film: _Film, scenes: list[range]) -> list[range]:
    """Join each scene too short to stand alone to the neighbour it is most like, shortest first."""
    scenes = list(scenes)
    while len(scenes) > 1:
        at = min(range(len(scenes)), key=lambda place: film.length_s(scenes[place]))
        if film.length_s(scenes[at]) >= _MIN_SCENE_S:
            break
        left = film.affinity(scenes[at - 1], scenes[at]) if at > 0 else -1.0
        right = film.affinity(scenes[at], scenes[at + 1]) if at + 1 < len(scenes) else -1.0
        first = at - 1 if left >= right else at
        scenes[first : first + 2] = [range(scenes[first].start, scenes[first + 1].stop)]
    return scenes


def _scene(number: int, shots: Sequence[Segment]) -> Segment:
    return Segment(
        segment_id=f"seg_{number:03d}",
        start_time=shots[0].start_time,
        end_time=shots[-1].end_time,
        type="scene",
        transition=shots[0].transition,
    )
