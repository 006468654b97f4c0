"""Make the sample film and its ground truth: `python -m samples.make_sample`.

Needs scikit-image, Pillow, espeak-ng and the font package fonts-noto-cjk; the film itself is
committed, so only those who change it need them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from samples.studio.encode import encode
from samples.studio.frames import draw
from samples.studio.screenplay import FILM
from samples.studio.soundtrack import record
from samples.studio.truth import tell

__all__ = ["main", "make"]


def make(folder: Path) -> Path:
    """Write the film and its ground truth into `folder` and return the film's path."""
    sound = record(FILM)
    path = folder / "vidence_sample.mp4"
    encode(draw(FILM), sound.track, path)
    truth = json.dumps(tell(FILM, sound), ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(truth + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Parse the command line and make the film."""
    parser = argparse.ArgumentParser(description="Make the sample film and its ground truth.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write into")
    path = make(parser.parse_args().out)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
