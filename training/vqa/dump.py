"""Write a trained network as NumPy arrays, with its scores on some questions to check the NumPy network by.

python -m training.vqa.dump --work WORK --names a,b
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from training.vqa.train import Data, open_network, predict, score

CHECKED = 32


def main() -> None:
    """Write `net-NAME.npz` for each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--names", required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    data = Data(args.work)
    for name in args.names.split(","):
        stored = torch.load(args.work / f"net-{name}.pt")
        model = open_network(data, stored["width"])
        model.load_state_dict(stored["state"])
        rows = data.of(1)[:CHECKED]
        model.eval()
        with torch.no_grad():
            logits = torch.cat([model(data.batch(rows[k : k + 1], exact=True))[0] for k in range(len(rows))])
        arrays = {f"net.{key}": value.numpy() for key, value in stored["state"].items()}
        np.savez(args.work / f"net-{name}.npz", rows=rows, logits=logits.numpy(), **arrays)
        print(name, score(predict(model, data, data.of(1)), data, data.of(1)))


if __name__ == "__main__":
    main()
