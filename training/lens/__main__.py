"""`python -m training.lens STEP`: pack → fit → export → evaluate, or `all` of them in turn."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

from training.lens.rows import dequantise, load_rows

BACKGROUND, EVERYDAY_TEXTS = 12_000, 5_000
STEPS = ("pack", "fit", "export", "evaluate")
WEIGHTS = Path(__file__).parents[2] / "src" / "vidence" / "models" / "weights" / "lens-2.npz"


def main() -> None:
    """Run one step, or all."""
    parser = argparse.ArgumentParser(prog="python -m training.lens", description=__doc__)
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/lens"), help="features.npy and rows.json.gz"
    )
    parser.add_argument("--work", type=Path, default=Path(".carry/lens"), help="packed data and the student")
    parser.add_argument(
        "--labeller", type=Path, help="folder of the labeller's .tflite and labels, for the bridge"
    )
    parser.add_argument("--step-back", type=float, default=0.15, help="strength, chosen on validation")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    for step in STEPS if options.step == "all" else (options.step,):
        _STEPS[step](options)


def _pack(options: argparse.Namespace) -> None:
    from training.lens.pack import pack

    pack(load_rows(options.data), options.work)


def _fit(options: argparse.Namespace) -> None:
    # Imported here: this step alone needs torch, and it alone runs on an accelerator.
    from training.lens.distil import fit_and_save

    fit_and_save(options.work)


def _export(options: argparse.Namespace) -> None:
    from training.lens.evaluate import encode, figures, open_encoder, pairs
    from training.lens.export import Extras, background, crowd, export, fit_log_odds
    from vidence.models.vision.lens.weights import parse_weights

    rows = load_rows(options.data)
    student, draft = options.work / "student.npz", options.work / "draft.npz"
    train = rows.of("train")[:BACKGROUND]
    seen = dequantise(rows.features[[row.number for row in train]])
    export(student, draft, Extras())
    encoder = open_encoder(parse_weights(draft.read_bytes()))
    said = encoder.encode_texts([row.captions[0] for row in train[:EVERYDAY_TEXTS]])
    near = crowd(said, encoder.encode_images(seen), strength=options.step_back)
    export(student, draft, Extras(crowd=near))
    encoder = open_encoder(parse_weights(draft.read_bytes()))
    usual = background(encoder.encode_images(seen))
    export(student, draft, Extras(usual, near))
    vectors = encode(rows, "val", encoder)
    _show("validation", figures(vectors))
    odds = fit_log_odds(*pairs(vectors, parse_weights(draft.read_bytes())))
    digest = export(student, WEIGHTS, Extras(usual, near, odds))
    print(f"log-odds {odds}; put SHA256 = {digest} into vidence.models.vision.lens.weights")


def _evaluate(options: argparse.Namespace) -> None:
    from training.lens.evaluate import calibration, chinese_probe, encode, figures, latency, open_encoder

    rows, encoder = load_rows(options.data), open_encoder()
    vectors = encode(rows, "test", encoder)
    _show("lens", figures(vectors) | {"calibration error, names": calibration(vectors, encoder)})
    _show("Chinese probe, 1k", chinese_probe(vectors, encoder))
    _show("milliseconds", latency(encoder))
    if options.labeller:
        from training.lens.bridge import bridge

        files = options.labeller / "efficientnet_lite3.tflite", options.labeller / "efficientnet_labels.txt"
        for oracle in (False, True):
            label = "label bridge + true objects" if oracle else "label bridge"
            _show(label, figures(bridge(rows, "test", *files, oracle=oracle)))


def _show(title: str, found: object) -> None:
    print(title, json.dumps(found, ensure_ascii=False, indent=1))


_STEPS = {"pack": _pack, "fit": _fit, "export": _export, "evaluate": _evaluate}

if __name__ == "__main__":
    main()
