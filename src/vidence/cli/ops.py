"""`vidence ops`: the catalogue of operations."""

from __future__ import annotations

import click
from rich.markdown import Markdown
from rich.text import Text

from vidence.app import (
    COMPOSED,
    OPERATIONS,
    all_operations,
    gemini_schema,
    get_operation,
    openai_schema,
    operation_page,
)
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.errors import UnknownName

__all__ = ["ops"]


def _complete_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in OPERATIONS if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_complete_name)
@click.option(
    "--schema", type=click.Choice(["openai", "gemini"]), help="Print function-calling schemas as JSON."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def ops(terminal: Terminal, name: str | None, schema: str | None, as_json: bool) -> None:
    """List the operations, or explain one.

    \b
    Example:
      vidence ops get_temporal_structure
      vidence ops --schema openai > tools.json
    """
    if name and name not in OPERATIONS and name not in COMPOSED:
        raise click.UsageError(str(UnknownName("operation", name, OPERATIONS, remedy="See: vidence ops")))
    chosen = [get_operation(name)] if name else all_operations()
    if schema:
        convert = openai_schema if schema == "openai" else gemini_schema
        terminal.json([convert(operation) for operation in chosen])
    elif as_json:
        terminal.json([{"name": o.name, "category": o.category, "purpose": o.purpose} for o in chosen])
    elif name:
        page = operation_page(chosen[0])
        terminal.show(Markdown(page) if terminal.out.is_terminal else Text(page))
    else:
        rows = [(operation.name, operation.category, operation.purpose) for operation in chosen]
        terminal.table(("operation", "category", "purpose"), rows)
