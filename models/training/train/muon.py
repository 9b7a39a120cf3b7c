"""Muon for the matrices: momentum, orthogonalised by Newton-Schulz iterations."""

from typing import List, NamedTuple

import torch
from torch import Tensor, nn

from precision import matrix_type


class MatrixRange(NamedTuple):
    """The position of one matrix in the flat parameters."""

    start: int
    rows: int
    columns: int


class SharedState(NamedTuple):
    """Flat tensors of all parameters' elements, in memory that all processes share."""

    parameters: Tensor
    velocity: Tensor
    gradients: List[Tensor]


def orthogonalise(matrix: Tensor, steps: int = 5) -> Tensor:
    """Approximate U V^T of the matrix's singular value decomposition."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = (matrix / (matrix.norm() + 1e-7)).to(matrix_type())
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.t()
    for _ in range(steps):
        gram = x @ x.t()
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.t() if tall else x


def is_matrix(name: str, parameter: Tensor) -> bool:
    """Whether Muon trains this parameter; the embedding and the norms are left to Adam."""
    return name.startswith("blk.") and parameter.ndim == 2


def matrix_ranges(model: nn.Module) -> List[MatrixRange]:
    """The position of each block matrix in the flat parameters."""
    ranges: List[MatrixRange] = []
    at = 0
    for name, p in model.named_parameters():
        if is_matrix(name, p):
            ranges.append(MatrixRange(at, p.shape[0], p.shape[1]))
        at += p.numel()
    return ranges


@torch.no_grad()
def update(
    state: SharedState,
    part: MatrixRange,
    scale: float,
    rate: float,
    momentum: float = 0.95,
    decay: float = 0.05,
) -> None:
    """
    Move one matrix along its orthogonalised Nesterov momentum.

    `scale` turns the sum of the processes' gradients into their mean; `rate` is the root mean
    square of an element's change.
    """
    span = slice(part.start, part.start + part.rows * part.columns)
    gradient = torch.stack([g[span] for g in state.gradients]).sum(0).mul_(scale)
    velocity = state.velocity[span].lerp_(gradient, 1 - momentum)
    nesterov = torch.lerp(gradient, velocity, momentum).view(part.rows, part.columns)
    step = orthogonalise(nesterov).reshape(-1).float()
    size = max(part.rows, part.columns) ** 0.5
    state.parameters[span].mul_(1 - rate * decay).add_(step, alpha=-rate * size)
