import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmitGeneration } from "../../../src/core/engine.js";
import { type GenerationEvent, isFinal } from "../../../src/core/generation-event.js";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { MEDIA_CELL, type PlacedMedia } from "../../../src/core/media.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../../../src/core/slot-command.js";
import { StateStore } from "../../../src/engine/cache/state-store.js";
import { LimitedReasoning } from "../../../src/engine/constraints/limited-reasoning.js";
import { DraftModel } from "../../../src/engine/drafts/draft-model.js";
import type { Drafter } from "../../../src/engine/drafts/drafter.js";
import { Speculator } from "../../../src/engine/drafts/speculator.js";
import { MediaEncoder } from "../../../src/engine/media/media-encoder.js";
import { resolveSampling } from "../../../src/engine/sampling/sampling-options.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { StepLoop, type StepLoopCounters } from "../../../src/engine/step/step-loop.js";
import type {
  Admission,
  FailureScope,
  StepLoopOptions,
} from "../../../src/engine/step/step-loop-options.js";
import type { StepReport } from "../../../src/engine/step/step-report.js";
import { GeneratedText } from "../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../src/engine/text/output/output-parser.js";
import type { OutputReading } from "../../../src/engine/text/output/output-reading.js";
import type { PreparedGeneration } from "../../../src/engine/text/prompt/prepared-generation.js";
import { plainReading } from "../../support/plain-reading.js";
import { PatternConstraint } from "./pattern-constraint.js";
import { type CallHook, SimulatedContext, type SimulationOptions } from "./simulated-context.js";
import { type SimulatedImage, SimulatedProjector } from "./simulated-media.js";

const LETTERS = 26;
/** The model's end-of-generation token; smaller tokens are letters. */
export const END = LETTERS;

/** The control tokens of the model, around reasoning. */
export const OPEN = END + 1;
export const CLOSE = END + 2;
const CONTROL_TEXTS: ReadonlyMap<number, string> = new Map([
  [OPEN, "<think>"],
  [CLOSE, "</think>"],
]);

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

const controlTextOf = (token: number) => CONTROL_TEXTS.get(token);

/** Tokens of a text of lower-case letters. */
export function tokensOf(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0) - 0x61);
}

/** Model whose next token depends on every previous one; it ends sometimes. */
export function mixedModel(held: readonly number[]): number {
  const hash = held.reduce((h, token) => (Math.imul(h, 31) + token + 1) >>> 0, 7);
  return ((hash ^ (hash >>> 15)) >>> 0) % (END + 1);
}

/** A model that repeats the alphabet and never ends. */
export function alphabetModel(held: readonly number[]): number {
  return ((held.at(-1) ?? -1) + 1) % LETTERS;
}

export interface SimulatedEngineOptions {
  readonly slots?: number;
  /** Cells of a unified cache; by default it is split. */
  readonly cells?: number | undefined;
  readonly mixing?: SimulationOptions["mixing"];
  readonly batchSize?: number;
  /** Tokens of one pass; by default the whole batch. */
  readonly passTokens?: number;
  /** Rows of logits per batch; by default as many as tokens. */
  readonly maxOutputs?: number;
  readonly next?: SimulationOptions["next"];
  readonly onCall?: CallHook;
  readonly speculation?: "auto" | "off";
  /** A draft model: the token that it predicts, and a hook inside its calls. */
  readonly draft?: {
    readonly next: (held: readonly number[]) => number;
    readonly onCall?: CallHook;
    /** Capacity of one of its sequences, in tokens. */
    readonly contextSize?: number;
  };
  /** Proposes tokens instead of a draft model. */
  readonly drafter?: Drafter;
  /** Capacity of the state store, in tokens; `none`: there is no store. */
  readonly maxStoredTokens?: number | "none";
  /** Files of slot states by name; none by default. */
  readonly slotFiles?: StepLoopOptions["slotFiles"];
  /** Encodes images; by default each takes one turn. */
  readonly projector?: SimulatedProjector;
  /** Maximum bytes of embeddings kept beyond their generations; unlimited by default. */
  readonly maxMediaBytes?: number;
  /** @default "idle" */
  readonly batchSharing?: StepLoopOptions["batchSharing"];
  readonly clock?: () => number;
  readonly onStepEnd?: () => void;
  readonly onFailure?: (scope: FailureScope) => void;
  readonly partialTruncation?: SimulatedContext["partialTruncation"] | undefined;
  readonly retraction?: SimulatedContext["retraction"] | undefined;
}

