import type { EmitGeneration, Engine } from "../core/engine.js";
import { GgufdError } from "../core/errors.js";
import { type GenerationEvent, isFinal } from "../core/generation-event.js";
import type { GenerationRequest, GenerationStart } from "../core/generation-request.js";
import { AnswerSoFar } from "./answer-so-far.js";
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
