"""Tab completion: what it offers for a video, and `vidence completion`, which switches it on."""

from __future__ import annotations

import logging

import click
from click.shell_completion import CompletionItem, get_completion_class

from vidence.app import load_settings, open_workspace
from vidence.cli.options import GlobalOptions
from vidence.errors import VidenceError

__all__ = ["complete_video", "completion"]


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


def complete_video(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids and file names of the workspace, and files."""
    files = [CompletionItem(incomplete, type="file")]
    options = ctx.find_object(GlobalOptions) or GlobalOptions()
    # Pressing Tab must print neither a warning nor an error.
    logging.getLogger("vidence").addHandler(logging.NullHandler())
    try:
        settings = load_settings(home=ctx.find_root().params.get("home") or options.home)
        if not settings.home.exists():
            return files
        with open_workspace(settings) as workspace:
            videos = workspace.videos()
    except VidenceError:
        return files
    names = dict.fromkeys([video.name for video in videos] + [video.video_id for video in videos])
    known = [CompletionItem(name) for name in names if incomplete and name.startswith(incomplete)]
    return known or files
