"""
Initialisation with previous-token heads and induction heads.

Associative recall (which value belongs to which key) takes two steps: a previous-token head of the
first layer copies a token shortly before each position to that position, and an induction head of
the second layer attends to positions where the same token was copied (Olsson et al., "In-context
Learning and Induction Heads", 2022). A network this small hardly learns this from random weights.
Here both kinds exist from the first step on, and all their weights are trainable.
"""

import math
from typing import NamedTuple, Sequence, Tuple

import torch
from torch import Tensor

from model import Block, Llama, rope_inverse


class Match(NamedTuple):
    """Match the token `asked` places before a query with those `found` places before the keys."""

    asked: int
    found: int


DISTANCES = (1, 2, 3, 4)

# What each induction head matches: the current token, one of the three before it, or two of these
# at once, to attend to what followed an earlier occurrence; and, last, the same token.
FINDS = (
    (Match(0, 1),),
    (Match(1, 2),),
    (Match(2, 3),),
    (Match(3, 4),),
    (Match(0, 1), Match(1, 2)),
    (Match(1, 2), Match(2, 3)),
    (Match(0, 0),),
)

# The constant component of every embedding: attention scores that depend on the position only.
CONSTANT = 0.35

# A head's first RoPE pairs rotate fast enough to distinguish neighbours, the last hardly at all.
FAST_PAIRS = 4
SLOW_FROM = 6

# Approximate difference of the score at the target position to that at any other.
SHARPNESS = 24.0
MATCH_SCALE = 2.6

# Magnitude of what previous-token heads copy, relative to the embedding.
GAIN = 2.0

# Scale of the random weights in the remaining rows of such a head.
REST = 0.3


def head_rows(block: Block, head: int) -> slice:
    dim = block.config.head_dim
    return slice(head * dim, (head + 1) * dim)


def look_back(block: Block, head: int, distance: int, constant: Tensor) -> None:
    """Make a head a previous-token head, which attends `distance` positions back."""
    config = block.config
    rows = head_rows(block, head)
    size = math.sqrt(SHARPNESS * math.sqrt(config.head_dim) / FAST_PAIRS)
    axis = size * math.sqrt(1 + CONSTANT**2) * constant / constant.square().sum()
    angles = rope_inverse(config.head_dim, config.rope_base)[:FAST_PAIRS] * -distance
    for matrix, turn in ((block.attn_q, angles), (block.attn_k, torch.zeros(FAST_PAIRS))):
        pairs = torch.stack((turn.cos(), turn.sin()), -1).reshape(-1)
        matrix.weight[rows] *= REST
        matrix.weight[rows][: 2 * FAST_PAIRS] = torch.outer(pairs, axis)


def find(block: Block, head: int, pairs: Sequence[Tuple[Tensor, Tensor]]) -> None:
    """
    Make a head an induction head: for each pair, the second subspace at the attended position
    matches the first one at the query position, at any distance. Subspaces have the shape
    (head size, width); the pairs share the rows that hardly rotate.
    """
    first = 2 * SLOW_FROM
    count = (block.config.head_dim - first) // len(pairs)
    for matrix, side in ((block.attn_q, 0), (block.attn_k, 1)):
        rows = matrix.weight[head_rows(block, head)]
        rows *= REST
        for at, pair in enumerate(pairs):
            start = first + at * count
            rows[start : start + count] = MATCH_SCALE * pair[side][start : start + count]


@torch.no_grad()
def initialise(model: Llama) -> None:
    """Initialise all weights of a network."""
    config = model.config
    constant = CONSTANT * torch.randn(config.width).sign()
    axis = constant / constant.norm()
    for vectors, std in ((model.token_embd.letters, 1.0), (model.token_embd.looks, 0.3)):
        torch.nn.init.normal_(vectors, std=std)
        vectors.sub_(torch.outer(vectors @ axis, axis))
    model.token_embd.looks.add_(constant)
    model.output_norm.weight.fill_(config.width**-0.5)
    for block in model.blk:
        for matrix in (block.attn_q, block.attn_k, block.attn_v, block.ffn_gate, block.ffn_up):
            torch.nn.init.normal_(matrix.weight, std=config.width**-0.5)
        gain = (2 * config.layers * config.feed_forward) ** -0.5
        torch.nn.init.normal_(block.ffn_down.weight, std=gain)
        # A head writes to the subspace that it reads.
        block.attn_output.weight.copy_(0.5 * block.attn_v.weight.t())

    # Axes orthogonal to each other and to the constant: one group that all heads of the first layer
    # read, and one per head to write to, so that the order of the copied tokens is kept.
    basis = torch.randn(config.width, config.width)
    basis[:, 0] = axis
    groups = torch.linalg.qr(basis).Q.t()[1:].split(config.head_dim)
    first, second = model.blk[0], model.blk[1]
    for head, distance in enumerate(DISTANCES):
        rows = head_rows(first, head)
        look_back(first, head, distance, constant)
        first.attn_v.weight[rows] = groups[0]
        first.attn_output.weight[:, rows] = GAIN * groups[1 + head].t()
    # The retrieved token is mostly the next one: it is written at twice its magnitude.
    second.attn_output.weight.mul_(4)
    at = dict(zip((0, *DISTANCES), groups))
    for head, matches in enumerate(FINDS):
        find(second, head, [(at[asked], at[found]) for asked, found in matches])
