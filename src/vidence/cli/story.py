"""`vidence story`: add a novel, a script, subtitles or videos, look at what is known, and ask."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.text import Text

from vidence.app.story import Story, list_stories
from vidence.app.story_view import story_lines
from vidence.cli.ask import listening, parse_budget
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.errors import FileProblem
from vidence.schema.agent import AgentAnswer, Budget

__all__ = ["story"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_SHOWN = 30


@click.group()
def story() -> None:
    """Ask a novel, a game's script, a series' subtitles or the transcripts of videos.

    \b
    Example:
      vidence story add novel.txt --story novel
      vidence story ask novel "How are Anne and Captain Wentworth related?"
    """


@story.command()
@click.argument("sources", nargs=-1, required=True)
@click.option("--story", "name", required=True, help="Name of the story; it is made when there is none.")
@click.option(
    "--extract",
    metavar="PROVIDER:MODEL",
    help="A language model that reads the text, too; only what it quotes and the text holds counts.",
)
@_json
@pass_terminal
def add(terminal: Terminal, sources: tuple[str, ...], name: str, extract: str | None, as_json: bool) -> None:
    """Add texts (.txt, .md, .epub), subtitles (.srt, .vtt), folders or videos to a story.

    What is unchanged is not read again; a run that was stopped goes on where it stopped.

    \b
    Example:
      vidence story add book/ --story novel
      vidence story add talk1.mp4 talk2.mp4 --story talks
    """
    with terminal.workspace() as workspace, terminal.progress(name) as progress:
        added = Story(name, workspace=workspace).add(*sources, extractor=extract, progress=progress)
    if as_json:
        terminal.json(added.model_dump(mode="json"))
        return
    for problem in (*added.skipped, *added.problems):
        terminal.error(problem)
    if added.extracted or added.refused:
        terminal.note(
            f"language model: {added.extracted} rows kept, {added.refused} not borne out by the text"
        )
    card = added.story
    terminal.line(
        f"{card.name}: {card.chapters} chapters ({added.changed_chapters} new or changed), "
        f"{card.entities} names, {card.relations} relations, {card.events} events"
    )


@story.command("list")
@_json
@pass_terminal
def list_(terminal: Terminal, as_json: bool) -> None:
    """List the stories.

    \b
    Example:
      vidence story list
    """
    with terminal.workspace() as workspace:
        cards = list_stories(workspace)
    if as_json:
        terminal.json([card.model_dump(mode="json") for card in cards])
        return
    rows = [(one.name, one.language, one.chapters, one.entities, one.relations, one.events) for one in cards]
    terminal.table(("story", "language", "chapters", "names", "relations", "events"), rows)


@story.command()
@click.argument("name")
@click.option("--chapters", is_flag=True, help="The chapters instead of the people.")
@click.option("--all", "everything", is_flag=True, help=f"Everybody, not only the first {_SHOWN}.")
@_json
@pass_terminal
def show(terminal: Terminal, name: str, chapters: bool, everything: bool, as_json: bool) -> None:
    """Show the people of a story with their other names and relations, or its chapters.

    \b
    Example:
      vidence story show novel
      vidence story show novel --chapters
    """
    with terminal.workspace() as workspace:
        one = Story(name, workspace=workspace)
        heads, people = one.chapters(), one.people()
        card = one.card()
        shown = people if everything else people[:_SHOWN]
        relations = {} if chapters else {person.entity_id: one.relations_of(person) for person in shown}
    if as_json:
        body = (
            [head.model_dump(mode="json") for head in heads]
            if chapters
            else [
                {**person.model_dump(mode="json"), "relations": relations[person.entity_id]}
                for person in shown
            ]
        )
        terminal.json({"story": card.model_dump(mode="json"), "chapters" if chapters else "people": body})
    elif chapters:
        terminal.table(
            ("chapter", "label", "characters", "document", "title"),
            [(head.number, head.label, head.num_chars, head.document, head.title) for head in heads],
        )
    else:
        rows = [
            (person.name, person.kind, person.mentions, f"{person.first_chapter}–{person.last_chapter}",
             ", ".join(person.aliases), "; ".join(relations[person.entity_id]))
            for person in shown
        ]  # fmt: skip
        terminal.table(("name", "kind", "mentions", "chapters", "also", "relations"), rows)


@story.command()
@click.argument("name")
@click.argument("questions", nargs=-1, required=True, metavar="QUESTION…")
@click.option("--engine", metavar="PROVIDER:MODEL", help="Engine of all roles (default: from the settings).")
@click.option("--grader", metavar="PROVIDER:MODEL", help="Another engine for the grader.")
@click.option("--refiner", metavar="PROVIDER:MODEL", help="Another engine for the refiner.")
@click.option("--attempts", default=3, show_default=True, type=click.IntRange(1, 5))
@click.option("--budget", metavar="KEY=N,…", help="Hard limits: steps, llm_calls, tokens, seconds.")
@click.option("--events", is_flag=True, help="Print every step as a line of JSON, the answer last.")
@_json
@pass_terminal
def ask(
    terminal: Terminal,
    name: str,
    questions: tuple[str, ...],
    engine: str | None,
    grader: str | None,
    refiner: str | None,
    attempts: int,
    budget: str | None,
    events: bool,
    as_json: bool,
) -> None:
    """Ask a question about a story; every sentence of the answer quotes chapter and line.

    Several questions are one conversation: a later one may say "she" for who was spoken of.

    \b
    Example:
      vidence story ask novel "Who is Anne Elliot?"
      vidence story ask novel "Who is Anne Elliot?" "Whom does she marry?"
      vidence story ask 红楼梦 焦大和林黛玉是什么关系？
    """
    engines = {role: chosen for role, chosen in (("grader", grader), ("refiner", refiner)) if chosen}
    limits: Budget | None = parse_budget(budget) if budget else None
    failed = False
    with terminal.workspace() as workspace, listening(terminal, events) as listener:
        asked = Story(name, workspace=workspace)
        for question in questions:
            answer = asked.ask(
                question,
                engine=engine,
                engines=engines,
                attempts=attempts,
                budget=limits,
                listener=listener,
                keep_context=len(questions) > 1,
            )
            _print_answer(terminal, answer, as_json=as_json, events=events)
            failed = failed or answer.status == "failed"
    if failed:
        raise click.exceptions.Exit(1)


def _print_answer(terminal: Terminal, answer: AgentAnswer, *, as_json: bool, events: bool) -> None:
    if as_json:
        terminal.json(answer.model_dump(mode="json"))
        return
    if events:
        return
    lines = story_lines(answer)
    terminal.out.print(Text(visible(lines[0]), style="bold"), soft_wrap=True)
    for line in lines[1:]:
        terminal.line(line)
    for gap in answer.gaps:
        terminal.note(gap)
    if answer.trace_id:
        terminal.note(f"trace {answer.trace_id}")


@story.command()
@click.argument("name")
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="KEY=VALUE…")
@pass_terminal
def tool(terminal: Terminal, name: str, tool: str, arguments: tuple[str, ...]) -> None:
    """Run one tool on a story and print its result as JSON.

    Tools: lookup_knowledge, find_connection, track_journey, get_character_events, search_memory.

    \b
    Example:
      vidence story tool novel find_connection entity1=Anne entity2="Captain Wentworth"
    """
    given: dict[str, object] = {}
    for argument in arguments:
        key, found, value = argument.partition("=")
        if not found:
            raise click.UsageError(f"{argument!r} is not KEY=VALUE.")
        given[key] = json.loads(value) if value.isdecimal() else value
    with terminal.workspace() as workspace:
        record = Story(name, workspace=workspace).call(tool, **given)
    terminal.json(record.result)


@story.command()
@click.argument("name")
@click.option("--form", type=click.Choice(["graphml", "jsonld", "svg"]), default="svg", show_default=True)
@click.option("--around", help="Only this person and those related to them.")
@click.option("-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="File (default: stdout).")
@pass_terminal
def export(terminal: Terminal, name: str, form: str, around: str | None, out: Path | None) -> None:
    """Write the graph of a story: a picture (svg), GraphML or JSON-LD.

    \b
    Example:
      vidence story export novel --around "Anne Elliot" -o anne.svg
    """
    with terminal.workspace() as workspace:
        text = Story(name, workspace=workspace).export(form, around=around)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise FileProblem(f"{out} cannot be written: {exc.strerror}.") from exc
    terminal.line(str(out))


@story.command()
@click.argument("name")
@click.argument("trace_id")
@pass_terminal
def trace(terminal: Terminal, name: str, trace_id: str) -> None:
    """Write the trace of a question in attempts: tool calls, thoughts, grading, refiner, durations.

    \b
    Example:
      vidence story trace novel 20261118T024128Z-76e609a30cc2fbfa
    """
    with terminal.workspace() as workspace:
        terminal.line(str(Story(name, workspace=workspace).trace(trace_id)))


@story.command()
@click.argument("name")
@click.argument("alias")
@click.argument("other")
@pass_terminal
def merge(terminal: Terminal, name: str, alias: str, other: str) -> None:
    """Take two names of a story for one person.

    \b
    Example:
      vidence story merge 红楼梦 宝二爷 贾宝玉
    """
    with terminal.workspace() as workspace:
        Story(name, workspace=workspace).merge(alias, other)
    terminal.line(f"{alias} = {other}")


@story.command()
@click.argument("name")
@click.argument("alias")
@click.argument("other")
@pass_terminal
def split(terminal: Terminal, name: str, alias: str, other: str) -> None:
    """Take two names of a story for two people; undoes a merge.

    \b
    Example:
      vidence story split 红楼梦 甄宝玉 宝玉
    """
    with terminal.workspace() as workspace:
        Story(name, workspace=workspace).split(alias, other)
    terminal.line(f"{alias} ≠ {other}")


@story.command()
@click.argument("name")
@pass_terminal
def remove(terminal: Terminal, name: str) -> None:
    """Forget a story; its files are left alone.

    \b
    Example:
      vidence story remove novel
    """
    with terminal.workspace() as workspace:
        Story(name, workspace=workspace).remove()
    terminal.line(f"removed {name}")
