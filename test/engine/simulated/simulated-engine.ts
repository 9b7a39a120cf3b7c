import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GenerationEvent, isFinal } from "../../../src/core/generation-event.js";
import { GeneratedText } from "../../../src/engine/output/generated-text.js";
import { OutputParser } from "../../../src/engine/output/output-parser.js";
import { StateStore } from "../../../src/engine/prefix-cache/state-store.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { DraftModel } from "../../../src/engine/speculation/draft-model.js";
import { Speculator } from "../../../src/engine/speculation/speculator.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { type Admission, type FailureScope, StepLoop } from "../../../src/engine/step/step-loop.js";
import type { StepReport } from "../../../src/engine/step/step-report.js";
import { type CallHook, SimulatedContext, type SimulationOptions } from "./simulated-context.js";

const LETTERS = 26;
/** The model's end-of-generation token; smaller tokens are letters. */
export const END = LETTERS;

/** Text of simulated tokens: 0 is `a`, 25 is `z`. */
export function textOf(tokens: readonly number[]): string {
  return tokens
    .filter((token) => token < LETTERS)
    .map((token) => String.fromCharCode(0x61 + token))
    .join("");
}

/** UTF-8 of a simulated token. */
export function bytesOf(token: number): Uint8Array {
  return new TextEncoder().encode(textOf([token]));
}

/** Tokens of a text of small letters. */
export function tokensOf(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0) - 0x61);
}

/** A model whose next token depends on every token before it; it ends now and then. */
export function mixedModel(held: readonly number[]): number {
  const hash = held.reduce((h, token) => (Math.imul(h, 31) + token + 1) >>> 0, 7);
  return (hash ^ (hash >>> 15)) % (END + 1);
}

/** A model that writes the alphabet over and over and never ends. */
export function alphabetModel(held: readonly number[]): number {
  return ((held.at(-1) ?? -1) + 1) % LETTERS;
}

export interface SimulatedEngineOptions {
  readonly slots?: number;
  readonly batchSize?: number;
  readonly next?: SimulationOptions["next"];
  readonly onCall?: CallHook;
  readonly speculation?: "auto" | "off";
  /** A draft model: the token that it thinks follows, and what runs inside its calls. */
  readonly draft?: {
    readonly next: (held: readonly number[]) => number;
    readonly onCall?: CallHook;
    /** Tokens of one of its sequences. */
    readonly contextSize?: number;
  };
  /** Tokens of the states that are kept when their sequence is needed. */
  readonly storedTokens?: number;
  readonly clock?: () => number;
  readonly partialTruncation?: SimulatedContext["partialTruncation"] | undefined;
}

export interface SimulatedRequest {
  readonly id?: string;
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Runs for each event, inside `emit`. */
  readonly onEvent?: (event: GenerationEvent) => void;
}

/** A step loop over a simulated context. */
export class SimulatedEngine {
  readonly context: SimulatedContext;
  readonly draftContext: SimulatedContext | undefined;
  readonly lostDraftModels: unknown[] = [];
  readonly reports: StepReport[] = [];
  readonly failures: { readonly error: unknown; readonly scope: FailureScope }[] = [];
  readonly #loop: StepLoop;
  readonly #generations: SimulatedGeneration[] = [];

