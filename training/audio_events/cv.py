"""Cross-validate, then distil the fold models into the one that ships; all on one device."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.audio_events import data, train
from training.audio_events.augment import FrontEnd
from training.audio_events.nets import Student
from training.audio_events.train import Recipe, Trainer

FOLDS = (1, 2, 3, 4)


def main() -> None:
    """Train the four fold models and the final one, and print what the former score on their test folds."""
    args = _arguments()
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    started = time.time()
    clips = data.load(args.data)
    front = FrontEnd(args.data).to(device)
    samples = torch.from_numpy(clips.samples).to(device)
    power = torch.cat([front.power(part) for part in samples.split(100)])
    active, labels, folds = (
        torch.from_numpy(x).to(device) for x in (clips.active, clips.labels, clips.folds)
    )
    print(f"data ready after {time.time() - started:.0f} s", flush=True)

    trainer = Trainer(power, active, labels, len(clips.names), Recipe(), [])
    steps = args.steps
    if args.fold_seconds:
        steps = int(args.fold_seconds / trainer.time_step(folds >= 0))
    print(f"{steps} steps a fold, after {time.time() - started:.0f} s", flush=True)
    teachers: list[Student] = []
    for fold in FOLDS:
        model = trainer.fit(folds != fold, steps, fold, log=f"fold {fold}")
        test = folds == fold
        _report(model, f"fold{fold}", front, samples[test], labels[test], clips.names, args.out, steps)
        teachers.append(model)
    _distil(args, teachers, power, active, labels, clips.names)
    print(f"done in {time.time() - started:.0f} s", flush=True)


def _distil(
    args: argparse.Namespace, teachers: list[Student], power: Tensor, active: Tensor, labels: Tensor,
    names: tuple[str, ...],
) -> None:  # fmt: skip
    """Train the final model on every fold, matching the fold models' mean opinion."""
    trainer = Trainer(power, active, labels, len(names), Recipe(), teachers)
    everyone = torch.ones(len(labels), dtype=torch.bool, device=labels.device)
    steps = args.final_steps
    if args.final_seconds:
        steps = int(args.final_seconds / trainer.time_step(everyone))
    student = trainer.fit(everyone, steps, 9, log=f"final ({steps} steps)")
    save(student, args.out / "student_final.npz", names, {"steps": steps})


def _report(
    model: Student, name: str, front: FrontEnd, samples: Tensor, labels: Tensor, names: tuple[str, ...],
    out: Path, steps: int,
) -> None:  # fmt: skip
    scores = train.score_clips(model, front, samples)
    right = train.top1(scores, labels)
    print(f"RESULT {name} top-1 {right:.4f} of {len(labels)}", flush=True)
    save(model, out / f"student_{name}.npz", names, {"top1": right, "clips": len(labels), "steps": steps})


def save(model: Student, path: Path, names: tuple[str, ...], report: dict[str, float]) -> None:
    """Write half-precision weights with the class names and the scores."""
    path.parent.mkdir(parents=True, exist_ok=True)
    weights = {key: value.cpu().numpy() for key, value in model.state_dict().items()}
    half = {k: v.astype(np.float16) if v.dtype == np.float32 else v for k, v in weights.items()}
    np.savez(path, __names__=np.array(names), __report__=np.array(json.dumps(report)), **half)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=6861, help="steps of each fold model")
    parser.add_argument("--final-steps", type=int, default=6025, help="steps of the final model")
    parser.add_argument(
        "--fold-seconds", type=float, default=0.0, help="time for each fold model instead of steps"
    )
    parser.add_argument(
        "--final-seconds", type=float, default=0.0, help="time for the final model instead of steps"
    )
    parser.add_argument("--data", type=Path, default=Path(".carry/audio"))
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
