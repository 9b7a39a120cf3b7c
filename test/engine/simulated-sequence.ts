import { commonPrefixLength } from "../../src/engine/common-prefix.js";
import type { SamplingContext, Sequence } from "../../src/engine/sequence.js";

/** One call that the step loop made on a simulated sequence. */
export interface SequenceCall {
  readonly kind: "reuse" | "prefill" | "begin" | "decode" | "end" | "clear";
  readonly sequenceId: number;
  /** Tokens that the call puts into the native batch. */
  readonly tokens: number;
  /** Calls of one tick were made without waiting in between. */
  readonly tick: number;
}

/** Runs inside a call: may hold it, fail it, or only look at it. */
export type CallHook = (call: SequenceCall) => Promise<void> | undefined;

export interface SimulationOptions {
  /** The model: the token that follows the held tokens. */
  readonly next: (held: readonly number[]) => number;
  readonly onCall?: CallHook;
}

/** What all sequences of one simulated context share: the record of their calls. */
export class Simulation {
  readonly calls: SequenceCall[] = [];
  readonly next: (held: readonly number[]) => number;
  readonly #onCall: CallHook | undefined;
  #tick = 0;
  #tickOpen = false;

  constructor({ next, onCall }: SimulationOptions) {
    this.next = next;
    this.#onCall = onCall;
  }

  /** A call takes until the event loop has turned once, as a native batch does. */
  async pass(kind: SequenceCall["kind"], sequenceId: number, tokens: number): Promise<void> {
    if (!this.#tickOpen) {
      this.#tickOpen = true;
      this.#tick++;
      queueMicrotask(() => {
        this.#tickOpen = false;
      });
    }
    const call = { kind, sequenceId, tokens, tick: this.#tick };
    this.calls.push(call);
    await this.#onCall?.(call);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The calls that fill native batches, tick by tick. */
  batches(): SequenceCall[][] {
    const byTick = new Map<number, SequenceCall[]>();
    for (const call of this.calls.filter(({ tokens }) => tokens > 0)) {
      byTick.set(call.tick, [...(byTick.get(call.tick) ?? []), call]);
    }
    return [...byTick.values()];
  }
}

/** A sequence without a model. It refuses every call that the contract forbids. */
export class SimulatedSequence implements Sequence {
  readonly id: number;
  readonly #simulation: Simulation;
  #held: number[] = [];
  #context: SamplingContext | undefined;
  #sampled: number | undefined;
  #busy = false;
  #broken = false;

  constructor(id: number, simulation: Simulation) {
    this.id = id;
    this.#simulation = simulation;
  }

  get heldTokens(): readonly number[] {
    return this.#held;
  }

  reusePrefix(promptTokens: readonly number[]): Promise<number> {
    return this.#call("reuse", 0, () => {
      this.#refuseWhileDecoding("reusePrefix");
      this.#held.length = commonPrefixLength(this.#held, promptTokens.slice(0, -1));
      return this.#held.length;
    });
  }

  prefill(tokens: readonly number[]): Promise<void> {
    return this.#call("prefill", tokens.length, () => {
      this.#refuseWhileDecoding("prefill");
      if (tokens.length === 0) throw misuse("prefill without tokens");
      this.#held.push(...tokens);
    });
  }

  beginDecoding(tokens: readonly number[], context: SamplingContext): Promise<number> {
    return this.#call("begin", tokens.length, () => {
      this.#refuseWhileDecoding("beginDecoding");
      if (tokens.length === 0) throw misuse("beginDecoding without tokens");
      this.#held.push(...tokens);
      if (this.#held.join() !== context.promptTokens.join()) {
        throw misuse(`sequence ${this.id} holds ${this.#held}, prompt ${context.promptTokens}`);
      }
      this.#context = context;
      this.#sampled = this.#simulation.next(this.#held);
      return this.#sampled;
    });
  }

  decode(): Promise<number> {
    return this.#call("decode", 1, () => {
      if (this.#sampled === undefined) throw misuse("decode before beginDecoding");
      if (this.#context?.generated.at(-1) !== this.#sampled) throw misuse("a token was lost");
      this.#held.push(this.#sampled);
      this.#sampled = this.#simulation.next(this.#held);
      return this.#sampled;
    });
  }

  endDecoding(): Promise<void> {
    return this.#call("end", 0, () => {
      this.#sampled = undefined;
      this.#context = undefined;
    });
  }

  async clear(): Promise<void> {
    this.#broken = false;
    await this.#call("clear", 0, () => {
      this.#held = [];
      this.#sampled = undefined;
      this.#context = undefined;
    });
  }

  async #call<Result>(
    kind: SequenceCall["kind"],
    tokens: number,
    effect: () => Result,
  ): Promise<Result> {
    if (this.#busy) throw misuse(`${kind} while another call on sequence ${this.id} is in flight`);
    if (this.#broken)
      throw misuse(`${kind} on sequence ${this.id}, which failed and was not cleared`);
    this.#busy = true;
    try {
      await this.#simulation.pass(kind, this.id, tokens);
      return effect();
    } catch (error) {
      this.#broken = true;
      throw error;
    } finally {
      this.#busy = false;
    }
  }

  #refuseWhileDecoding(method: string): void {
    if (this.#sampled !== undefined) throw misuse(`${method} while decoding`);
  }
}

function misuse(what: string): Error {
  return new Error(`the step loop broke the contract of Sequence: ${what}`);
}
