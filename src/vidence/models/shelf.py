"""The models of one workspace: each opened once, when first asked for, and shared by every thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Literal, cast

from vidence.models.cache import ModelCache
from vidence.models.catalogue import DEFAULTS, choose, open_model, own_options
from vidence.models.identity import identity
from vidence.models.protocols import (
    ActionRecognizer,
    Detector,
    ImageEmbedder,
    ImageLabeller,
    ImageTextEncoder,
    OcrReader,
    OpenVocabularyDetector,
    PoseEstimator,
    TextEmbedder,
)
from vidence.models.sounds.detector import SoundEvents
from vidence.models.speech.transcriber import WhisperRecognizer
from vidence.models.vision.lens import LensImageText

__all__ = ["ModelShelf"]


class ModelShelf:
    """Hands out the chosen model of each capability."""

    def __init__(
        self,
        cache: ModelCache,
        *,
        chosen: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, str]] | None = None,
        threads: int = 1,
    ) -> None:
        self._cache = cache
        # Pictures and sound are worked on side by side, so only the heaviest model gets every thread.
        self._chosen, self._options, self._threads = chosen or {}, options or {}, threads
        self._open: dict[str, Any] = {}
        self._choices: dict[str, str] = {}
        self._lock = Lock()

    def get(self, capability: str) -> Any:
        """Return the capability's model, opening it the first time."""
        return self._get(capability, self.name(capability))

    def _get(self, capability: str, name: str) -> Any:
        key = f"{capability}/{name}"
        with self._lock:
            if key not in self._open:
                self._open[key] = open_model(
                    capability,
                    self._cache,
                    chosen={capability: name},
                    options=self._options.get(capability),
                    threads=self._threads if capability == "speech" else max(1, self._threads // 2),
                )
            return self._open[key]

    def file(self, model: str, role: str) -> Path:
        """Return a model's file, its sha256 checked."""
        return self._cache.path(model, role)

    def built(self, model: str, filename: str, build: Callable[[Path], None], *, size_bytes: int) -> Path:
        """Return a file derived from a model, made the first time."""
        return self._cache.built(model, filename, build, size_bytes=size_bytes)

    def name(self, capability: str) -> str:
        """Return which model is chosen, without opening it."""
        return choose(capability, self._chosen)

    def has(self, capability: str) -> bool:
        """Say whether a model is chosen for a capability, by the settings or by default."""
        return bool(self._chosen.get(capability) or capability in DEFAULTS)

    def choice(self, capability: str) -> str:
        """Return what tells the chosen model from any other; empty when there is none."""
        if not self.has(capability):
            return ""
        with self._lock:
            if capability not in self._choices:
                name = self.name(capability)
                options = own_options(capability, name, self._options.get(capability, {}))
                self._choices[capability] = identity(name, options)
            return self._choices[capability]

    @property
    def detector(self) -> Detector:
        return cast("Detector", self.get("objects"))

    @property
    def open_detector(self) -> OpenVocabularyDetector:
        return cast("OpenVocabularyDetector", self.get("open_objects"))

    @property
    def labeller(self) -> ImageLabeller:
        return cast("ImageLabeller", self.get("image_labels"))

    @property
    def image_embedder(self) -> ImageEmbedder:
        return cast("ImageEmbedder", self.get("image_vectors"))

    @property
    def image_text(self) -> ImageTextEncoder:
        return cast("ImageTextEncoder", self.get("image_text"))

    @property
    def lens(self) -> LensImageText:
        """The embedded image–text model, whatever is chosen: some rules rest on its calibration."""
        return cast("LensImageText", self._get("image_text", "lens"))

    @property
    def pose(self) -> PoseEstimator:
        return cast("PoseEstimator", self.get("pose"))

    @property
    def actions(self) -> ActionRecognizer:
        return cast("ActionRecognizer", self.get("actions"))

    @property
    def ocr(self) -> OcrReader:
        return cast("OcrReader", self.get("ocr"))

    @property
    def text(self) -> TextEmbedder:
        return cast("TextEmbedder", self.get("text_embeddings"))

    @property
    def sounds(self) -> SoundEvents:
        return cast("SoundEvents", self.get("sounds"))

    def speech(self, size: Literal["small", "base"] = "base") -> WhisperRecognizer:
        """Return the speech recogniser; the small one only where the settings do not name another."""
        if size == "small" and not self._chosen.get("speech"):
            return cast("WhisperRecognizer", self._get("speech", "whisper-tiny-en"))
        return cast("WhisperRecognizer", self.get("speech"))
