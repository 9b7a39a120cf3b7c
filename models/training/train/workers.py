"""Gradients and updates from several single-threaded processes that share one set of weights."""

import os
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np
import torch
import torch.multiprocessing as mp
from torch import Tensor, nn

from data import Batch
from model import Llama
from muon import MatrixRange, SharedState, matrix_ranges, update

LossFunction = Callable[[Llama, Batch], Tuple[Tensor, Tensor]]

# Keeps the sums of losses, and with them the gradients, near one.
LOSS_SCALE = 1000.0


class Backward(NamedTuple):
    """Task: add the gradients of one micro-batch. The result is (loss, weight)."""

    inputs: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


class Update(NamedTuple):
    """Task: update these matrices. The result is None."""

    ranges: List[MatrixRange]
    scale: float
    rate: float


def flatten(model: nn.Module, buffer: Tensor, gradients: Tensor) -> None:
    """Make every parameter and its gradient views of two flat tensors."""
    at = 0
    for p in model.parameters():
        count = p.numel()
        view = buffer[at : at + count].view_as(p)
        p.data = view
        p.grad = gradients[at : at + count].view_as(p)
        at += count


def work(
    model: Llama, state: SharedState, index: int, loss_of: LossFunction, pipe: Connection
) -> None:
    """Process tasks until the parent process has exited."""
    parent = os.getppid()
    torch.set_num_threads(1)
    flatten(model, state.parameters, state.gradients[index])
    if hasattr(torch, "compile"):
        model.body = torch.compile(model.body, dynamic=True)
    while True:
        while not pipe.poll(5):
            if os.getppid() != parent:
                return
        task = pipe.recv()
        if isinstance(task, Update):
            for part in task.ranges:
                update(state, part, task.scale, task.rate)
            pipe.send(None)
        else:
            inputs, targets, weights = (torch.from_numpy(array) for array in task)
            total, weight = loss_of(model, Batch(inputs, targets, weights, []))
            (total / LOSS_SCALE).backward()
            pipe.send((total.item(), weight.item()))


class Workers:
    """A pool of processes. Each takes the next task as soon as it is free."""

    def __init__(self, model: Llama, count: int, loss_of: LossFunction) -> None:
        flat = torch.cat([p.data.reshape(-1) for p in model.parameters()]).share_memory_()
        zeros = [torch.zeros_like(flat).share_memory_() for _ in range(count + 1)]
        self.state = SharedState(flat, zeros[0], zeros[1:])
        self.gradient = torch.zeros_like(flat)
        self.ranges = matrix_ranges(model)
        flatten(model, flat, self.gradient)
        self.pipes: List[Connection] = []
        context = mp.get_context("fork")
        for index in range(count):
            ours, theirs = context.Pipe()
            context.Process(
                target=work, args=(model, self.state, index, loss_of, theirs), daemon=True
            ).start()
            self.pipes.append(ours)

    def share_out(self, tasks: List[Any]) -> List[Any]:
        """Run tasks on whichever process is free and collect the results."""
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

    def accumulate(self, batches: List[Batch]) -> Tuple[float, float]:
        """Add up the gradients over the batches; return the mean loss and the sums' scale."""
        for gradients in self.state.gradients:
            gradients.zero_()
        parts = self.share_out(
            [Backward(b.inputs.numpy(), b.targets.numpy(), b.weights.numpy()) for b in batches]
        )
        weight = sum(w for _, w in parts)
        return sum(loss for loss, _ in parts) / weight, LOSS_SCALE / weight

    def collect(self, parameters: List[Tensor], scale: float) -> None:
        """Put the mean gradient of these parameters of the model into their `grad`."""
        for p in parameters:
            at = p.storage_offset()
            span = slice(at, at + p.numel())
            total = torch.stack([g[span] for g in self.state.gradients]).sum(0)
            p.grad.view(-1).copy_(total.mul_(scale))

    def move(self, scale: float, rate: float) -> None:
        """Update every matrix with Muon."""
        chunk = max(1, len(self.ranges) // (3 * len(self.pipes)))
        starts = range(0, len(self.ranges), chunk)
        self.share_out([Update(self.ranges[i : i + chunk], scale, rate) for i in starts])
