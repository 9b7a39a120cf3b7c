"""
Depth growth: initialises a network from one with fewer layers, without changing its function.

The added layers are evenly interleaved, and each is a copy of the layer before it with zeroed
outputs: the features that it reads are useful already, and its outputs are trained from the first
step on (Shen et al., "Staged Training for Transformer Language Models", 2022).
"""

import math
from typing import List, NamedTuple

import torch

from model import Block


class Origin(NamedTuple):
    """Which layer of the shallower network a layer copies, and whether it was added."""

    layer: int
    added: bool


def deepened(layers: int, wanted: int) -> List[Origin]:
    """The origins of `wanted` layers, at most twice the number of the other network's `layers`."""
    added = wanted - layers
    repeated = {math.ceil((k + 1) * layers / (added + 1)) - 1 for k in range(added)}
    origins: List[Origin] = []
    for layer in range(layers):
        origins.append(Origin(layer, False))
        if layer in repeated:
            origins.append(Origin(layer, True))
    return origins


@torch.no_grad()
def silence(block: Block) -> None:
    """Make a layer the identity by zeroing its outputs."""
    block.attn_output.weight.zero_()
    block.ffn_down.weight.zero_()