export interface SimulatedRequest {
  readonly id?: string;
  /** Texts of lower-case letters, and images among them. */
  readonly prompt?: string | readonly (string | SimulatedImage)[];
  readonly maxTokens?: number;
  /** @default `request`: the client has set `maxTokens` */
  readonly limitedBy?: "request" | "context";
  readonly stop?: readonly string[];
  readonly topLogProbabilities?: number;
  readonly logProbabilities?: PreparedGeneration["logProbabilities"];
  readonly scoredTokens?: PreparedGeneration["scoredTokens"];
  readonly progress?: PreparedGeneration["progress"];
  readonly class?: PreparedGeneration["class"];
  readonly choice?: number;
  readonly slot?: number;
  readonly evaluation?: GenerationRequest["evaluation"];
  readonly adapters?: PreparedGeneration["appliedAdapters"];
  /** Prompt token from which the adapters apply. */
  readonly appliedFrom?: number | undefined;
  /** Answer predicted by the client. */
  readonly prediction?: string;
  /** Tokens of the answer that a crashed engine has generated. */
  readonly resumedTokens?: readonly number[];
  /** Allowed output: see {@link PatternConstraint}. */
  readonly pattern?: string;
  readonly beginsWith?: OutputReading["beginsWith"];
  /** Tokens that its reasoning may take. */
  readonly reasoningTokens?: number;
  /** Text at the end of reasoning that takes too many. */
  readonly reasoningMessage?: string;
  /** Runs for each event, inside `emit`. */
  readonly onEvent?: (event: GenerationEvent) => void;
}

/** A step loop over a simulated context. */
export class SimulatedEngine {
  readonly context: SimulatedContext;
  readonly draftContext: SimulatedContext | undefined;
  readonly draftModelErrors: unknown[] = [];
  readonly media: MediaEncoder;
  readonly reports: StepReport[] = [];
  readonly failures: { readonly error: unknown; readonly scope: FailureScope }[] = [];
  readonly #loop: StepLoop;
  readonly #generations: SimulatedGeneration[] = [];
  /** Patterns by the ids of their generations. */
  readonly #patterns = new Map<string, string>();
  /** Images of all prompts, by hash. */
  readonly #images = new Map<string, SimulatedImage>();

