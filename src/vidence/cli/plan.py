"""`vidence plan`: a question answered by planning, the next step of a walk, and who believes what."""

from __future__ import annotations

import sys

import click
from rich.text import Text

from vidence.app.paths import expand
from vidence.app.plan import beliefs as report_beliefs
from vidence.app.plan import next_action
from vidence.app.report import story_of
from vidence.cli.ask import answer_options, engine_option, listening, parse_budget, show_answer
from vidence.cli.completion import complete_video
from vidence.cli.main import DefaultGroup
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.schema.navigation import ACTIONS, NavigationAction

__all__ = ["plan"]

_MARKS = {True: " ✓", False: " ✗", None: ""}
_images = click.option(
    "--image",
    "images",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="A picture (repeat for several).",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=DefaultGroup, default="ask", context_settings={"ignore_unknown_options": True})
def plan() -> None:
    """Answer by planning tool calls: `vidence plan VIDEO… "QUESTION"` is short for `vidence plan ask`.

    \b
    Examples:
      vidence plan talk.mp4 "What is said about the cat?"
      vidence plan walk "Go past the sofa, then turn left." --image now.jpg
      vidence plan beliefs "Sally puts the ball in the box. Sally leaves." "Where is the ball?"
    """


@plan.command()
@click.argument(
    "words", nargs=-1, required=True, metavar='[VIDEO]… "QUESTION"', shell_complete=complete_video
)
@_images
@answer_options
@pass_terminal
def ask(
    terminal: Terminal,
    words: tuple[str, ...],
    images: tuple[str, ...],
    engine: str | None,
    budget: str | None,
    as_json: bool,
    events: bool,
) -> None:
    """Answer a question about videos, pictures and what is remembered, by planning.

    A planner chooses a tool, an executor runs it, until the answer can be given with its evidence.

    \b
    Examples:
      vidence plan ask holiday.mp4 "Who comes to the table?"
      vidence plan ask 桌上有什么？ --image table.jpg
    """
    with terminal.workspace(must_keep=False) as workspace, listening(terminal, events) as listener:
        answer = workspace.plan(
            words[-1],
            list(expand(words[:-1])),
            image=list(images) or None,
            engine=engine,
            budget=parse_budget(budget) if budget else None,
            listener=listener,
        )
    show_answer(terminal, answer, as_json=as_json, events=events)
    if answer.status == "failed":
        raise click.exceptions.Exit(1)


@plan.command()
@click.argument("instruction")
@_images
@click.option(
    "--done",
    "history",
    multiple=True,
    type=click.Choice(ACTIONS),
    metavar="ACTION",
    help=f"An action already taken, the oldest first: {', '.join(ACTIONS)}.",
)
@engine_option
@_json
@pass_terminal
def walk(
    terminal: Terminal,
    instruction: str,
    images: tuple[str, ...],
    history: tuple[NavigationAction, ...],
    engine: str | None,
    as_json: bool,
) -> None:
    """Choose the next action on the route that INSTRUCTION describes.

    The pictures show the route so far, the oldest first; the last one is the current view.

    \b
    Examples:
      vidence plan walk "Walk until you see the cat, then turn left." --image now.jpg
      vidence plan walk 走到沙发旁边，然后右转。 --image 1.jpg --image 2.jpg --done move_forward
    """
    with terminal.workspace() as workspace:
        step = next_action(workspace, instruction, images, history, engine=engine)
    if as_json:
        terminal.json(step.model_dump(mode="json"))
        return
    terminal.out.print(Text(step.action, style="bold"))
    terminal.line(step.reason)
    for number, clause in enumerate(step.clauses, 1):
        terminal.line(f"{'✓' if number <= step.clauses_done else '·'} {clause}")


@plan.command()
@click.argument("words", nargs=-1, required=True, metavar='[STORY] "QUESTION"')
@click.option("--video", help="A video whose pictures and speech are the story, or part of it.")
@engine_option
@_json
@pass_terminal
def beliefs(
    terminal: Terminal, words: tuple[str, ...], video: str | None, engine: str | None, as_json: bool
) -> None:
    """Report who knows or believes what after a STORY (`-` reads it from stdin).

    Each line after the answer is a belief: ✓ if it is true, ✗ if it is false.

    \b
    Examples:
      vidence plan beliefs "Sally puts the ball in the box. Sally leaves. Anne puts the ball in
        the basket." "Where will Sally look for the ball?"
      vidence plan beliefs --video talk.mp4 "Who knows where the key is?"
    """
    if len(words) > 2:
        raise click.UsageError("Give one story and one question, each in quotation marks.")
    story, question = words if len(words) == 2 else ("", words[0])
    text = sys.stdin.read() if story == "-" else story
    with terminal.workspace() as workspace:
        if video:
            text = f"{text}\n{story_of(workspace, video)}"
        found = report_beliefs(workspace, question, text, engine=engine)
    if as_json:
        terminal.json(found.model_dump(mode="json"))
        return
    terminal.out.print(Text(visible(found.answer), style="bold"), soft_wrap=True)
    if found.explanation:
        terminal.line(found.explanation)
    for one in found.beliefs:
        terminal.line(f"  {one.person}: {one.about} → {one.believes or '?'}{_MARKS[one.is_true]}")
