import { preTokens, symbolsOf } from "./pre-tokens.js";
import { type Vocabulary, wholeTokens } from "./vocabulary.js";

const boundary = new RegExp(`(${wholeTokens.map((s) => s.replace(/[|/{]/g, "\\$&")).join("|")})`);

/** Byte-level BPE that gives the tokens llama.cpp gives. */
export class Encoder {
  private readonly ids: ReadonlyMap<string, number>;
  private readonly ranks: ReadonlyMap<string, number>;
  private readonly cache = new Map<string, readonly number[]>();

  constructor(vocabulary: Vocabulary) {
    this.ids = new Map(vocabulary.tokens.map((token, id) => [token, id]));
    this.ranks = new Map(
      vocabulary.merges.map(([left, right], rank) => [`${left} ${right}`, rank]),
    );
  }

  /** The ids of a text; whole tokens in it become single ids. */
  encode(text: string): number[] {
    return text.split(boundary).flatMap((part) => {
      const whole = wholeTokens.some((name) => name === part) ? this.ids.get(part) : undefined;
      return whole === undefined ? this.encodePieces(part) : [whole];
    });
  }

  /** The ids of a text as if there were no whole tokens. */
  encodePieces(text: string): number[] {
    return preTokens(text).flatMap((piece) => this.pieceIds(piece));
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
