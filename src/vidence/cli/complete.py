"""What Tab offers where a command wants a video."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from vidence.app import open_workspace
from vidence.cli.options import Options
from vidence.errors import VidenceError
from vidence.settings import load_settings

__all__ = ["complete_video"]


def complete_video(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids and file names of the workspace, and files."""
    files = [CompletionItem(incomplete, type="file")]
    options = ctx.find_object(Options) or Options()
    try:
        settings = load_settings(home=ctx.find_root().params.get("home") or options.home)
        if not settings.home.exists():
            return files
        with open_workspace(settings) as workspace:
            videos = workspace.videos()
    except VidenceError:
        # A person pressing Tab has not asked anything yet.
        return files
    names = dict.fromkeys([video.name for video in videos] + [video.video_id for video in videos])
    known = [CompletionItem(name) for name in names if incomplete and name.startswith(incomplete)]
    return known or files
