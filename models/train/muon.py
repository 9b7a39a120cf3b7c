"""Muon for the matrices: momentum whose update is made orthogonal by Newton-Schulz steps."""

from typing import Callable, Dict, List, Tuple

import torch
from torch import Tensor

from model import Llama

MatrixRange = Tuple[int, int, int]


def orthogonalise(matrix: Tensor, steps: int = 5) -> Tensor:
    """Approximate U V^T of the matrix's singular value decomposition."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrix / (matrix.norm() + 1e-7)
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.t()
    for _ in range(steps):
        gram = x @ x.t()
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.t() if tall else x


def matrix_ranges(model: Llama) -> List[MatrixRange]:
    """(start, rows, columns) of each block matrix within the flat parameters."""
    ranges: List[MatrixRange] = []
    at = 0
    for name, p in model.named_parameters():
        if name.startswith("blk.") and p.ndim == 2:
            ranges.append((at, p.shape[0], p.shape[1]))
        at += p.numel()
    return ranges


class Muon:
    """Orthogonalised Nesterov momentum over flat parameters."""

    def __init__(
        self, ranges: List[MatrixRange], size: int, momentum: float = 0.95, decay: float = 0.05
    ) -> None:
        self.ranges = ranges
        self.velocity = torch.zeros(size)
        self.momentum = momentum
        self.decay = decay

    def step(
        self,
        parameters: Tensor,
        gradient: Tensor,
        updates: Tensor,
        orthogonalise_all: Callable[[List[MatrixRange]], None],
        rate: float,
    ) -> None:
        """`rate` is the root mean square of an element's change; `updates` is scratch space."""
        self.velocity.lerp_(gradient, 1 - self.momentum)
        torch.lerp(gradient, self.velocity, self.momentum, out=updates)
        orthogonalise_all(self.ranges)
        for start, rows, columns in self.ranges:
            span = slice(start, start + rows * columns)
            parameters[span].mul_(1 - rate * self.decay)
            parameters[span].add_(updates[span], alpha=-rate * max(rows, columns) ** 0.5)

    def state_dict(self) -> Dict[str, Tensor]:
        return {"velocity": self.velocity}

    def load_state_dict(self, state: Dict[str, Tensor]) -> None:
        self.velocity.copy_(state["velocity"])
