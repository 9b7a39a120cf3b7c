"""Write the mean of the weights of several trainings that have the same shape."""

import argparse
import json
from pathlib import Path

import numpy as np


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path, nargs="+", help="folders as train.py writes them")
    parser.add_argument("--out", type=Path, required=True, help="folder for the mean")
    args = parser.parse_args()
    first = (args.weights[0] / "weights.json").read_text()
    shape = json.loads(first)["tensors"]
    for folder in args.weights[1:]:
        if json.loads((folder / "weights.json").read_text())["tensors"] != shape:
            parser.error(f"{folder}: expected the tensors of {args.weights[0]}, got others")
    return args


def main() -> None:
    args = parse_arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    values = [np.fromfile(folder / "weights.bin", dtype=np.float32) for folder in args.weights]
    np.mean(values, axis=0, dtype=np.float32).tofile(args.out / "weights.bin")
    # Step and token counts are those of the last training, which continued the others.
    index = (args.weights[-1] / "weights.json").read_text()
    (args.out / "weights.json").write_text(index)


if __name__ == "__main__":
    main()
