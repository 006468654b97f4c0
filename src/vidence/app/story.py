"""Stories of a workspace: add documents, show what is known, and ask questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from vidence.agents.react.loop import AGENT, GRADER, REFINER, ReActAgent
from vidence.agents.react.tracer import AgentTracer
from vidence.app import html
from vidence.app.engines import open_engine, open_reader
from vidence.app.notebook import live_listener
from vidence.app.runs import TraceFolder, run_loop_in, stoppable, video_card
from vidence.app.story_view import StoryAnswer, StoryPicture
from vidence.app.workspace import Progress, Workspace, open_workspace
from vidence.errors import BackendError, OpRetry, UnknownName, UserError
from vidence.knowledge.build import NameEdits, StoryBuilder, story_card
from vidence.knowledge.extraction import StoryExtractor
from vidence.knowledge.graph.export import neighbourhood, to_graphml, to_json_ld, to_svg
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.sources import (
    STORY_SUFFIXES,
    SourceText,
    expand_folder,
    read_document,
    transcript_document,
)
from vidence.language.question.story import complete_follow_up, names_asked, story_question_type
from vidence.llm.protocol import Engine
from vidence.ops.llm_schema import parameters_schema
from vidence.runs.budget import Cancel
from vidence.runs.inputs import checked_input
from vidence.runs.reading import READER
from vidence.runs.worlds.story import StoryWorld
from vidence.schema.agent import Budget
from vidence.schema.events import Listener
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.frozen import Frozen
from vidence.schema.react import ReActInput, StoryTurn
from vidence.schema.speech import Utterance
from vidence.schema.story import ChapterHead, StoryCard, StoryEntity, StoryGraph
from vidence.tools.story.catalogue import all_story_tools, get_story_tool
from vidence.tools.story.connection import relations_of
from vidence.tools.story.tool import run_story_tool

__all__ = ["Story", "StoryAdded", "list_stories"]

_STEPS = 24
"""Steps of a run over a story: three attempts of six calls and an answer, and some to spare."""
_MOST_NAME = 80
_SHOWN_PEOPLE = 20
_SHOWN_QUOTES = 2
_TURNS = 4


class StoryAdded(Frozen):
    """What adding documents did."""

    story: StoryCard
    documents: tuple[str, ...]
    changed_chapters: int
    skipped: tuple[str, ...] = ()
    """Documents that could not be read, with why."""
    extracted: int = 0
    """Rows of a language model that the text bears out."""
    refused: int = 0
    """Rows of a language model that it does not."""
    problems: tuple[str, ...] = ()
    """Parts that the language model could not read; plain reading has them all the same."""


class Story:
    """A story of a workspace: `Story("novel").add("novel.txt").ask("Who is Anne?")`."""

    def __init__(
        self,
        name: str,
        *,
        workspace: Workspace | None = None,
        home: Path | str | None = None,
        turns: Sequence[StoryTurn] = (),
    ) -> None:
        if not name.strip() or len(name) > _MOST_NAME or "\n" in name:
            raise UserError(f"{name!r} cannot name a story. Use a short name on one line.")
        self.name = name.strip()
        self._workspace = workspace or open_workspace(home=home)
        self._turns = list(turns)

    def add(
        self,
        *sources: str | Path,
        extractor: Engine | str | None = None,
        progress: Progress | None = None,
        cancel: Cancel = lambda: False,
    ) -> StoryAdded:
        """Add texts, folders, subtitles or indexed videos, and bring the knowledge up to date.

        Args:
            extractor: a language model that reads the text, too; only what it quotes from the text counts.
        """
        documents, skipped, changed = list[str](), list[str](), 0
        builder = self._builder(stoppable(progress, cancel))
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
        kept, refused, problems = self._extract(builder, extractor)
        builder.build()
        self._forget()
        return StoryAdded(
            story=self.card(),
            documents=tuple(documents),
            changed_chapters=changed,
            skipped=tuple(skipped),
            extracted=kept,
            refused=refused,
            problems=problems,
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
    ) -> StoryAnswer:
        """Answer a question about the story; every sentence cites quotations that were looked up again.

        Args:
            engines: another engine for a role: `agent`, `grader`, `refiner`, or the `reader` that words the
                answer where the agent is no language model.
            keep_context: let the next question refer to this one.
        """
        reader = self.reader
        checked = checked_input(question)
        if keep_context:
            checked["question"] = self._understood(checked["question"])
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
            gaps=() if names else tuple(self._unknown(checked["question"])),
        )
        chosen = {role: engine for role in (AGENT, GRADER, REFINER) if engine} | dict(engines or {})
        roles = {role: self._engine(role, chosen) for role in (AGENT, GRADER, REFINER)}
        if not roles[AGENT].capabilities.reads_text:
            roles[READER] = self._reader_engine(chosen.get(READER), roles[AGENT])
        world = StoryWorld(reader, self._workspace.store.results, videos=self._videos())
        answer = run_loop_in(
            self._workspace,
            ReActAgent,
            given,
            world,
            roles,
            listener=listener or live_listener(),
            cancel=cancel,
        )
        if keep_context:
            self._turns.append(StoryTurn(question=answer.question, answer=answer.answer))
        return StoryAnswer.of(answer)

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

    def picture(self, *, limit: int = 40) -> StoryPicture:
        """Return the graph of the `limit` most mentioned people and places."""
        people = sorted(self.people(), key=lambda one: -one.mentions)[:limit]
        ids = {one.entity_id for one in people}
        rows = self.reader.graph.relations(self.name, sorted(ids)) if ids else []
        among = {one.relation_id: one for one in rows if {one.source, one.target} <= ids}
        relations = (one.model_copy(update={"quotes": one.quotes[:_SHOWN_QUOTES]}) for one in among.values())
        return StoryPicture(
            story=self.card(),
            chapters=tuple(self.chapters()),
            people=tuple(people),
            relations=tuple(relations),
        )

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
        store, stores = self._workspace.store, self._workspace.story_stores
        with store.unit_of_work():
            store.stories.remove(self.name)
            stores.graph.remove(self.name)
        if stores.vectors is not None:
            stores.vectors.remove(self.name)
        self._forget()

    @cached_property
    def reader(self) -> StoryReader:
        """The story, its knowledge brought up to date where an earlier run was stopped."""
        self._builder(None).build()
        stores = self._workspace.story_stores
        return StoryReader(
            self._workspace.store,
            self.name,
            embedder=self._embedder,
            vectors=stores.vectors,
            graph=stores.graph,
        )

    @cached_property
    def _embedder(self) -> Any:
        try:
            return self._workspace.indexer.shelf.text
        except BackendError:
            # Without the model, words alone are searched.
            return None

    def _builder(self, progress: Progress | None) -> StoryBuilder:
        stores = self._workspace.story_stores
        return StoryBuilder(
            self._workspace.store,
            self.name,
            embedder=self._embedder,
            vectors=stores.vectors,
            graph=stores.graph,
            progress=progress,
        )

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

    def _unknown(self, question: str) -> Iterator[str]:
        """Yield, for each name of a question that the story does not have, which ones it may mean."""
        for name in names_asked(question):
            try:
                self.reader.resolve(name)
            except OpRetry as exc:
                if self.reader.near_names(name):
                    yield str(exc)

    def _understood(self, question: str) -> str:
        """Return a follow-up question with the names it means; a question that has a name stays as it is."""
        if not self._turns or self._names_in(question):
            return question
        spoken = [text for turn in reversed(self._turns[-_TURNS:]) for text in (turn.question, turn.answer)]
        ids = dict.fromkeys(one.entity_id for text in spoken for one in self.reader.finder.find(text))
        people = [self.reader.entities[one] for one in ids if one in self.reader.entities]
        return complete_follow_up(
            question, [(one.name, one.gender) for one in people if one.kind == "person"]
        )

    def _engine(self, role: str, chosen: Mapping[str, Engine | str]) -> Engine:
        """Return the engine of a role: the caller's, else that of the settings, else the settings' engine."""
        named = chosen.get(role) or self._workspace.settings.story.engines.get(cast(Any, role))
        return named if isinstance(named, Engine) else open_engine(self._workspace, named)

    def _reader_engine(self, named: Engine | str | None, agent: Engine) -> Engine:
        """Return who words the answers of an agent that is no language model."""
        if named is None:
            return open_reader(self._workspace, agent)
        return named if isinstance(named, Engine) else open_engine(self._workspace, named)

    def _extract(
        self, builder: StoryBuilder, extractor: Engine | str | None
    ) -> tuple[int, int, tuple[str, ...]]:
        if not extractor and "extractor" not in self._workspace.settings.story.engines:
            return 0, 0, ()
        reading = StoryExtractor(self._engine("extractor", {"extractor": extractor} if extractor else {}))
        kept, refused = builder.extract(reading)
        return kept, refused, tuple(reading.problems)


def list_stories(workspace: Workspace) -> list[StoryCard]:
    """Return every story of a workspace."""
    return [Story(name, workspace=workspace).card() for name in workspace.store.stories.names()]


def _schemas() -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "purpose": tool.purpose, "parameters": parameters_schema(tool)["properties"]}
        for tool in all_story_tools()
    ]