  constructor(options: SimulatedEngineOptions = {}) {
    const { slots = 2, batchSize = 16, next = alphabetModel, onCall } = options;
    const { cells, mixing, partialTruncation, retraction } = options;
    const { draft, speculation = "off", maxStoredTokens = 300, clock = () => 0 } = options;
    const folder = join(tmpdir(), "ggufd-simulated");
    this.context = new SimulatedContext({
      sequences: slots,
      layout: cells === undefined ? { kind: "split" } : { kind: "unified", cells },
      mixing,
      batchSize,
      passTokens: options.passTokens,
      maxOutputs: options.maxOutputs,
      next,
      onCall,
      partialTruncation,
      retraction,
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
    this.media = new MediaEncoder({
      projector: options.projector ?? new SimulatedProjector(),
      partOf: async (hash) => {
        const image = this.#images.get(hash);
        if (image === undefined) throw new Error(`there is no image ${hash}`);
        return image;
      },
      maxBytes: options.maxMediaBytes ?? Number.POSITIVE_INFINITY,
    });
    this.#loop = new StepLoop({
      context: this.context,
      media: this.media,
      store:
        maxStoredTokens === "none"
          ? undefined
          : new StateStore({
              onWarning: () => undefined,
              context: this.context,
              folder,
              maxBytes: maxStoredTokens,
              retention: { kind: "session" },
            }),
      slotFiles: options.slotFiles,
      begin: (admission) => {
        const pattern = this.#patterns.get(admission.prepared.id);
        return begin(admission, this.context, pattern);
      },
      batchSharing: options.batchSharing ?? "idle",
      itlTargetMs,
      speculator:
        speculation === "auto"
          ? new Speculator({
              batchSize,
              maxOutputs: this.context.maxOutputs,
              retraction: this.context.retraction,
              drafter: options.drafter ?? draftModel,
              onDrafterFailed: (error) => this.draftModelErrors.push(error),
              itlTargetMs,
              now: clock,
            })
          : undefined,
      onStepEnd: (report) => {
        this.reports.push(report);
        options.onStepEnd?.();
      },
      onFailure: (error, scope) => {
        this.failures.push({ error, scope });
        options.onFailure?.(scope);
      },
      now: clock,
    });
  }

  get slots(): readonly EngineSlot[] {
    return this.#loop.slots;
  }

  command(command: SlotCommand): Promise<SlotOutcome> {
    return this.#loop.queueCommand(command);
  }

  get counters(): StepLoopCounters {
    return this.#loop.counters;
  }

  start(request: SimulatedRequest = {}): SimulatedGeneration {
    const { id = `g${this.#generations.length}`, prompt = "abc", maxTokens = 5 } = request;
    const { choice, evaluation, progress, scoredTokens, topLogProbabilities } = request;
    const generation = new SimulatedGeneration(id, request.onEvent);
    this.#generations.push(generation);
    if (request.pattern !== undefined) this.#patterns.set(id, request.pattern);
    const parts = typeof prompt === "string" ? [prompt] : prompt;
    for (const part of parts) if (typeof part !== "string") this.#images.set(part.hash, part);
    this.#loop.start(
      {
        id,
        ...encodedPrompt(parts),
        reading: { ...plainReading, beginsWith: request.beginsWith ?? plainReading.beginsWith },
        maxTokens,
        sampling: {},
        stopping: {
          ...(request.limitedBy !== "context" && { maxTokens }),
          minTokens: 0,
          stop: request.stop ?? [],
          ignoreEos: false,
        },
        topLogProbabilities,
        ...(request.logProbabilities && { logProbabilities: request.logProbabilities }),
        ...(scoredTokens && { scoredTokens }),
        ...(progress && { progress }),
        ...(evaluation && { evaluation }),
        ...(request.class && { class: request.class }),
        ...(request.adapters && { appliedAdapters: request.adapters }),
        appliedFrom: request.appliedFrom,
        ...(choice !== undefined && { choice }),
        ...(request.slot !== undefined && { slot: request.slot }),
        ...(request.prediction !== undefined && { predictedTokens: tokensOf(request.prediction) }),
        ...(request.resumedTokens && { resumedTokens: request.resumedTokens }),
        ...(request.reasoningTokens !== undefined && {
          reasoningLimit: {
            maxTokens: request.reasoningTokens,
            message: request.reasoningMessage,
            closing: { before: "", mark: "</think>", lineBreaksAfter: "" },
          },
        }),
      },
      generation.emit,
    );
    return generation;
  }

  cancel(id: string): void {
    this.#loop.cancel(id);
  }

  betweenBatches(change: () => Promise<void>): Promise<void> {
    return this.#loop.runBetweenBatches(change);
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Waits until every generation has ended, and for events that would wrongly follow. */
  async allEnded(): Promise<void> {
    await waitUntil(() => this.#generations.every(({ finalEvent }) => finalEvent !== undefined));
    await ticks(5);
  }
}

/** The cells of a prompt, and where its images are. */
export function encodedPrompt(parts: readonly (string | SimulatedImage)[]) {
  const promptTokens: number[] = [];
  const media: PlacedMedia[] = [];
  for (const part of parts) {
    if (typeof part === "string") promptTokens.push(...tokensOf(part));
    else {
      const { hash, cells, positions } = part;
      media.push({ hash, cells, positions, start: promptTokens.length });
      promptTokens.push(...Array.from({ length: cells }, () => MEDIA_CELL));
    }
  }
  return { promptTokens, ...(media.length > 0 && { promptMedia: media }) };
}

/** Started generation, with the events that it has emitted so far. */
export class SimulatedGeneration {
  readonly id: string;
  readonly events: GenerationEvent[] = [];
  /** Tokens reported with its events. */
  readonly tokens: number[] = [];
  readonly #onEvent: ((event: GenerationEvent) => void) | undefined;

  constructor(id: string, onEvent?: (event: GenerationEvent) => void) {
    this.id = id;
    this.#onEvent = onEvent;
  }

  readonly emit: EmitGeneration = (event, tokens = []): void => {
    this.events.push(event);
    this.tokens.push(...tokens);
    this.#onEvent?.(event);
  };

  get text(): string {
    return this.events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  }

  get reasoning(): string {
    return this.events
      .map((event) => (event.type === "reasoning-delta" ? event.text : ""))
      .join("");
  }

  get finalEvent(): GenerationEvent | undefined {
    return this.events.find(isFinal);
  }

  /** Types of the events from the first final one on: exactly one, by the contract. */
  get endings(): string[] {
    const first = this.events.findIndex(isFinal);
    return first < 0 ? [] : this.events.slice(first).map(({ type }) => type);
  }

  /** Prompt tokens that were not evaluated, by the last event with a usage. */
  get cachedTokens(): number | undefined {
    return this.events
      .flatMap((event) => ("usage" in event ? [event.usage.cachedTokens] : []))
      .at(-1);
  }
}

/** Generous: stores access the disk, which may take long on a busy machine. */
const WAIT_TIMEOUT_MS = 30_000;

/**
 * Runs the event loop until a condition holds.
 * @throws after a timeout
 */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS;
  while (!holds()) {
    if (performance.now() > deadline) {
      throw new Error(`the condition did not hold within ${WAIT_TIMEOUT_MS} ms`);
    }
    await ticks(1);
  }
}

