import { preTokens, symbolsOf } from "./pre-tokens.js";
import { type Vocabulary, wholeTokens } from "./vocabulary.js";

const longestFirst = wholeTokens.toSorted((a, b) => b.length - a.length);

interface WholeToken {
  readonly text: string;
  readonly id: number;
}

/** Byte-level BPE with the same tokens as llama.cpp. */
export class Encoder {
  private readonly ids: ReadonlyMap<string, number>;
  /** Whole tokens of the vocabulary, the longest first, as llama.cpp searches for them. */
  private readonly whole: readonly WholeToken[];
  private readonly ranks: ReadonlyMap<string, number>;
  /** Lengths in bytes, by id: a symbol is a byte, and whole tokens are ASCII. */
  private readonly lengths: readonly number[];
  private readonly cache = new Map<string, readonly number[]>();

  constructor(vocabulary: Vocabulary) {
    this.ids = new Map(vocabulary.tokens.map((token, id) => [token, id]));
    this.lengths = vocabulary.tokens.map(({ length }) => length);
    this.whole = longestFirst.flatMap((text) => {
      const id = this.ids.get(text);
      return id === undefined ? [] : [{ text, id }];
    });
    this.ranks = new Map(
      vocabulary.merges.map(([left, right], rank) => [`${left} ${right}`, rank]),
    );
  }

  /** Returns the ids of a text; whole tokens in it become single ids. */
  encode(text: string): number[] {
    return this.encodeWhole(text, 0);
  }

  /** Number of bytes of a text that a token stands for. */
  bytesOf(id: number): number {
    return this.lengths[id] ?? 0;
  }

  private encodeWhole(text: string, from: number): number[] {
    const whole = this.whole[from];
    if (whole === undefined) return preTokens(text).flatMap((piece) => this.pieceIds(piece));
    return text.split(whole.text).flatMap((part, index) => {
      const ids = this.encodeWhole(part, from + 1);
      return index === 0 ? ids : [whole.id, ...ids];
    });
  }

  private pieceIds(piece: string): readonly number[] {
    const known = this.cache.get(piece);
    if (known !== undefined) return known;
    const ids = this.merge(symbolsOf(piece)).map((symbol) => this.ids.get(symbol) ?? 0);
    if (this.cache.size < 500_000) this.cache.set(piece, ids);
    return ids;
  }

  private merge(symbols: string[]): string[] {
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let i = 0; i + 1 < symbols.length; i += 1) {
        const rank = this.ranks.get(`${symbols[i] ?? ""} ${symbols[i + 1] ?? ""}`);
        if (rank !== undefined && rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, (symbols[at] ?? "") + (symbols[at + 1] ?? ""));
    }
  }
}
