"""Clips of photographs one after another, whose times are known: make them, and measure when and order.

python -m training.search.sequences make FOLDER COUNT      # writes FOLDER/*.mp4 and FOLDER/asked.json
python -m training.search.sequences measure FOLDER HOME    # asks, and prints how often the time is right

HOME is a workspace; what is not indexed there is indexed first. A clip has eight photographs of 2 to 4
seconds, joined by cuts, dissolves or slides. What a photograph shows is what seven of ten people answered
about it; a noun is asked about where no question on the other seven speaks of it. Even clips are of
photographs kept for choosing settings, odd ones of those kept for the report: no model was trained on either.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from training.vqa.data import load_questions, split
from vidence.app import Workspace, open_workspace
from vidence.bench.shared import shared_folder
from vidence.embedded.gather import find_recipe
from vidence.embedded.recipes.recipe import Finding, Inquiry, advance
from vidence.errors import VidenceError
from vidence.language.question import read_question
from vidence.queries.visual import answer_words
from vidence.runs.ledger import Ledger
from vidence.schema.agent import OperationCall, SolverVariables, VideoCard
from vidence.schema.evidence import EvidenceRecord, hash_of

_SIZE, _RATE, _PHOTOS = (300, 224), 10, 8
_AGREE = 7
_PLACES = {"bathroom", "kitchen", "bedroom", "restaurant", "office", "beach"}
_DOING = {"tennis", "baseball", "skateboarding", "surfing", "snowboarding", "skiing", "soccer", "basketball"}
_THINGS = """
pizza dog horse kite giraffe skateboard surfboard elephant frisbee cake bear bus sheep boat microwave
toothbrush fruit fish sandwich zebra laptop seagull roses cow donut owl toilet flag monkey graffiti tent
mask rainbow newspaper ladder chimney bread bacon pigeon swan soup bathtub chandelier headphones doll
trophy scissors hay train plane cat umbrella motorcycle broccoli flowers banana carrots bananas truck
salad airplane guitar piano candles bridge church castle river ocean lighthouse fireplace
"""
_NOUNS = {*_PLACES, *_DOING, *_THINGS.split()}
_WHEN = {
    "en": ("When does the {} first appear?", "When does the {} come into view?", "When do we see the {}?"),
    "zh": ("{}什么时候出现？", "什么时候能看到{}？", "{}是什么时候第一次出现的？"),
}
_CHANGE = {"en": "When does it change to the {}?", "zh": "什么时候切换到{}的画面？"}
_ORDER = {"en": "Which comes first, the {} or the {}?", "zh": "{}和{}哪个先出现？"}
Images = NDArray[np.uint8]


def make(folder: Path, count: int) -> None:
    """Write the clips and what is asked about them."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    parts = [_shown(part) for part in (("val", "cal"), ("test",))]
    rows: list[dict[str, Any]] = []
    for number in range(count):
        chosen = _different(parts[number % 2], rng)
        path = folder / f"seq_{number:03d}.mp4"
        lengths = rng.integers(20, 41, _PHOTOS)
        _write(path, [_photo(one["at"]) for one in chosen], lengths, ("cut", "dissolve", "slide")[number % 3])
        ends = np.cumsum(lengths) / _RATE
        spans = [(float(end - length / _RATE), float(end)) for end, length in zip(ends, lengths, strict=True)]
        rows += _asked(path.name, number, chosen, spans)
    (folder / "asked.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"{count} clips, {len(rows)} questions")


def _shown(parts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the photographs of these parts with what they show and all that is said about them."""
    shared = shared_folder()
    index = np.load(shared / "vqa" / "images_index.npz")
    with gzip.open(shared / "vqa" / "captions.json.gz", "rt", encoding="utf-8") as file:
        held = split(index["ids"], {int(key) for key in json.load(file)})
    asked: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in load_questions(shared):
        asked[int(one["image"])].append(one)
    found = []
    for k in (k for part in parts for k in held[part]):
        noun, words = None, ""
        for one in asked[int(index["ids"][k])]:
            (answer, number), *_ = Counter(one["answers"]).most_common(1)
            words += f" {one['question'].lower()} {' '.join(one['answers'])}"
            noun = answer if number >= _AGREE and answer in _NOUNS else noun
        span = (int(index["offsets"][k]), int(index["offsets"][k + 1]))
        found.append({"at": span, "noun": noun, "words": words})
    return [one for one in found if one["noun"]]


def _different(photos: Sequence[dict[str, Any]], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return eight photographs that show different things."""
    chosen: dict[str, dict[str, Any]] = {}
    for k in rng.permutation(len(photos)):
        chosen.setdefault(photos[k]["noun"][:5], photos[k])
    return list(chosen.values())[:_PHOTOS]


def _photo(at: tuple[int, int]) -> Images:
    with (shared_folder() / "vqa" / "images.bin").open("rb") as file:
        file.seek(at[0])
        encoded = np.frombuffer(file.read(at[1] - at[0]), np.uint8)
    picture = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(cv2.resize(picture, _SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)


def _write(path: Path, photos: Sequence[Images], lengths: NDArray[np.int64], join: str) -> None:
    """Write photographs with a slow zoom; a join of half a second lies across the border of two."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=_RATE)
        stream.width, stream.height = _SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "20"}
        for k, (photo, length) in enumerate(zip(photos, lengths, strict=True)):
            for frame in range(int(length)):
                share = (frame - length + 3) / 6
                image = _zoomed(photo, frame / 40)
                if join != "cut" and share > 0 and k + 1 < len(photos):
                    image = _joined(image, photos[k + 1], share, join)
                elif join != "cut" and frame < 3 and k:
                    image = _joined(photos[k - 1], image, (frame + 3) / 6, join)
                out.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        out.mux(stream.encode())


def _zoomed(photo: Images, share: float) -> Images:
    width, height = _SIZE
    x, y = int(0.06 * width * share), int(0.06 * height * share)
    return np.asarray(cv2.resize(photo[y : height - y, x : width - x], _SIZE), np.uint8)


def _joined(one: Images, other: Images, share: float, join: str) -> Images:
    if join == "dissolve":
        return np.asarray(cv2.addWeighted(one, 1 - share, other, share, 0), np.uint8)
    moved = int(_SIZE[0] * share)
    return np.concatenate([one[:, moved:], other[:, :moved]], axis=1)


def _asked(
    video: str, number: int, chosen: Sequence[dict[str, Any]], spans: Sequence[tuple[float, float]]
) -> Iterator[dict[str, Any]]:
    """Yield the questions of a clip: a time for each noun, and which of two comes first."""
    clear = []
    for one, span in zip(chosen, spans, strict=True):
        others = [other for other in chosen if other is not one]
        stem = one["noun"].rstrip("s")[:6]
        if not any(stem in other["words"] for other in others) and span[0]:
            clear.append((one["noun"], span))
    part = ("choose", "report")[number % 2]
    for k, (noun, span) in enumerate(clear):
        language = "zh" if (number + k) % 3 == 0 else "en"
        name = answer_words(noun, "zh") if language == "zh" else noun
        if name is not None:
            form = _WHEN[language][2 if noun in _DOING else k % 3]
            text = (_CHANGE[language] if noun in _PLACES and k % 2 else form).format(name)
            yield {"video": video, "part": part, "kind": "when", "text": text, "span": span, "noun": noun}
    for k in range(0, len(clear) - 1, 2):
        pair = [clear[k], clear[k + 1]][:: 1 if k % 4 else -1]
        language = "zh" if (number + k) % 3 == 1 else "en"
        names = [answer_words(noun, "zh") if language == "zh" else noun for noun, _ in pair]
        if all(names):
            first = names[0] if pair[0][1][0] < pair[1][1][0] else names[1]
            text = _ORDER[language].format(*names)
            yield {"video": video, "part": part, "kind": "order", "text": text, "first": first}


def measure(folder: Path, home: str, only: str | None = None) -> None:
    """Ask all questions of the clips by the recipes and print how often they are right."""
    rows = json.loads((folder / "asked.json").read_text("utf-8"))
    results = []
    with open_workspace(home=home) as workspace:
        for row in rows:
            if only in (None, row["part"]):
                results.append({**row, **_answered(workspace, folder / row["video"], row)})
    Path(home, "results.json").write_text(json.dumps(results, ensure_ascii=False, indent=1), encoding="utf-8")
    for part in ("choose", "report"):
        for kind in ("when", "order"):
            _print([one for one in results if one["part"] == part and one["kind"] == kind], f"{part} {kind}")


def _answered(workspace: Workspace, path: Path, row: dict[str, Any]) -> dict[str, Any]:
    """Return the recipe's answer, its chance and whether it is right."""
    form = read_question(row["text"]).form
    finding = ask(workspace, path, row["text"])
    told = {"answer": finding.answer, "chance": finding.probability, "silent": finding.cannot_tell}
    if finding.cannot_tell:
        return {**told, "right": False, "kind_read": form.kind}
    if row["kind"] == "order":
        return {**told, "right": row["first"].lower() in finding.answer.lower(), "kind_read": form.kind}
    start, end = row["span"]
    found = re.match(r"[\d.]+", finding.answer)
    at = float(found[0]) if found else -1.0
    right, onset = start - 0.5 <= at <= end + 0.3, abs(at - start) <= 1.0
    return {**told, "right": right, "onset": onset, "kind_read": form.kind}


def ask(workspace: Workspace, path: Path, text: str) -> Finding:
    """Run one recipe against the index."""
    record = workspace.resolve(str(path))
    video = VideoCard(video_id=record.video_id, name=path.name, duration_s=record.info.duration_s)
    form, ledger = read_question(text).form, Ledger()
    recipe = find_recipe(form.kind)
    while True:
        variables = SolverVariables(
            question=text,
            language=form.language,
            videos=(video,),
            records=ledger.operations,
            failed_calls=ledger.failed,
            may_call_operations=True,
        )
        outcome = advance(recipe(Inquiry(form, variables, workspace.embed)), variables)
        if isinstance(outcome, Finding):
            return outcome
        for call in outcome:
            _note(workspace, call, ledger)


def _note(workspace: Workspace, call: OperationCall, ledger: Ledger) -> None:
    try:
        result = workspace.run(call.operation, call.arguments).result.model_dump(mode="json")
    except VidenceError as problem:
        ledger.note_failure(call, str(problem))
        return
    ledger.add(
        EvidenceRecord(
            record_id=f"rec_{len(ledger.operations):08d}",
            kind="operation",
            source=call.operation,
            video_id=call.arguments["video_id"],
            asked=call.arguments,
            arguments=call.arguments,
            result=result,
            result_hash=hash_of(result),
        )
    )


def _print(results: Sequence[dict[str, Any]], title: str) -> None:
    told = [one for one in results if not one["silent"]]
    if not results:
        return
    right = sum(one["right"] for one in told)
    onset = sum(one.get("onset", False) for one in told)
    print(f"{title}: {len(results)} asked, {len(told)} told, {right} right, {onset} within 1 s of the start")
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        some = [one for one in told if low <= one["chance"] < high]
        if some:
            mean = sum(one["chance"] for one in some) / len(some)
            share = sum(one["right"] for one in some) / len(some)
            print(f"   chance {mean:.2f}: {len(some)} told, {share:.2f} right")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        measure(Path(sys.argv[2]), *sys.argv[3:])
