"""Ask every readable question once and keep all evidence, so that the scorer can be fitted without models.

python -m training.answers.collect OUT.jsonl [ORIGIN…]
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from training.answers.questions import Asked, load_questions
from vidence.app import engines, open_workspace
from vidence.app.ask import ask
from vidence.bench.shared import shared_folder
from vidence.embedded.skills import embedded_skills
from vidence.language.identify import question_language
from vidence.llm.embedded import EmbeddedEngine
from vidence.prompts import Prompt

EVERY = int(os.environ.get("EVERY", "1"))
"""Only every such question of our own is asked."""
_PATIENCE_S = 900.0
"""A busy machine must not turn a reader's answer into an extraction."""


def _place(asked: Asked) -> tuple[bool, str, str]:
    return asked.video.parts[-3] != "media2", asked.video.name, question_language(asked.question)


def main(out: Path, origins: list[str]) -> None:
    """Write one line per question: its id, the last variables of the Solver, the answer and the seconds."""
    engines._READER_TIMEOUT_S = _PATIENCE_S
    done = {json.loads(line)["item_id"] for line in out.read_text().splitlines()} if out.exists() else set()
    questions, rules = load_questions(shared_folder())
    with open_workspace() as workspace, out.open("a", encoding="utf-8") as file:
        skills = dict(embedded_skills(lambda texts: workspace.indexer.shelf.text.embed(texts)))
        solve, seen = skills["solver.step"], []

        def step(prompt: Prompt) -> str:
            seen.append(prompt.variables)
            return solve(prompt)

        engine = EmbeddedEngine({**skills, "solver.step": step})
        # Notes are read once for each video and language.
        for asked in sorted(questions, key=_place):
            is_sampled = asked.origin != "own" or int(asked.item_id[4:]) % EVERY == 0
            if asked.item_id in done or (origins and asked.origin not in origins) or not is_sampled:
                continue
            seen.clear()
            began = time.perf_counter()
            answer = ask(workspace, [str(asked.video)], asked.question, engine=engine, remember=False)
            row = {
                "item_id": asked.item_id,
                "variables": seen[-1].model_dump(mode="json"),
                "answer": answer.answer,
                "status": answer.status,
                "probability": answer.probability,
                "right": bool(rules(asked.check, answer.answer)),
                "seconds": round(time.perf_counter() - began, 2),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            print(
                f"{asked.item_id} {row['seconds']} {row['right']} {asked.question} → {answer.answer[:90]}",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
