"""Average networks that were trained on from the same one: better than each, at the cost of one.

python -m training.vqa.average --work WORK --names a,b,c --out soup
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.vqa.train import Data, open_network, score


def main() -> None:
    """Write the mean of the networks; print the validation accuracy of each and of the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--names", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    data = Data(args.work)
    stored = [torch.load(args.work / f"net-{name}.pt") for name in args.names.split(",")]
    mean = {key: sum(one["state"][key] for one in stored) / len(stored) for key in stored[0]["state"]}
    torch.save({"state": mean, "width": stored[0]["width"]}, args.work / f"net-{args.out}.pt")
    for state in [*(one["state"] for one in stored), mean]:
        model = open_network(data, args.work, stored[0]["width"])
        model.load_state_dict(state)
        print(score(model, data, data.of(1))[0], flush=True)


if __name__ == "__main__":
    main()
