"""`vidence doctor`: what is installed, what works, and what to do about the rest."""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.markup import escape
from rich.table import Table

from vidence.app import examine, examine_engine
from vidence.app.doctor import repair_workspace
from vidence.cli.terminal import Terminal, pass_terminal

__all__ = ["doctor"]

_MARKS = {"ok": "[green]✓[/green]", "warn": "[yellow]![/yellow]", "fail": "[red]✗[/red]"}


@click.command()
@click.option("--engine", metavar="NAME", help="Send one tiny request to this engine and report.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--repair", "repairs", is_flag=True, help="Save what can be read of a damaged database into a new one."
)
@pass_terminal
def doctor(terminal: Terminal, engine: str | None, as_json: bool, repairs: bool) -> None:
    """Check the installation, or one engine; exits with 1 if something does not work.

    \b
    Example:
      vidence doctor
      vidence doctor --repair
      vidence doctor --engine ollama:qwen3
    """
    settings = terminal.settings()
    if repairs:
        for line in repair_workspace(settings):
            terminal.note(line)
    checks = examine(settings) if engine is None else examine_engine(settings, engine)
    if as_json:
        terminal.json([asdict(check) for check in checks])
    else:
        table = Table.grid(padding=(0, 2))
        for check in checks:
            remedy = f"\n[dim]→ {escape(check.remedy)}[/dim]" if check.remedy else ""
            table.add_row(_MARKS[check.status], check.name, escape(check.finding) + remedy)
        terminal.show(table)
    if any(check.status == "fail" for check in checks):
        raise click.exceptions.Exit(1)
