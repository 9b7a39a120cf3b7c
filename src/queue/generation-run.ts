import type { Caller } from "../core/caller.js";
import type { EmitGeneration, Engine } from "../core/engine.js";
import { GgufdError, isEngineExit } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, GenerationStart } from "../core/generation-request.js";
import { EMPTY_HASH, hashText } from "../core/hash-text.js";
import type { EngineGate } from "./engine-gate.js";
import type { HeldRequest } from "./held-request.js";
import { type InterruptedWork, isolationIn, retryAcrossRestarts } from "./retry-across-restarts.js";

export interface GenerationRunOptions {
  readonly engine: Engine;
  readonly gate: EngineGate;
  readonly heldRequest: HeldRequest;
  readonly generation: GenerationStart;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** Receives the events; the last one is final. */
  readonly emit: EmitGeneration;
  /** See {@link Caller.decideAfterInterruption}. */
  readonly decideAfterInterruption: Caller["decideAfterInterruption"];
  /** The generation entered the engine, for the first time or again. */
  readonly onRunning: () => void;
  /** The engine exited, and the generation waits for the next one. */
  readonly onWaiting: () => void;
  /**
   * The request is refused, because it is assumed to have crashed the engine `crashes` times in a
   * row.
   */
  readonly onRefused: (request: GenerationRequest, crashes: number) => void;
}

/** A generation with a slot: runs in the engine and, when that exits, resumes in the next one. */
export class GenerationRun {
  readonly #options: GenerationRunOptions;
  readonly #answer = new PartialAnswer();
  /** Whether {@link #fail} has emitted the last event; later events of the engine are ignored. */
  #hasFailed = false;

  constructor(options: GenerationRunOptions) {
    this.#options = options;
  }

  /**
   * Runs the generation to its last event.
   * @throws the error that ended it outside the engine, in which case no last event was emitted
   */
  complete(): Promise<void> {
    const { engine, gate, signal, heldRequest, onRunning, onWaiting, onRefused } = this.#options;
    return retryAcrossRestarts({
      attempt: () => this.#runInEngine(),
      gate,
      isolation: isolationIn(engine),
      signal,
      answer: () => this.#decideAfterInterruption(),
      onEntered: onRunning,
      onCrash: () => {
        this.#answer.restart();
        onWaiting();
      },
      onRefused: (crashes) => onRefused(heldRequest.request, crashes),
    });
  }

  #decideAfterInterruption(): InterruptedWork["answer"] {
    const { gate, decideAfterInterruption } = this.#options;
    if (!this.#answer.hasBegun) return "unseen";
    const pause = gate.isOpen ? "none" : "restart";
    return decideAfterInterruption(pause) === "ended" ? "cut" : "resumable";
  }

