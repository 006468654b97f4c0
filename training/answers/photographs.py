"""People's questions about photographs, each photograph as a clip of two seconds: evidence for the scorer.

python -m training.answers.photographs FOLDER COUNT

The clips are written to FOLDER, with `questions.json`: the questions that half of the ten people answer
alike. Only photographs that eyes was not trained on are taken.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from training.vqa.data import load_questions, split
from vidence.bench.shared import shared_folder

_SIZE = (416, 320)
_RATE, _FRAMES = 10, 20
_AGREE = 5
"""How many of the ten people must give the commonest answer: what people dispute calibrates nothing."""


def main(folder: Path, count: int) -> None:
    """Write the clips and their questions."""
    shared = shared_folder()
    index = np.load(shared / "vqa" / "images_index.npz")
    ids, offsets = index["ids"], index["offsets"]
    by_image: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in load_questions(shared):
        if Counter(one["answers"]).most_common(1)[0][1] >= _AGREE:
            by_image[int(one["image"])].append(one)
    held = [k for k in split(ids, _captioned(shared))["test"] if by_image[int(ids[k])]][:count]
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    with (shared / "vqa" / "images.bin").open("rb") as file:
        for k in held:
            file.seek(int(offsets[k]))
            encoded = np.frombuffer(file.read(int(offsets[k + 1] - offsets[k])), np.uint8)
            picture = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
            path = folder / f"photo_{int(ids[k])}.mp4"
            if not path.exists():
                _write(path, picture)
            for number, one in enumerate(by_image[int(ids[k])]):
                right = [a for a, n in Counter(one["answers"]).items() if n >= 3]
                rows.append(
                    {"id": f"{path.stem}-{number}", "video": path.name, "question": one["question"],
                     "type": one["answer_type"], "answers": right}
                )  # fmt: skip
    (folder / "questions.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"{len(held)} clips, {len(rows)} questions")


def _captioned(shared: Path) -> set[int]:
    with gzip.open(shared / "vqa" / "captions.json.gz", "rt", encoding="utf-8") as file:
        kept = json.load(file)
    return {int(one["image"]) for one in kept} if isinstance(kept, list) else {int(key) for key in kept}


def _write(path: Path, picture: Any) -> None:
    wide = cv2.resize(picture, _SIZE, interpolation=cv2.INTER_CUBIC)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=_RATE)
        stream.width, stream.height = _SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "18"}
        for _ in range(_FRAMES):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(wide, format="bgr24")))
        out.mux(stream.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
