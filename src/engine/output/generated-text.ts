import { type BytesOfToken, Detokenizer } from "./detokenizer.js";
import { type StopMatch, StopMatcher } from "./stop-matcher.js";

export interface GeneratedTextOptions {
  readonly bytesOf: BytesOfToken;
  readonly stop: readonly string[];
  /** Stop strings are ignored until this many tokens have been generated. */
  readonly minTokens: number;
}

/** The text of one generation: complete characters, truncated at its stop strings. */
export class GeneratedText {
  readonly #detokenizer: Detokenizer;
  readonly #stops: StopMatcher;
  readonly #minTokens: number;
  #tokens = 0;
  #stopped = false;

  constructor({ bytesOf, stop, minTokens }: GeneratedTextOptions) {
    this.#detokenizer = new Detokenizer(bytesOf);
    this.#stops = new StopMatcher(stop);
    this.#minTokens = minTokens;
  }

  /** Takes the next token; returns the text that can be emitted and whether a stop string ended it. */
  push(token: number): StopMatch {
    this.#tokens++;
    return this.#match(this.#detokenizer.push(token));
  }

  /** Ends the text: returns what was held back, truncated at a stop string in it. */
  flush(): string {
    if (this.#stopped) return "";
    const { text, stopped } = this.#match(this.#detokenizer.flush());
    return stopped ? text : text + this.#stops.flush();
  }

  #match(text: string): StopMatch {
    if (this.#tokens < this.#minTokens) return { text: this.#stops.pass(text), stopped: false };
    const match = this.#stops.push(text);
    this.#stopped ||= match.stopped;
    return match;
  }
}
