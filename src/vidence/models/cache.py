"""Find model files in packages, check them once, and keep files that are assembled or converted."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal
from uuid import uuid4

from vidence.errors import BackendError, MissingExtra
from vidence.models.manifest import FilePart, ModelFile, ModelManifest, PackagePin, load_manifest
from vidence.schema.read_json import load_json

__all__ = ["OWN_PACKAGE", "MissingModel", "ModelCache", "Status"]

Status = Literal["verified", "installed", "missing", "damaged"]

_BLOCK = 1 << 20
_STALE_S = 3600.0
OWN_PACKAGE = "vidence"
_OWN_ROOT = Path(__file__).parents[2]
"""The folder of this package, installed or not, which holds our own weights."""
_log = logging.getLogger(__name__)


class MissingModel(MissingExtra):
    """The package that holds a model's files is neither installed nor fetched."""

    def __init__(self, model: ModelManifest, pin: PackagePin) -> None:
        BackendError.__init__(
            self,
            f"The {model.capability} model {model.name} needs the package {pin.requirement}. "
            f"Get it with: vidence models fetch {model.name}",
        )


class ModelCache:
    """The folder `home`/models: turns a manifest into verified files that may be opened."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "models"

    def path(self, model: str, role: str) -> Path:
        """Return the file of `model` with the given role, its sha256 checked."""
        manifest = load_manifest(model)
        return self._file(manifest, manifest.file(role))

    def assemble(self, model: str) -> Path:
        """Return a folder with all files of `model` side by side, for loaders that want one."""
        manifest = load_manifest(model)
        folder = self.folder / model
        for file in manifest.files:
            target = folder / file.filename
            if not self._is_verified(target, file.sha256):
                source = self._file(manifest, file)
                if source != target:
                    self.install(target, [source], file.sha256, file.size_bytes)
        return folder

    def built(self, model: str, filename: str, build: Callable[[Path], None], *, size_bytes: int) -> Path:
        """Return a file derived from `model`, running `build` on a temporary path the first time.

        Args:
            filename: contains the version of the builder, so that a newer one builds the file again.
            size_bytes: about the size of the result, to refuse early on a full disk.
        """
        digests = "".join(file.sha256 for file in load_manifest(model).files)
        key = hashlib.sha256(digests.encode()).hexdigest()[:12]
        target = self.folder / model / f"{key}-{filename}"
        # Its digest is known only once it is built; a file with another one now is built again.
        if not self._is_as_built(target):
            with self._writing(target, size_bytes) as draft:
                build(draft)
            self._remember(target, _digest(target))
        return target

    def status(self, model: str) -> Status:
        """Say whether the files of `model` are here and already checked, without reading them whole."""
        manifest = load_manifest(model)
        states: set[Status] = set()
        for file in manifest.files:
            if self.is_joined(manifest, file):
                states.add("verified")
                continue
            states |= {self.part_status(manifest, part) for part in file.sources}
        for state in ("missing", "damaged", "installed"):
            if state in states:
                return state
        return "verified"

    def is_joined(self, manifest: ModelManifest, file: ModelFile) -> bool:
        """Say whether the parts of a file have been joined; a joined file nobody has checked yet is read."""
        return bool(file.parts) and self._is_good(self.folder / manifest.name / file.filename, file)

    def join(self, manifest: ModelManifest, file: ModelFile) -> Path:
        """Join a file's parts and delete the fetched ones, which would take the same space again."""
        path = self._file(manifest, file)
        for part in file.parts:
            with suppress(OSError):
                (self.fetched_root(manifest.package(part.package)) / part.path).unlink()
        return path

    def fetched_root(self, pin: PackagePin) -> Path:
        """Return where `vidence models fetch` puts the files of a package."""
        return self.folder / "packages" / f"{pin.name}-{pin.version}"

    def part_status(self, manifest: ModelManifest, part: FilePart) -> Status:
        """Say whether one file of a package is here and already checked."""
        try:
            present = self._present(manifest, part)
        except MissingModel:
            return "missing"
        if any(self._is_verified(path, part.sha256) for path in present):
            return "verified"
        return "installed" if present[0].stat().st_size == part.size_bytes else "damaged"

    def is_good(self, manifest: ModelManifest, part: FilePart) -> bool:
        """Say whether a file in a package is here and has the right digest, reading it if necessary."""
        try:
            self._verified(manifest, part)
        except BackendError:
            return False
        return True

    def _file(self, manifest: ModelManifest, file: ModelFile) -> Path:
        if not file.parts:
            return self._verified(manifest, file.sources[0])
        target = self.folder / manifest.name / file.filename
        if not self._is_good(target, file):
            parts = [self._verified(manifest, part) for part in file.parts]
            self.install(target, parts, file.sha256, file.size_bytes)
        return target

    def _is_good(self, whole: Path, file: ModelFile) -> bool:
        """Say whether a joined file has the right digest, reading it if necessary: its parts may be gone."""
        if self._is_verified(whole, file.sha256):
            return True
        try:
            is_good = whole.stat().st_size == file.size_bytes and _digest(whole) == file.sha256
        except (OSError, BackendError):
            return False
        if is_good:
            self._remember(whole, file.sha256)
        return is_good

    def _verified(self, manifest: ModelManifest, part: FilePart) -> Path:
        present = self._present(manifest, part)
        found = ""
        # A damaged installed copy must not hide a good one that was fetched.
        for path in present:
            if self._is_verified(path, part.sha256):
                return path
            found = _digest(path)
            if found == part.sha256:
                self._remember(path, part.sha256)
                return path
        is_own = manifest.package(part.package).name == OWN_PACKAGE
        remedy = (
            "Reinstall vidence." if is_own else f"Get it again with: vidence models fetch {manifest.name}"
        )
        raise BackendError(
            f"Model file {present[-1]} does not match the manifest of {manifest.name} (sha256 {found[:9]}…, "
            f"expected {part.sha256[:9]}…), so it is refused. {remedy}"
        )

    def _present(self, manifest: ModelManifest, part: FilePart) -> list[Path]:
        """Return the copies of a part, the likeliest first; raise when there is none."""
        pin = manifest.package(part.package)
        if pin.name == OWN_PACKAGE:
            return [_OWN_ROOT / part.path]
        candidates = [self.fetched_root(pin) / part.path]
        with suppress(PackageNotFoundError):
            # Metadata only: the package is never imported.
            candidates.insert(0, Path(str(distribution(pin.name).locate_file(part.path))))
        present = [candidate for candidate in candidates if candidate.is_file()]
        if not present:
            raise MissingModel(manifest, pin)
        return sorted(present, key=lambda path: path.stat().st_size != part.size_bytes)

    def install(self, target: Path, sources: list[Path], sha256: str, size_bytes: int) -> Path:
        """Write the joined `sources` to `target` inside the cache in one step, refusing a wrong digest."""
        with self._writing(target, size_bytes) as draft:
            digest = hashlib.sha256()
            with draft.open("wb") as out:
                for source in sources:
                    for block in _blocks(source):
                        digest.update(block)
                        out.write(block)
            if digest.hexdigest() != sha256:
                raise BackendError(
                    f"{target.name} made from {len(sources)} file(s) has the wrong sha256, so it is refused. "
                    "Get the packages its manifest names again."
                )
        self._remember(target, sha256)
        return target

    @contextmanager
    def _writing(self, target: Path, size_bytes: int) -> Iterator[Path]:
        """Yield a private draft that replaces `target` in one step, safe against other processes."""
        draft = target.with_name(f".{target.name}.{uuid4().hex}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target.parent)
            free = shutil.disk_usage(target.parent).free
            if free < size_bytes:
                raise OSError(errno.ENOSPC, f"{free >> 20} MiB are free")
            yield draft
            draft.replace(target)
        except OSError as exc:
            if exc.errno in (errno.ENOSPC, errno.EDQUOT):
                raise BackendError(
                    f"Disk full: {target.name} needs {(size_bytes >> 20) + 1} MiB in {target.parent}. "
                    "Free some space or point VIDENCE_MODEL_HOME elsewhere."
                ) from exc
            raise BackendError(
                f"Cannot write {target}: {exc.strerror or exc}. Make it writable or set VIDENCE_MODEL_HOME."
            ) from exc
        finally:
            with suppress(OSError):
                draft.unlink()

    def _receipt(self, path: Path) -> Path:
        return self.folder / "checked" / (hashlib.sha256(str(path).encode()).hexdigest()[:24] + ".json")

    def _is_verified(self, path: Path, sha256: str) -> bool:
        try:
            seen = load_json(self._receipt(path).read_text(encoding="utf-8"))
            return bool(seen == [*_state(path), sha256])
        except (OSError, ValueError):
            return False

    def _is_as_built(self, path: Path) -> bool:
        """Say whether a derived file is what was built; one that was only touched is read once."""
        try:
            *state, sha256 = load_json(self._receipt(path).read_text(encoding="utf-8"))
            if state == _state(path):
                return True
            is_same = bool(_digest(path) == sha256)
        except (OSError, ValueError, TypeError, BackendError):
            return False
        if is_same:
            self._remember(path, sha256)
        return is_same

    def _remember(self, path: Path, sha256: str) -> None:
        receipt = self._receipt(path)
        row = json.dumps([*_state(path), sha256])
        try:
            with self._writing(receipt, len(row)) as draft:
                draft.write_text(row, encoding="utf-8")
        except BackendError as exc:
            # The file itself is good; only the next start is slower.
            _log.warning("%s will be checked again next time: %s", path.name, exc)


def _state(path: Path) -> list[str | int]:
    """Return what changes with a file; whoever alters it can restore its time, but not that of the change."""
    stat = path.stat()
    return [str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]


def _sweep(folder: Path) -> None:
    """Remove drafts that a killed process left behind."""
    for draft in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - draft.stat().st_mtime > _STALE_S:
                draft.unlink()


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block
    except OSError as exc:
        raise BackendError(f"Model file {path} cannot be read: {exc.strerror or exc}.") from exc
