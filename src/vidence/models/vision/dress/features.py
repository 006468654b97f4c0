"""The numbers that dress reads: the labeller's tensors of a person, their head and their trunk."""

from __future__ import annotations

import cv2
import numpy as np

from vidence.models.vision.dress.regions import PersonRegions
from vidence.models.vision.efficientnet import EfficientNetLabeller, LabellerTensors
from vidence.schema.perception import Box, FloatArray, Rgb

__all__ = ["HEAD", "PERSON", "SIZE", "TORSO", "person_features", "torso_features"]

_POOLED, _DEEP, _FINE, _GRID = 1280, 384, 136, 4
PERSON = slice(0, _POOLED)
HEAD = slice(_POOLED, _POOLED + _DEEP + 2 * _FINE + 3 * _GRID * _GRID)
TORSO = slice(HEAD.stop, HEAD.stop + _DEEP + 2 * _FINE)
SIZE = TORSO.stop
_MIN_PIXELS = 8


def person_features(labeller: EfficientNetLabeller, image: Rgb, regions: PersonRegions) -> FloatArray:
    """Return (SIZE,): a part that is too small to see is all zeros."""
    found = np.zeros(SIZE, np.float32)
    person, head, torso = (_cut(image, box) for box in (regions.person, regions.head, regions.torso))
    if person is not None:
        found[PERSON] = np.log1p(labeller.tensors(person).feature)
    if head is not None:
        found[HEAD] = np.concatenate([_layers(labeller.tensors(head)), _colours(head)])
    if torso is not None:
        found[TORSO] = torso_features(labeller, torso)
    return found


def torso_features(labeller: EfficientNetLabeller, patch: Rgb) -> FloatArray:
    """Return what is read of a patch of clothes."""
    return _layers(labeller.tensors(patch))


def _layers(seen: LabellerTensors) -> FloatArray:
    """Return what is deep in the network on average, and the texture halfway with how much it varies."""
    fine = seen.fine.reshape(-1, _FINE)
    deep = seen.deep.reshape(-1, _DEEP).mean(0)
    return np.asarray(np.concatenate([deep, fine.mean(0), fine.std(0)]), np.float32)


def _colours(patch: Rgb) -> FloatArray:
    small = cv2.resize(patch, (_GRID, _GRID), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return np.asarray(lab.ravel() / 50, np.float32)


def _cut(image: Rgb, box: Box) -> Rgb | None:
    height, width = image.shape[:2]
    if box.w * width < _MIN_PIXELS or box.h * height < _MIN_PIXELS:
        return None
    return box.crop(image)
