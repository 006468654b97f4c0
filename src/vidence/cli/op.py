"""`vidence op NAME`: every operation as a command, made from its one definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, get_args

import click
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from vidence.app import COMPOSED, OPERATIONS, Operation, get_operation
from vidence.cli.completion import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.errors import OpRetry, UnknownName
from vidence.schema.read_json import load_json
from vidence.schema.time import TimeRange, parse_timecode

__all__ = ["op", "render"]

_UNIX_TIME = 10**8
"""Larger numbers in a field called …_at are seconds since 1970."""
_TIME_FIELDS = ("timestamp", "initial_timestamp", "start_time", "end_time")


class OperationGroup(click.Group):
    """A group whose commands are the catalogue's rows."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(OPERATIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in OPERATIONS and cmd_name not in COMPOSED:
            raise UnknownOperation(cmd_name)
        return _command(get_operation(cmd_name))


class UnknownOperation(click.UsageError):
    """An operation that does not exist, with the names nearest to it."""

    def __init__(self, name: str) -> None:
        super().__init__(str(UnknownName("operation", name, OPERATIONS, remedy="See: vidence ops")))


@click.group(cls=OperationGroup)
def op() -> None:
    """Run one atomic operation on a video.

    \b
    Example:
      vidence op get_temporal_structure holiday.mp4 --granularity fine --json
    """


