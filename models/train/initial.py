"""
Where training starts: with heads that already look back.

Which value belongs to which key is found in two steps: a head of the first layer brings what stood
shortly before to each position, and a later head finds the position that got the same thing. From
random weights a network this small hardly ever comes to that; begun like this it takes some hundred
steps. Three things do it together: the first heads, embeddings that the layers do not drown, and
heads whose output keeps the direction of what they read (compare Trockman and Kolter, "Mimetic
Initialization of Self-Attention Layers", 2023).
"""

import math

import torch
from torch import Tensor

from model import Block, Llama, rope_inverse

# The constant share of every embedding, by which a head can tell places apart and nothing else.
CONSTANT = 0.35
SHARPNESS = 12.0
FAST_PAIRS = 6

# Between a question's last word and the answer's first stand up to six tokens of structure.
DISTANCES = (1, 2, 3, 5, 6, 7)


def look_back(block: Block, head: int, distance: int, constant: Tensor) -> None:
    """Let a head attend to the token `distance` places before, whatever that token is."""
    config = block.config
    dim = config.head_dim
    rows = slice(head * dim, (head + 1) * dim)
    projection = float(constant.square().sum()) / math.sqrt(1 + CONSTANT**2)
    size = math.sqrt(SHARPNESS * math.sqrt(dim)) / projection
    angles = rope_inverse(dim, config.rope_base)[:FAST_PAIRS] * -distance
    for matrix, turn in ((block.attn_q, angles), (block.attn_k, torch.zeros(FAST_PAIRS))):
        pairs = torch.zeros(dim // 2, 2)
        pairs[:FAST_PAIRS] = torch.stack((turn.cos(), turn.sin()), -1)
        matrix.weight[rows] = 0.3 * matrix.weight[rows] + torch.outer(
            size * pairs.reshape(-1), constant
        )


@torch.no_grad()
def initialise(model: Llama) -> None:
    """Fill a network with the weights that training begins with."""
    config = model.config
    constant = CONSTANT * torch.randn(config.width).sign()
    torch.nn.init.normal_(model.token_embd.letters)
    torch.nn.init.normal_(model.token_embd.looks, std=0.3).add_(constant)
    model.output_norm.weight.fill_(config.width**-0.5)
    for block in model.blk:
        for matrix in (block.attn_q, block.attn_k, block.attn_v, block.ffn_gate, block.ffn_up):
            torch.nn.init.normal_(matrix.weight, std=config.width**-0.5)
        gain = (2 * config.layers * config.feed_forward) ** -0.5
        torch.nn.init.normal_(block.ffn_down.weight, std=gain)
        block.attn_output.weight.copy_(0.5 * block.attn_v.weight.t())
    for head, distance in enumerate(DISTANCES[: config.heads]):
        look_back(model.blk[0], head, distance, constant)
