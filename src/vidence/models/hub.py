"""Fetch a user's model from the model hub: `hub:OWNER/NAME`, also `@REVISION` and `:FILE`.

Fetched files are kept among the other models and used from there without the network. Without a revision
the newest is fetched once and kept: answers should not change because somebody published something.
"""

from __future__ import annotations

import errno
import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from vidence.errors import BackendError, SettingsError
from vidence.schema.read_json import load_json

__all__ = ["Sets", "fetch_from_hub", "fetched_files", "is_hub_address"]

_log = logging.getLogger(__name__)

Sets = Sequence[Sequence[str]]
"""Names of network files: the first complete set is fetched."""

# No part may be dots alone: `..` names the folder above.
_PART = r"(?!\.+(?:[/@:]|$))[\w.-]+"
_ADDRESS = re.compile(
    rf"hub:(?P<repo>{_PART}/{_PART})(?:@(?P<revision>{_PART}))?(?::(?P<file>[^:\\]+))?", re.ASCII
)
_BESIDE = (".json", ".txt", ".model")
"""Files that describe a network: tokenizers and sizes. Never code, and no weights in pickles."""
_OUTSIDE = ("_data", ".data")
"""Endings of the file with an ONNX network's large weights, after the network's own name."""
_MARK = "fetched.json"
"""Written last: a folder without it is a partial download, which the next try completes."""


@dataclass(frozen=True)
class _Address:
    repo: str
    revision: str | None
    file: str | None

    def folder(self, home: Path) -> Path:
        return home / "hub" / self.repo.replace("/", "--") / (self.revision or "newest")


def is_hub_address(text: str) -> bool:
    """Say whether an option's path is a hub address."""
    return text.startswith("hub:")


def fetched_files(text: str, home: Path) -> int:
    """Return how many files of an address are here; 0 when any is missing."""
    address = _read(text)
    _, files = _marked(address.folder(home))
    return len(files) if files and address.file in (None, *files) else 0


def fetch_from_hub(text: str, home: Path, *, sets: Sets = (), endpoint: str | None = None) -> Path:
    """Return the folder an address names, or its file, fetched the first time.

    Args:
        home: the folder of models.
        sets: the network files to look for when the address names no file.
        endpoint: another hub than the usual one, which HF_ENDPOINT may name too.
    """
    address = _read(text)
    folder = address.folder(home)
    if not fetched_files(text, home):
        _log.warning("%s is fetched from the model hub", text)
        with _faults(text):
            _fetch(address, folder, sets, endpoint)
    return folder / address.file if address.file else folder


def _read(text: str) -> _Address:
    match = _ADDRESS.fullmatch(text)
    file = match["file"] if match else None
    if not match or (file and (file.startswith("/") or ".." in PurePosixPath(file).parts)):
        raise SettingsError(
            f"{text!r} is no address on the hub; write hub:OWNER/NAME, hub:OWNER/NAME@REVISION or, for one "
            "file, hub:OWNER/NAME:FILE."
        )
    return _Address(match["repo"], match["revision"], file)


def _fetch(address: _Address, folder: Path, sets: Sets, endpoint: str | None) -> None:
    # The client takes a while to import, and few people need it.
    from huggingface_hub import HfApi, hf_hub_download

    commit, had = _marked(folder)
    info = HfApi(endpoint=endpoint).model_info(address.repo, revision=commit or address.revision)
    names = [sibling.rfilename for sibling in info.siblings or ()]
    chosen = sorted({*had, *_choose(address, names, sets)})
    bar = _silent()
    for name in chosen:
        hf_hub_download(
            address.repo,
            name,
            revision=info.sha,
            local_dir=folder,
            endpoint=endpoint,
            tqdm_class=bar,
        )
    draft = folder / f"{_MARK}.part"
    draft.write_text(json.dumps({"commit": info.sha, "files": chosen}), encoding="utf-8")
    draft.replace(folder / _MARK)


def _choose(address: _Address, names: Sequence[str], sets: Sets) -> list[str]:
    networks = [name for name in names if name.endswith((".onnx", "model.bin"))]
    if address.file:
        found = [address.file] if address.file in names else []
    else:
        found = next((whole for wanted in sets if (whole := _find(wanted, names))), [])
    if not found:
        lacks = address.file or " or ".join(" with ".join(wanted) for wanted in sets) or "one file to take"
        has = f"It has {', '.join(networks[:8])}." if networks else "It has no network vidence can read."
        raise SettingsError(
            f"{address.repo} lacks {lacks}. {has} One file is named so: hub:{address.repo}:FILE"
        )
    beside = [name for name in names if "/" not in name and name.endswith(_BESIDE) and name != _MARK]
    outside = [name for name in names for one in found if name in {one + end for end in _OUTSIDE}]
    return [*found, *outside, *beside]


def _find(wanted: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the paths of the wanted files, at the top or in the folder onnx; none unless all exist."""
    places = [next((one for one in (name, f"onnx/{name}") if one in names), None) for name in wanted]
    return [place for place in places if place] if all(places) else []


def _marked(folder: Path) -> tuple[str | None, list[str]]:
    """Return the commit and the files that were fetched, as far as they are still here."""
    try:
        mark = load_json((folder / _MARK).read_text(encoding="utf-8"))
        commit, files = str(mark["commit"]), [str(name) for name in mark["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None, []
    return commit, files if all((folder / name).is_file() for name in files) else []


def _silent() -> type[Any]:
    """Return a progress bar that draws nothing, since vidence has its own."""
    from tqdm.std import tqdm  # type: ignore[import-untyped]

    class Silent(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": True})

    return Silent


@contextmanager
def _faults(text: str) -> Iterator[None]:
    from huggingface_hub import errors

    try:
        yield
    except (SettingsError, BackendError):
        raise
    except errors.RepositoryNotFoundError as exc:
        raise SettingsError(
            f"The hub shows no {text}. Check the name; for a private or gated model set HF_TOKEN."
        ) from exc
    except (errors.RevisionNotFoundError, errors.HFValidationError) as exc:
        raise SettingsError(f"The hub knows {text} not by that name or revision: {exc}") from exc
    # The client lets the errors of its HTTP library through, and that library has changed before.
    except Exception as exc:
        full = isinstance(exc, OSError) and exc.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else str(exc).strip().partition("\n")[0] or type(exc).__name__
        raise BackendError(
            f"{text} cannot be fetched: {reason}. What came is kept; try again, or fetch it elsewhere and "
            "name the folder as the path."
        ) from exc
