"""Train the shipped model on the CPU within a time budget; stop and resume at will."""

import argparse
import json
import os
import random
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from data import Batch, group_by_length, load_shard, make_batch, stream
from deepen import deepened, silence
from initial import FINDS, initialise
from model import Llama, ModelConfig
from precision import mixed_precision
from token_family import families_of
from workers import Workers

EMBEDDING = "token_embd.weight"

# Steps over which the learning rates rise to their full value.
WARM_UP = 120

# The initial share of prompt tokens in the loss, and the progress at which it has fallen to zero.
# Prompts teach the language, but names and invented words are unpredictable, and once the answers
# are nearly correct, the prompts would be three quarters of the total loss.
PROMPT_SHARE = 0.25
PROMPT_UNTIL = 0.4


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the shards")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--minutes", type=float, default=90, help="time left for training")
    parser.add_argument("--workers", type=int, default=2, help="processes, one thread each")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--feed-forward", type=int, default=512)
    parser.add_argument("--micro-tokens", type=int, default=1536)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--matrix-lr", type=float, default=2.0e-3)
    parser.add_argument("--embedding-lr", type=float, default=1.0e-2)
    parser.add_argument("--norm-lr", type=float, default=1.5e-3)
    parser.add_argument("--save-every", type=float, default=240, help="seconds")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parser.add_argument(
        "--start", type=Path, help="folder with weights to begin with, as import.ts writes them"
    )
    parser.add_argument(
        "--progress",
        type=float,
        help="with --resume or --start: take up the schedule here, from 0 to 1",
    )
    args = parser.parse_args()
    if args.heads < len(FINDS):
        parser.error(f"--heads: expected at least {len(FINDS)}, got {args.heads}")
    if args.layers < 2:
        parser.error(f"--layers: expected at least 2, got {args.layers}")
    if args.start is not None:
        begun: int = read_index(args.start)["config"]["layers"]
        if not begun <= args.layers <= 2 * begun:
            parser.error(
                f"--layers: expected {begun}, as --start has, to {2 * begun}, got {args.layers}"
            )
    return args


