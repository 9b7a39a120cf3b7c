"""Families of tokens with the same letters: bare, spaced, capitalised or in upper case."""

import re
from typing import Dict, List, NamedTuple

import torch
from torch import Tensor

SPACE = "\u0120"
WRITTEN = re.compile(f"({SPACE}?)([A-Za-z])([a-z]*)")
UPPER = re.compile("[A-Z]{2,}")
LOOKS = 5


class TokenFamilies(NamedTuple):
    """Per token its letters' id, and its surface form: bare, spaced, capital, both or upper."""

    letters: Tensor
    looks: Tensor
    count: int


def families_of(tokens: List[str], size: int) -> TokenFamilies:
    """Families of `tokens`, padded to `size`; each token that is not a word is its own family."""
    numbers: Dict[str, int] = {}
    letters: List[int] = []
    looks: List[int] = []
    for token in tokens + [f"unused {i}" for i in range(len(tokens), size)]:
        written = WRITTEN.fullmatch(token)
        name, look = token, 0
        if written is not None:
            space, first, rest = written.groups()
            name = first.lower() + rest
            look = (1 if space else 0) + (2 if first.isupper() else 0)
        elif UPPER.fullmatch(token):
            name, look = token.lower(), 4
        letters.append(numbers.setdefault(name, len(numbers)))
        looks.append(look)
    return TokenFamilies(torch.tensor(letters), torch.tensor(looks), len(numbers))
