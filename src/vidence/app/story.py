"""Stories of a workspace: add documents, show what is known, and ask questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from vidence.agents.react.loop import AGENT, GRADER, REFINER, ReActAgent
from vidence.agents.react.tracer import AgentTracer
from vidence.app import html
from vidence.app.engines import open_engine
from vidence.app.runs import TraceFolder, run_loop_in, video_card
from vidence.app.workspace import Progress, Workspace, open_workspace
from vidence.errors import BackendError, UnknownName, UserError
from vidence.knowledge.build import NameEdits, StoryBuilder, story_card
from vidence.knowledge.graph.export import neighbourhood, to_graphml, to_json_ld, to_svg
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.sources import (
    STORY_SUFFIXES,
    SourceText,
    expand_folder,
    read_document,
    transcript_document,
)
from vidence.language.question.story import story_question_type
from vidence.llm.protocol import Engine
from vidence.ops.llm_schema import parameters_schema
from vidence.prompts.fenced import one_line
from vidence.runs.budget import Cancel
from vidence.runs.inputs import checked_input
from vidence.runs.worlds.story import StoryWorld, number_quotes, place_of
from vidence.schema.agent import AgentAnswer, Budget
from vidence.schema.events import Listener
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.frozen import Frozen
from vidence.schema.react import ReActInput, StoryTurn
from vidence.schema.speech import Utterance
from vidence.schema.story import ChapterHead, Quote, StoryCard, StoryEntity, StoryGraph
from vidence.tools.story.catalogue import all_story_tools, get_story_tool
from vidence.tools.story.connection import relations_of
from vidence.tools.story.tool import run_story_tool

__all__ = ["Story", "StoryAdded", "list_stories", "story_lines"]

_STEPS = 24
"""Steps of a run over a story: three attempts of six calls and an answer, and some to spare."""
_MOST_NAME = 80
_SHOWN_PEOPLE = 20
_TURNS = 4


class StoryAdded(Frozen):
    """What adding documents did."""

    story: StoryCard
    documents: tuple[str, ...]
    changed_chapters: int
    skipped: tuple[str, ...] = ()
    """Documents that could not be read, with why."""


class Story:
    """A story of a workspace: `Story("novel").add("novel.txt").ask("Who is Anne?")`."""

    def __init__(
        self, name: str, *, workspace: Workspace | None = None, home: Path | str | None = None
    ) -> None:
        if not name.strip() or len(name) > _MOST_NAME or "\n" in name:
            raise UserError(f"{name!r} cannot name a story. Use a short name on one line.")
        self.name = name.strip()
        self._workspace = workspace or open_workspace(home=home)
        self._turns: list[StoryTurn] = []

    def add(self, *sources: str | Path, progress: Progress | None = None) -> StoryAdded:
        """Add texts, folders, subtitles or indexed videos, and bring the knowledge up to date."""
        documents: list[str] = []
        skipped: list[str] = []
        changed = 0
        builder = self._builder(progress)
        for source in sources:
            for path in self._files(source):
                try:
                    document = self._document(path)
                except UserError as exc:
                    if len(sources) == 1 and not Path(source).is_dir():
                        raise
                    skipped.append(str(exc))
                    continue
                changed += builder.add(document)
                documents.append(document.name)
        if not documents:
            raise UserError(
                f"Nothing could be added to {self.name!r}: {'; '.join(skipped) or 'no source given'}"
            )
        builder.build()
        self._forget()
        return StoryAdded(
            story=self.card(), documents=tuple(documents), changed_chapters=changed, skipped=tuple(skipped)
        )

    def ask(
        self,
        question: str,
        *,
        engine: Engine | str | None = None,
        engines: Mapping[str, Engine | str] | None = None,
        attempts: int = 3,
        budget: Budget | None = None,
        listener: Listener | None = None,
        cancel: Cancel | None = None,
        keep_context: bool = False,
    ) -> AgentAnswer:
        """Answer a question about the story; every sentence cites quotations that were looked up again.

        Args:
            engines: another engine for a role: `agent`, `grader` or `refiner`.
            keep_context: let the next question refer to this one.
        """
        reader = self.reader
        checked = checked_input(question)
        names = self._names_in(checked["question"])
        given = ReActInput(
            **checked,
            story=self.name,
            question_type=story_question_type(checked["question"], names),
            names=tuple(names),
            tools=tuple(_schemas()),
            attempts=attempts,
            budget=budget or Budget(steps=_STEPS),
            turns=tuple(self._turns[-_TURNS:]) if keep_context else (),
        )
        roles = {role: self._engine(role, engine, engines or {}) for role in (AGENT, GRADER, REFINER)}
        world = StoryWorld(reader, self._workspace.store.results, videos=self._videos())
        answer = run_loop_in(
            self._workspace, ReActAgent, given, world, roles, listener=listener, cancel=cancel
        )
        if keep_context:
            self._turns.append(StoryTurn(question=answer.question, answer=answer.answer))
        return answer

    def call(self, tool: str, **arguments: Any) -> EvidenceRecord:
        """Run one of the five tools and return its record."""
        return run_story_tool(get_story_tool(tool), arguments, self.reader, self._workspace.store.results)

    def card(self) -> StoryCard:
        """Return what a list shows of the story."""
        return story_card(self._workspace.store, self.name, self._builder(None))

    def people(self) -> list[StoryEntity]:
        """Return everybody and everything the story names, the most mentioned first."""
        return list(self.reader.entities.values())

    def relations_of(self, entity: StoryEntity, *, limit: int = 5) -> list[str]:
        """Return what the story states about somebody's relations, a few words each."""
        told = relations_of(self.reader, entity, limit=limit + 2)
        return [f"{one.relation} → {one.target}" for one in told if one.is_stated][:limit]

    def chapters(self) -> list[ChapterHead]:
        """Return the chapters in order."""
        return list(self.reader.heads)

    def export(self, form: str, *, around: str | None = None) -> str:
        """Return the graph as `graphml`, `jsonld` or `svg`; `around` somebody, or the whole story."""
        reader = self.reader
        entities = tuple(reader.entities.values())
        ids = [one.entity_id for one in entities]
        graph = StoryGraph(
            entities=entities,
            relations=tuple(reader.graph.relations(self.name, ids)),
            events=tuple(reader.graph.events(self.name)),
        )
        if around is not None or form == "svg":
            graph = neighbourhood(graph, reader.resolve(around).entity_id if around else None)
        match form:
            case "graphml":
                return to_graphml(graph, reader.language)
            case "jsonld":
                return to_json_ld(graph, self.name, reader.language)
            case "svg":
                return to_svg(graph, reader.language, title=around or self.name)
        raise UnknownName("form", form, ("graphml", "jsonld", "svg"))

    def trace(self, trace_id: str) -> Path:
        """Write a run over a story in the seed's form and return where it is."""
        home = self._workspace.settings.home
        return AgentTracer(home).save(TraceFolder(home).find(trace_id).load())

    def _repr_html_(self) -> str:
        card = self.card()
        head = html.paragraph(f"{card.name}: {card.chapters} chapters, {card.relations} relations", bold=True)
        rows = (
            (one.name, str(one.mentions), ", ".join(one.aliases), "; ".join(self.relations_of(one)))
            for one in self.people()[:_SHOWN_PEOPLE]
        )
        return head + html.table(("name", "mentions", "also", "relations"), rows)

    def merge(self, alias: str, name: str) -> StoryCard:
        """Take two names for one person; `split` undoes it."""
        return self._edit(alias, name, join=True)

    def split(self, alias: str, name: str) -> StoryCard:
        """Take two names for two people, whatever the text suggests; `merge` undoes it."""
        return self._edit(alias, name, join=False)

    def remove(self) -> None:
        """Forget the story; its files are left alone."""
        store = self._workspace.store
        with store.unit_of_work():
            store.stories.remove(self.name)
            store.graph.remove(self.name)
        self._forget()

    @cached_property
    def reader(self) -> StoryReader:
        """The story, its knowledge brought up to date where an earlier run was stopped."""
        self._builder(None).build()
        return StoryReader(self._workspace.store, self.name, embedder=self._embedder)

    @cached_property
    def _embedder(self) -> Any:
        try:
            return self._workspace.indexer.shelf.text
        except BackendError:
            # Without the model, words alone are searched.
            return None

    def _builder(self, progress: Progress | None) -> StoryBuilder:
        return StoryBuilder(self._workspace.store, self.name, embedder=self._embedder, progress=progress)

    def _edit(self, alias: str, name: str, *, join: bool) -> StoryCard:
        builder = self._builder(None)
        known = {one for person in self.people() for one in (person.name, *person.aliases)}
        for one in (alias, name):
            if one not in known:
                raise UnknownName("name", one, known)
        old = builder.edits()
        pair, back = (alias, name), (name, alias)
        joined = [one for one in old.joined if one not in (pair, back)]
        split = old.split - {pair, back}
        builder.edit(NameEdits(split, (*joined, pair)) if join else NameEdits(split | {pair}, tuple(joined)))
        builder.build()
        self._forget()
        return self.card()

    def _forget(self) -> None:
        self.__dict__.pop("reader", None)

    def _files(self, source: str | Path) -> Sequence[str | Path]:
        path = Path(source).expanduser()
        return list(expand_folder(path)) if path.is_dir() else [source]

    def _document(self, source: str | Path) -> SourceText:
        path = Path(source).expanduser()
        if path.suffix.lower() in STORY_SUFFIXES:
            return read_document(path)
        video = self._workspace.resolve(str(source))
        self._workspace.index(video.video_id, stages=["transcript"])
        rows = self._workspace.store.observations.load(video.video_id, "transcript", Utterance)
        return transcript_document(video.name, rows, video_id=video.video_id)

    def _videos(self) -> tuple[Any, ...]:
        ids = dict.fromkeys(head.video_id for head in self.reader.heads if head.video_id)
        return tuple(video_card(self._workspace.store.catalogue.get(one)) for one in ids)

    def _names_in(self, question: str) -> list[str]:
        """Return the names of the story in a question, in order."""
        found = self.reader.finder.find(question)
        return [self.reader.name_of(one.entity_id) for one in found]

    def _engine(self, role: str, engine: Engine | str | None, engines: Mapping[str, Engine | str]) -> Engine:
        chosen = engines.get(role, engine)
        return chosen if isinstance(chosen, Engine) else open_engine(self._workspace, chosen)


def list_stories(workspace: Workspace) -> list[StoryCard]:
    """Return every story of a workspace."""
    return [Story(name, workspace=workspace).card() for name in workspace.store.stories.names()]


def _schemas() -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "purpose": tool.purpose, "parameters": parameters_schema(tool)["properties"]}
        for tool in all_story_tools()
    ]


def story_lines(answer: AgentAnswer) -> list[str]:
    """Return an answer in lines: the answer, how sure it is, and each quotation with its place."""
    confidence, evidence = ("置信度", "证据") if answer.language == "zh" else ("confidence", "evidence")
    lines = [
        *answer.answer.splitlines(),
        f"{confidence} {answer.confidence_score}/5 ({answer.probability:.0%})",
    ]
    quotes = number_quotes(answer.evidence)
    cited = {citation.quote for claim in answer.claims for citation in claim.citations}
    shown = [
        f"  {_place(one.quote)}: {one_line(one.quote.text)}" for one in quotes if one.quote.text in cited
    ]
    return [*lines, *([f"{evidence}:"] if shown else []), *shown]


def _place(quote: Quote) -> str:
    return f"{quote.document} › {place_of(quote)} ¶{quote.paragraph}"
