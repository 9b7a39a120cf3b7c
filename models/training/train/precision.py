"""bfloat16 where the processor multiplies it in hardware: three times as fast as float32."""

import functools
from pathlib import Path

import torch


@functools.lru_cache(maxsize=None)
def matrix_type() -> torch.dtype:
    """The data type of matrix products; the weights themselves stay float32."""
    info = Path("/proc/cpuinfo")
    fast = info.exists() and "avx512_bf16" in info.read_text()
    return torch.bfloat16 if fast else torch.float32


def mixed_precision() -> torch.autocast:
    """A context in which matrix products use `matrix_type`."""
    kind = matrix_type()
    return torch.autocast("cpu", torch.bfloat16, enabled=kind == torch.bfloat16)
