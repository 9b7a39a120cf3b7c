import { randomInt } from "node:crypto";

/** A segment of the prompt, and whether control-token texts in it become control tokens. */
export interface PromptSegment {
  readonly text: string;
  readonly controlTokens: "parsed" | "literal";
}

/** First of the 16 private-use characters that encode hexadecimal digits inside a marker. */
const FIRST_DIGIT = 0xe000;
const MARKER = /\uE010[\uE000-\uE00F]+\uE011/g;

/**
 * Prevents control-token texts in a client's messages (`<|im_end|>`) from becoming control tokens.
 * They are replaced by markers before the template is rendered; afterwards the segments between the
 * template's own control tokens that contain markers are tokenised as plain text. llama.cpp
 * tokenises the text between control tokens separately anyway, so the segmentation changes no other
 * token. One guard serves one request.
 */
export class ControlTokenGuard {
  readonly #pattern: RegExp | undefined;
  readonly #originals = new Map<string, string>();
  /** Unpredictable, so that a client cannot forge a marker. */
  readonly #nonce = randomInt(2 ** 32).toString(16);

  constructor(pattern: RegExp | undefined) {
    this.#pattern = pattern;
  }

  /** Replaces every control-token text in a client's text. */
  guard(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replace(this.#pattern, (original) => {
      const marker = this.#createMarker();
      this.#originals.set(marker, original);
      return marker;
    });
  }

  /** Splits the rendered prompt into segments and restores the client's texts. */
  release(rendered: string): PromptSegment[] {
    if (this.#pattern === undefined || this.#originals.size === 0) {
      return [{ text: rendered, controlTokens: "parsed" }];
    }
    const segments: PromptSegment[] = [];
    let parsed = "";
    for (const segment of splitAt(rendered, this.#pattern)) {
      const text = segment.replace(MARKER, (marker) => this.#originals.get(marker) ?? marker);
      if (text === segment) {
        parsed += text;
        continue;
      }
      if (parsed !== "") segments.push({ text: parsed, controlTokens: "parsed" });
      parsed = "";
      segments.push({ text, controlTokens: "literal" });
    }
    if (parsed !== "") segments.push({ text: parsed, controlTokens: "parsed" });
    return segments;
  }

  #createMarker(): string {
    const digits = [...`${this.#nonce}${this.#originals.size.toString(16)}`].map((digit) =>
      String.fromCodePoint(FIRST_DIGIT + Number.parseInt(digit, 16)),
    );
    return `\uE010${digits.join("")}\uE011`;
  }
}

/** The matches of a pattern and the segments between them, in order. */
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
