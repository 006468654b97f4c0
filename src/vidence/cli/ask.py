"""`vidence ask`: a question about videos, and an answer with the moments that prove it."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click
from rich.markup import escape

from vidence.app.ask import ask as ask_workspace
from vidence.cli.complete import complete_video
from vidence.cli.evidence import save_frames
from vidence.cli.narration import Narrator
from vidence.cli.paths import expand
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import json_text, visible
from vidence.errors import UserError
from vidence.runs.brief import evidence_line
from vidence.schema.agent import AgentAnswer, Budget
from vidence.schema.events import StepEvent, Working

__all__ = ["ask", "parse_budget", "split_options"]

_LIMITS = {"steps": int, "llm_calls": int, "frames": int, "tokens": int, "seconds": float}
_WORDS = {
    "en": ("confidence", "sure", "evidence", "note"),
    "zh": ("置信度", "把握", "证据", "说明"),
}


@click.command()
@click.argument("words", nargs=-1, required=True, metavar='VIDEO… "QUESTION"', shell_complete=complete_video)
@click.option(
    "--options", multiple=True, metavar="A|B|C", help="What to choose from, split by | or repeated."
)
@click.option(
    "--engine",
    metavar="PROVIDER:MODEL",
    help="Who answers (default: the settings' engine; embedded needs no LLM).",
)
@click.option("--budget", metavar="KEY=N,…", help="Hard limits: steps, llm_calls, frames, tokens, seconds.")
@click.option("--all", "everything", is_flag=True, help="Ask every indexed video of the workspace.")
@click.option(
    "--frames",
    "frames_dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Save the evidence frames here, with boxes drawn.",
)
@click.option("--no-operations", is_flag=True, help="Let the Solver look at frames only.")
@click.option("--forget", is_flag=True, help="Do not keep the answer in the video's memory.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--events", is_flag=True, help="Print every step as a line of JSON, the answer last.")
@pass_terminal
def ask(
    terminal: Terminal,
    words: tuple[str, ...],
    options: tuple[str, ...],
    engine: str | None,
    budget: str | None,
    everything: bool,
    frames_dir: Path | None,
    no_operations: bool,
    forget: bool,
    as_json: bool,
    events: bool,
) -> None:
    """Ask a question about videos: an answer, how sure it is, and the moments that prove it.

    What is not indexed yet is indexed first. The last word is the question; the answer is in its language.

    \b
    Examples:
      vidence ask holiday.mp4 "How many people come to the table?"
      vidence ask match.mp4 谁先进球？ --options "红队|蓝队"
      vidence ask --all "Where does she talk about Paris?" --budget seconds=60
    """
    videos, question = list(words[:-1]), words[-1]
    if not videos and not everything:
        raise click.UsageError('Name a video before the question, or ask all of them: vidence ask --all "…"')
    limits = parse_budget(budget) if budget else Budget()
    with terminal.workspace() as workspace, ExitStack() as stack:
        narrator = Narrator(terminal, stack)
        answer = ask_workspace(
            workspace,
            None if everything and not videos else list(expand(videos)),
            question,
            options=split_options(options),
            engine=engine,
            budget=limits,
            listener=_emit if events else narrator,
            may_call_operations=not no_operations,
            remember=not forget,
        )
        stack.close()
        saved = save_frames(workspace, answer, frames_dir) if frames_dir else []
    if as_json:
        terminal.json(answer.model_dump(mode="json"))
    elif not events:
        _print(terminal, answer)
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
    sys.stdout.write(json_text(event.model_dump(mode="json")) + "\n")
    sys.stdout.flush()


def _print(terminal: Terminal, answer: AgentAnswer) -> None:
    confidence, sure, evidence, gaps = _WORDS[answer.language]
    terminal.out.print(f"[bold]{_escaped(answer.answer)}[/bold]", soft_wrap=True)
    if _letters(answer.explanation) not in _letters(answer.answer):
        terminal.line(answer.explanation)
    terminal.line(f"{confidence} {answer.confidence_score}/5 ({answer.probability:.0%} {sure})")
    records = {record.record_id: record for record in answer.evidence}
    names = {video.video_id: video.name for video in answer.videos}
    lines = []
    for claim in answer.claims:
        for citation in claim.citations:
            record = records[citation.record_id]
            where = f"{names.get(record.video_id or '', '')} " if len(names) > 1 else ""
            lines.append(f"  {where}{evidence_line(record, citation, answer.language)}")
    if lines:
        terminal.line(f"{evidence}:")
    for line in dict.fromkeys(lines):
        terminal.line(line)
    for gap in answer.gaps:
        terminal.note(f"{gaps}: {gap}")
    if answer.trace_id:
        terminal.note(f"trace {answer.trace_id}")


def _escaped(text: str) -> str:
    return escape(visible(text))


def _letters(text: str) -> str:
    """Return what two wordings of the same must share."""
    return "".join(character for character in text.casefold() if character.isalnum())
