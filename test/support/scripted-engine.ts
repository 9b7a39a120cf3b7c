import type { AdapterChange, LoadedAdapter } from "../../src/core/adapters.js";
import type { EmitGeneration, Engine, EngineDescription } from "../../src/core/engine.js";
import { GgufdError } from "../../src/core/errors.js";
import type {
  FinishReason,
  GenerationEvent,
  GenerationTimings,
  PredictionUsage,
  PromptTokenScore,
  TokenScore,
  TokenUsage,
} from "../../src/core/generation-event.js";
import type {
  ChatGenerationRequest,
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
  RawGenerationRequest,
  RawPrompt,
  ToolCall,
} from "../../src/core/generation-request.js";
import type { MediaKind } from "../../src/core/media.js";
import { NO_MEMORY } from "../../src/core/memory-use.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../../src/core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../../src/core/text-question.js";
import { createContextLengthError } from "../../src/engine/text/prompt/prompt-limits.js";
import { textIn } from "./text-in.js";

/** Text delta, reasoning delta, or tool call, whose arguments may arrive in pieces. */
export type ScriptedPart =
  | string
  | {
      readonly text: string;
      readonly scores?: readonly TokenScore[];
      readonly timings?: GenerationTimings;
    }
  | { readonly promptScores: readonly PromptTokenScore[] }
  | {
      readonly processedTokens: number;
      readonly elapsedMs: number;
      readonly timings?: GenerationTimings;
    }
  | { readonly reasoning: string }
  | { readonly call: Omit<ToolCall, "arguments"> & { arguments: string | readonly string[] } };

/** The parts of a scripted generation and its ending. */
export interface Script {
  readonly parts: readonly ScriptedPart[];
  readonly ending?: FinishReason | GgufdError | "never";
  /** Stop string that ended it, if the ending is `stop`. */
  readonly stopString?: string;
  /** Scores of tokens after the last text. */
  readonly endScores?: readonly TokenScore[];
  readonly prediction?: PredictionUsage;
  /** Awaited before the part at `index`. */
  readonly before?: (index: number) => Promise<void> | undefined;
}

export interface ScriptedEngineOptions {
  readonly slots?: number;
  readonly contextSize?: number;
  /** Called for each slot command; may throw. */
  readonly onCommand?: (command: SlotCommand) => void;
  /** Adapters loaded at start. */
  readonly adapters?: readonly LoadedAdapter[];
  /** Input types in addition to text. */
  readonly media?: readonly MediaKind[];
  /** Called for each change of adapters; may throw. */
  readonly onAdapt?: (change: AdapterChange) => void | Promise<void>;
  /** The script of a prompt without messages. */
  readonly rawScript?: (request: RawGenerationRequest, choice: number) => Script;
}

const codePointOf = (character: string) => character.codePointAt(0) ?? 0;

function noRawScript(): never {
  throw new Error("no script for a prompt without messages");
}

/** An engine without a model: every prompt character is a token and the answer is a script. */
export class ScriptedEngine implements Engine {
  readonly description: EngineDescription;
  readonly requests: ChatGenerationRequest[] = [];
  readonly rawRequests: RawGenerationRequest[] = [];
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  readonly commands: SlotCommand[] = [];
  /** Generations whose reasoning was to be ended. */
  readonly endedReasoning: string[] = [];
  readonly #held = new Map<string, PreparedRequest>();
  #running = new Map<string, { cancelled: boolean; isReasoning: boolean; wake: () => void }>();
  readonly #script: (request: ChatGenerationRequest, choice: number) => Script;
  readonly #onCommand: (command: SlotCommand) => void;
  readonly #rawScript: (request: RawGenerationRequest, choice: number) => Script;
  readonly #onAdapt: (change: AdapterChange) => void | Promise<void>;

