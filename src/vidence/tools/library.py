"""The tool library of a workspace: one file per tool, signed by its content.

A file holds the tool, the sha256 of its canonical JSON, where it came from and the admission test that it
passed. A file whose tool does not match its digest is refused, so that a shared tool is what was tested.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from vidence.errors import BadTool, FileProblem, UnknownName
from vidence.language.identify import question_language
from vidence.ops.catalogue import COMPOSED, OPERATIONS
from vidence.ops.operation import Operation
from vidence.schema.evidence import hash_of
from vidence.schema.frozen import Frozen
from vidence.schema.language import AnswerLanguage
from vidence.store.files import write_whole
from vidence.tools.induction import QuestionKind, is_thinned, question_kind
from vidence.tools.operation import as_operation
from vidence.tools.steps import Tool, parse_tool, without_writes

__all__ = ["Admission", "Entry", "Origin", "ToolLibrary", "entry_of", "rank_tools"]

Origin = Literal["built in", "written", "induced", "proposed", "imported"]
_MAX_BYTES = 262_144


class Admission(Frozen):
    """What the admission test measured, on questions about videos that the tool was not made from."""

    questions: int
    videos: int
    calls: tuple[float, float]
    """Without and with the tool, in all; likewise the next two."""
    tokens: tuple[float, float]
    seconds: tuple[float, float]
    right: tuple[int, int]
    p_value: float
    """Chance of as many lost answers, if the tool changed nothing (sign test on paired questions)."""
    kept: bool
    reason: str


class Entry(Frozen):
    """One tool as its file holds it."""

    tool: dict[str, Any]
    sha256: str
    origin: Origin
    learned_from: tuple[str, ...] = ()
    """The questions in whose traces it was found, and others of the kinds that it is for."""
    tried: tuple[str, ...] = ()
    """The questions on which it was tried, whether it paid or not."""
    admission: Admission | None = None
    purposes: Mapping[AnswerLanguage, str] = Field(default_factory=dict)
    """What it finds out, in each language it is known in; its description is in one."""

    @property
    def name(self) -> str:
        return str(self.tool["tool_name"])

    def purpose(self, language: AnswerLanguage) -> str:
        """Return what it finds out, in a reader's language where it is known in it."""
        return self.purposes.get(language, str(self.tool["description"]))

    def parsed(self) -> Tool:
        """Return the tool itself."""
        return parse_tool(json.dumps(self.tool))


class _Bundle(Frozen):
    """Several tools in one file, as `export` writes them."""

    vidence_tools: Literal[1]
    tools: tuple[Entry, ...] = Field(max_length=500)


class ToolLibrary:
    """The built-in tools and those in a folder; given entries stand in for the built-in ones."""

    def __init__(self, folder: Path | None, entries: Mapping[str, Entry] | None = None) -> None:
        self._folder = folder
        self._fixed = _built_in() if entries is None else dict(entries)

    def __contains__(self, name: object) -> bool:
        return name in set(self.names())

    def __iter__(self) -> Iterator[Entry]:
        return (self.get(name) for name in self.names())

    def names(self) -> list[str]:
        """Return every name, the built-in tools first."""
        folder = self._folder
        kept = sorted(path.stem for path in folder.glob("*.json")) if folder and folder.is_dir() else []
        return [*self._fixed, *(name for name in kept if name not in self._fixed)]

    def get(self, name: str) -> Entry:
        """Return a tool by name, having checked that it is what its digest says."""
        if name in self._fixed:
            return self._fixed[name]
        if name not in self.names():
            raise UnknownName("tool", name, self.names(), remedy="See: vidence tools list")
        path = self._path(name)
        entry = _read(path)
        if entry.name != name:
            raise BadTool(f"{path.name} holds the tool {entry.name!r}; rename the file or drop it.")
        return entry

    def operation(self, name: str, *, may_write: bool = True) -> Operation[Any, Any]:
        """Return a tool as an operation; one that may not write leaves its `write_memory` steps out."""
        tool = self.get(name).parsed()
        return as_operation(tool if may_write else without_writes(tool))

    def add(
        self,
        tool: Tool,
        origin: Origin,
        *,
        learned_from: tuple[str, ...] = (),
        tried: tuple[str, ...] = (),
        admission: Admission | None = None,
    ) -> Entry:
        """Keep a checked tool; a name that an operation or a built-in tool has is refused."""
        as_operation(tool)
        if tool.name in OPERATIONS or tool.name in COMPOSED or tool.name in self._fixed:
            raise BadTool(f"tool_name {tool.name!r} is taken by an operation or a built-in tool.")
        entry = entry_of(tool, origin, learned_from=learned_from, tried=tried, admission=admission)
        path = self._path(tool.name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, _json(entry))
        except OSError as exc:
            raise FileProblem(f"The tool could not be written to {path.parent}: {exc.strerror}.") from exc
        return entry

    def drop(self, name: str) -> None:
        """Remove a tool; the built-in ones stay."""
        if name in self._fixed:
            raise BadTool(f"{name!r} is built in and cannot be dropped.")
        self.get(name)
        self._path(name).unlink()

    def export(self, names: list[str]) -> str:
        """Return tools as the text of one file for others."""
        return _json(_Bundle(vidence_tools=1, tools=tuple(self.get(name) for name in names))).decode()

    def take(self, path: Path) -> list[Entry]:
        """Add the tools of an exported file, or one tool written by hand; all of them or none."""
        text = _text(path)
        try:
            bundle = _Bundle.model_validate_json(text)
        except (ValidationError, ValueError):
            return [self.add(parse_tool(text), "written")]
        tools = [_checked(entry, path).parsed() for entry in bundle.tools]
        for tool in tools:
            as_operation(tool)
        return [
            self.add(
                tool,
                "imported",
                learned_from=entry.learned_from,
                tried=entry.tried,
                admission=entry.admission,
            )
            for tool, entry in zip(tools, bundle.tools, strict=True)
            if tool.name not in self._fixed
        ]

    def _path(self, name: str) -> Path:
        if self._folder is None:
            raise BadTool("This library has no folder; tools cannot be added to it.")
        return self._folder / f"{name}.json"


