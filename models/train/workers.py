"""Gradients from several single-threaded processes that share one set of weights."""

import os
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, List, Tuple

import torch
import torch.multiprocessing as mp
from torch import Tensor, nn

from data import Batch
from model import Llama, ModelConfig
from muon import MatrixRange, orthogonalise

LossFunction = Callable[[Llama, Batch], Tuple[Tensor, Tensor]]


def flatten(model: nn.Module, buffer: Tensor, gradients: Tensor) -> None:
    """Let every parameter and its gradient be a view of two shared flat tensors."""
    at = 0
    for p in model.parameters():
        count = p.numel()
        view = buffer[at : at + count].view_as(p)
        p.data = view
        p.grad = gradients[at : at + count].view_as(p)
        at += count


def work(
    config: ModelConfig,
    buffer: Tensor,
    gradients: Tensor,
    updates: Tensor,
    loss_of: LossFunction,
    pipe: Connection,
) -> None:
    """Answer batches with (loss, weight) and matrix ranges with orthogonal updates."""
    parent = os.getppid()
    torch.set_num_threads(1)
    model = Llama(config)
    flatten(model, buffer, gradients)
    while True:
        while not pipe.poll(5):
            if os.getppid() != parent:
                return
        task = pipe.recv()
        if isinstance(task, list):
            for start, rows, columns in task:
                matrix = updates[start : start + rows * columns].view(rows, columns)
                matrix.copy_(orthogonalise(matrix))
            pipe.send(None)
        else:
            inputs, targets, weights = (torch.from_numpy(array) for array in task)
            total, weight = loss_of(model, Batch(inputs, targets, weights, []))
            (total / 1000.0).backward()
            pipe.send((total.item(), weight.item()))


class Workers:
    """A pool of processes. Each takes the next task as soon as it is free."""

    def __init__(self, model: Llama, count: int, loss_of: LossFunction) -> None:
        size = sum(p.numel() for p in model.parameters())
        self.buffer = torch.cat([p.data.reshape(-1) for p in model.parameters()]).share_memory_()
        self.updates = torch.zeros(size).share_memory_()
        self.gradients = [torch.zeros(size).share_memory_() for _ in range(count)]
        self.gradient = torch.zeros(size)
        flatten(model, self.buffer, self.gradient)
        self.pipes: List[Connection] = []
        context = mp.get_context("fork")
        for gradients in self.gradients:
            ours, theirs = context.Pipe()
            context.Process(
                target=work,
                args=(model.config, self.buffer, gradients, self.updates, loss_of, theirs),
                daemon=True,
            ).start()
            self.pipes.append(ours)

    def share_out(self, tasks: List[Any]) -> List[Any]:
        """Run tasks on whichever process is free and collect the answers."""
        waiting = list(reversed(tasks))
        busy: List[Connection] = []
        answers: List[Any] = []
        for pipe in self.pipes:
            if waiting:
                pipe.send(waiting.pop())
                busy.append(pipe)
        while busy:
            for pipe in list(wait(busy)):
                answers.append(pipe.recv())
                if waiting:
                    pipe.send(waiting.pop())
                else:
                    busy.remove(pipe)
        return answers

    def accumulate(self, batches: List[Batch]) -> float:
        """Put the mean gradient over the batches into `gradient`; return the mean loss."""
        for gradients in self.gradients:
            gradients.zero_()
        parts = self.share_out(
            [(b.inputs.numpy(), b.targets.numpy(), b.weights.numpy()) for b in batches]
        )
        weight = sum(w for _, w in parts)
        self.gradient.copy_(self.gradients[0])
        for gradients in self.gradients[1:]:
            self.gradient.add_(gradients)
        self.gradient.mul_(1000.0 / weight)
        return sum(loss for loss, _ in parts) / weight

    def orthogonalise_all(self, ranges: List[MatrixRange]) -> None:
        """Make every matrix within `updates` orthogonal."""
        chunk = max(1, len(ranges) // (3 * len(self.pipes)))
        self.share_out([ranges[i : i + chunk] for i in range(0, len(ranges), chunk)])
