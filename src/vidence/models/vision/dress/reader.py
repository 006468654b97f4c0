"""Tell what a person wears from one picture, and say nothing where that is not reliable."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.manifest import load_manifest
from vidence.models.runtime import single_threaded_blas
from vidence.models.vision import efficientnet
from vidence.models.vision.dress.features import TORSO, person_features
from vidence.models.vision.dress.regions import PersonRegions, person_regions
from vidence.models.vision.dress.weights import DressWeights, Trait, load_weights
from vidence.schema.perception import BodyPose, Box, FloatArray, Rgb

__all__ = ["DressReader", "build", "standardised", "told"]

_FAR = 6.0
_PATTERN = "pattern"
_SEEN = {"head": "has_head", "torso": "has_torso", "legs": "has_legs"}


class DressReader:
    """Tells of a person whether the head is covered, the kind and pattern of the upper clothes, and a tie."""

    def __init__(
        self, labeller: efficientnet.EfficientNetLabeller, weights: DressWeights | None = None
    ) -> None:
        self._labeller = labeller
        self._weights = weights or load_weights()
        self.model_id = f"dress-{self._weights.version}"

    def read(self, image: Rgb, box: Box, pose: BodyPose | None) -> dict[str, str]:
        """Return the attributes of one person that can be told."""
        height, width = image.shape[:2]
        regions = person_regions(box, pose, aspect=width / height)
        if not regions.has_torso and not regions.has_head:
            return {}
        with single_threaded_blas():
            features = standardised(self._weights, person_features(self._labeller, image, regions))
            return told(self._weights, features, regions)


def standardised(weights: DressWeights, features: FloatArray) -> FloatArray:
    """Return features of about mean 0 and variance 1 over people in photographs."""
    return np.asarray(np.clip((features - weights.mean) / weights.scale, -_FAR, _FAR), np.float32)


def told(weights: DressWeights, features: FloatArray, regions: PersonRegions) -> dict[str, str]:
    """Return what the scores are sure of, for the parts of the person that are in view."""
    found: dict[str, str] = {}
    for trait in weights.traits:
        if getattr(regions, _SEEN[trait.region]):
            value = _value(trait, float(features @ trait.weights) + trait.bias)
            found |= {trait.name: value} if value else {}
    if regions.has_torso:
        chances = pattern_chances(weights, features)
        best = max(chances, key=lambda name: chances[name])
        found |= {_PATTERN: best} if chances[best] >= weights.pattern_from[best] else {}
    return found


def pattern_chances(weights: DressWeights, features: FloatArray) -> Mapping[str, float]:
    """Return how likely each pattern is, were all of them equally common."""
    scores = features[TORSO] @ weights.pattern + weights.pattern_bias
    raised = np.exp(scores - scores.max())
    return dict(zip(weights.pattern_from, (raised / raised.sum()).tolist(), strict=True))


def _value(trait: Trait, odds: float) -> str | None:
    if odds >= trait.told_from:
        return trait.told
    return trait.denied if odds <= trait.denied_to else None


def build(context: ModelContext) -> DressReader:
    """Open dress on the embedded labeller."""
    weights = load_weights()
    if load_manifest(efficientnet.MODEL).file("model").sha256 != weights.labeller_sha256:
        raise BackendError(f"dress was trained on another version of {efficientnet.MODEL}. Train it again.")
    return DressReader(efficientnet.build(context), weights)
