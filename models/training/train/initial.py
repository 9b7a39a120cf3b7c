"""
Where training starts: with heads that look back and heads that find what was said before.

Which value belongs to which key is found in two steps: a head of the first layer brings what stood
shortly before to each place, and a head of the second finds the place that got the same (Olsson
et al., "In-context Learning and Induction Heads", 2022). From random weights a network this small
hardly comes to that. Here both are there from the first step on, and free to change.
"""

import math
from typing import NamedTuple, Sequence, Tuple

import torch
from torch import Tensor

from model import Block, Llama, rope_inverse


class Match(NamedTuple):
    """Attend to where `found` places before stands the token that is `asked` places before here."""

    asked: int
    found: int


DISTANCES = (1, 2, 3, 4)

# What each head of the second layer finds: what followed the last time, told by this token or by
# one of three before, or by two of them at once; and the same token.
FINDS = (
    (Match(0, 1),),
    (Match(1, 2),),
    (Match(2, 3),),
    (Match(3, 4),),
    (Match(0, 1), Match(1, 2)),
    (Match(1, 2), Match(2, 3)),
    (Match(0, 0),),
)

# The constant share of every embedding, by which a head tells places apart and nothing else.
CONSTANT = 0.35

# Of a head's pairs the first turn fast enough to tell neighbours apart, the last hardly at all.
FAST_PAIRS = 4
SLOW_FROM = 6

# How much a score falls from the place that is looked for to any other, about.
SHARPNESS = 24.0
MATCH_SCALE = 2.6

# How much larger what was brought from other places is than the embedding.
GAIN = 2.0

# What the other rows of such a head keep of their random weights.
REST = 0.3


def head_rows(block: Block, head: int) -> slice:
    dim = block.config.head_dim
    return slice(head * dim, (head + 1) * dim)


def look_back(block: Block, head: int, distance: int, constant: Tensor) -> None:
    """Let a head attend to the token `distance` places before, whatever that token is."""
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
    Let a head attend to where the second of each pair reads what its first reads here, however far
    away. All are directions of shape (head size, width); pairs share the rows that hardly turn.
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
    """Fill a network with the weights that training begins with."""
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
        # A head passes on the direction of what it read.
        block.attn_output.weight.copy_(0.5 * block.attn_v.weight.t())

    # Axes at right angles to each other and to the constant: one group for the heads of the first
    # layer to read, and one for each to write to, so that the order of what they bring is kept.
    basis = torch.randn(config.width, config.width)
    basis[:, 0] = axis
    groups = torch.linalg.qr(basis).Q.t()[1:].split(config.head_dim)
    first, second = model.blk[0], model.blk[1]
    for head, distance in enumerate(DISTANCES):
        rows = head_rows(first, head)
        look_back(first, head, distance, constant)
        first.attn_v.weight[rows] = groups[0]
        first.attn_output.weight[:, rows] = GAIN * groups[1 + head].t()
    # What was found is mostly what comes next: its direction goes on at twice its size.
    second.attn_output.weight.mul_(4)
    at = dict(zip((0, *DISTANCES), groups))
    for head, matches in enumerate(FINDS):
        find(second, head, [(at[asked], at[found]) for asked, found in matches])
