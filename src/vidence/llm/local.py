"""A GGUF model on this machine, whose replies follow the JSON schema of the response."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import weakref
from collections.abc import Sequence
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

__all__ = ["LocalEngine", "LocalOptions", "build", "letter_shares", "value_probability"]

_GGUF = b"GGUF"
_LIKELIEST = 20
"""Tokens among which the letters of options are looked for."""
_UNLIKELY = math.exp(-12.0)
"""The probability of a letter that is not among them."""
_FIRST_VALUE = re.compile(r'\{\s*"\w+"\s*:\s*"((?:[^"\\]|\\.)*)"')


class LocalOptions(CommonOptions):
    """The options of the local engine."""

    path: str = ""
    max_tokens: int = Field(default=1024, ge=1)
    timeout_s: float = Field(default=600.0, gt=0)
    threads: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=256)
    states: str = ""
    """The folder that keeps what was read; "" keeps nothing."""
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
        self.process = LocalProcess(
            WorkerConfig(str(path), facts.context_tokens, options.threads, options.states)
        )
        weakref.finalize(self, self.process.stop)

    def start(self, prompt: Prompt, limit_s: float) -> tuple[Converse, Stop]:
        """Return what runs the model over the prompt, and what ends its process."""

        def converse(draft: Draft) -> None:
            tokens: list[dict[str, Any]] = []
            try:
                for piece in self.process.ask(self._body(prompt)):
                    self._take(piece, draft, tokens, is_told=not prompt.letters)
                if prompt.letters:
                    draft.add(json.dumps(letter_shares(tokens, prompt.letters)))
                elif prompt.is_direct:
                    told = [(token["token"], token["logprob"]) for token in tokens]
                    draft.confidence = value_probability(told)
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
        if prompt.letters:
            body |= {"max_tokens": 1, "logprobs": True, "top_logprobs": _LIKELIEST}
        elif prompt.is_direct:
            body |= {"logprobs": True, "top_logprobs": 1}
        if prompt.source:
            body["source"] = prompt.source
        return body | self.response_format(prompt)

    def _take(
        self, piece: dict[str, Any], draft: Draft, tokens: list[dict[str, Any]], *, is_told: bool
    ) -> None:
        if error := piece.get("error"):
            kind = error.get("type", "")
            is_long = kind == "exceed_context_size_error"
            error_type = ErrorType.CONTEXT_TOO_LONG if is_long else ErrorType.REQUEST_REFUSED
            raise self.fault(error_type, f"{error.get('message', kind)}.")
        if usage := piece.get("usage"):
            draft.usage = Usage(input_tokens=usage["prompt_tokens"], output_tokens=usage["completion_tokens"])
        for choice in piece.get("choices", ())[:1]:
            if is_told and (text := choice.get("delta", {}).get("content")):
                draft.add(text)
            tokens += (choice.get("logprobs") or {}).get("content") or ()
            finish = choice.get("finish_reason") or draft.finish
            # The one token of a choice is all that is asked for.
            draft.finish = finish if is_told or finish is None else "stop"


def letter_shares(tokens: Sequence[dict[str, Any]], letters: str) -> dict[str, float]:
    """Return the probability of each letter among the likeliest first tokens; they add up to 1."""
    found = dict.fromkeys(letters, _UNLIKELY)
    for one in tokens[0].get("top_logprobs", ()) if tokens else ():
        letter = one["token"].strip()
        if letter in found:
            found[letter] = max(found[letter], math.exp(one["logprob"]))
    total = sum(found.values())
    return {letter: round(share / total, 6) for letter, share in found.items()}


def value_probability(tokens: Sequence[tuple[str, float]]) -> float | None:
    """Return the probability of the first text value of a JSON object, from its tokens' log-probabilities.

    A token counts that holds a character of the value or the quotation mark that ends it.
    """
    # Before the brace may stand what the model would have written without a schema.
    found = _FIRST_VALUE.search("".join(text for text, _ in tokens))
    if found is None:
        return None
    start, end, at, total = found.start(1), found.end(1) + 1, 0, 0.0
    for text, logprob in tokens:
        if at < end and at + len(text) > start:
            total += logprob
        at += len(text)
    return round(math.exp(total), 4)


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
