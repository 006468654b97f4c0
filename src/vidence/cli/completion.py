"""`vidence completion SHELL`: the script that makes Tab work."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["completion"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      vidence completion bash >> ~/.bashrc
    """
    maker = get_completion_class(shell)
    assert maker is not None, "click knows the three shells offered"
    click.echo(maker(ctx.find_root().command, {}, "vidence", "_VIDENCE_COMPLETE").source())
