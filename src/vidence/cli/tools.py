"""`vidence tools` and `vidence tool run`: the library of tools, and one tool at work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.markdown import Markdown
from rich.text import Text

from vidence.app import gemini_schema, openai_schema, operation_page
from vidence.app.tools import Admission, Entry, check_file, dry_run_file, induce, propose
from vidence.cli.completion import complete_video
from vidence.cli.op import render
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.errors import UserError
from vidence.schema.language import AnswerLanguage

__all__ = ["tool", "tools"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def tools() -> None:
    """List, explain, induce and share the tools of the workspace.

    \b
    Examples:
      vidence tools list
      vidence tools show locate_first_appearance
      vidence tools induce
    """


@tools.command("list")
@_json
@pass_terminal
def list_tools(terminal: Terminal, as_json: bool) -> None:
    """List the tools, with what the admission test measured."""
    with terminal.workspace() as workspace:
        entries = list(workspace.tools)
        language: AnswerLanguage = "zh" if workspace.settings.language == "zh" else "en"
    if as_json:
        terminal.json(
            [{"name": one.name, "purpose": one.purpose(language), **_facts(one)} for one in entries]
        )
        return
    rows = [(one.name, one.origin, _saved(one.admission), one.purpose(language)) for one in entries]
    terminal.table(("tool", "origin", "calls/tokens/seconds", "purpose"), rows, fold=("purpose",))


@tools.command()
@click.argument("name")
@click.option("--schema", type=click.Choice(["openai", "gemini"]), help="Print its function-calling schema.")
@click.option("--page", is_flag=True, help="Print its page, as for an operation.")
@_json
@pass_terminal
def show(terminal: Terminal, name: str, schema: str | None, page: bool, as_json: bool) -> None:
    """Show a tool: its inputs, outputs and steps.

    \b
    Example:
      vidence tools show count_occurrences --schema openai
    """
    with terminal.workspace() as workspace:
        entry, operation = workspace.tools.get(name), workspace.tools.operation(name)
    if schema:
        terminal.json((openai_schema if schema == "openai" else gemini_schema)(operation))
    elif page:
        text = operation_page(operation)
        terminal.show(Markdown(text) if terminal.out.is_terminal else Text(text))
    elif as_json:
        terminal.json(entry.model_dump(mode="json"))
    else:
        terminal.json(entry.tool)


@tools.command()
@click.argument("name")
@_json
@pass_terminal
def why(terminal: Terminal, name: str, as_json: bool) -> None:
    """Say why a tool is in the library: where it came from and what its admission test measured."""
    with terminal.workspace() as workspace:
        entry = workspace.tools.get(name)
    if as_json:
        terminal.json({"name": entry.name, **_facts(entry)})
        return
    terminal.line(f"{entry.name}: {entry.origin}, sha256 {entry.sha256[:16]}…")
    for question in entry.learned_from:
        terminal.line(f"  for questions such as: {question}")
    if entry.admission is None:
        terminal.line("  not admitted by a test: it was given, not induced")
    else:
        for line in _admission_lines(entry.admission):
            terminal.line(f"  {line}")


@tools.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--video", help="Also run it on this video's recorded results, without any model.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="An input for that dry run.")
@pass_terminal
def check(terminal: Terminal, file: Path, video: str | None, params: tuple[str, ...]) -> None:
    """Check a tool's file: types, templates and names, before anything runs.

    \b
    Example:
      vidence tools check my_tool.json --video holiday.mp4 --param thing=cat
    """
    tool = check_file(file)
    terminal.line(f"{tool.name}: {len(tool.calls)} calls, types hold")
    if video:
        with terminal.workspace() as workspace:
            given = _arguments(tool.inputs, _values(params))
            outcome = dry_run_file(workspace, file, video, given)
        terminal.show(render({"outputs": outcome.outputs, "notes": outcome.notes, "failed": outcome.failed}))


@tools.command()
@click.argument("name")
@pass_terminal
def drop(terminal: Terminal, name: str) -> None:
    """Remove a tool from the workspace."""
    with terminal.workspace() as workspace:
        workspace.tools.drop(name)
    terminal.note(f"dropped {name}")


@tools.command()
@click.argument("names", nargs=-1)
@click.option("--to", "target", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file.")
@pass_terminal
def export(terminal: Terminal, names: tuple[str, ...], target: Path | None) -> None:
    """Write tools (by default all that are not built in) as one file that others can import."""
    with terminal.workspace() as workspace:
        chosen = list(names) or [one.name for one in workspace.tools if one.origin != "built in"]
        if not chosen:
            raise UserError("There are no tools of your own to export. Make some: vidence tools induce")
        text = workspace.tools.export(chosen)
    if target is None:
        terminal.out.print(Text(text), soft_wrap=True)
        return
    target.write_text(text, encoding="utf-8")
    terminal.note(f"wrote {len(chosen)} tools to {target}")


@tools.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@pass_terminal
def import_tools(terminal: Terminal, file: Path) -> None:
    """Add the tools of an exported file, or one tool written by hand; all of them or none."""
    with terminal.workspace() as workspace:
        added = workspace.tools.take(file)
    terminal.note(f"added {', '.join(one.name for one in added) or 'nothing'}")


@tools.command("induce")
@click.option(
    "--max-tools", default=20, show_default=True, type=click.IntRange(1, 100), help="The most to keep."
)
@click.option("--test/--no-test", "with_test", default=True, help="Run the admission test (the default).")
@click.option(
    "--with-llm", "engine", metavar="PROVIDER:MODEL", help="Let a language model propose and name tools."
)
@_json
@pass_terminal
def induce_tools(
    terminal: Terminal, max_tools: int, with_test: bool, engine: str | None, as_json: bool
) -> None:
    """Find tools in the traces of past questions and keep those that pass the admission test.

    A tool must serve two questions about two videos. It stays only if, on videos it was not made from, calls,
    tokens and seconds fall and no answers are lost.

    \b
    Example:
      vidence tools induce --max-tools 10
    """
    with terminal.workspace() as workspace, terminal.progress("induce") as progress:
        report = propose(workspace, engine) if engine is not None else []
        report += induce(workspace, max_tools=max_tools, with_test=with_test, progress=progress)
    if as_json:
        terminal.json([one.model_dump(mode="json") for one in report])
        return
    for one in report:
        terminal.line(f"{'kept   ' if one.kept else 'dropped'} {one.name}: {one.reason}")
    if not report:
        terminal.note("No calls recur in the traces yet. Ask more questions about more videos first.")


@click.group()
def tool() -> None:
    """Run a tool on a video.

    \b
    Example:
      vidence tool run locate_first_appearance holiday.mp4 --param description=cat
    """


@tool.command("run")
@click.argument("name")
@click.argument("video", shell_complete=complete_video)
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="An input; JSON where it is no text."
)
@click.option("--record", "with_record", is_flag=True, help="Add the provenance record.")
@_json
@pass_terminal
def run_tool(
    terminal: Terminal, name: str, video: str, params: tuple[str, ...], with_record: bool, as_json: bool
) -> None:
    """Run a tool on a video and print its outputs with the records they rest on."""
    with terminal.workspace() as workspace:
        arguments = _arguments(workspace.tools.get(name).parsed().inputs, _values(params))
        with terminal.progress("add") as progress:
            arguments["video_id"] = workspace.resolve(video, progress=progress).video_id
        with terminal.progress(name) as progress:
            outcome = workspace.run(name, arguments, progress=progress)
    result = outcome.result.model_dump(mode="json")
    told: dict[str, Any] = {"result": result, "record": outcome.record.model_dump(mode="json")}
    if as_json:
        terminal.json(told if with_record else result)
    else:
        terminal.show(render(result))
        if with_record:
            terminal.show(render({"record": told["record"]}))


def _arguments(inputs: Mapping[str, Any], values: dict[str, str]) -> dict[str, Any]:
    """Return the inputs by their types: text stays text, the rest is read as JSON."""
    found: dict[str, Any] = {}
    for key, text in values.items():
        if key in inputs and inputs[key].type != "string":
            try:
                found[key] = json.loads(text)
            except ValueError as exc:
                kind = inputs[key].type
                raise UserError(f"--param {key}: {text!r} is no JSON of type {kind}: {exc}.") from exc
        else:
            found[key] = text
    return found


def _values(params: tuple[str, ...]) -> dict[str, str]:
    pairs = [param.partition("=") for param in params]
    for name, sign, _ in pairs:
        if not sign or not name:
            raise UserError(f"--param is {name!r}; write NAME=VALUE, like thing=cat.")
    return {name.strip(): value for name, _, value in pairs}


def _facts(entry: Entry) -> dict[str, Any]:
    return entry.model_dump(mode="json", include={"origin", "sha256", "learned_from", "admission"})


def _saved(admission: Admission | None) -> str:
    if admission is None:
        return "–"
    pairs = (admission.calls, admission.tokens, admission.seconds)
    return " ".join(f"{after / before - 1:+.0%}" if before else "–" for before, after in pairs)


def _admission_lines(admission: Admission) -> list[str]:
    asked = f"{admission.questions} questions about {admission.videos} videos it was not made from"
    return [
        f"{'admitted' if admission.kept else 'not admitted'}: {admission.reason}",
        f"tested on {asked}",
        f"calls {admission.calls[0]:g} → {admission.calls[1]:g}",
        f"tokens {admission.tokens[0]:.0f} → {admission.tokens[1]:.0f}",
        f"seconds {admission.seconds[0]:.1f} → {admission.seconds[1]:.1f}",
        f"right {admission.right[0]} → {admission.right[1]} (p = {admission.p_value:.2f})",
    ]