  constructor(options: SimulatedEngineOptions = {}) {
    const { slots = 2, batchSize = 16, next = alphabetModel, onCall, partialTruncation } = options;
    const { draft, speculation = "off", storedTokens = 300, clock = () => 0 } = options;
    const folder = join(tmpdir(), "ggufd-simulated");
    this.context = new SimulatedContext({
      sequences: slots,
      batchSize,
      next,
      onCall,
      partialTruncation,
    });
    const itlTargetMs = 100;
    this.draftContext =
      draft &&
      new SimulatedContext({
        sequences: slots,
        batchSize,
        partialTruncation: "supported",
        ...draft,
      });
    const draftModel =
      this.draftContext &&
      new DraftModel({ context: this.draftContext, contextSize: draft?.contextSize ?? 10_000 });
    this.#loop = new StepLoop({
      context: this.context,
      store: new StateStore({
        context: this.context,
        folder,
        maxBytes: storedTokens,
        retention: "session",
      }),
      begin: (admission) => begin(admission, this.context),
      itlTargetMs,
      speculator:
        speculation === "auto" && this.context.partialTruncation === "supported"
          ? new Speculator({
              batchSize,
              draftModel,
              onDraftModelLost: (error) => this.lostDraftModels.push(error),
              itlTargetMs,
              now: clock,
            })
          : undefined,
      onStepEnd: (report) => this.reports.push(report),
      onFailure: (error, scope) => this.failures.push({ error, scope }),
      now: clock,
    });
  }

  start(request: SimulatedRequest = {}): SimulatedGeneration {
    const { id = `g${this.#generations.length}`, prompt = "abc", maxTokens = 5 } = request;
    const generation = new SimulatedGeneration(id, request.onEvent);
    this.#generations.push(generation);
    this.#loop.start(
      {
        id,
        promptTokens: tokensOf(prompt),
        reading: asText,
        maxTokens,
        sampling: {},
        stopping: { minTokens: 0, stop: request.stop ?? [], ignoreEos: false },
      },
      generation.emit,
    );
    return generation;
  }

  cancel(id: string): void {
    this.#loop.cancel(id);
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Waits until every generation has ended, and whoever still has something to say has said it. */
  async allEnded(): Promise<void> {
    await turnsUntil(() => this.#generations.every((generation) => generation.last !== undefined));
    await turns(5);
  }
}

/** What a started generation has told so far. */
export class SimulatedGeneration {
  readonly id: string;
  readonly events: GenerationEvent[] = [];
  readonly #onEvent: ((event: GenerationEvent) => void) | undefined;

  constructor(id: string, onEvent?: (event: GenerationEvent) => void) {
    this.id = id;
    this.#onEvent = onEvent;
  }

  readonly emit = (event: GenerationEvent): void => {
    this.events.push(event);
    this.#onEvent?.(event);
  };

  get text(): string {
    return this.events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  }

  get last(): GenerationEvent | undefined {
    return this.events.find(isFinal);
  }

  /** Types of the events from the final one on: one, if all is well. */
  get endings(): string[] {
    const first = this.events.findIndex(isFinal);
    return first < 0 ? [] : this.events.slice(first).map(({ type }) => type);
  }

  /** Tokens of the prompt that were not evaluated, as the last event with usage says. */
  get cachedTokens(): number | undefined {
    return this.events
      .flatMap((event) => ("usage" in event ? [event.usage.cachedTokens] : []))
      .at(-1);
  }
}

/** Safety net against endless loops: stores touch the disk, which may take long on a busy machine. */
const GIVE_UP_AFTER_MS = 30_000;

/** Lets the event loop turn until a condition holds; fails when it never does. */
export async function turnsUntil(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  while (!holds()) {
    if (performance.now() > deadline) {
      throw new Error(`the condition did not hold within ${GIVE_UP_AFTER_MS} ms`);
    }
    await turns(1);
  }
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Text is text: no reasoning opened, no tools. */
export const asText = { beginsWith: "anything", toolCalls: "ignored" } as const;

function begin(
  { prepared, emit, lease, admitted, cachedTokens }: Admission,
  context: SimulatedContext,
): RunningGeneration {
  const { sampling, stopping } = prepared;
  const endOfGeneration = new Set([END]);
  const options = resolveSampling({
    sampling,
    stopping,
    recommended: {},
    endOfGeneration,
    fallbackSeed: 1,
  });
  return new RunningGeneration({
    prepared,
    emit,
    lease,
    admitted,
    cachedTokens,
    endOfGeneration,
    createSampler: (tokens) => context.createSampler({ ...tokens, options }),
    text: new GeneratedText({
      bytesOf,
      stop: stopping.stop,
      minTokens: stopping.minTokens,
    }),
    parser: new OutputParser(prepared.reading),
    now: () => 0,
  });
}
