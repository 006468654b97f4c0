"""The command group, its options, and the one place where errors become exit codes."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from vidence import __version__
from vidence.cli.options import KEPT, GlobalOptions
from vidence.cli.text import visible, visible_lines
from vidence.errors import VidenceError

__all__ = ["DefaultGroup", "LazyGroup", "cli", "main"]

# Named, not imported, so that `vidence --help` and completion stay instant.
_COMMANDS: Mapping[str, tuple[str, str]] = {
    "add": ("vidence.cli.library:add", "Add videos: files, folders or globs."),
    "list": ("vidence.cli.library:list_videos", "List the videos of the workspace."),
    "info": ("vidence.cli.library:info", "Show what is known about a video."),
    "remove": ("vidence.cli.library:remove", "Remove videos from the workspace; the files are kept."),
    "index": ("vidence.cli.index:index", "Index videos; a stopped run resumes."),
    "status": ("vidence.cli.index:status", "Show the progress of a video's index."),
    "report": ("vidence.cli.report:report", "Print a report of a video's content."),
    "transcript": ("vidence.cli.report:transcript", "Print the transcript, also as .srt or .vtt."),
    "summarise": ("vidence.cli.summary:summarise_command", "Say what videos are about, with chapters."),
    "search": ("vidence.cli.search:search", "Find a moment by words, in all videos or one."),
    "ask": ("vidence.cli.ask:ask", "Ask a question; the answer comes with its evidence."),
    "story": ("vidence.cli.story:story", "Ask a novel, a script or a series; with quotations."),
    "plan": ("vidence.cli.plan:plan", "Answer by planning; navigate; track beliefs."),
    "monitor": ("vidence.cli.monitor:monitor", "Look into a topic; get a briefing with its sources."),
    "trace": ("vidence.cli.trace:trace", "Show, replay or remove traces of runs."),
    "op": ("vidence.cli.op:op", "Run one atomic operation on a video."),
    "ops": ("vidence.cli.ops:ops", "List the operations, or explain one."),
    "tool": ("vidence.cli.tools:tool", "Run a tool on a video."),
    "tools": ("vidence.cli.tools:tools", "List, explain, induce and share tools."),
    "models": ("vidence.cli.models:models", "List the models, or fetch them."),
    "chat": ("vidence.cli.chat:chat", "Chat about videos, with memory across sessions."),
    "memory": ("vidence.cli.memory:memory", "Add, search, correct and delete memories."),
    "serve": ("vidence.web.command:serve", "Open the web page and serve the API."),
    "mcp": ("vidence.mcp.command:mcp", "Serve assistants over the Model Context Protocol."),
    "bench": ("vidence.cli.bench:bench", "Compare vidence with its peers."),
    "doctor": ("vidence.cli.doctor:doctor", "Check the installation."),
    "completion": ("vidence.cli.completion:completion", "Print the completion script of a shell."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is used."""

    def __init__(self, *args: Any, rows: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = self._rows.get(cmd_name)
        if row is None:
            return None
        module, _, attribute = row[0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._rows.items()])


class DefaultGroup(click.Group):
    """A group that runs its `default` command where the first word is none of its commands."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            args = [self.default, *args]
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    rows=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="vidence")
@click.option(
    "--home", type=click.Path(path_type=Path), help="Workspace folder (default: $VIDENCE_HOME or ~/.vidence)."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, home: Path | None, quiet: bool, debug: bool) -> None:
    """Ask videos questions and get answers with evidence.

    \b
    Example:
      vidence add holiday.mp4
      vidence op get_temporal_structure holiday.mp4 --granularity fine
    """
    ctx.obj = GlobalOptions(home=home, quiet=quiet, debug=debug)


def main() -> None:
    """Run the command line and exit with 0, 1 (failure) or 2 (usage)."""
    debug = "--debug" in sys.argv
    _speak_any_language()
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except VidenceError as exc:
        code = _fail(str(exc), exc.exit_code, exc if debug else None)
    except click.exceptions.NoArgsIsHelpError as exc:
        click.echo(exc.format_message())
        code = 0
    except click.ClickException as exc:
        told = io.StringIO()
        exc.show(told)
        click.echo(visible_lines(told.getvalue()), err=True, nl=False)
        _hint_at_dash(exc)
        code = exc.exit_code
    except (KeyboardInterrupt, click.Abort):
        code = _fail(f"stopped; {KEPT}", 130, None)
        leave_workers(code)
    except BrokenPipeError:
        # The reader (head, less) went away; point stdout elsewhere so that the exit stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        code = _fail(
            "there is not enough memory for this. Close other programs, or raise the limit.", 1, None
        )
    except OSError as exc:
        where = f"{exc.filename}: " if exc.filename else ""
        code = _fail(f"{where}{exc.strerror or exc}", 1, exc if debug else None)
    sys.exit(code if isinstance(code, int) else 0)


def _hint_at_dash(exc: click.ClickException) -> None:
    if isinstance(exc, click.NoSuchOption):
        for name in sys.argv[1:]:
            if name.startswith("-") and os.path.lexists(name):
                click.echo(f"Name a file that begins with a dash like this: ./{visible(name)}", err=True)


def leave_workers(code: int) -> None:
    """Exit without waiting for worker threads that are still stopping."""
    others = (one for one in threading.enumerate() if one is not threading.main_thread())
    if any(not one.daemon for one in others):
        sys.stdout.flush()
        os._exit(code)


def _speak_any_language() -> None:
    """Escape what the terminal's encoding cannot write, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(message: str, code: int, exc: BaseException | None) -> int:
    if exc is not None:
        raise exc
    click.echo(f"{click.style('error:', fg='red')} {visible(message)}", err=True)
    return code
