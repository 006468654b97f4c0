"""One small Protocol per capability; each adapter's `model_id` is what provenance quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vidence.schema.observations import SoundEvent
from vidence.schema.perception import (
    BodyPose,
    Box,
    Detection,
    FloatArray,
    ImageLabels,
    LabelScore,
    Rgb,
    TextLine,
    VisualAnswer,
)
from vidence.schema.speech import Transcription

__all__ = [
    "ActionRecognizer",
    "Captioner",
    "Detector",
    "ImageEmbedder",
    "ImageLabeller",
    "ImageTextEncoder",
    "OcrReader",
    "OpenVocabularyDetector",
    "PoseEstimator",
    "ShotModel",
    "SoundClassifier",
    "SpeechRecognizer",
    "TextEmbedder",
    "VisualAnswerer",
    "WornReader",
    "quick_detector",
]


@runtime_checkable
class Detector(Protocol):
    """Finds objects of a closed list of categories."""

    model_id: str

    @property
    def categories(self) -> Sequence[str]:
        """Every category the model can name."""
        ...

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first."""
        ...


def quick_detector(detector: Detector) -> Detector:
    """Return a detector's faster, less exact form; the detector itself when it has none."""
    quick: Detector = getattr(detector, "quick", detector)
    return quick


@runtime_checkable
class OpenVocabularyDetector(Protocol):
    """Finds the objects that words name."""

    model_id: str

    def detect_query(self, images: Sequence[Rgb], queries: Sequence[str]) -> list[list[Detection]]:
        """Return the objects of each picture that match a query; `category` is that query."""
        ...


@runtime_checkable
class ImageLabeller(Protocol):
    """Labels a whole picture, and gives the feature the labels are made from."""

    model_id: str
    feature_dim: int

    def label(self, images: Sequence[Rgb]) -> list[ImageLabels]:
        """Return labels and pooled feature of each picture."""
        ...


@runtime_checkable
class PoseEstimator(Protocol):
    """Finds the joints of the person in each picture."""

    model_id: str

    def estimate(self, images: Sequence[Rgb], boxes: Sequence[Box | None]) -> list[BodyPose]:
        """Return one pose per picture, looking inside the box when one is given."""
        ...


@runtime_checkable
class ActionRecognizer(Protocol):
    """Recognises actions in short clips."""

    model_id: str
    clip_frames: int
    """How many frames a clip should have."""
    clip_fps: float
    """The frame rate the model was trained at."""

    def recognize(self, clips: Sequence[NDArray[np.uint8]]) -> list[list[LabelScore]]:
        """Return the likeliest actions of each (frames, height, width, 3) clip, best first."""
        ...


@runtime_checkable
class OcrReader(Protocol):
    """Reads text off pictures."""

    model_id: str

    def read(self, images: Sequence[Rgb]) -> list[list[TextLine]]:
        """Return the lines of each picture in reading order."""
        ...


@runtime_checkable
class ImageEmbedder(Protocol):
    """Embeds pictures; the dot product of two embeddings is how alike they look."""

    model_id: str
    dim: int

    def embed(self, images: Sequence[Rgb]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        ...


@runtime_checkable
class ImageTextEncoder(Protocol):
    """Embeds pictures and texts in one space."""

    model_id: str
    dim: int

    def encode_images(self, images: Sequence[Rgb]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        ...


@runtime_checkable
class Captioner(Protocol):
    """Describes pictures in words."""

    model_id: str

    def caption(self, images: Sequence[Rgb], *, prompt: str) -> str:
        """Return the answer to `prompt` about the pictures, taken together in order."""
        ...


@runtime_checkable
class VisualAnswerer(Protocol):
    """Answers short questions about pictures."""

    model_id: str

    def answer(self, images: Sequence[Rgb], question: str) -> list[list[VisualAnswer]]:
        """Return the likeliest short answers to the question of each picture, in English, best first.

        A probability is the chance that people would call the answer right.
        """
        ...


@runtime_checkable
class WornReader(Protocol):
    """Tells what a person wears."""

    model_id: str

    def read(self, image: Rgb, box: Box, pose: BodyPose | None) -> dict[str, str]:
        """Return the attributes of one person that can be told reliably, by name."""
        ...


@runtime_checkable
class ShotModel(Protocol):
    """Scores every frame for being the last before a cut."""

    model_id: str
    frame_size: tuple[int, int]
    """Width and height of the frames it takes."""

    def predict(self, frames: NDArray[np.uint8]) -> FloatArray:
        """Return one probability per frame of a (frames, height, width, 3) array."""
        ...


@runtime_checkable
class SpeechRecognizer(Protocol):
    """Transcribes speech."""

    model_id: str

    def transcribe(self, samples: FloatArray, *, language: str | None = None) -> Transcription:
        """Return what is said in 16 kHz mono samples in [-1, 1]; nothing at all for silence."""
        ...


@runtime_checkable
class SoundClassifier(Protocol):
    """Names the sounds in a recording."""

    model_id: str

    @property
    def labels(self) -> Sequence[str]:
        """Every sound the model can name."""
        ...

    def classify(self, samples: FloatArray) -> list[SoundEvent]:
        """Return the sounds in 16 kHz mono samples in [-1, 1], in order of time."""
        ...


@runtime_checkable
class TextEmbedder(Protocol):
    """Embeds sentences; the dot product of two embeddings is how alike their meaning is."""

    model_id: str
    dim: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        ...
