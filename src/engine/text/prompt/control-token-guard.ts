import { randomInt } from "node:crypto";
import type { ChunkedMedia } from "../../../core/media.js";

/** Text of the prompt, and whether control-token texts in it become control tokens. */
export interface TextSegment {
  readonly type: "text";
  readonly text: string;
  readonly controlTokens: "parsed" | "literal";
}

/** A segment of the prompt. */
export type RenderedSegment = TextSegment | ChunkedMedia;

/** First of the 16 private-use characters that encode hexadecimal digits inside a marker. */
const FIRST_DIGIT = 0xe000;
const MARKER = /\uE010[\uE000-\uE00F]+\uE011/g;

/**
 * Hides from a template the parts of a client's messages that it must not see: control-token texts
 * (`<|im_end|>`), which would become control tokens, and media, which are not text. They are
 * replaced by markers before the template is rendered; afterwards the segments between the
 * template's own control tokens that contain markers are tokenized as plain text. llama.cpp
 * tokenizes the text between control tokens, and between media, separately anyway, so the
 * segmentation changes no other token. Each request has its own guard.
 */
export class ControlTokenGuard {
  readonly #pattern: RegExp | undefined;
  readonly #originals = new Map<string, string>();
  readonly #media = new Map<string, ChunkedMedia>();
  /** Unpredictable, so that a client cannot forge a marker. */
  readonly #nonce = randomInt(2 ** 32).toString(16);

  constructor(pattern: RegExp | undefined) {
    this.#pattern = pattern;
  }

  /** Replaces every control-token text in a client's text with a marker. */
  guard(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replace(this.#pattern, (original) => {
      const marker = this.#createMarker();
      this.#originals.set(marker, original);
      return marker;
    });
  }

  /** Creates a marker for media in a client's text. */
  mark(media: ChunkedMedia): string {
    const marker = this.#createMarker();
    this.#media.set(marker, media);
    return marker;
  }

  /** Splits the rendered prompt into segments, and restores the client's texts and media. */
  release(rendered: string): RenderedSegment[] {
    if (this.#media.size === 0) return this.#releaseText(rendered);
    const marks = new RegExp([...this.#media.keys()].join("|"), "g");
    return splitAt(rendered, marks).flatMap((part): RenderedSegment[] => {
      const media = this.#media.get(part);
      return media === undefined ? this.#releaseText(part) : [media];
    });
  }

  #releaseText(rendered: string): TextSegment[] {
    if (this.#pattern === undefined || this.#originals.size === 0) {
      return [{ type: "text", text: rendered, controlTokens: "parsed" }];
    }
    const segments: TextSegment[] = [];
    let parsedText = "";
    const addParsed = () => {
      if (parsedText !== "")
        segments.push({ type: "text", text: parsedText, controlTokens: "parsed" });
      parsedText = "";
    };
    for (const segment of splitAt(rendered, this.#pattern)) {
      const text = segment.replace(MARKER, (marker) => this.#originals.get(marker) ?? marker);
      if (text === segment) {
        parsedText += text;
        continue;
      }
      addParsed();
      segments.push({ type: "text", text, controlTokens: "literal" });
    }
    addParsed();
    return segments;
  }

  #createMarker(): string {
    const digits = [
      ...`${this.#nonce}${(this.#originals.size + this.#media.size).toString(16)}`,
    ].map((digit) => String.fromCodePoint(FIRST_DIGIT + Number.parseInt(digit, 16)));
    return `\uE010${digits.join("")}\uE011`;
  }
}

/** Splits a text into the matches of a pattern and the segments between them, in order. */
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
