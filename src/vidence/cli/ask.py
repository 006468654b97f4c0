"""`vidence ask`: a question about videos, and an answer with the moments that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from vidence.app.answer import Answer, answer_lines, gap_lines, save_frames
from vidence.app.narration import Narrator
from vidence.app.pages import answer_page, save_page
from vidence.app.paths import expand
from vidence.cli.completion import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.errors import UserError
from vidence.schema.agent import Budget
from vidence.schema.events import Listener, StepEvent, Working

__all__ = [
    "answer_options",
    "ask",
    "engine_option",
    "listening",
    "parse_budget",
    "show_answer",
    "split_options",
]

_LIMITS = {"steps": int, "llm_calls": int, "frames": int, "tokens": int, "seconds": float}
engine_option = click.option(
    "--engine",
    metavar="PROVIDER:MODEL",
    help="Engine (default: from the settings; embedded needs no LLM).",
)
_ANSWER_OPTIONS = (
    engine_option,
    click.option(
        "--budget", metavar="KEY=N,…", help="Hard limits: steps, llm_calls, frames, tokens, seconds."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON."),
    click.option("--events", is_flag=True, help="Print every step as a line of JSON, the answer last."),
)


def answer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that `ask` and `plan` share."""
    for option in reversed(_ANSWER_OPTIONS):
        command = option(command)
    return command


@contextmanager
def listening(terminal: Terminal, events: bool) -> Iterator[Listener]:
    """Yield a listener that prints a run's steps: as JSON lines, or in words on stderr."""
    if events:
        yield _emit
        return
    with closing(Narrator(terminal.note, terminal.progress)) as narrator:
        yield narrator


def show_answer(terminal: Terminal, answer: Answer, *, as_json: bool, events: bool) -> None:
    """Print an answer with its evidence, or as JSON; `--events` has printed it already."""
    if as_json:
        terminal.json(answer.model_dump(mode="json"))
    elif not events:
        head, *rest = answer_lines(answer)
        terminal.out.print(Text(visible(head), style="bold"), soft_wrap=True)
        for line in rest:
            terminal.line(line)
        for gap in gap_lines(answer):
            terminal.note(gap)
        if answer.trace_id:
            terminal.note(f"trace {answer.trace_id}")


@click.command()
@click.argument("words", nargs=-1, required=True, metavar='VIDEO… "QUESTION"', shell_complete=complete_video)
@click.option("--options", multiple=True, metavar="A|B|C", help="Answer options, separated by | or repeated.")
@click.option("--all", "everything", is_flag=True, help="Ask every indexed video of the workspace.")
@click.option(
    "--frames",
    "frames_dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Save the evidence frames here, with boxes drawn.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the answer with its evidence to this file, too.",
)
@click.option("--no-operations", is_flag=True, help="Let the Solver look at frames only.")
@click.option("--with-tools", is_flag=True, help="Offer the workspace's tools beside the operations.")
@click.option("--forget", is_flag=True, help="Do not keep the answer in the video's memory.")
@answer_options
@pass_terminal
def ask(
    terminal: Terminal,
    words: tuple[str, ...],
    options: tuple[str, ...],
    everything: bool,
    frames_dir: Path | None,
    page: Path | None,
    no_operations: bool,
    with_tools: bool,
    forget: bool,
    engine: str | None,
    budget: str | None,
    as_json: bool,
    events: bool,
) -> None:
    """Ask a question about videos; print an answer, its confidence and its evidence.

    Videos that are not indexed yet are indexed first. The last argument is the question; the answer is in
    its language.

    \b
    Examples:
      vidence ask holiday.mp4 "How many people come to the table?"
      vidence ask match.mp4 谁先进球？ --options "红队|蓝队"
      vidence ask --all "Where does she talk about Paris?" --budget seconds=60
    """
    videos, question = list(words[:-1]), words[-1]
    if not videos and not everything:
        if Path(question).suffix and len(question.split()) == 1:
            raise click.UsageError(f'Write a question after the video: vidence ask {question} "…"')
        raise click.UsageError('Name a video before the question, or ask all of them: vidence ask --all "…"')
    limits = parse_budget(budget) if budget else Budget()
    with terminal.workspace(must_keep=False) as workspace:
        with listening(terminal, events) as listener:
            answer = workspace.ask(
                None if everything and not videos else list(expand(videos)),
                question,
                options=split_options(options),
                engine=engine,
                budget=limits,
                listener=listener,
                may_call_operations=not no_operations,
                with_tools=with_tools,
                remember=not forget,
            )
        saved = save_frames(workspace, answer, frames_dir) if frames_dir else []
        if page is not None:
            save_page(page, answer_page(workspace, answer))
            saved.append(page)
    show_answer(terminal, answer, as_json=as_json, events=events)
    for path in saved:
        terminal.note(str(path))
    if answer.status == "failed":
        raise click.exceptions.Exit(1)


def parse_budget(text: str) -> Budget:
    """Return the limits written as `steps=5,seconds=60`."""
    limits: dict[str, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, value = part.partition("=")
        kind = _LIMITS.get(name.strip())
        if kind is None:
            raise click.UsageError(f"--budget knows no {name.strip()!r}; it has {', '.join(_LIMITS)}.")
        try:
            limits[name.strip()] = kind(value)
        except ValueError:
            raise click.UsageError(f"--budget {name.strip()} is {value!r}; write a number.") from None
        if not 0 < limits[name.strip()] < float("inf"):
            raise click.UsageError(f"--budget {name.strip()} is {value}; it must be more than 0.")
    return Budget.model_validate(limits)


def split_options(given: tuple[str, ...]) -> list[str]:
    """Return the options, each given on its own or several split by `|`."""
    options = [option.strip() for one in given for option in one.replace("｜", "|").split("|")]
    if given and not any(options):
        raise UserError('The options are empty. Write them like: --options "left|middle|right"')
    return options


def _emit(event: StepEvent) -> None:
    if isinstance(event, Working):
        return
    Terminal.event(event.model_dump(mode="json"))
