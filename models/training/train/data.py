"""Token shards on disk, cut into micro-batches of conversations of similar length."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, List, Tuple

import numpy as np
import torch
from torch import Tensor


# The weight of a token's loss, by what the shard says of it: read, written by the model, or the
# one that tells what follows: call or plain answer, which of the tools, which of the words.
LEARNT_WEIGHTS = np.array([0.0, 1.0, 3.0], dtype=np.float32)

# Rows are padded to a multiple of this: kernels for a new shape take longer to make than to run.
LENGTH_STEP = 16


@dataclass(frozen=True)
class Shard:
    """Conversations as flat arrays; `starts` has one entry more than there are conversations."""

    tokens: np.ndarray
    learn: np.ndarray
    starts: np.ndarray
    skills: np.ndarray


@dataclass(frozen=True)
class Batch:
    """Padded rows: inputs and targets (batch, length), weights of the loss per target."""

    inputs: Tensor
    targets: Tensor
    weights: Tensor
    skills: List[int]


def load_shard(folder: Path, name: str) -> Shard:
    tokens = np.fromfile(folder / f"{name}.tokens", dtype=np.uint16)
    learn = np.fromfile(folder / f"{name}.learn", dtype=np.uint8)
    docs = np.fromfile(folder / f"{name}.docs", dtype=np.uint32).reshape(-1, 2).astype(np.int64)
    return Shard(tokens, learn, np.append(docs[:, 0], len(tokens)), docs[:, 1])


def padded(length: int) -> int:
    """The length of rows that hold conversations of up to `length` tokens."""
    return -(-length // LENGTH_STEP) * LENGTH_STEP


def make_batch(shard: Shard, docs: List[int], limit: int, prompt_share: float) -> Batch:
    """
    Rows for some conversations, and empty ones up to `limit` tokens; a random share of the
    prompt's tokens is learnt lightly.
    """
    spans = [(int(shard.starts[d]), int(shard.starts[d + 1])) for d in docs]
    length = padded(max(end - start for start, end in spans))
    inputs = np.zeros((max(len(docs), limit // length), length), dtype=np.int64)
    targets = np.zeros_like(inputs)
    weights = np.zeros(inputs.shape, dtype=np.float32)
    for row, (start, end) in enumerate(spans):
        count = end - start - 1
        inputs[row, :count] = shard.tokens[start : end - 1]
        targets[row, :count] = shard.tokens[start + 1 : end]
        learnt = shard.learn[start + 1 : end]
        light = (np.random.rand(count) < prompt_share) * 0.3
        weights[row, :count] = np.where(learnt == 0, light, LEARNT_WEIGHTS[learnt])
    skills = [int(shard.skills[d]) for d in docs]
    return Batch(*(torch.from_numpy(a) for a in (inputs, targets, weights)), skills)


def group_by_length(
    shard: Shard, limit: int, rng: random.Random, pool: int = 768
) -> List[List[int]]:
    """Lists of conversations whose padded rows hold at most `limit` tokens."""
    lengths = np.diff(shard.starts)
    order = list(range(len(lengths)))
    rng.shuffle(order)
    groups: List[List[int]] = []
    for at in range(0, len(order), pool):
        part = sorted(order[at : at + pool], key=lambda d: int(lengths[d]))
        local: List[List[int]] = []
        current: List[int] = []
        for doc in part:
            if current and (len(current) + 1) * padded(int(lengths[doc])) > limit:
                local.append(current)
                current = []
            current.append(doc)
        local.append(current)
        rng.shuffle(local)
        groups.extend(local)
    return groups


def stream(
    folder: Path, limit: int, start: Tuple[int, int], prompt_share: Callable[[], float]
) -> Iterator[Tuple[Batch, Tuple[int, int]]]:
    """
    Micro-batches from a position (shard, group) on, for ever; new shards are picked up, and the
    share of the prompts that is learnt is asked for each time.
    """
    shard_index, group_index = start
    while True:
        names = sorted(path.stem for path in folder.glob("train-*.docs"))
        turn, at = divmod(shard_index, len(names))
        shard = load_shard(folder, names[at])
        groups = group_by_length(shard, limit, random.Random(shard_index + 1000 * turn))
        for i in range(group_index, len(groups)):
            batch = make_batch(shard, groups[i], limit, prompt_share())
            yield batch, (shard_index, i + 1)
        shard_index, group_index = shard_index + 1, 0