  /** @throws {GgufdError} `model_unavailable` when the engine exits */
  async #runInEngine(): Promise<void> {
    const { engine, heldRequest, generation, signal } = this.#options;
    while (!heldRequest.isHeld) {
      await heldRequest.prepare();
      signal.throwIfAborted();
    }
    const resumedTokens = this.#answer.tokens;
    const cancel = () => engine.cancel(generation.id);
    // Remove the listener explicitly: a signal that depends on other signals is kept alive, with
    // all that its listeners reference, for as long as it has listeners.
    const stopListening = () => signal.removeEventListener("abort", cancel);
    signal.addEventListener("abort", cancel);
    try {
      await new Promise<void>((resolve, reject) => {
        engine.start(
          resumedTokens.length === 0 ? generation : { ...generation, resumedTokens },
          (event, tokens = []) => {
            if (isFinal(event)) stopListening();
            if (event.type === "failed" && isEngineExit(event.error) && !this.#hasFailed) {
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
    let newEvent: GenerationEvent | undefined;
    try {
      newEvent = this.#answer.take(event, tokens);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (newEvent !== undefined) emit(newEvent, this.#answer.takeNewTokens());
  }

  /** Fails a resumed answer that differs from the part already passed on. */
  #fail(cause: unknown): void {
    const { engine, generation, emit } = this.#options;
    this.#hasFailed = true;
    engine.cancel(generation.id);
    const message = "The model's process has exited, and the answer could not be resumed.";
    emit({ type: "failed", error: new GgufdError("model_unavailable", message, { cause }) });
  }
}

/**
 * The part of an answer that engines have generated so far. When an engine exits, the next one
 * regenerates the known tokens, and the events that were already passed on are dropped.
 */
export class PartialAnswer {
  readonly #tokens: number[] = [];
  /** Number of tokens that {@link takeNewTokens} has returned. */
  #returnedTokens = 0;
  readonly #emittedProgress: Progress = createProgress();
  /** Progress in the current engine. */
  #currentProgress: Progress = createProgress();
  #currentTokens = 0;

  /** Whether any part of the answer has been passed on. */
  get hasBegun(): boolean {
    return this.#emittedProgress.parts + this.#emittedProgress.scoredTokens > 0;
  }

  /** The tokens generated so far, which the next engine regenerates first. */
  get tokens(): readonly number[] {
    return [...this.#tokens];
  }

  /** Returns the tokens that arrived since the last call. */
  takeNewTokens(): readonly number[] {
    const tokens = this.#tokens.slice(this.#returnedTokens);
    this.#returnedTokens = this.#tokens.length;
    return tokens;
  }

  /** The engine has exited: the next event is the first one of the next engine. */
  restart(): void {
    this.#currentProgress = createProgress();
    this.#currentTokens = 0;
  }

  /**
   * Takes an event of the current engine.
   * @param tokens generated since the previous event
   * @returns the new part of the event; `undefined` if it has none
   * @throws {Error} if the answer differs from the previous engine's
   */
  take(event: GenerationEvent, tokens: readonly number[]): GenerationEvent | undefined {
    const known = Math.max(0, this.#tokens.length - this.#currentTokens);
    this.#tokens.push(...tokens.slice(known));
    this.#currentTokens += tokens.length;
    switch (event.type) {
      case "finished":
        if (this.#currentProgress.parts < this.#emittedProgress.parts) throw createMismatchError();
        return event;
      case "cancelled":
      case "failed":
        return event;
      case "prompt-progress":
        return this.hasBegun ? undefined : event;
      case "prompt-scores": {
        const known = Math.max(
          0,
          this.#emittedProgress.scoredTokens - this.#currentProgress.scoredTokens,
        );
        this.#currentProgress.scoredTokens += event.scores.length;
        const scores = event.scores.slice(known);
        this.#emittedProgress.scoredTokens += scores.length;
        return scores.length === 0 ? undefined : { ...event, scores };
      }
      default: {
        const isKnown = this.#currentProgress.parts < this.#emittedProgress.parts;
        addPart(this.#currentProgress, event);
        if (!isKnown) {
          addPart(this.#emittedProgress, event);
          return event;
        }
        const isLastKnown = this.#currentProgress.parts === this.#emittedProgress.parts;
        if (isLastKnown && this.#currentProgress.hash !== this.#emittedProgress.hash)
          throw createMismatchError();
        return undefined;
      }
    }
  }
}

interface Progress {
  /** Number of events with a piece of the answer. */
  parts: number;
  /** Hash of the texts of all parts; keeping the texts would store every answer twice. */
  hash: number;
  /** Number of prompt tokens whose scores were passed on. */
  scoredTokens: number;
}

function createProgress(): Progress {
  return { parts: 0, hash: EMPTY_HASH, scoredTokens: 0 };
}

function createMismatchError(): Error {
  return new Error("the restarted engine generated a different beginning of the answer");
}

type Part = Exclude<
  GenerationEvent,
  { type: "prompt-progress" | "prompt-scores" | "finished" | "cancelled" | "failed" }
>;

function addPart(progress: Progress, part: Part): void {
  progress.parts++;
  // The id of a tool call is excluded, because it may be random.
  const text = part.type === "tool-call-begin" ? part.name : part.text;
  progress.hash = hashText(text, hashText(part.type, progress.hash));
}
