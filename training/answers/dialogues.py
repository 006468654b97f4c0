"""People's questions about the scenes of a series, read as what is said in a video: evidence for the scorer.

python -m training.answers.dialogues OUT.jsonl [SCENES]

Each scene becomes the notes of a video without pictures. It is asked its own questions, and one about another
scene, to which the right answer is that it cannot be told.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vidence.app import engines, open_workspace
from vidence.app.engines import open_reader
from vidence.bench.shared import shared_folder
from vidence.embedded.answering import is_read, reading_of
from vidence.embedded.gather import Evidence
from vidence.embedded.premises import Premises
from vidence.embedded.recipes.recipe import Inquiry
from vidence.language.question import read_question
from vidence.language.tokens import stems
from vidence.llm.ask import ask_for
from vidence.runs.guard import guarded
from vidence.runs.reading import reader_prompt
from vidence.schema.agent import SolverVariables, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import ReaderReply

ORIGIN = "dialogue"
_LINE_S = 3.0
_OWN, _SAME = 3, 0.5
_PATIENCE_S = 900.0


def scenes(shared: Path) -> list[dict[str, Any]]:
    """Return the scenes with their lines and questions."""
    with gzip.open(shared / "story" / "friendsqa.json.gz", "rt", encoding="utf-8") as file:
        return [
            {"name": one["title"], "lines": part["utterances:"], "asked": part["qas"]}
            for one in json.load(file)["data"]
            for part in one["paragraphs"]
        ]


def asked_of(all_scenes: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str, str, list[str]]]:
    """Yield scene, id, question and right answers; no answers for a question about another scene."""
    for index, scene in enumerate(all_scenes):
        for one in scene["asked"][:_OWN]:
            right = [_plain(answer["answer_text"]) for answer in one["answers"]]
            yield scene, one["id"], _plain(one["question"]), right
        other = all_scenes[(index + len(all_scenes) // 2) % len(all_scenes)]["asked"][0]
        yield scene, f"{scene['name']}_foreign_{other['id']}", _plain(other["question"]), []


def _plain(text: str) -> str:
    """Return tokenised text as people write it."""
    joined = re.sub(r" (?=[.,!?;:'’)]|n't\b)", "", text)
    return re.sub(r"\b(gon|wan) na\b", r"\1na", joined)


def is_same(answer: str, right: list[str]) -> bool:
    """Tell whether an answer says what a person marked: half of the words of both."""
    said = set(stems(answer))
    for one in right:
        wanted = set(stems(one))
        shared = len(said & wanted)
        if shared and (wanted <= said or 2 * shared / (len(said) + len(wanted)) >= _SAME):
            return True
    return False


def variables_of(scene: dict[str, Any], question: str) -> SolverVariables:
    """Return what a Solver would know: the notes of the scene and nothing else."""
    lines = [
        {
            "kind": "said",
            "start_time": number * _LINE_S,
            "end_time": (number + 1) * _LINE_S,
            "text": _plain(one["utterance"]),
            "confidence": 0.9,
            "speaker": f"speaker_{number}",
            "name": one["speakers"][0] if one["speakers"] else None,
        }
        for number, one in enumerate(scene["lines"])
        if one["utterance"].strip()
    ]
    notes = EvidenceRecord(
        record_id="rec_notes", kind="operation", source="get_notes", video_id="vid_0", result={"notes": lines}
    )
    card = VideoCard(video_id="vid_0", name=scene["name"], duration_s=len(lines) * _LINE_S)
    return SolverVariables(question=question, language="en", videos=(card,), records=(notes,))


def evidence_of(variables: SolverVariables) -> Evidence:
    """Return the evidence of a scene: its notes."""
    return Evidence((), variables.records[0], Premises(), None)


def main(out: Path, count: int) -> None:
    """Write one line per question: its variables with what was read, and the right answers."""
    engines._READER_TIMEOUT_S = _PATIENCE_S
    done = {json.loads(line)["item_id"] for line in out.read_text().splitlines()} if out.exists() else set()
    with open_workspace() as workspace, out.open("a", encoding="utf-8") as file:
        embed = workspace.indexer.shelf.text.embed
        reader = open_reader(workspace, engines.open_engine(workspace))
        for scene, item_id, asked, right in asked_of(scenes(shared_folder())[:count]):
            variables, question = variables_of(scene, asked), read_question(asked)
            evidence = evidence_of(variables)
            if item_id in done or not question.is_readable or not is_read(question, evidence):
                continue
            wanted = reading_of(Inquiry(question.form, variables, embed), question, evidence)
            got = ask_for(reader, reader_prompt(wanted), ReaderReply)
            reply = got.value.model_copy(update={"sure": got.replies[-1].confidence})
            variables = variables.model_copy(update={"reading": guarded(reply, wanted)})
            row = {"item_id": item_id, "variables": variables.model_dump(mode="json"), "answers": right}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            print(f"{item_id} {asked} → {reply.answer} {reply.sure} | {right[:1]}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10**6)
