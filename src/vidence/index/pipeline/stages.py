"""The stages of the index: each is one `Stage`, and a row of `STAGES`.

To add a stage, write what computes it (see `Stage.source`) and add one row to the table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from vidence.index.camera import CAMERA_ID
from vidence.index.narrate.phases import PHASES_ID
from vidence.index.pipeline.profile import PROFILES, Profile
from vidence.index.shots.detector import DETECTOR_ID
from vidence.index.subtitles.written import sidecars_fingerprint
from vidence.index.tracking.links import LINKER_ID
from vidence.index.tracking.tracker import TRACKER_ID
from vidence.models.shelf import ModelShelf
from vidence.models.vision.lens.weights import VERSION as LENS_VERSION

__all__ = ["BESIDE", "STAGES", "Stage", "stage_names"]

BESIDE = "+beside:"
"""Separates a stage's own fingerprint from the fingerprint of the files beside the video."""

Kind = Literal["analyst", "lane", "sound", "derived"]
Fingerprint = Callable[[Profile, ModelShelf], str | None]


@dataclass(frozen=True)
class Stage:
    """One stage of the index: how its rows are computed and what they depend on."""

    name: str
    kind: Kind
    """When it runs: on distinct frames, on every decoded frame, on the sound track, or after all others."""
    source: str
    """What computes it, as "module:attribute" inside `vidence.index`; imported only when the stage runs.

    analyst: `(Job) -> Analyst`, called with each distinct sampled frame.
    lane: `(Job, StageWriter, PassResources) -> Lane`, fed every frame of the decode pass.
    sound: `(Job) -> None`, run beside the decode pass.
    derived: `(Job) -> None`, run when the stages it needs are finished.
    """
    fingerprint: Fingerprint
    """Model, version and rates; when it changes the stage is computed again. None: the profile omits it."""
    models: tuple[str, ...] = ()
    """Model capabilities it needs; without them the stage fails and the others go on."""
    needs: tuple[str, ...] = ()
    """Stages that must be finished first."""
    beside: Callable[[Sequence[Path]], str] | None = None
    """Returns the fingerprint of files beside the video that its rows depend on."""
    warm_up: Callable[[ModelShelf], object] | None = None
    """Loads its model while other stages run, for a derived stage that would otherwise wait for it."""

    def load(self) -> Any:
        """Import and return what computes the stage."""
        module, _, attribute = self.source.partition(":")
        return getattr(import_module(f"vidence.index.{module}"), attribute)

    def suffix(self, places: Sequence[Path]) -> str:
        """Return what the stored fingerprint ends in because of files beside the copies of the video."""
        found = self.beside(places) if self.beside else ""
        return f"{BESIDE}{found}" if found else ""

    def accepted(self, profile: Profile | None, shelf: ModelShelf) -> set[str]:
        """Return the fingerprints that count as up to date: those of `profile` and of better profiles."""
        names = list(PROFILES)
        least = names.index(profile.name) if profile else 0
        found = (self.fingerprint(PROFILES[name], shelf) for name in names[least:])
        return {fingerprint for fingerprint in found if fingerprint is not None}


def stage_names(profile: Profile, shelf: ModelShelf) -> list[str]:
    """Return the stages a profile computes, in the order of the table."""
    return [name for name, stage in STAGES.items() if stage.fingerprint(profile, shelf) is not None]


def _shots(profile: Profile, shelf: ModelShelf) -> str:
    # The middle of a fade or a dissolve depends on the pixels and on which frames are decoded.
    decoded = "/draft" if profile.draft else "/every" if profile.small_objects else ""
    return shelf.fingerprint("shots") or f"{DETECTOR_ID}{decoded}"


def _frames(profile: Profile, shelf: ModelShelf) -> str:
    return f"frames@2/{profile.frame_every_s:g}s"


def _sampled(*capabilities: str, version: str = "1") -> Fingerprint:
    def fingerprint(profile: Profile, shelf: ModelShelf) -> str:
        tiles = "/squares@3" if profile.small_objects else "/quick@4"
        how = tiles if "objects" in capabilities else ""
        return f"{_models(shelf, *capabilities)}@{version}/{profile.frame_every_s:g}s{how}"

    return fingerprint


def _ocr(profile: Profile, shelf: ModelShelf) -> str | None:
    return f"{shelf.fingerprint('ocr')}@6/{profile.text_every_s:g}s" if profile.text_every_s else None


