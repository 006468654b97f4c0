"""`vidence doctor`: what is installed, what works, which limits hold, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import av

from vidence import __version__
from vidence.app.engines import open_engine
from vidence.app.models import check_choices, list_models
from vidence.app.workspace import open_workspace
from vidence.errors import VidenceError
from vidence.llm.base import FreeVariables
from vidence.llm.protocol import Engine
from vidence.llm.structured import without_thinking
from vidence.models.catalogue import OPTIONAL
from vidence.ops import OPERATIONS
from vidence.prompts import Prompt
from vidence.schema.message import Message
from vidence.settings import Settings, config_files
from vidence.store import repair_store

__all__ = ["Check", "examine", "examine_engine", "repair_workspace"]

_REPLY_TOKENS, _SHOWN_CHARS = 512, 80
_LOW_DISK_BYTES = 2_000_000_000
_LOW_MEMORY_BYTES = 3_000_000_000
_OTHER_VARIABLES = {"VIDENCE_SHARED"}
_CREDENTIALS = re.compile(r"//[^/@\s]*@")
"""A name and a password in an address, which are not shown."""
_DECODERS = ("h264", "hevc", "vp8", "vp9", "libdav1d", "mpeg4", "aac", "opus", "mp3")


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str
    status: Literal["ok", "warn", "fail"]
    finding: str
    remedy: str = ""


def examine(settings: Settings) -> list[Check]:
    """Check everything vidence depends on; a failing check says how to fix it."""
    checks: list[Callable[[Settings], Iterator[Check]]] = [
        _python,
        _libraries,
        _decoders,
        _home,
        _workspace,
        _models,
        _machine,
    ]
    return [check for look in checks for check in look(settings)]


def examine_engine(settings: Settings, name: str) -> list[Check]:
    """Send one tiny request to an engine and report what came back."""
    try:
        with open_workspace(settings) as workspace:
            engine = open_engine(workspace, name, retries=False, fallback=None)
            return [_sight(engine), _one_request(engine)]
    except VidenceError as exc:
        return [Check(name, "fail", str(exc), "See docs/llm.md; --engine embedded works without any model.")]


def _sight(engine: Engine) -> Check:
    can = engine.capabilities
    if not can.reads_text:
        return Check("pictures", "ok", "looks at videos with its own models")
    seen = "are sent" if can.sees_pictures else "are not sent: the model is not known to see"
    remedy = "" if can.sees_pictures else "If it sees, set its option vision = true (docs/llm.md)."
    return Check("pictures", "ok" if can.sees_pictures else "warn", f"pictures {seen}", remedy)


def _one_request(engine: Engine) -> Check:
    if not engine.capabilities.reads_text:
        return Check(engine.name, "ok", "answers without a language model; nothing is sent anywhere")
    text = "Reply with the one word: ready"
    prompt = Prompt(
        "free", (Message(role="user", text=text),), FreeVariables(texts=(text,)), reply_tokens=_REPLY_TOKENS
    )
    reply = engine.answer(prompt)
    said = " ".join(without_thinking(reply.text).split())[:_SHOWN_CHARS]
    used = f"{reply.usage.input_tokens} + {reply.usage.output_tokens} tokens"
    return Check(reply.engine or engine.name, "ok", f"answered “{said}” in {reply.seconds:.1f} s ({used})")


def _python(settings: Settings) -> Iterator[Check]:
    version = platform.python_version()
    good = sys.version_info >= (3, 11)
    yield Check(
        "vidence", "ok", f"{__version__} on Python {version} ({platform.system()} {platform.machine()})"
    )
    if not good:
        yield Check("python", "fail", version, "Install Python 3.11 or newer and make the venv again.")


def _libraries(settings: Settings) -> Iterator[Check]:
    for name in _required():
        try:
            yield Check(name, "ok", metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, "fail", "not installed", f"pip install {name}")


def _required() -> list[str]:
    """Return the packages vidence requires, without the optional extras."""
    lines = metadata.requires("vidence") or []
    return sorted(re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line)


def _decoders(settings: Settings) -> Iterator[Check]:
    missing = [name for name in _DECODERS if name not in av.codecs_available]
    versions = ".".join(str(part) for part in av.library_versions["libavcodec"])
    yield Check(
        "decoders",
        "warn" if missing else "ok",
        f"libavcodec {versions}, inside PyAV (no ffmpeg program needed)"
        + (f"; missing: {', '.join(missing)}" if missing else ""),
        "Reinstall av from a binary wheel: pip install --force-reinstall av" if missing else "",
    )


def _home(settings: Settings) -> Iterator[Check]:
    files = ", ".join(str(path) for path in config_files(settings.home)) or "none"
    yield Check("settings", "ok", f"vidence.toml: {files}; threads {settings.threads}")
    known = {f"VIDENCE_{name.upper()}" for name in Settings.model_fields} | _OTHER_VARIABLES
    own = (name for name in os.environ if name.startswith("VIDENCE_"))
    # VIDENCE_MODELS__SPEECH is a part of VIDENCE_MODELS.
    for name in sorted(name for name in own if name.partition("__")[0] not in known):
        yield Check("settings", "warn", f"the variable {name} means nothing", "Check its spelling.")
    yield from _in_force(settings)
    nearest = _nearest_existing(settings.home)
    writable = os.access(nearest, os.W_OK)
    free = shutil.disk_usage(nearest).free
    yield Check(
        "home",
        "ok" if writable else "fail",
        f"{settings.home} ({free / 1e9:.1f} GB free), from {settings.origins.get('home', 'the defaults')}",
        "" if writable else "Choose a writable folder: export VIDENCE_HOME=/path/to/folder",
    )
    if free < _LOW_DISK_BYTES:
        yield Check("disk", "warn", f"only {free / 1e9:.1f} GB free", "Free some space or move VIDENCE_HOME.")


def _in_force(settings: Settings) -> Iterator[Check]:
    """Show the engine and every setting that is not the default, with where it comes from."""
    for name in sorted({"llm.engine", *settings.origins} - {"home"}):
        shown = _CREDENTIALS.sub("//…@", str(_value(settings, name)))
        yield Check(name, "ok", f"{shown}, from {settings.origins.get(name, 'the defaults')}")
    if settings.ignored:
        yield Check(
            "settings",
            "warn",
            f"ignored in the vidence.toml of this folder: {', '.join(settings.ignored)}",
            f"If you trust it, put it into {settings.home / 'vidence.toml'}.",
        )


def _value(settings: Settings, name: str) -> object:
    found: object = settings
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else getattr(found, part, None)
    return found


def _workspace(settings: Settings) -> Iterator[Check]:
    if not settings.home.exists():
        yield Check("workspace", "ok", "not created yet; the first `vidence add` makes it")
        return
    try:
        with open_workspace(settings) as workspace:
            count = len(workspace.videos())
    except VidenceError as exc:
        yield Check("workspace", "fail", str(exc), "See the message; the database itself was not changed.")
        return
    yield Check(
        "workspace", "ok", f"{count} video{'' if count == 1 else 's'}, {len(list(OPERATIONS))} operations"
    )


def repair_workspace(settings: Settings) -> list[str]:
    """Save what can be read of a damaged database into a new one; return what was done, a line each."""
    path = settings.home / "vidence.db"
    found = repair_store(settings.home)
    if found.aside is None:
        return [f"{path} is not damaged; nothing was changed."]
    lines = [f"The damaged database is kept as {found.aside}."]
    lines += [f"{name}: {count} saved" for name, count in found.kept.items() if count]
    if found.damaged:
        lines.append(f"Not all could be read of: {', '.join(found.damaged)}.")
    return [*lines, "Index your videos again; what is up to date is not computed twice."]


def _models(settings: Settings) -> Iterator[Check]:
    try:
        check_choices(settings)
    except VidenceError as exc:
        yield Check("models", "fail", str(exc), "Correct [models] in vidence.toml, or VIDENCE_MODELS.")
        return
    chosen = [row for row in list_models(settings) if row.chosen]
    for row in chosen:
        if row.problem:
            yield Check("models", "fail", row.problem, "Correct it, then: vidence models")
    rows = [row for row in chosen if not row.problem]
    bad = [
        f"{row.model} ({row.status})"
        for row in rows
        if row.status == "damaged" or (row.status == "missing" and row.capability not in OPTIONAL)
    ]
    left_out = [row.model for row in rows if row.status == "missing" and row.capability in OPTIONAL]
    yield Check(
        "models",
        "warn" if bad else "ok",
        f"not usable: {', '.join(bad)}"
        if bad
        else f"{len(rows) - len(left_out)} of {len(rows)} chosen here, in {settings.model_home}",
        "vidence models fetch" if bad else "",
    )
    for model in left_out:
        told = f"{model} is not here: notes are searched by plain extraction, not read"
        yield Check("reader", "ok", told, f"To let it read: vidence models fetch {model}")


def _machine(settings: Settings) -> Iterator[Check]:
    memory = _memory_bytes()
    finding = f"{os.cpu_count()} cores" + (f", {memory / 1e9:.0f} GB memory" if memory else "")
    low = memory is not None and memory < _LOW_MEMORY_BYTES
    yield Check(
        "machine", "warn" if low else "ok", finding, "Close other programs while indexing." if low else ""
    )
    yield Check("limits", "ok", f"frames up to {settings.max_pixels / 1e6:.0f} megapixels (max_pixels)")


def _nearest_existing(path: Path) -> Path:
    return next(candidate for candidate in (path, *path.parents) if candidate.exists())


def _memory_bytes() -> int | None:
    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
