"""A GGUF model on this machine, whose replies follow the JSON schema of the response."""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path
from typing import Any

from pydantic import Field

from vidence.errors import ErrorType, FileProblem, SettingsError
from vidence.llm.facts import capabilities_of, facts_of
from vidence.llm.local_process import LocalProcess, WorkerConfig, WorkerDied
from vidence.llm.model import Converse, Draft, ModelEngine, Stop, sendable
from vidence.llm.options import CommonOptions, EngineRequest, read_options
from vidence.prompts import Prompt
from vidence.schema.message import Usage

__all__ = ["LocalEngine", "LocalOptions", "build"]

_GGUF = b"GGUF"


class LocalOptions(CommonOptions):
    """The options of the local engine."""

    path: str = ""
    max_tokens: int = Field(default=1024, ge=1)
    timeout_s: float = Field(default=600.0, gt=0)
    threads: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=256)
    constrained: bool = True
    """Constrain replies to the JSON schema, thinking included."""


class LocalEngine(ModelEngine):
    """Answers from a model file, in a process of its own that starts with the first call."""

    def __init__(self, name: str, path: Path, options: LocalOptions) -> None:
        facts = facts_of(name, options.facts)
        if options.context_tokens is not None:
            facts = facts.model_copy(update={"context_tokens": options.context_tokens})
        super().__init__(
            name, capabilities_of(facts), timeout_s=options.timeout_s, constrained=options.constrained
        )
        self._options = options
        self.process = LocalProcess(WorkerConfig(str(path), facts.context_tokens, options.threads))
        weakref.finalize(self, self.process.stop)

    def start(self, prompt: Prompt, limit_s: float) -> tuple[Converse, Stop]:
        """Return what runs the model over the prompt, and what ends its process."""

        def converse(draft: Draft) -> None:
            try:
                for piece in self.process.ask(self._body(prompt)):
                    self._take(piece, draft)
            except WorkerDied as exc:
                raise self.fault(ErrorType.SERVER_ERROR, f"the model's process failed: {exc}.") from exc

        return converse, self.process.stop

    def warm_up(self) -> None:
        """Start the model's process in the background."""
        threading.Thread(target=self.process.start, daemon=True).start()

    def close(self) -> None:
        """End the model's process and give its memory back."""
        self.process.stop()

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        body = {
            "messages": [{"role": one.role, "content": sendable(one.text)} for one in prompt.messages],
            "max_tokens": prompt.reply_tokens
            or min(self._options.max_tokens, prompt.max_tokens or self._options.max_tokens),
            "temperature": self._options.temperature if prompt.temperature is None else prompt.temperature,
            "seed": 1,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return body | self.response_format(prompt)

    def _take(self, piece: dict[str, Any], draft: Draft) -> None:
        if error := piece.get("error"):
            kind = error.get("type", "")
            is_long = kind == "exceed_context_size_error"
            error_type = ErrorType.CONTEXT_TOO_LONG if is_long else ErrorType.REQUEST_REFUSED
            raise self.fault(error_type, f"{error.get('message', kind)}.")
        if usage := piece.get("usage"):
            draft.usage = Usage(input_tokens=usage["prompt_tokens"], output_tokens=usage["completion_tokens"])
        for choice in piece.get("choices", ())[:1]:
            if text := choice.get("delta", {}).get("content"):
                draft.add(text)
            draft.finish = choice.get("finish_reason") or draft.finish


def build(request: EngineRequest) -> LocalEngine:
    """Make a local engine of the file that the option `path`, or the model's name, points to."""
    options = read_options(request, LocalOptions)
    path = Path(options.path or request.model)
    if not path.name:
        raise SettingsError(
            "Say which model to run: 'local:PATH/TO/MODEL.gguf', or a name of `vidence models`."
        )
    try:
        with path.open("rb") as file:
            start = file.read(len(_GGUF))
    except OSError as exc:
        raise FileProblem(
            f"The model file {path} cannot be read: {exc.strerror}. Give a path to a .gguf file, "
            "or fetch one with: vidence models fetch qwen2.5-coder-1.5b"
        ) from exc
    if start != _GGUF:
        raise FileProblem(f"{path} is not a GGUF model file.")
    return LocalEngine(f"local:{_label(request.model, path)}", path, options)


def _label(model: str, path: Path) -> str:
    return model if model and "/" not in model and not model.endswith(".gguf") else path.stem