  /** @param script of a request's choice, of which there is one by default */
  constructor(
    script: (request: ChatGenerationRequest, choice: number) => Script,
    options: ScriptedEngineOptions = {},
  ) {
    const { slots = 2, contextSize = 100, rawScript = noRawScript } = options;
    this.#onCommand = options.onCommand ?? (() => undefined);
    this.#script = script;
    this.#rawScript = rawScript;
    this.#onAdapt = options.onAdapt ?? (() => undefined);
    this.adapters = [...(options.adapters ?? [])];
    this.description = {
      model: {
        path: "/models/scripted.gguf",
        name: "Scripted",
        architecture: "llama",
        parameters: 1_000_000,
        sizeBytes: 2_000_000,
        trainContextSize: 2048,
        contextSize,
        vocabularySize: 256,
        fingerprint: "ggufd_scripted",
      },
      slots,
      batchSize: 64,
      threads: { decode: 1, prefill: 1 },
      kvCache: { type: "f16", layout: "split", bytes: 1_000_000 },
      memory: NO_MEMORY,
      device: "CPU",
      build: "prebuilt",
      outputFormat: { convention: "hermes", reasoning: "think" },
      endTokens: [2],
      ...(options.adapters && { adapters: options.adapters }),
      ...(options.media && { media: options.media }),
    };
  }

  async prepare(request: GenerationRequest): Promise<PreparedRequest> {
    const text = this.#record(request);
    const { maxContext = Number.POSITIVE_INFINITY, stopping } = request;
    const contextSize = Math.min(this.description.model.contextSize, maxContext);
    if (text.length >= contextSize) {
      const { prompt } = request;
      const field = prompt.type === "chat" ? "messages" : (prompt.field ?? "prompt");
      throw createContextLengthError(text.length, contextSize, "exactly", field);
    }
    const room = contextSize - text.length;
    const prepared = {
      id: request.id,
      promptTokens: text.length,
      maxTokens: Math.min(stopping.maxTokens ?? room, stopping.maxTokensCeiling ?? room, room),
    };
    this.#held.set(request.id, prepared);
    return prepared;
  }

  release(requestId: string): void {
    this.#held.delete(requestId);
  }

  /** Requests that are prepared and not released. */
  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Every character is a token; a conversation renders to its texts, line by line. */
  async ask(question: TextQuestion): Promise<TextAnswer> {
    switch (question.type) {
      case "tokenize": {
        const bos = question.beginning === "model" ? [1] : [];
        const tokens = Uint32Array.from([...bos, ...Array.from(question.text, codePointOf)]);
        if (question.pieces === "unwanted") return { type: "tokens", tokens };
        const ends = tokens.map((_, index) => index + 1);
        return { type: "tokens", tokens, pieces: { bytes: Uint8Array.from(tokens), ends } };
      }
      case "detokenize":
        return { type: "text", text: String.fromCodePoint(...question.tokens) };
      case "evaluated-text":
        return { type: "text", text: `<s>${textOfRaw(question.prompt)}` };
      case "render":
        return {
          type: "text",
          text: question.prompt.messages
            .map(({ role, content }) => `${role}: ${textIn(content)}\n`)
            .concat(question.ending === "final message" ? [] : ["assistant:"])
            .join(""),
        };
    }
  }

  async slots(): Promise<readonly EngineSlot[]> {
    const generations = [...this.#running.keys()];
    return Array.from({ length: this.description.slots }, (_, slot) => {
      const generation = generations[slot];
      return generation === undefined ? { heldTokens: 0 } : { heldTokens: 1, generation };
    });
  }

  /** Loaded adapters. */
  readonly adapters: LoadedAdapter[];

  async adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    await this.#onAdapt(change);
    if (change.type === "load") this.adapters.push({ ...change.adapter, memory: NO_MEMORY });
    else {
      const index = this.adapters.findIndex(({ name }) => name === change.name);
      if (index >= 0) this.adapters.splice(index, 1);
    }
    return [...this.adapters];
  }

  async command(command: SlotCommand): Promise<SlotOutcome> {
    this.commands.push(command);
    this.#onCommand(command);
    return { tokens: 5, bytes: 640, elapsedMs: 2 };
  }

  start(generation: GenerationStart, emit: EmitGeneration): void {
    this.started.push(generation.id);
    const prepared = this.#held.get(generation.requestId);
    if (prepared === undefined) throw new Error(`${generation.requestId} is not held`);
    void this.#play(generation, prepared.promptTokens, emit);
  }

  limitThreads(): void {}

  async endReasoning(id: string): Promise<boolean> {
    this.endedReasoning.push(id);
    return this.#running.get(id)?.isReasoning ?? false;
  }

  cancel(id: string): void {
    this.cancelled.push(id);
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.cancelled = true;
    running.wake();
  }

