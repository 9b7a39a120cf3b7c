import type { OutputPiece } from "./output-piece.js";
import { type StopMatch, StopMatcher } from "./stop-matcher.js";

export interface GeneratedTextOptions {
  readonly bytesOf: BytesOfToken;
  /** Returns the name of a control token; `undefined` for other tokens. */
  readonly controlTextOf: (token: number) => string | undefined;
  readonly stop: readonly string[];
  /** Stop strings are ignored until this many tokens have been generated. */
  readonly minTokens: number;
}

/** Output that is settled, and whether a stop string ended it. */
export interface SettledPieces {
  readonly pieces: readonly OutputPiece[];
  readonly stopped: boolean;
}

/**
 * The output of one generation: complete characters, truncated at its stop strings, and control
 * tokens. Neither a character nor a stop string spans a control token.
 */
export class GeneratedText {
  readonly #options: GeneratedTextOptions;
  readonly #detokenizer: Detokenizer;
  readonly #stops: StopMatcher;
  #tokens = 0;
  #stopped = false;

  constructor(options: GeneratedTextOptions) {
    this.#options = options;
    this.#detokenizer = new Detokenizer(options.bytesOf);
    this.#stops = new StopMatcher(options.stop);
  }

  /** Adds the next token; returns settled output and whether a stop string ended it. */
  push(token: number): SettledPieces {
    this.#tokens++;
    const controlText = this.#options.controlTextOf(token);
    if (controlText === undefined) {
      const { text, stopped } = this.#match(this.#detokenizer.push(token));
      return { pieces: toPieces(text), stopped };
    }
    const before = toPieces(this.flush());
    if (this.#stopped) return { pieces: before, stopped: true };
    return { pieces: [...before, { type: "control-token", text: controlText }], stopped: false };
  }

  /** The stop string that ended the output, if one did. */
  get stopString(): string | undefined {
    return this.#stops.foundStop;
  }

  /** Returns the name of a control token; `undefined` for other tokens. */
  controlTextOf(token: number): string | undefined {
    return this.#options.controlTextOf(token);
  }

  /** Returns the bytes of a token; none for control tokens. */
  bytesOf(token: number): Uint8Array {
    return this.#options.bytesOf(token);
  }

  /** Ends the text and returns the text held back, truncated at a stop string. */
  flush(): string {
    if (this.#stopped) return "";
    const { text, stopped } = this.#match(this.#detokenizer.flush());
    return stopped ? text : text + this.#stops.flush();
  }

  #match(text: string): StopMatch {
    if (this.#tokens < this.#options.minTokens) {
      return { text: this.#stops.pass(text), stopped: false };
    }
    const match = this.#stops.push(text);
    this.#stopped ||= match.stopped;
    return match;
  }
}

function toPieces(text: string): readonly OutputPiece[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** Returns the bytes of a token; none for control tokens. */
export type BytesOfToken = (token: number) => Uint8Array;

/**
 * Decodes tokens to text incrementally. A character whose bytes span several tokens is held back
 * until it is complete; invalid UTF-8 is decoded as U+FFFD.
 */
export class Detokenizer {
  readonly #bytesOf: BytesOfToken;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(bytesOf: BytesOfToken) {
    this.#bytesOf = bytesOf;
  }

  /** Decodes the next token; returns completed text, often `""`. */
  push(token: number): string {
    return this.#decoder.decode(this.#bytesOf(token), { stream: true });
  }

  /** Ends the text and returns the text held back. */
  flush(): string {
    return this.#decoder.decode();
  }
}
