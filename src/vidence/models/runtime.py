"""Run ONNX and LiteRT models with an explicit thread count, and translate the errors of their runtimes."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter  # type: ignore[import-untyped]

__all__ = [
    "LitePool",
    "OnnxModel",
    "OpenOnce",
    "check_address_space",
    "find_network",
    "single_threaded_blas",
    "without_stderr_lines",
]

T = TypeVar("T")

_OPENING = Lock()
"""Opening changes the process's warnings and error stream, so only one model opens at a time."""
_STDERR = 2
_ADDRESS_SPACE = 3_000_000_000
"""Mapped, not used: weights, thread stacks and decoders."""
_DTYPES: dict[str, type[np.generic]] = {
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}
_VARIANTS = ("", "_fp16", "_quantized", "_int8", "_uint8")
_BLAS_FOLDERS = ("../numpy.libs", ".dylibs")
"""Where NumPy's wheels keep their libraries, relative to the package."""
_BLAS_SYMBOLS = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads",
)
_blas_lock = Lock()
_blas_users = 0
_blas_threads = 0


def check_address_space() -> None:
    """Refuse to begin where the process may not map enough memory: the runtimes would crash there."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit.
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < _ADDRESS_SPACE:
        raise BackendError(
            f"This process may use only {allowed / 1e9:.1f} GB of address space, and the models need "
            f"{_ADDRESS_SPACE / 1e9:.0f} GB. Raise the limit: ulimit -v unlimited"
        )


class OnnxModel:
    """One ONNX session, opened on first use; `run` may be called from many threads."""

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self.path = path
        self._threads = threads
        self._session = OpenOnce(self._open)

    def run(self, feeds: Mapping[str, NDArray[Any]], outputs: list[str] | None = None) -> list[NDArray[Any]]:
        """Return the outputs, in the order asked for or that of the model."""
        try:
            return [np.asarray(value) for value in self._session.get().run(outputs, dict(feeds))]
        except BackendError:
            raise
        except Exception as exc:  # onnxruntime's exceptions share no public base but Exception.
            raise BackendError(f"Model {self.path.name} failed on its input: {_first_line(exc)}") from exc

    @property
    def inputs(self) -> dict[str, list[int | str | None]]:
        """Name and shape of each input; a text or None is a free dimension."""
        return {item.name: list(item.shape) for item in self._session.get().get_inputs()}

    @property
    def dtypes(self) -> dict[str, type[np.generic]]:
        """Element type of each input."""
        return {item.name: _DTYPES.get(item.type, np.float32) for item in self._session.get().get_inputs()}

    @property
    def outputs(self) -> dict[str, list[int | str | None]]:
        """Name and shape of each output."""
        return {item.name: list(item.shape) for item in self._session.get().get_outputs()}

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata stored in the file."""
        return dict(self._session.get().get_modelmeta().custom_metadata_map)

    def _open(self) -> Any:
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # Spinning threads steal the cores from decoding and from the other models.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as exc:
            raise BackendError(
                f"Model file {self.path} cannot be opened as ONNX: {_first_line(exc)}"
            ) from exc


class LitePool:
    """LiteRT interpreters for one model file: one thread uses one at a time, more are made on demand."""

    def __init__(self, path: Path, *, threads: int = 1, keep_tensors: bool = False) -> None:
        self.path = path
        self._threads = threads
        self._keep_tensors = keep_tensors
        self._idle: LifoQueue[Interpreter] = LifoQueue()

    @contextmanager
    def borrow(self) -> Iterator[Interpreter]:
        """Lend an interpreter that no other thread uses meanwhile."""
        try:
            interpreter = self._idle.get_nowait()
        except Empty:
            interpreter = self._open()
        try:
            yield interpreter
        except (RuntimeError, ValueError) as exc:
            raise BackendError(f"Model {self.path.name} failed on its input: {_first_line(exc)}") from exc
        finally:
            self._idle.put(interpreter)

    def _open(self) -> Interpreter:
        from ai_edge_litert.interpreter import Interpreter

        with _OPENING, warnings.catch_warnings(), without_stderr_lines(b"INFO: Created TensorFlow Lite"):
            # Keeping inner tensors is called experimental; reading the pooled feature needs it.
            warnings.simplefilter("ignore", UserWarning)
            try:
                interpreter = Interpreter(
                    str(self.path),
                    num_threads=self._threads,
                    experimental_preserve_all_tensors=self._keep_tensors,
                )
                interpreter.allocate_tensors()
            except (RuntimeError, ValueError) as exc:
                raise BackendError(f"Model file {self.path} cannot be opened: {_first_line(exc)}") from exc
        return interpreter


class OpenOnce(Generic[T]):
    """A value made once, by the first thread that asks for it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._value: T | None = None

    def get(self) -> T:
        if self._value is None:
            with self._lock:
                if self._value is None:
                    self._value = self._make()
        return self._value


def _first_line(exc: Exception) -> str:
    return (str(exc).strip() or type(exc).__name__).splitlines()[0][:300]


def find_network(folder: Path, stem: str) -> Path | None:
    """Return the ONNX file called `stem` in a folder or in its folder onnx, full precision first."""
    names = (f"{place}{stem}{variant}.onnx" for variant in _VARIANTS for place in ("", "onnx/"))
    return next((folder / name for name in names if (folder / name).is_file()), None)


@contextmanager
def without_stderr_lines(prefix: bytes) -> Iterator[None]:
    """Hold back the error stream, then write all of its lines but those that begin with `prefix`.

    LiteRT prints a line once per process from C++ and has no switch for it; it would break a progress bar.
    """
    try:
        kept = os.dup(_STDERR)
    except OSError:
        # Some services have no error stream at all.
        yield
        return
    try:
        held = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
    except OSError:
        # A full disk: the line is shown then.
        os.close(kept)
        yield
        return
    with held:
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
            os.dup2(held.fileno(), _STDERR)
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            held.seek(0)
            rest = b"".join(line for line in held if not line.startswith(prefix))
            if rest:
                os.write(_STDERR, rest)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep NumPy's matrix products on the calling thread inside; without OpenBLAS nothing changes.

    The worker threads of OpenBLAS spin for a while after every product, however small. Beside a decoder and
    several models that takes a tenth of all processor time, and the small products of an index gain nothing.
    """
    global _blas_users, _blas_threads
    library = _blas()
    if library is None:
        yield
        return
    get, set_ = library
    with _blas_lock:
        _blas_users += 1
        if _blas_users == 1:
            _blas_threads = get()
            set_(1)
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                set_(_blas_threads)


@lru_cache(maxsize=1)
def _blas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Return the getter and the setter of the thread count, if NumPy came with OpenBLAS."""
    package = Path(np.__file__).parent
    for path in sorted(file for folder in _BLAS_FOLDERS for file in (package / folder).glob("*openblas*")):
        try:
            opened = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in _BLAS_SYMBOLS:
            if hasattr(opened, name.format("set")):
                return getattr(opened, name.format("get")), getattr(opened, name.format("set"))
    return None