/** Waits for iterations of the event loop. */
export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise((resolve) => setImmediate(resolve));
}

function begin(
  { prepared, emit, lease, admissionOrder, reportableTokens }: Admission,
  context: SimulatedContext,
  pattern: string | undefined,
): RunningGeneration {
  const { reading, reasoningLimit, sampling, stopping } = prepared;
  const endOfGeneration = new Set([END]);
  const wanted = pattern === undefined ? undefined : new PatternConstraint(pattern);
  const constraint =
    reasoningLimit === undefined
      ? wanted
      : new LimitedReasoning({
          limit: reasoningLimit,
          parser: new OutputParser(reading),
          text: new GeneratedText({ bytesOf, controlTextOf, stop: [], minTokens: 0 }),
          tokenize: (text) => (text === "</think>" ? [CLOSE] : tokensOf(text)),
          constraint: wanted,
        });
  const options = resolveSampling({
    sampling,
    stopping,
    defaults: {},
    endOfGeneration,
    fallbackSeed: 1,
    breakersIn: () => new Map(),
  });
  return new RunningGeneration({
    prepared,
    emit,
    lease,
    admissionOrder,
    reportableTokens,
    endOfGeneration,
    constraint,
    createSampler: (tokens) => context.createSampler({ ...tokens, options, constraint }),
    text: new GeneratedText({
      bytesOf,
      controlTextOf,
      stop: stopping.stop,
      minTokens: stopping.minTokens,
    }),
    parser: new OutputParser(prepared.reading),
    now: () => 0,
  });
}