def entry_of(
    tool: Tool,
    origin: Origin,
    *,
    learned_from: tuple[str, ...] = (),
    tried: tuple[str, ...] = (),
    admission: Admission | None = None,
) -> Entry:
    """Return a tool with its digest."""
    return Entry(
        tool=dict(tool.source),
        sha256=hash_of(tool.source),
        origin=origin,
        learned_from=learned_from,
        tried=tried,
        admission=admission,
    )


def rank_tools(
    entries: Sequence[Entry], question: str, embed: Callable[[Sequence[str]], NDArray[np.float32]]
) -> list[Entry]:
    """Return the tools that fit a question, the fittest first.

    A tool that was found in past runs fits questions of the kinds it pays for; a kind on which nothing was
    tried gets the tool that pays for most questions about the same sense. Tools that were not found in runs
    are ranked by their purpose.
    """
    kind = question_kind(question)
    learned = _of_kind([one for one in entries if one.learned_from], kind)
    others = [one for one in entries if not one.learned_from]
    if not others:
        return learned
    language = question_language(question)
    vectors = embed([question, *(one.purpose(language) for one in others)])
    alike = dict(zip((one.name for one in others), (vectors[1:] @ vectors[0]).tolist(), strict=True))
    return [*learned, *sorted(others, key=lambda one: -alike[one.name])]


def _of_kind(entries: Sequence[Entry], kind: QuestionKind) -> list[Entry]:
    """Return the tools for a kind of question, those that are for few other kinds first."""
    kinds = {one.name: [question_kind(past) for past in one.learned_from] for one in entries}
    same = [one for one in entries if kind in kinds[one.name]]
    if same or any(question_kind(past) == kind for one in entries for past in one.tried):
        return sorted(same, key=lambda one: -kinds[one.name].count(kind) / len(kinds[one.name]))
    # How thinly a loop may look was learned for one kind of question, and holds for no other.
    about = [
        one
        for one in entries
        if any(past.sense == kind.sense for past in kinds[one.name]) and not is_thinned(one.parsed())
    ]
    return sorted(about, key=lambda one: -len(one.learned_from))[:1]


def _read(path: Path) -> Entry:
    try:
        return _checked(Entry.model_validate_json(_text(path)), path)
    except ValidationError as exc:
        raise BadTool(f"{path.name} is not a tool of the library: {exc.errors()[0]['msg']}.") from exc


def _checked(entry: Entry, path: Path) -> Entry:
    tool = entry.parsed()
    if hash_of(entry.tool) != entry.sha256:
        raise BadTool(
            f"{path.name}: the tool {tool.name!r} was changed after it was signed (its content does not "
            'match its sha256). To use it as your own, import a file with its "tool" object alone.'
        )
    return entry


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES * 64:
            raise FileProblem(f"{path.name} is too large for a file of tools.")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise FileProblem(f"{path.name} cannot be read as text: {exc}.") from exc


def _json(value: Frozen) -> bytes:
    return (json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n").encode()


@cache
def _built_in() -> dict[str, Entry]:
    """Return the tools that come with vidence: the examples and worked tasks of the specification."""
    found: dict[str, Entry] = {}
    data = files("vidence.tools") / "data"
    purposes = json.loads((data / "purposes.json").read_text(encoding="utf-8"))
    for file in sorted((data / "library").iterdir(), key=lambda one: one.name):
        tool = parse_tool(file.read_text(encoding="utf-8"))
        found[tool.name] = entry_of(tool, "built in").model_copy(update={"purposes": purposes[tool.name]})
    return found
