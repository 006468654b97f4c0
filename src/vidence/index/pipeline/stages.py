"""The table of index stages: what each reads, and what its rows depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vidence.index.camera import CAMERA_ID
from vidence.index.pipeline.profile import PROFILES, Profile
from vidence.index.shots.detector import DETECTOR_ID
from vidence.index.tracking.links import LINKER_ID
from vidence.index.tracking.tracker import TRACKER_ID
from vidence.index.transcript import written_mark
from vidence.models.shelf import ModelShelf
from vidence.models.vision.lens.weights import VERSION as LENS_VERSION

__all__ = ["MARK", "STAGES", "StageSpec", "accepted", "mark", "stage_names"]

MARK = "+beside:"

Lane = Literal["picture", "sound", "derived"]
Fingerprint = Callable[[Profile, ModelShelf], str | None]


@dataclass(frozen=True)
class StageSpec:
    """One stage of the index."""

    name: str
    lane: Lane
    fingerprint: Fingerprint
    """Model, version and rates; when it changes the stage is computed again. None: left out."""
    models: tuple[str, ...] = ()
    """Capabilities it calls on; without their models the stage fails and the others go on."""
    needs: tuple[str, ...] = ()
    """Stages that must be finished first."""
    beside: Callable[[Sequence[Path]], str] | None = None
    """Names what else its rows are made of, lying beside the copies of the file."""


def _shots(profile: Profile, shelf: ModelShelf) -> str:
    # Where a fade or a dissolve has its middle depends on the pixels and on the frames that are looked at.
    seen = "/draft" if profile.draft else "/every" if profile.small_objects else ""
    return shelf.choice("shots") or f"{DETECTOR_ID}{seen}"


def _looks(capability: str, *more: str) -> Fingerprint:
    def fingerprint(profile: Profile, shelf: ModelShelf) -> str:
        names = "+".join(shelf.choice(name) for name in (capability, *more))
        close = "/squares@3" if profile.small_objects else "/quick@3"
        how = close if "objects" in (capability, *more) else ""
        return f"{names}@1/{profile.frame_every_s:g}s{how}"

    return fingerprint


def _words(profile: Profile, shelf: ModelShelf) -> str:
    names = "+".join(shelf.choice(name) for name in ("image_text", "image_labels"))
    # Vectors of lens-1 mean nothing to lens-2, so the version counts.
    return f"{names}@{LENS_VERSION}/{profile.frame_every_s:g}s"


def _text(profile: Profile, shelf: ModelShelf) -> str | None:
    return f"{shelf.choice('ocr')}@3/{profile.text_every_s:g}s" if profile.text_every_s else None


def _actions(profile: Profile, shelf: ModelShelf) -> str | None:
    return f"{shelf.choice('actions')}@2/{profile.action_every_s:g}s" if profile.action_every_s else None


def _tracks(profile: Profile, shelf: ModelShelf) -> str | None:
    if profile.track_every_s is None:
        return None
    names = "+".join(shelf.choice(name) for name in ("objects", "image_vectors"))
    return f"{names}+{TRACKER_ID}+{LINKER_ID}/{profile.track_every_s:g}s"


_CAPTIONED = ("shots", "motion", "frames", "labels", "objects", "ocr")
_EMBEDDED = ("captions", "transcript")


def _captions(profile: Profile, shelf: ModelShelf) -> str:
    # A shot can be captioned without knowing what it looks like, so no need is made of `lens_vectors`.
    made_of = _made_of((*_CAPTIONED, "lens_vectors"), profile, shelf)
    return f"captions@4{shelf.choice('captions')}/{made_of}"


def _text_vectors(profile: Profile, shelf: ModelShelf) -> str:
    return f"{shelf.choice('text_embeddings')}@1/{_made_of(_EMBEDDED, profile, shelf)}"


def _made_of(names: tuple[str, ...], profile: Profile, shelf: ModelShelf) -> str:
    """Return a digest of what other stages are made with, so that what rests on them is made again too."""
    found = (STAGES[name].fingerprint(profile, shelf) or "" for name in names)
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:8]


def _speech(profile: Profile, shelf: ModelShelf) -> str:
    return f"{shelf.choice('speech')}@3/{profile.speech}"


STAGES: dict[str, StageSpec] = {
    spec.name: spec
    for spec in (
        StageSpec("shots", "picture", _shots),
        StageSpec("motion", "picture", lambda profile, shelf: CAMERA_ID),
        StageSpec("frames", "picture", lambda profile, shelf: f"frames@2/{profile.frame_every_s:g}s"),
        StageSpec("labels", "picture", _looks("image_labels"), ("image_labels",)),
        StageSpec("image_vectors", "picture", _looks("image_vectors"), ("image_vectors", "image_labels")),
        StageSpec(
            "lens_vectors",
            "picture",
            _words,
            ("image_text", "image_labels"),
        ),
        StageSpec("objects", "picture", _looks("objects", "pose"), ("objects", "pose")),
        StageSpec("pose", "picture", _looks("pose", "objects"), ("objects", "pose")),
        StageSpec("ocr", "picture", _text, ("ocr",)),
        StageSpec("actions", "picture", _actions, ("actions",)),
        StageSpec("tracks", "picture", _tracks, ("objects", "image_vectors", "image_labels"), ("shots",)),
        StageSpec("transcript", "sound", _speech, ("speech",), beside=written_mark),
        StageSpec("sounds", "sound", lambda profile, shelf: f"{shelf.choice('sounds')}@4", ("sounds",)),
        StageSpec("captions", "derived", _captions, needs=_CAPTIONED),
        StageSpec("text_vectors", "derived", _text_vectors, ("text_embeddings",), _EMBEDDED),
    )
}


def stage_names(profile: Profile, shelf: ModelShelf) -> list[str]:
    """Return the stages a profile computes, in order."""
    return [name for name, spec in STAGES.items() if spec.fingerprint(profile, shelf) is not None]


def mark(spec: StageSpec, places: Sequence[Path]) -> str:
    """Return what a fingerprint ends in when the stage's rows rest on files beside the video."""
    found = spec.beside(places) if spec.beside else ""
    return f"{MARK}{found}" if found else ""


def accepted(spec: StageSpec, profile: Profile | None, shelf: ModelShelf) -> set[str]:
    """Return the fingerprints that count as up to date: those of the profile asked for and of better ones."""
    names = list(PROFILES)
    least = names.index(profile.name) if profile else 0
    found = (spec.fingerprint(PROFILES[name], shelf) for name in names[least:])
    return {fingerprint for fingerprint in found if fingerprint is not None}
