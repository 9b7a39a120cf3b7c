import { randomInt } from "node:crypto";

/** A stretch of prompt text and how the control-token texts in it are to be read. */
export interface PromptPiece {
  readonly text: string;
  readonly controlTokens: "parsed" | "literal";
}

/** First of 16 private-use characters that stand for hexadecimal digits inside a marker. */
const FIRST_DIGIT = 0xe000;
const MARKER = /\uE010[\uE000-\uE00F]+\uE011/g;

/**
 * A pattern that finds control-token texts, the longest first as llama.cpp does; `undefined` for a
 * model without any.
 */
export function controlTokenPattern(texts: readonly string[]): RegExp | undefined {
  const alternatives = texts
    .filter((text) => text !== "")
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return alternatives.length === 0 ? undefined : new RegExp(alternatives.join("|"), "g");
}

/**
 * Keeps control-token texts that a client wrote (`<|im_end|>` in a message) from becoming control
 * tokens. They are replaced by markers before the template runs; afterwards the stretches between
 * the template's own control tokens that hold markers are tokenised as plain text. llama.cpp
 * tokenises the text between control tokens separately anyway, so the cuts change no other token.
 * One guard serves one request.
 */
export class ControlTokenGuard {
  readonly #pattern: RegExp | undefined;
  readonly #originals = new Map<string, string>();
  /** Unknown to the client, who therefore cannot write a marker. */
  readonly #nonce = randomInt(2 ** 32).toString(16);

  constructor(pattern: RegExp | undefined) {
    this.#pattern = pattern;
  }

  /** What a client sent, with every control-token text in its strings and keys replaced. */
  guard<Value>(value: Value): Value {
    if (this.#pattern === undefined) return value;
    return this.#guardStrings(value, this.#pattern) as Value;
  }

  /** Cuts the rendered prompt into pieces and puts the client's own texts back. */
  release(rendered: string): PromptPiece[] {
    if (this.#pattern === undefined || this.#originals.size === 0) {
      return [{ text: rendered, controlTokens: "parsed" }];
    }
    const pieces: PromptPiece[] = [];
    let parsed = "";
    for (const stretch of splitAt(rendered, this.#pattern)) {
      const text = stretch.replace(MARKER, (marker) => this.#originals.get(marker) ?? marker);
      if (text === stretch) {
        parsed += text;
        continue;
      }
      if (parsed !== "") pieces.push({ text: parsed, controlTokens: "parsed" });
      parsed = "";
      pieces.push({ text, controlTokens: "literal" });
    }
    if (parsed !== "") pieces.push({ text: parsed, controlTokens: "parsed" });
    return pieces;
  }

  #guardStrings(value: unknown, pattern: RegExp): unknown {
    if (typeof value === "string") {
      return value.replace(pattern, (original) => {
        const marker = this.#createMarker();
        this.#originals.set(marker, original);
        return marker;
      });
    }
    if (Array.isArray(value)) return value.map((item) => this.#guardStrings(item, pattern));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.#guardStrings(key, pattern),
        this.#guardStrings(item, pattern),
      ]),
    );
  }

  #createMarker(): string {
    const digits = [...`${this.#nonce}${this.#originals.size.toString(16)}`].map((digit) =>
      String.fromCodePoint(FIRST_DIGIT + Number.parseInt(digit, 16)),
    );
    return `\uE010${digits.join("")}\uE011`;
  }
}

/** The matches of a pattern and the stretches between them, in order. */
function splitAt(text: string, pattern: RegExp): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(match[0]);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
