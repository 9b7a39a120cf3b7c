import type { GenerationEvent } from "../core/generation-event.js";

/**
 * What an engine has told of an answer. When it is lost, another one goes on: it generates the known tokens once
 * more, and what is already known of its events is left out.
 */
export class AnswerSoFar {
  readonly #tokens: number[] = [];
  /** How many of them were passed on. */
  #toldTokens = 0;
  readonly #passed: Progress = noProgress();
  /** Of the present engine. */
  #current: Progress = noProgress();
  #currentTokens = 0;

  /** Whether anything of it has been passed on. */
  get hasBegun(): boolean {
    return this.#passed.parts + this.#passed.scoredTokens > 0;
  }

  /** The tokens that the next engine begins with. */
  get tokens(): readonly number[] {
    return [...this.#tokens];
  }

  /** The tokens that came since the last call. */
  takeNewTokens(): readonly number[] {
    const tokens = this.#tokens.slice(this.#toldTokens);
    this.#toldTokens = this.#tokens.length;
    return tokens;
  }

  /** The engine is lost: the next event is the first one of another engine. */
  restart(): void {
    this.#current = noProgress();
    this.#currentTokens = 0;
  }

  /**
   * Takes an event of the present engine.
   * @param tokens generated since the event before
   * @returns what is new of it; `undefined`: nothing
   * @throws when the answer is another one than the lost engine's
   */
  take(event: GenerationEvent, tokens: readonly number[]): GenerationEvent | undefined {
    const known = Math.max(0, this.#tokens.length - this.#currentTokens);
    this.#tokens.push(...tokens.slice(known));
    this.#currentTokens += tokens.length;
    switch (event.type) {
      case "finished":
        if (this.#current.parts < this.#passed.parts) throw otherAnswer();
        return event;
      case "cancelled":
      case "failed":
        return event;
      case "prompt-progress":
        return this.hasBegun ? undefined : event;
      case "prompt-scores": {
        const known = Math.max(0, this.#passed.scoredTokens - this.#current.scoredTokens);
        this.#current.scoredTokens += event.scores.length;
        const scores = event.scores.slice(known);
        this.#passed.scoredTokens += scores.length;
        return scores.length === 0 ? undefined : { ...event, scores };
      }
      default: {
        const isKnown = this.#current.parts < this.#passed.parts;
        addPart(this.#current, event);
        if (!isKnown) {
          addPart(this.#passed, event);
          return event;
        }
        const isLastKnown = this.#current.parts === this.#passed.parts;
        if (isLastKnown && this.#current.hash !== this.#passed.hash) throw otherAnswer();
        return undefined;
      }
    }
  }
}

interface Progress {
  /** Events with a piece of the answer. */
  parts: number;
  /** Of their texts: keeping these would keep every answer twice. */
  hash: number;
  /** Tokens of the prompt whose scores were told. */
  scoredTokens: number;
}

function noProgress(): Progress {
  return { parts: 0, hash: 0, scoredTokens: 0 };
}

function otherAnswer(): Error {
  return new Error("another engine began the answer in another way");
}

type Part = Exclude<
  GenerationEvent,
  { type: "prompt-progress" | "prompt-scores" | "finished" | "cancelled" | "failed" }
>;

function addPart(progress: Progress, part: Part): void {
  progress.parts++;
  // Not the id of a call, which may be random.
  const text = part.type === "tool-call-begin" ? part.name : part.text;
  progress.hash = hashed(text, hashed(part.type, progress.hash));
}

/** FNV-1a over UTF-16 code units, in 32 bits. */
function hashed(text: string, from: number): number {
  let hash = from;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
