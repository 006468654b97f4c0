"""Every model vidence can use, by "capability/name", and the default of each capability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vidence.errors import SettingsError, UnknownName, VidenceError
from vidence.language.tables import read_table
from vidence.models.cache import ModelCache, Status
from vidence.models.context import ModelContext
from vidence.models.hub import fetched_files, is_hub_address
from vidence.models.manifest import load_manifests
from vidence.registry import Registry

__all__ = [
    "DEFAULTS",
    "HELPERS",
    "MODELS",
    "OPTIONAL",
    "OPTIONS",
    "PLUGINS",
    "ModelRow",
    "choose",
    "list_models",
    "open_model",
]

MODELS = Registry(
    "model",
    {
        "objects/ssd-mobilenet-v2-coco": "vidence.models.vision.ssd:build",
        "image_labels/efficientnet-lite3": "vidence.models.vision.efficientnet:build",
        "pose/movenet-lightning": "vidence.models.vision.movenet:build",
        "actions/i3d-kinetics400": "vidence.models.vision.i3d:build",
        "ocr/pp-ocr-v6-small": "vidence.models.vision.ppocr:build",
        "image_vectors/efficientnet-lite3": "vidence.models.vision.embedding:build",
        "speech/whisper-base": "vidence.models.speech.transcriber:build",
        "speech/whisper-tiny-en": "vidence.models.speech.transcriber:build_tiny_en",
        "speech/whisper-folder": "vidence.models.speech.transcriber:build_folder",
        "sounds/firered-aed": "vidence.models.sounds.detector:build",
        "text_embeddings/use-multilingual-3": "vidence.models.text.use:build",
        "objects/yolo-onnx": "vidence.models.vision.yolo_onnx:build",
        "open_objects/yolo-world-onnx": "vidence.models.vision.yolo_onnx:build",
        "open_objects/grounding-dino-onnx": "vidence.models.vision.grounding_onnx:build",
        "image_text/lens": "vidence.models.vision.lens:build",
        "image_text/clip-onnx": "vidence.models.vision.clip_onnx:build",
        "visual_answers/eyes": "vidence.models.vision.eyes:build",
        "worn/dress": "vidence.models.vision.dress:build",
        "captions/vision-llm": "vidence.index.narrate.vision_llm:build",
        "shots/transnet-onnx": "vidence.models.vision.transnet_onnx:build",
        "llm/qwen2.5-coder-1.5b": "vidence.models.text.gguf:build_qwen",
    },
    group="vidence.models",
)

DEFAULTS: Mapping[str, str] = {
    "objects": "ssd-mobilenet-v2-coco",
    "image_labels": "efficientnet-lite3",
    "pose": "movenet-lightning",
    "actions": "i3d-kinetics400",
    "ocr": "pp-ocr-v6-small",
    "image_vectors": "efficientnet-lite3",
    "image_text": "lens",
    "visual_answers": "eyes",
    "worn": "dress",
    "speech": "whisper-base",
    "sounds": "firered-aed",
    "text_embeddings": "use-multilingual-3",
    "llm": "qwen2.5-coder-1.5b",
}
"""The model of each capability when the settings name none."""


OPTIONS: Mapping[str, frozenset[str]] = {
    "objects/ssd-mobilenet-v2-coco": frozenset({"min_score", "tiles"}),
    "objects/yolo-onnx": frozenset({"path", "labels", "min_score"}),
    "open_objects/yolo-world-onnx": frozenset({"path", "labels", "min_score"}),
    "open_objects/grounding-dino-onnx": frozenset({"path", "min_score"}),
    "ocr/pp-ocr-v6-small": frozenset({"min_score", "glance"}),
    "image_text/clip-onnx": frozenset({"path"}),
    "captions/vision-llm": frozenset({"engine", "base_url", "model", "api_key_env", "timeout_s"}),
    "shots/transnet-onnx": frozenset({"path", "output"}),
    "speech/whisper-folder": frozenset({"path"}),
}
"""The options of the models that have any."""

HELPERS = (
    "silero-vad",
    "whisper-tiny-en",
    "vidence-audio-events",
    "lens",
    "efficientnet-lite3",
    "use-multilingual-3",
)
"""Models used whatever is chosen: voice activity for speech and sounds, the fast profile's English,
everyday sounds, and lens with its parts, for places."""

OPTIONAL = frozenset({"llm"})
"""Capabilities that vidence works without: the reader then only copies from its notes."""

PLUGINS: Mapping[str, tuple[str, str, str]] = {
    name: (licence, can, cannot) for name, licence, can, cannot in read_table("plugins.tsv", room="models")
}
"""Models that need configuration: licence, what each can do and cannot do."""


OwnStatus = Literal["configured", "missing", "misconfigured", "needs configuration"]


@dataclass(frozen=True)
class ModelRow:
    """One line of `vidence models`."""

    capability: str
    model: str
    status: Status | OwnStatus
    licence: str
    can: str
    cannot: str
    chosen: bool
    problem: str = ""
    """The problem with its configuration."""

    @property
    def use(self) -> str:
        """Whether it is in use: chosen, or used by other models."""
        return "yes" if self.chosen else "helps" if self.model in HELPERS else ""


def choose(capability: str, chosen: Mapping[str, str]) -> str:
    """Return the model name a settings-like mapping picks for `capability`, else the default."""
    name = chosen.get(capability) or DEFAULTS.get(capability)
    if name is None:
        known = {row.partition("/")[0] for row in MODELS}
        if capability not in known:
            raise UnknownName("capability", capability, known)
        raise SettingsError(f"No model is configured for {capability!r}; name one in vidence.toml.")
    return name


def own_options(capability: str, name: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options a model reads; others may be left from another model of its capability."""
    row = f"{capability}/{name}"
    if row not in OPTIONS and name not in load_manifests():
        return dict(options)
    return {key: value for key, value in options.items() if key in OPTIONS.get(row, ())}


