"""The models of one workspace: each opened once, when first asked for, and shared by every thread."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, cast

from vidence.models.cache import ModelCache
from vidence.models.catalogue import choose, open_model
from vidence.models.protocols import (
    ActionRecognizer,
    Detector,
    ImageEmbedder,
    ImageLabeller,
    OcrReader,
    PoseEstimator,
    TextEmbedder,
)

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
        self._chosen, self._options, self._threads = chosen or {}, options or {}, threads
        self._open: dict[str, Any] = {}
        self._lock = Lock()

    def get(self, capability: str) -> Any:
        """Return the capability's model, opening it the first time."""
        with self._lock:
            if capability not in self._open:
                self._open[capability] = open_model(
                    capability,
                    self._cache,
                    chosen=self._chosen,
                    options=self._options.get(capability),
                    threads=self._threads,
                )
            return self._open[capability]

    def name(self, capability: str) -> str:
        """Return which model is chosen, without opening it."""
        return choose(capability, self._chosen)

    @property
    def detector(self) -> Detector:
        return cast("Detector", self.get("objects"))

    @property
    def labeller(self) -> ImageLabeller:
        return cast("ImageLabeller", self.get("image_labels"))

    @property
    def image_embedder(self) -> ImageEmbedder:
        return cast("ImageEmbedder", self.get("image_vectors"))

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
