"""The network: a small llama with interleaved RoPE pairs and tied embeddings."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from token_family import LOOKS, TokenFamilies


@dataclass(frozen=True)
class ModelConfig:
    """Shape of the network; the names follow GGUF's llama.* keys."""

    vocab_size: int
    width: int = 192
    layers: int = 8
    heads: int = 6
    kv_heads: int = 6
    feed_forward: int = 512
    rope_base: float = 1_000_000.0
    norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.width // self.heads


def rope_inverse(head_dim: int, base: float) -> Tensor:
    """How far each pair turns from one position to the next, in radians: shape (head_dim / 2,)."""
    return base ** (-torch.arange(0, head_dim, 2).float() / head_dim)


def rope_table(length: int, head_dim: int, base: float) -> Tensor:
    """Cosines and sines, one per position and pair: shape (2, length, 1, head_dim / 2)."""
    angles = torch.outer(torch.arange(length).float(), rope_inverse(head_dim, base))
    return torch.stack((angles.cos(), angles.sin())).unsqueeze(2)


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Rotate neighbouring pairs, as llama.cpp does for the llama architecture."""
    pairs = x.float().unflatten(-1, (-1, 2))
    cosine, sine = table[0], table[1]
    first, second = pairs[..., 0], pairs[..., 1]
    turned = (first * cosine - second * sine, first * sine + second * cosine)
    return torch.stack(turned, -1).flatten(-2).to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)
        return x * scale * self.weight


class Block(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        kv_width = config.kv_heads * config.head_dim
        self.attn_norm = RMSNorm(config.width, config.norm_eps)
        self.attn_q = nn.Linear(config.width, config.width, bias=False)
        self.attn_k = nn.Linear(config.width, kv_width, bias=False)
        self.attn_v = nn.Linear(config.width, kv_width, bias=False)
        self.attn_output = nn.Linear(config.width, config.width, bias=False)
        self.ffn_norm = RMSNorm(config.width, config.norm_eps)
        self.ffn_gate = nn.Linear(config.width, config.feed_forward, bias=False)
        self.ffn_up = nn.Linear(config.width, config.feed_forward, bias=False)
        self.ffn_down = nn.Linear(config.feed_forward, config.width, bias=False)

    def attention(self, x: Tensor, table: Tensor, mask: Tensor) -> Tensor:
        config = self.config
        batch, length, width = x.shape
        dim = config.head_dim
        q = rotate(self.attn_q(x).view(batch, length, config.heads, dim), table)
        k = rotate(self.attn_k(x).view(batch, length, config.kv_heads, dim), table)
        v = self.attn_v(x).view(batch, length, config.kv_heads, dim)
        if config.kv_heads != config.heads:
            group = config.heads // config.kv_heads
            k = k.repeat_interleave(group, dim=2)
            v = v.repeat_interleave(group, dim=2)
        q = q.transpose(1, 2).reshape(-1, length, dim)
        k = k.transpose(1, 2).reshape(-1, length, dim)
        v = v.transpose(1, 2).reshape(-1, length, dim)
        scores = torch.bmm(q, k.transpose(1, 2)).float() * dim**-0.5 + mask
        mixed = torch.bmm(scores.softmax(-1).to(v.dtype), v)
        mixed = mixed.view(batch, config.heads, length, dim).transpose(1, 2)
        return self.attn_output(mixed.reshape(batch, length, width))

    def forward(self, x: Tensor, table: Tensor, mask: Tensor) -> Tensor:
        x = x + self.attention(self.attn_norm(x), table, mask)
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class TokenEmbedding(nn.Module):
    """
    One vector for the letters of a token and one for its surface form; a token's row is their sum.
    What the network learns about a word then applies to all its forms.
    """

    def __init__(self, families: TokenFamilies, width: int) -> None:
        super().__init__()
        self.families = families
        self.letters = nn.Parameter(torch.empty(families.count, width))
        self.looks = nn.Parameter(torch.empty(LOOKS, width))

    def rows(self) -> Tensor:
        """The ordinary embedding matrix, as llama.cpp uses it: shape (vocabulary, width)."""
        return self.letters[self.families.letters] + self.looks[self.families.looks]

    def fit(self, rows: Tensor) -> None:
        """Set letters and surface forms to the best approximation of an ordinary embedding."""
        letters, looks = self.families.letters, self.families.looks
        members = torch.bincount(letters, minlength=self.families.count).unsqueeze(1)
        bare = torch.full((self.families.count,), -1)
        bare[letters[looks == 0]] = torch.nonzero(looks == 0).squeeze(1)
        self.looks.zero_()
        for look in range(1, LOOKS):
            # A vocabulary may lack a surface form, or the bare token of a family.
            pairs = (looks == look) & (bare[letters] >= 0)
            if pairs.any():
                self.looks[look] = (rows[pairs] - rows[bare[letters[pairs]]]).mean(0)
        self.letters.zero_().index_add_(0, letters, rows - self.looks[looks])
        self.letters.div_(members)


class Llama(nn.Module):
    """Token ids in, hidden states or logits out."""

    def __init__(
        self, config: ModelConfig, families: TokenFamilies, max_length: int = 2048
    ) -> None:
        super().__init__()
        self.config = config
        self.token_embd = TokenEmbedding(families, config.width)
        self.blk = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.output_norm = RMSNorm(config.width, config.norm_eps)
        table = rope_table(max_length, config.head_dim, config.rope_base)
        self.register_buffer("rope", table, persistent=False)

    def hidden(self, tokens: Tensor, embedding: Tensor) -> Tensor:
        """Final normalised hidden states, shape (batch, length, width)."""
        length = tokens.shape[1]
        mask = torch.full((length, length), float("-inf")).triu(1)
        x = F.embedding(tokens, embedding)
        return self.body(x, self.rope[:, :length].contiguous(), mask)

    def body(self, x: Tensor, table: Tensor, mask: Tensor) -> Tensor:
        """Everything between the embedding and the logits."""
        for block in self.blk:
            x = block(x, table, mask)
        return self.output_norm(x)
