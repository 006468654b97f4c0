"""Run the operations that collected rows lack since the sources of evidence changed; nothing is read again.

python -m training.answers.complete ROWS.jsonl OUT.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from vidence.app import open_workspace
from vidence.app.runs import video_world
from vidence.app.workspace import Workspace
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.recipes.recipe import Inquiry, advance
from vidence.errors import VidenceError
from vidence.language.question import read_question
from vidence.schema.agent import SolverVariables


def completed(workspace: Workspace, variables: SolverVariables) -> SolverVariables:
    """Return the variables with every record that the sources ask for."""
    form = read_question(variables.question).form
    records = [workspace.resolve(video.video_id) for video in variables.videos]
    world = video_world(workspace, records, language=variables.language)
    embed = workspace.indexer.shelf.text.embed
    while True:
        wanted = advance(gather(Inquiry(form, variables, embed)), variables)
        if isinstance(wanted, Evidence):
            return variables
        found, failed = list(variables.records), list(variables.failed_calls)
        for call in wanted:
            try:
                found.append(world.call(call))
            except VidenceError as exc:
                failed.append((call, str(exc)))
        variables = variables.model_copy(update={"records": tuple(found), "failed_calls": tuple(failed)})


def main(source: Path, target: Path) -> None:
    """Complete every row that is not in the target yet."""
    done = (
        {json.loads(line)["item_id"] for line in target.read_text().splitlines()}
        if target.exists()
        else set()
    )
    with open_workspace() as workspace, target.open("a", encoding="utf-8") as file:
        for line in source.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["item_id"] in done:
                continue
            variables = completed(workspace, SolverVariables.model_validate(row["variables"]))
            row["variables"] = variables.model_dump(mode="json")
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