def _actions(profile: Profile, shelf: ModelShelf) -> str | None:
    return f"{shelf.fingerprint('actions')}@3/{profile.action_every_s:g}s" if profile.action_every_s else None


def _tracks(profile: Profile, shelf: ModelShelf) -> str | None:
    if profile.track_every_s is None:
        return None
    models = _models(shelf, "objects", "image_vectors")
    return f"{models}+{TRACKER_ID}+{LINKER_ID}/{profile.track_every_s:g}s"


def _transcript(profile: Profile, shelf: ModelShelf) -> str:
    return f"{shelf.fingerprint('speech')}@5/{profile.speech}"


def _sounds(profile: Profile, shelf: ModelShelf) -> str:
    return f"{shelf.fingerprint('sounds')}@5"


def _captions(profile: Profile, shelf: ModelShelf) -> str:
    # A shot can be captioned without knowing what it looks like or what is done: those are not needs.
    made_from = _digest((*_CAPTION_NEEDS, "lens_vectors", "actions"), profile, shelf)
    return f"captions@10+{PHASES_ID}{shelf.fingerprint('captions')}/{made_from}"


def _text_vectors(profile: Profile, shelf: ModelShelf) -> str:
    return f"{shelf.fingerprint('text_embeddings')}@1/{_digest(_TEXT_NEEDS, profile, shelf)}"


def _models(shelf: ModelShelf, *capabilities: str) -> str:
    return "+".join(shelf.fingerprint(name) for name in capabilities)


def _digest(names: tuple[str, ...], profile: Profile, shelf: ModelShelf) -> str:
    """Return a digest of other stages' fingerprints: when one changes, what is derived from it does too."""
    found = (STAGES[name].fingerprint(profile, shelf) or "" for name in names)
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:8]


_CAPTION_NEEDS = ("shots", "motion", "frames", "labels", "objects", "ocr", "image_vectors")
_TEXT_NEEDS = ("captions", "transcript")

_TABLE = (
    Stage("shots", "lane", "shots.lane:ShotsLane", _shots),
    Stage("motion", "lane", "pipeline.lanes:MotionLane", lambda profile, shelf: CAMERA_ID),
    Stage("frames", "analyst", "pipeline.analysts:frames_analyst", _frames),
    Stage("labels", "analyst", "pipeline.analysts:labels_analyst", _sampled("image_labels"),
          models=("image_labels",)),
    Stage("image_vectors", "analyst", "pipeline.analysts:image_vectors_analyst", _sampled("image_vectors"),
          models=("image_vectors", "image_labels")),
    # Vectors of two versions of lens cannot be compared, so its version counts.
    Stage("lens_vectors", "analyst", "pipeline.analysts:lens_vectors_analyst",
          _sampled("image_text", "image_labels", version=LENS_VERSION),
          models=("image_text", "image_labels")),
    Stage("objects", "analyst", "pipeline.analysts:objects_analyst", _sampled("objects", "pose"),
          models=("objects", "pose")),
    Stage("pose", "analyst", "pipeline.analysts:pose_analyst", _sampled("pose", "objects"),
          models=("objects", "pose")),
    Stage("ocr", "analyst", "pipeline.analysts:TextAnalyst", _ocr, models=("ocr",)),
    Stage("actions", "lane", "pipeline.lanes:ActionsLane", _actions, models=("actions",)),
    Stage("tracks", "lane", "tracking.lane:TracksLane", _tracks,
          models=("objects", "image_vectors", "image_labels"), needs=("shots",)),
    Stage("transcript", "sound", "pipeline.sound:transcribe", _transcript,
          models=("speech",), beside=sidecars_fingerprint),
    Stage("sounds", "sound", "pipeline.sound:detect_sounds", _sounds, models=("sounds",)),
    Stage("captions", "derived", "pipeline.derived:caption_shots", _captions, needs=_CAPTION_NEEDS),
    Stage("text_vectors", "derived", "pipeline.derived:embed_texts", _text_vectors,
          models=("text_embeddings",), needs=_TEXT_NEEDS, warm_up=lambda shelf: shelf.text.embed(["."])),
)  # fmt: skip

STAGES: dict[str, Stage] = {stage.name: stage for stage in _TABLE}
