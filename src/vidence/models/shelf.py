"""The models of one workspace: each opened once, on first use, and shared by every thread."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, cast

from vidence.models.cache import ModelCache
from vidence.models.catalogue import DEFAULTS, choose, open_model, own_options
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
    VisualAnswerer,
    WornReader,
)
from vidence.models.runtime import check_address_space
from vidence.settings import Settings

if TYPE_CHECKING:
    # Adapters are imported when their model is opened.
    from vidence.models.sounds.detector import SoundEvents
    from vidence.models.speech.transcriber import WhisperRecognizer
    from vidence.models.vision.lens import LensImageText

__all__ = ["ModelShelf", "model_fingerprint"]

_PATH = "path"
_NOT_THE_MODEL = frozenset({"timeout_s", "api_key_env"})
"""Options that never change what a model answers."""
_SUFFIXES = frozenset({".onnx", ".onnx_data", ".data", ".bin", ".json", ".txt", ".model"})
_BLOCK = 1 << 16
_SAMPLES = 4


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
        # Pictures and sound are processed at the same time, so only the heaviest model gets every thread.
        self._chosen, self._options, self._threads = chosen or {}, options or {}, threads
        self._open: dict[str, Any] = {}
        self._fingerprints: dict[str, str] = {}
        self._lock = Lock()

    @classmethod
    def of(cls, settings: Settings) -> ModelShelf:
        """Return the models that the settings choose, each opened when first used."""
        return cls(
            ModelCache(settings.model_home),
            chosen=settings.models,
            options=settings.model_options,
            threads=settings.threads,
        )

    def get(self, capability: str) -> Any:
        """Return the capability's model, opening it the first time."""
        return self._get(capability, self.name(capability))

    def _get(self, capability: str, name: str) -> Any:
        key = f"{capability}/{name}"
        with self._lock:
            if key not in self._open:
                check_address_space()
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
        """Return a file derived from a model, built the first time."""
        return self._cache.built(model, filename, build, size_bytes=size_bytes)

    def name(self, capability: str) -> str:
        """Return which model is chosen, without opening it."""
        return choose(capability, self._chosen)

    def has(self, capability: str) -> bool:
        """Say whether a model is chosen for a capability, by the settings or by default."""
        return bool(self._chosen.get(capability) or capability in DEFAULTS)

    def fingerprint(self, capability: str) -> str:
        """Return the fingerprint of the chosen model; empty when there is none."""
        if not self.has(capability):
            return ""
        with self._lock:
            if capability not in self._fingerprints:
                name = self.name(capability)
                options = own_options(capability, name, self._options.get(capability, {}))
                self._fingerprints[capability] = model_fingerprint(name, options)
            return self._fingerprints[capability]

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
        """The embedded image–text model, even where another is chosen: some rules use its calibration."""
        return cast("LensImageText", self._get("image_text", "lens"))

    @property
    def visual_answerer(self) -> VisualAnswerer:
        return cast("VisualAnswerer", self.get("visual_answers"))

    @property
    def worn(self) -> WornReader:
        return cast("WornReader", self.get("worn"))

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


def model_fingerprint(name: str, options: Mapping[str, str]) -> str:
    """Return a text that changes when the model does: its name, its options, and what its files hold.

    A file may be replaced or moved, so a path stands for a digest of the files found there.
    """
    counted = [
        f"{key}={_content(options[key]) if key == _PATH else options[key]}"
        for key in sorted(options)
        if key not in _NOT_THE_MODEL
    ]
    return "/".join([name, *counted])


def _content(text: str) -> str:
    """Return a digest of the files at a path, or the path itself where nothing can be read."""
    path = Path(text).expanduser()
    try:
        files = [path] if path.is_file() else sorted(_files(path))
        if not files:
            return text
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.relative_to(path)}\n{file.stat().st_size}\n".encode())
            for block in _blocks(file):
                digest.update(block)
    except (OSError, RuntimeError):
        return text
    return digest.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    for pattern in ("*", "*/*"):
        yield from (file for file in folder.glob(pattern) if file.suffix in _SUFFIXES and file.is_file())


def _blocks(file: Path) -> Iterator[bytes]:
    """Yield parts of a file spread over its length: weights differ everywhere, and may be gigabytes."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        for sample in range(_SAMPLES):
            opened.seek(max(0, size - _BLOCK) * sample // (_SAMPLES - 1))
            yield opened.read(_BLOCK)
