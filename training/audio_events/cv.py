"""Train the teachers and the student of one split; a split is the fold held out, or 0 for none."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.audio_events import data, train
from training.audio_events.augment import FrontEnd, Strength
from training.audio_events.train import Recipe, Sounds

TEACHER = Recipe()
STUDENT = Recipe(channels=(64, 128, 240), dropout=0.1)
STRENGTHS = {
    "base": Strength(),
    "mild": Strength(stretch=0.12, pitch=0.1, eq_db=4.0, masks=1, echo=False, noise=0.1),
    "strong": Strength(stretch=0.4, pitch=0.4, eq_db=9.0, masks=2, noise=0.4),
    "mix1": Strength(mix=1.0),
}


def main() -> None:
    """Train one split and print what it scores on the fold held out."""
    args = _arguments()
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    clips = data.load(args.data)
    front = FrontEnd(args.data).to(device)
    held = clips.folds == args.test if args.test else np.zeros(len(clips.folds), bool)
    used = ~held & ~np.isin(clips.folds, args.leave)
    sounds = _sounds(clips, used, front, device)
    test = torch.from_numpy(clips.samples[held]).to(device), torch.from_numpy(clips.labels[held]).to(device)
    report: dict[str, float] = {}
    strength = STRENGTHS[args.strength]
    teachers = []
    for number in range(args.teachers):
        recipe = replace(TEACHER, steps=args.teacher_steps, strength=strength, rate=args.rate)
        name = f"{args.name} teacher {number}"
        teachers.append(train.train_teacher(sounds, recipe, 100 * args.test + number, log=name))
        report[f"teacher{number}"] = _top1([teachers[-1]], front, test)
        print(f"RESULT {name} {report[f'teacher{number}']:.4f}", flush=True)
    report["ensemble"] = _top1(teachers, front, test)
    print(f"RESULT {args.name} ensemble {report['ensemble']:.4f}", flush=True)
    if args.student_steps:
        recipe = replace(STUDENT, steps=args.student_steps, strength=strength, rate=args.rate)
        student = train.train_student(sounds, recipe, teachers, 100 * args.test + 50, log=f"{args.name} student")
        report["student"] = _top1([student], front, test)
        print(f"RESULT {args.name} student {report['student']:.4f}", flush=True)
        save(student, args.out / f"student_{args.name}.npz", clips.names, report)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", type=int, default=0, help="fold held out for testing; 0 trains on all")
    parser.add_argument("--leave", type=int, nargs="*", default=[], help="folds used for nothing")
    parser.add_argument("--name", default="all")
    parser.add_argument("--strength", default="base", choices=STRENGTHS)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--teachers", type=int, default=2)
    parser.add_argument("--teacher-steps", type=int, default=4500)
    parser.add_argument("--student-steps", type=int, default=5000)
    parser.add_argument("--data", type=Path, default=Path(".carry/audio"))
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def _sounds(clips: data.Clips, used: np.ndarray, front: FrontEnd, device: torch.device) -> Sounds:  # type: ignore[type-arg]
    samples = torch.from_numpy(clips.samples[used]).to(device)
    power = torch.cat([front.power(part) for part in samples.split(100)])
    put = lambda array: torch.from_numpy(array[used]).to(device)  # noqa: E731
    return Sounds(power, put(clips.labels), put(clips.active), len(clips.names))


def _top1(models: list[nn.Module], front: FrontEnd, test: tuple[Tensor, Tensor]) -> float:  # type: ignore[type-arg]
    if not test[1].numel():
        return float("nan")
    scores = torch.stack([train.score_clips(model, front, test[0]).exp() for model in models]).mean(dim=0)
    return train.top1(scores, test[1])


def save(model: nn.Module, path: Path, names: tuple[str, ...], report: dict[str, float]) -> None:
    """Write half-precision weights with the class names and the scores."""
    path.parent.mkdir(parents=True, exist_ok=True)
    weights = {key: value.cpu().numpy() for key, value in model.state_dict().items()}
    half = {k: v.astype(np.float16) if v.dtype == np.float32 else v for k, v in weights.items()}
    np.savez(path, __names__=np.array(names), __report__=np.array(json.dumps(report)), **half)


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"done in {time.time() - started:.0f} s", flush=True)
