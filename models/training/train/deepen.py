"""
A network that begins as one with fewer layers, and says the same.

The added layers stand evenly between the others and repeat the one before, but write nothing yet:
what they read is of use already, and their outputs are learnt from the first step on (Shen et al.,
"Staged Training for Transformer Language Models", 2022).
"""

import math
from typing import List, NamedTuple

import torch

from model import Block


class Origin(NamedTuple):
    """Which layer of the shallower network a layer repeats, and whether it was added."""

    layer: int
    added: bool


def deepened(layers: int, wanted: int) -> List[Origin]:
    """The `wanted` layers, at most twice as many, of a network that begins as one of `layers`."""
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
    """Let a layer pass on what it reads, unchanged."""
    block.attn_output.weight.zero_()
    block.ffn_down.weight.zero_()
