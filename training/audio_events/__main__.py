"""Train the sound classifier from the recordings to the shipped file.

    PYTHONPATH=src:. python -m training.audio_events all --shared ../shared

`prepare` gathers clips, `cv` trains (a GPU helps), `export` writes the ONNX files, `evaluate` measures them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from training.audio_events import data

STEPS = ("prepare", "cv", "export", "evaluate")
SHIPPED = Path("src/vidence/models/weights/audio_events.onnx")


def main() -> None:
    """Run the steps asked for, in order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="folder of the reference data")
    parser.add_argument("--work", type=Path, default=Path(".carry/audio"), help="where gathered clips go")
    parser.add_argument(
        "--out", type=Path, default=Path(".carry/audio_out"), help="where trained networks go"
    )
    args = parser.parse_args()
    for step in STEPS if args.step == "all" else (args.step,):
        _RUN[step](args)


def _prepare(args: argparse.Namespace) -> None:
    args.work.mkdir(parents=True, exist_ok=True)
    data.gather(args.shared, args.work)


def _cv(args: argparse.Namespace) -> None:
    from training.audio_events import cv

    sys.argv = [
        "cv",
        "--data",
        str(args.work),
        "--out",
        str(args.out),
        "--steps",
        "6861",
        "--final-steps",
        "6025",
    ]
    cv.main()


def _export(args: argparse.Namespace) -> None:
    from training.audio_events import export

    sounds = data.some_mels(data.load(args.work))
    for path in sorted(args.out.glob("student_*.npz")):
        target = args.out / f"{path.stem.removeprefix('student_')}.onnx"
        export.export(export.load_student(path), target, sounds=sounds)
    SHIPPED.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(args.out / "final.onnx", SHIPPED)


def _evaluate(args: argparse.Namespace) -> None:
    from training.audio_events import evaluate

    evaluate.report(args.shared, args.work, args.out)


_RUN = {"prepare": _prepare, "cv": _cv, "export": _export, "evaluate": _evaluate}

if __name__ == "__main__":
    main()