  async close(): Promise<void> {
    for (const id of this.#running.keys()) this.cancel(id);
  }

  #scriptOf({ id, requestId, choice = 0 }: GenerationStart): Script {
    const isPrepared = (request: GenerationRequest) => request.id === requestId;
    const chat = this.requests.find(isPrepared);
    if (chat !== undefined) return this.#script(chat, choice);
    const raw = this.rawRequests.find(isPrepared);
    if (raw === undefined) throw new Error(`${id} was never prepared`);
    return this.#rawScript(raw, choice);
  }

  /** @returns the text of its prompt */
  #record(request: GenerationRequest): string {
    const { prompt } = request;
    if (prompt.type === "chat") {
      this.requests.push({ ...request, prompt });
      return prompt.messages.map(({ content }) => textIn(content)).join("");
    }
    this.rawRequests.push({ ...request, prompt });
    return textOfRaw(prompt);
  }

  async #play(
    generation: GenerationStart,
    promptTokens: number,
    emit: EmitGeneration,
  ): Promise<void> {
    const { id } = generation;
    const script = this.#scriptOf(generation);
    const { parts, ending = "stop", stopString, prediction, before, endScores } = script;
    const { promise: woken, resolve: wake } = deferred();
    const state = { cancelled: false, isReasoning: false, wake };
    this.#running.set(id, state);
    const usage = (completionTokens: number) => ({
      promptTokens,
      cachedTokens: Math.min(1, promptTokens),
      completionTokens,
      reasoningTokens: 0,
      ...(prediction && { prediction }),
    });
    await Promise.resolve();
    let calls = 0;
    for (const [index, part] of parts.entries()) {
      await Promise.race([before?.(index), woken]);
      if (state.cancelled) break;
      for (const event of eventsOf(part, calls, usage(index + 1))) emit(event, tokensOf(part));
      if (isCall(part)) calls++;
      state.isReasoning = typeof part === "object" && "reasoning" in part;
    }
    if (ending === "never") await woken;
    this.#running.delete(id);
    if (state.cancelled) emit({ type: "cancelled" });
    else if (ending instanceof GgufdError) emit({ type: "failed", error: ending });
    else if (ending !== "never") {
      emit({
        type: "finished",
        reason: ending,
        ...(stopString !== undefined && { stopString }),
        ...(endScores && { scores: endScores }),
        usage: usage(parts.length),
        timings: {
          prefillMs: 2,
          decodeMs: 3,
          draftTokens: 0,
          acceptedDraftTokens: 0,
          forcedTokens: 0,
        },
      });
    }
  }
}

function textOfRaw(prompt: RawPrompt): string {
  switch (prompt.type) {
    case "text":
      return prompt.text;
    case "tokens":
      return String.fromCharCode(...prompt.tokens);
    case "mixed":
      return prompt.parts
        .map((part) => (typeof part === "string" ? part : String.fromCharCode(part)))
        .join("");
    case "media":
      return textIn(prompt.parts);
    case "infill":
      return prompt.prefix + prompt.suffix;
  }
}

/** A text is one token: its first character. */
function tokensOf(part: ScriptedPart): readonly number[] {
  return typeof part === "string" ? [codePointOf(part)] : [];
}

type ScriptedCall = Extract<ScriptedPart, { call: unknown }>;

function isCall(part: ScriptedPart): part is ScriptedCall {
  return typeof part === "object" && "call" in part;
}

/** @param callIndex position of the next call */
function eventsOf(part: ScriptedPart, callIndex: number, usage: TokenUsage): GenerationEvent[] {
  if (typeof part === "string") return [{ type: "text-delta", text: part, usage }];
  if ("promptScores" in part) return [{ type: "prompt-scores", scores: part.promptScores, usage }];
  if ("processedTokens" in part) return [{ type: "prompt-progress", ...part, usage }];
  if ("text" in part) return [{ type: "text-delta", ...part, usage }];
  if ("reasoning" in part) return [{ type: "reasoning-delta", text: part.reasoning, usage }];
  const { id, name, arguments: written } = part.call;
  const pieces = typeof written === "string" ? [written] : written;
  return [
    { type: "tool-call-begin", index: callIndex, id, name, usage },
    ...pieces.map((text) => ({
      type: "tool-call-arguments" as const,
      index: callIndex,
      text,
      usage,
    })),
  ];
}

/** A promise and the function that resolves it. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