def open_model(
    capability: str,
    cache: ModelCache,
    *,
    chosen: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    threads: int = 1,
) -> Any:
    """Build the adapter of a capability; weights are read on its first call.

    Args:
        chosen: capability → model name, as the settings have it.
        options: the options of that model's row in the settings.
    """
    name = choose(capability, chosen or {})
    build = MODELS.resolve(f"{capability}/{name}")
    try:
        return build(ModelContext(cache, threads=threads, options=options or {}))
    except SettingsError as exc:
        # Several models have an option `path`; say whose it is.
        raise SettingsError(
            f"The {capability} model {name}: {exc} Its options stand under [model_options.{capability}] in "
            "vidence.toml."
        ) from exc


def list_models(
    cache: ModelCache,
    *,
    chosen: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, str]] | None = None,
) -> list[ModelRow]:
    """Return every model with its status, licence and limits, by capability."""
    picked = {**DEFAULTS, **(chosen or {})}
    rows = [
        ModelRow(
            manifest.capability,
            manifest.name,
            cache.status(manifest.name),
            manifest.licence,
            manifest.can,
            manifest.cannot,
            picked.get(manifest.capability) == manifest.name,
        )
        for manifest in load_manifests().values()
    ]
    for name, (licence, can, cannot) in PLUGINS.items():
        capability, _, model = name.partition("/")
        used = picked.get(capability) == model
        status, problem = (
            _own_status(capability, cache, picked, (options or {}).get(capability, {}))
            if used
            else ("needs configuration", "")
        )
        rows.append(ModelRow(capability, model, status, licence, can, cannot, used, problem))
    return sorted(rows, key=lambda row: (row.capability, not row.chosen, row.model))


def _own_status(
    capability: str, cache: ModelCache, chosen: Mapping[str, str], options: Mapping[str, str]
) -> tuple[OwnStatus, str]:
    """Return the status of a user's model and its problem, without fetching it or reading weights."""
    path = options.get("path", "")
    try:
        if is_hub_address(path) and not fetched_files(path, cache.folder):
            return "missing", ""
        open_model(capability, cache, chosen=chosen, options=options)
    except VidenceError as exc:
        return "misconfigured", str(exc)
    return "configured", ""
