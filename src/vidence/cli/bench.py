"""`vidence bench NAME`: measurements, each beside a peer or a limit in the same run."""

from __future__ import annotations

import click

from vidence.app import BENCHMARKS

__all__ = ["bench"]


class BenchmarkGroup(click.Group):
    """A group whose commands are the benchmark rows."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(BENCHMARKS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in BENCHMARKS:
            return None
        command: click.Command = BENCHMARKS.resolve(cmd_name)
        return command


@click.group(cls=BenchmarkGroup)
def bench() -> None:
    """Measure vidence on real media beside its peers.

    \b
    Example:
      vidence bench shots
    """
