import type { EmitGeneration, Engine } from "../core/engine.js";
import { GgufdError } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, GenerationStart } from "../core/generation-request.js";
import type { EngineGate } from "./engine-gate.js";
import type { HeldRequest } from "./held-request.js";
import { isLoss, retryAcrossRestarts } from "./retry-across-restarts.js";

export interface GenerationRunOptions {
  readonly engine: Engine;
  readonly gate: EngineGate;
  readonly held: HeldRequest;
  readonly generation: GenerationStart;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** Receives the events; the last one is final. */
  readonly emit: EmitGeneration;
  /** See {@link Caller.cutAnswer}. */
  readonly cutAnswer: () => "ended" | "resumed";
  /** It is in the engine, for the first time or again. */
  readonly onRunning: () => void;
  /** The engine was lost, and it waits for another one. */
  readonly onWaiting: () => void;
  /** It is taken for what has ended the engine so many times in a row. */
  readonly onRefused: (request: GenerationRequest, losses: number) => void;
}

/** One generation that has a slot: in the engine, and after its loss in the next one. */
export class GenerationRun {
  readonly #options: GenerationRunOptions;
  readonly #answer = new AnswerSoFar();
  /** Its last event was emitted before the engine's. */
  #hasFailed = false;

  constructor(options: GenerationRunOptions) {
    this.#options = options;
  }

  /**
   * Runs it to its last event.
   * @throws what ends it outside the engine, where no last event has been emitted
   */
  complete(): Promise<void> {
    const { gate, signal, held, cutAnswer, onRunning, onWaiting, onRefused } = this.#options;
    return retryAcrossRestarts({
      attempt: () => this.#inEngine(),
      gate,
      signal,
      answer: () => {
        if (!this.#answer.hasBegun) return "unseen";
        return cutAnswer() === "ended" ? "cut" : "resumable";
      },
      onEntered: onRunning,
      onLost: () => {
        this.#answer.restart();
        onWaiting();
      },
      onRefused: (losses) => onRefused(held.request, losses),
    });
  }

  /** @throws {GgufdError} `model_unavailable` when the engine is lost */
  async #inEngine(): Promise<void> {
    const { engine, held, generation, signal } = this.#options;
    while (!held.isHeld) {
      await held.prepare();
      signal.throwIfAborted();
    }
    const resumedTokens = this.#answer.tokens;
    const cancel = () => engine.cancel(generation.id);
    // To be removed again: a signal that others abort is kept, with all that listens, for as long as it has listeners.
    const stopListening = () => signal.removeEventListener("abort", cancel);
    signal.addEventListener("abort", cancel);
    try {
      await new Promise<void>((resolve, reject) => {
        engine.start(
          resumedTokens.length === 0 ? generation : { ...generation, resumedTokens },
          (event, tokens = []) => {
            if (isFinal(event)) stopListening();
            if (event.type === "failed" && isLoss(event.error) && !this.#hasFailed) {
              reject(event.error);
              return;
            }
            this.#pass(event, tokens);
            if (isFinal(event)) resolve();
          },
        );
      });
    } finally {
      stopListening();
    }
  }

  #pass(event: GenerationEvent, tokens: readonly number[]): void {
    if (this.#hasFailed) return;
    const { emit } = this.#options;
    let fresh: GenerationEvent | undefined;
    try {
      fresh = this.#answer.take(event, tokens);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (fresh !== undefined) emit(fresh, this.#answer.takeNewTokens());
  }

  /** Ends an answer that goes on in another way than it has begun. */
  #fail(cause: unknown): void {
    const { engine, generation, emit } = this.#options;
    this.#hasFailed = true;
    engine.cancel(generation.id);
    const message = "The model's process has exited, and the answer could not be resumed.";
    emit({ type: "failed", error: new GgufdError("model_unavailable", message, { cause }) });
  }
}

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