def loss_of(model: Llama, batch: Batch) -> Tuple[Tensor, Tensor]:
    """Sum of weighted losses and sum of weights; logits only at positions with a weight."""
    flat = batch.weights.reshape(-1)
    # All positions with a weight, padded with others to a multiple of 128.
    count = -(-int(flat.count_nonzero()) // 128) * 128
    weights, wanted = flat.topk(min(count, flat.numel()))
    embedding = model.token_embd.rows()
    with mixed_precision():
        hidden = model.hidden(batch.inputs, embedding).reshape(-1, model.config.width)[wanted]
        logits = F.linear(hidden, embedding).float()
    losses = F.cross_entropy(logits, batch.targets.reshape(-1)[wanted], reduction="none")
    return (losses * weights).sum(), weights.sum()


@torch.no_grad()
def exact_answers(model: Llama, data: Path, micro_tokens: int) -> Dict[str, float]:
    """Share of held-out conversations in which every weighted token is the most likely one."""
    names: List[str] = json.loads((data / "skills.json").read_text())
    shard = load_shard(data, "heldout")
    right: Dict[str, List[bool]] = defaultdict(list)
    embedding = model.token_embd.rows()
    for docs in group_by_length(shard, micro_tokens, random.Random(0)):
        batch = make_batch(shard, docs, micro_tokens, 0.0)
        with mixed_precision():
            hidden = model.hidden(batch.inputs, embedding).float()
        wrong = (F.linear(hidden, embedding).argmax(-1) != batch.targets) & (batch.weights > 0)
        for skill, bad in zip(batch.skills, wrong.any(1).tolist()):
            right[names[skill]].append(not bad)
    return {name: sum(hits) / len(hits) for name, hits in sorted(right.items())}


def read_index(folder: Path) -> Dict[str, Any]:
    """Configuration and tensors, which `import.ts` or an earlier training wrote beside weights."""
    return json.loads((folder / "weights.json").read_text())


def load_weights(model: Llama, folder: Path) -> None:
    """Load the weights of another training, which may have had fewer layers."""
    begun = read_index(folder)
    values = np.fromfile(folder / "weights.bin", dtype=np.float32)
    tensors: Dict[str, Tensor] = {}
    for tensor in begun["tensors"]:
        start = tensor["offset"] // 4
        part = values[start : start + int(np.prod(tensor["shape"]))]
        tensors[tensor["name"]] = torch.from_numpy(part).reshape(tensor["shape"])
    with torch.no_grad():
        model.token_embd.fit(tensors[EMBEDDING])
        model.output_norm.weight.copy_(tensors["output_norm.weight"])
        origins = deepened(begun["config"]["layers"], model.config.layers)
        for block, origin in zip(model.blk, origins):
            for name, parameter in block.named_parameters():
                parameter.copy_(tensors[f"blk.{origin.layer}.{name}"])
            if origin.added:
                silence(block)


class Trainer:
    """Model, optimisers, running average and position; a checkpoint holds all of them."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        vocabulary = json.loads((args.data / "vocabulary.json").read_text())
        begun = {} if args.start is None else read_index(args.start)["config"]
        config = ModelConfig(
            rope_base=begun.get("rope_base", ModelConfig.rope_base),
            vocab_size=-(-len(vocabulary["tokens"]) // 32) * 32,
            width=args.width,
            layers=args.layers,
            heads=args.heads,
            kv_heads=args.heads,
            feed_forward=args.feed_forward,
        )
        self.model = Llama(config, families_of(vocabulary["tokens"], config.vocab_size))
        initialise(self.model)
        if args.start is not None:
            load_weights(self.model, args.start)
        self.workers = Workers(self.model, args.workers, loss_of)
        norms = [p for p in self.model.parameters() if p.ndim == 1]
        self.adam = torch.optim.AdamW(
            [
                {"params": list(self.model.token_embd.parameters()), "lr": args.embedding_lr},
                {"params": norms, "lr": args.norm_lr},
            ],
            betas=(0.9, 0.95),
            weight_decay=0.0,
        )
        self.rates = [group["lr"] for group in self.adam.param_groups]
        self.average = self.workers.state.parameters.clone()
        self.progress, self.steps, self.tokens, self.seconds = 0.0, 0, 0, 0.0
        self.position = (0, 0)
        if args.resume:
            self.load(args.out / "checkpoint.pt")
        if args.progress is not None:
            self.progress = args.progress

    def load(self, path: Path) -> None:
        state = torch.load(path)
        self.workers.state.parameters.copy_(state["parameters"])
        self.workers.state.velocity.copy_(state["velocity"])
        self.adam.load_state_dict(state["adam"])
        self.average.copy_(state["average"])
        self.progress, self.steps, self.tokens, self.seconds = state["counters"]
        self.position = state["position"]

    def save(self) -> None:
        state = {
            "parameters": self.workers.state.parameters,
            "velocity": self.workers.state.velocity,
            "adam": self.adam.state_dict(),
            "average": self.average,
            "counters": (self.progress, self.steps, self.tokens, self.seconds),
            "position": self.position,
        }
        partial = self.args.out / "checkpoint.partial"
        torch.save(state, partial)
        os.replace(partial, self.args.out / "checkpoint.pt")
        self.dump()

    def dump(self) -> None:
        """The averaged weights as flat float32 with a JSON index, for the GGUF export."""
        with self.averaged():
            tensors = {EMBEDDING: self.model.token_embd.rows().detach()}
            for name, p in self.model.named_parameters():
                if not name.startswith("token_embd."):
                    tensors[name] = p.detach()
            index: List[Dict[str, object]] = []
            partial = self.args.out / "weights.partial"
            with open(partial, "wb") as file:
                for name, values in tensors.items():
                    index.append(
                        {"name": name, "shape": list(values.shape), "offset": file.tell()}
                    )
                    file.write(values.numpy().tobytes())
        config = {**vars(self.model.config), "steps": self.steps, "tokens": self.tokens}
        os.replace(partial, self.args.out / "weights.bin")
        (self.args.out / "weights.json").write_text(
            json.dumps({"config": config, "tensors": index}, indent=1)
        )

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """A block in which the network has the averaged weights."""
        parameters = self.workers.state.parameters
        kept = parameters.clone()
        parameters.copy_(self.average)
        try:
            yield
        finally:
            parameters.copy_(kept)

    def step(self, batches: List[Batch]) -> float:
        """One update; learning rates warm up briefly and decay linearly to zero over the budget."""
        scale = min(1.0, (self.steps + 1) / WARM_UP) * (1 - self.progress)
        loss, gradient_scale = self.workers.accumulate(batches)
        self.tokens += sum(batch.inputs.numel() for batch in batches)
        self.workers.move(gradient_scale, self.args.matrix_lr * scale)
        for group, rate in zip(self.adam.param_groups, self.rates):
            group["lr"] = rate * scale
            self.workers.collect(group["params"], gradient_scale)
        self.adam.step()
        self.steps += 1
        self.average.lerp_(self.workers.state.parameters, max(0.02, 1 / (self.steps + 1)))
        return loss

    def prompt_share(self) -> float:
        """The current share of prompt tokens in the loss."""
        return PROMPT_SHARE * max(0.0, 1 - self.progress / PROMPT_UNTIL)

    def run(self) -> None:
        args = self.args
        deadline = time.time() + 60 * args.minutes
        batches = stream(args.data, args.micro_tokens, self.position, self.prompt_share)
        usual, saved, log_loss = 2.0, time.time(), 0.0
        while self.progress < 1:
            start = time.time()
            taken: List[Batch] = []
            for _ in range(args.accumulate):
                batch, self.position = next(batches)
                taken.append(batch)
            loss = self.step(taken)
            log_loss = loss if log_loss == 0 else 0.95 * log_loss + 0.05 * loss
            # A very long step was paused from outside: the pause does not count as training.
            elapsed = time.time() - start
            spent = min(elapsed, 3 * usual)
            deadline += elapsed - spent
            usual += 0.05 * (spent - usual)
            self.seconds += spent
            left = deadline - start
            self.progress += (1 - self.progress) * min(1.0, spent / max(left, spent))
            if self.steps % 20 == 0:
                rate = self.tokens / self.seconds
                print(
                    f"step {self.steps} tokens {self.tokens / 1e6:.2f}M {rate:.0f}/s "
                    f"progress {self.progress:.3f} shard {self.position[0]} loss {log_loss:.4f}",
                    flush=True,
                )
            if time.time() - saved > args.save_every or self.progress >= 1:
                self.save()
                self.report()
                saved = time.time()

    def report(self) -> None:
        """Print the held-out exact answers of the averaged weights."""
        with self.averaged():
            exact = exact_answers(self.model, self.args.data, self.args.micro_tokens)
        print("  ".join(f"{k} {100 * v:.0f}" for k, v in exact.items()), flush=True)


def main() -> None:
    args = parse_arguments()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)
    args.out.mkdir(parents=True, exist_ok=True)
    Trainer(args).run()


if __name__ == "__main__":
    main()