def _command(operation: Operation[Any, Any]) -> click.Command:
    fields = {name: field for name, field in operation.request.model_fields.items() if name != "video_id"}

    @pass_terminal
    def callback(terminal: Terminal, /, **values: Any) -> None:
        _run(terminal, operation, values)

    options: list[click.Parameter] = [
        click.Argument(["video"], required=False, shell_complete=complete_video),
        click.Option(
            ["--video-id"], help="The video, instead of the argument.", shell_complete=complete_video
        ),
        *(_option(name, field) for name, field in fields.items()),
        click.Option(["--params"], metavar="JSON", help="All arguments as one JSON object."),
        click.Option(["--record", "with_record"], is_flag=True, help="Add the provenance record."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
    ]
    example = " ".join(f"--{key.replace('_', '-')} {value}" for key, value in operation.example.items())
    text = f"{operation.purpose}\n\n\b\nExample:\n  vidence op {operation.name} my.mp4 {example}"
    return click.Command(
        operation.name, callback=callback, params=options, help=text, short_help=operation.purpose
    )


def _option(name: str, field: FieldInfo) -> click.Option:
    default = "" if field.is_required() else f"  [default: {field.default}]"
    return click.Option(
        [f"--{name.replace('_', '-')}", name],
        metavar=_metavar(field),
        help=f"{field.description or ''}{default}",
        shell_complete=lambda ctx, param, incomplete: [
            choice for choice in _choices(field) if choice.startswith(incomplete)
        ],
    )


def _metavar(field: FieldInfo) -> str:
    if choices := _choices(field):
        return "|".join(choices)
    return "START-END" if _holds(field, TimeRange) else "VALUE"


def _choices(field: FieldInfo) -> list[str]:
    return [arg for arg in get_args(field.annotation) if isinstance(arg, str)]


def _run(terminal: Terminal, operation: Operation[Any, Any], values: dict[str, Any]) -> None:
    arguments = _arguments(operation, values)
    with terminal.workspace(must_keep=False) as workspace:
        if arguments.get("video_id"):
            with terminal.progress("add") as progress:
                video = workspace.resolve(str(arguments["video_id"]), progress=progress)
            arguments["video_id"] = video.video_id
            _fill_times(terminal, operation, arguments, video.info.duration_s)
        with terminal.progress(operation.name) as progress:
            outcome = workspace.run(operation.name, arguments, progress=progress)
    result = outcome.result.model_dump(mode="json")
    record = outcome.record.model_dump(mode="json")
    if values["as_json"]:
        terminal.json({"result": result, "record": record} if values["with_record"] else result)
        return
    terminal.show(render(result))
    if values["with_record"]:
        terminal.show(render({"record": record}))


def _fill_times(
    terminal: Terminal, operation: Operation[Any, Any], arguments: dict[str, Any], duration_s: float
) -> None:
    """Give times that are needed and not told: the whole video, or its middle where one moment is meant."""
    needed = [
        name
        for name, field in operation.request.model_fields.items()
        if field.is_required() and name not in arguments
    ]
    whole = {"start_time": 0.0, "end_time": round(duration_s, 3)}
    for name in needed:
        if name in whole:
            arguments[name] = whole[name]
        elif name in _TIME_FIELDS:
            arguments[name] = round(duration_s / 2, 2)
            terminal.note(f"note: no --{name.replace('_', '-')} given: the middle, {arguments[name]:g} s.")


def _arguments(operation: Operation[Any, Any], values: dict[str, Any]) -> dict[str, Any]:
    arguments = _json_object(values["params"]) if values["params"] else {}
    video = values["video"] or values["video_id"]
    if video:
        arguments["video_id"] = video
    for name, field in operation.request.model_fields.items():
        if name != "video_id" and values.get(name) is not None:
            arguments[name] = _parse(name, field, values[name])
    return arguments


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = load_json(text)
    except ValueError as exc:
        raise OpRetry(
            f'--params is not JSON: {exc}. Example: --params \'{{"granularity": "fine"}}\''
        ) from exc
    if not isinstance(value, dict):
        raise OpRetry('--params must be one JSON object, like \'{"granularity": "fine"}\'')
    return value


def _parse(name: str, field: FieldInfo, text: str) -> Any:
    """Parse an option's text for its field; Pydantic validates the value."""
    if text == "null":
        return None
    parser: Callable[[str], Any] | None = None
    if _holds(field, TimeRange):
        parser = _parse_span
    elif name in _TIME_FIELDS:
        parser = parse_timecode
    elif text.startswith(("[", "{")) and not _is_words(field):
        parser = load_json
    elif _holds(field, list):
        parser = _parse_list
    try:
        return parser(text) if parser else text
    except ValueError as exc:
        raise OpRetry(f"--{name.replace('_', '-')}: {exc}") from exc


def _parse_span(text: str) -> Any:
    if text.startswith("{"):
        return load_json(text)
    start, dash, end = text.partition("-")
    if not dash:
        raise ValueError(f"{text!r} is not a span: write START-END, like 10-20 or 1:05-1:20")
    return {"start_time": parse_timecode(start), "end_time": parse_timecode(end)}


def _parse_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_words(field: FieldInfo) -> bool:
    """Return whether the field takes plain text only, so that "[laughs]" is text and not a list."""
    return _holds(field, str) and not _holds(field, list) and not _holds(field, dict)


def _holds(field: FieldInfo, kind: type) -> bool:
    """Return whether the field's type is or contains `kind`."""

    def flat(annotation: Any) -> list[Any]:
        return [
            annotation,
            getattr(annotation, "__origin__", None),
            *(a for arg in get_args(annotation) for a in flat(arg)),
        ]

    return kind in flat(field.annotation)


def render(result: Mapping[str, Any]) -> RenderableType:
    """Return a dumped result as lines of facts and tables."""
    facts = Table.grid(padding=(0, 2))
    tables: list[tuple[str, list[Mapping[str, Any]]]] = []
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            tables.append((name, value))
        else:
            facts.add_row(f"[bold]{name}[/bold]", _field(name, value))
    parts: list[RenderableType] = [facts] if facts.row_count else []
    for name, rows in tables:
        parts += [f"[bold]{name}[/bold]", _rows_table(rows)]
    return Group(*parts)


def _rows_table(rows: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # A column that every row leaves empty is not shown.
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if value is not None))
    for column in columns:
        numeric = all(isinstance(row.get(column), int | float) for row in rows) and column[-3:] != "_at"
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_field(column, row.get(column)) for column in columns))
    return table


def _field(name: str, value: Any) -> str:
    """Return a value as text; a Unix time as a date."""
    if name.endswith("_at") and isinstance(value, int | float) and value >= _UNIX_TIME:
        return f"{datetime.fromtimestamp(value):%Y-%m-%d %H:%M:%S}"
    return _text(value)


def _text(value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".")
        case Mapping():
            return ", ".join(f"{key} {_field(str(key), item)}" for key, item in value.items())
        case list() | tuple():
            return _joined(value)
        case _:
            # Text may come from a video; it must not be read as markup.
            return escape(visible(value))


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(_text(value) for value in values) or "none"
