import assert from "node:assert/strict";
import { z } from "zod";
import type { ChoiceEvent, GenerationEvent } from "../../core/generation-event.js";
import type { PrintedItem } from "../../core/printed-item.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";
import { JsonTemplate } from "../answers/json-template.js";
import { CustomInputReader } from "../fields/custom-tool.js";
import { openAiError } from "../fields/error-envelope.js";
import type { UsageReporting } from "../fields/generation-fields.js";
import { logprobs, toLogprobs } from "../fields/logprobs.js";
import {
  promptProgress,
  timings,
  toInterimTimings,
  toPromptProgress,
  toTimings,
  UsageTotals,
  usage,
} from "../fields/usage.js";
import { type CompletionIdentity, headFields, headOf } from "./completion-identity.js";
import {
  type CallReporting,
  calledFunctionDelta,
  FUNCTION_CALL_DESCRIPTION,
  finishReason,
  type ReportedCallDelta,
  toFinishReason,
  toolCallDelta,
} from "./tool-calls.js";

/**
 * Chunk of a streamed completion. A test checks the schema against the types of OpenAI's client.
 */
export const chatCompletionChunk = z
  .object({
    ...headFields,
    object: z.literal("chat.completion.chunk"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          delta: z.object({
            role: z
              .literal("assistant")
              .optional()
              .meta({ description: "Present in the first chunk of the choice." }),
            content: z.string().optional(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCallDelta).optional(),
            function_call: calledFunctionDelta
              .optional()
              .meta({ description: FUNCTION_CALL_DESCRIPTION }),
          }),
          logprobs: logprobs.nullable(),
          finish_reason: finishReason.nullable(),
        }),
      )
      .meta({
        description: "One choice; none in the chunks with the usage or the progress.",
      }),
    usage: usage.nullable().optional().meta({
      description:
        "Present in the last chunk with `include_usage`, and `null` in the chunks before it.",
    }),
    timings: timings.optional().meta({
      description:
        "Present in the chunk with the finish reason, and for all choices together in the chunk with the usage. With `timings_per_token`, also in chunks with text or the progress.",
    }),
    prompt_progress: promptProgress.optional().meta({
      description:
        "Progress of prompt evaluation, with `return_progress`. Sent first, in chunks without a choice.",
    }),
  })
  .meta({ id: "ChatCompletionChunk" });

export type CompletionChunk = z.infer<typeof chatCompletionChunk>;

/** Data of a stream event: a chunk, or the error that ends the stream. */
export const chatCompletionEvent = z
  .union([chatCompletionChunk, openAiError])
  .meta({ id: "ChatCompletionEvent" });

type DescribedChoice = CompletionChunk["choices"][number];
type DescribedDelta = DescribedChoice["delta"];

/** Delta of a chunk, as serialised. */
interface ReportedDelta extends Omit<DescribedDelta, "tool_calls"> {
  tool_calls?: ReportedCallDelta[];
}

/** Choice of a chunk, as serialised. */
interface ReportedChunkChoice extends Omit<DescribedChoice, "delta"> {
  delta: ReportedDelta;
}

/** Chunk of a stream, as serialised. */
interface ReportedChunk extends Omit<CompletionChunk, "choices"> {
  choices: ReportedChunkChoice[];
}

/** Options of a stream: placement of the usage, and format of tool calls. */
export interface StreamFields {
  readonly usage: UsageReporting;
  readonly calls: CallReporting;
}

const OBJECT = "chat.completion.chunk";
const ONE_PROMPT = Number.POSITIVE_INFINITY;
const ROLE = { role: "assistant" } as const;

/**
 * Yields the chunks of a streamed completion, one for each delta of each choice. The role is part
 * of a choice's first delta, because a separate chunk would count as the first token in TTFT
 * measurements. With log-probabilities, the role is sent in a separate chunk before it: OpenAI's
 * client library counts the log-probabilities of a choice's first chunk twice.
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toChunks(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  { usage: reporting, calls }: StreamFields,
): AsyncGenerator<ReportedChunk | PrintedItem, void> {
  const callsOfChoices = new Map<number, CallDeltas>();
  const totals = new UsageTotals(ONE_PROMPT);
  const endings: FinishedEvent[] = [];
  const buildChunk = (
    index: number,
    choice: Omit<ReportedChunkChoice, "index">,
  ): ReportedChunk => ({
    ...headOf(identity, OBJECT),
    choices: [{ index, ...choice }],
    usage: totals.getInterimUsage(reporting),
  });
  const pieces = new PieceTemplates((index, delta) =>
    buildChunk(index, { delta, logprobs: null, finish_reason: null }),
  );
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (event.type === "prompt-progress") {
      const prompt_progress = toPromptProgress(event);
      yield {
        ...headOf(identity, OBJECT),
        choices: [],
        ...toInterimTimings(event),
        prompt_progress,
      };
      continue;
    }
    const isFirst = !callsOfChoices.has(index);
    const callDeltas = callsOfChoices.get(index) ?? new CallDeltas(calls);
    callsOfChoices.set(index, callDeltas);
    totals.set(index, event.usage);
    if (!isFirst && isPlainPiece(event, reporting)) {
      yield pieces.printChunk(index, event);
      continue;
    }
    const logprobs = logprobsOf(event);
    const hasSeparateRole = isFirst && needsSeparateRole(event, logprobs);
    if (hasSeparateRole)
      yield buildChunk(index, { delta: ROLE, logprobs: null, finish_reason: null });
    if (event.type === "finished") {
      const finish_reason = toFinishReason(event.reason, calls.field);
      const timings = toTimings([event]);
      endings[index] = event;
      yield { ...buildChunk(index, { delta: {}, logprobs: null, finish_reason }), timings };
      continue;
    }
    const answer = toDelta(event, callDeltas);
    if (answer === undefined) continue;
    const delta = { ...(isFirst && !hasSeparateRole && ROLE), ...answer };
    yield {
      ...buildChunk(index, { delta, logprobs, finish_reason: null }),
      ...toInterimTimings(event),
    };
  }
  if (reporting === "none") return;
  yield {
    ...headOf(identity, OBJECT),
    choices: [],
    usage: totals.usage,
    timings: toTimings(endings),
  };
}

/**
 * Text or reasoning delta without log-probabilities, timings or usage, as nearly all events of a
 * stream are.
 */
type PlainPiece = Extract<GenerationEvent, { type: "text-delta" | "reasoning-delta" }>;

function isPlainPiece(
  event: AnswerEvent | FinishedEvent,
  reporting: UsageReporting,
): event is PlainPiece {
  if (reporting === "continuous") return false;
  if (event.type === "reasoning-delta") return true;
  return event.type === "text-delta" && event.scores === undefined && event.timings === undefined;
}

/** Chunk templates of plain deltas, by type of delta and index of the choice. */
class PieceTemplates {
  readonly #make: (index: number, delta: ReportedDelta) => ReportedChunk;
  readonly #templates = {
    "text-delta": new Map<number, JsonTemplate<ReportedChunk>>(),
    "reasoning-delta": new Map<number, JsonTemplate<ReportedChunk>>(),
  };

  constructor(make: (index: number, delta: ReportedDelta) => ReportedChunk) {
    this.#make = make;
  }

  printChunk(index: number, piece: PlainPiece): ReportedChunk | PrintedItem {
    const templates = this.#templates[piece.type];
    let template = templates.get(index);
    if (template === undefined) {
      const make = this.#make;
      template = new JsonTemplate((text) => make(index, toPieceDelta({ ...piece, text })));
      templates.set(index, template);
    }
    return template.render(piece.text);
  }
}

function toPieceDelta({ type, text }: Pick<PlainPiece, "type" | "text">): ReportedDelta {
  return type === "text-delta" ? { content: text } : { reasoning_content: text };
}

/** @returns `undefined`: the event adds nothing to the message */
function toDelta(
  event: Exclude<AnswerEvent, { type: "prompt-progress" }>,
  calls: CallDeltas,
): ReportedDelta | undefined {
  switch (event.type) {
    case "prompt-scores":
      return assert.fail("chat completions do not support scores of the prompt");
    case "text-delta":
    case "reasoning-delta":
      return toPieceDelta(event);
    case "tool-call-begin":
      return calls.begin(event);
    case "tool-call-arguments":
      return calls.add(event);
  }
}

/**
 * Whether the role needs a separate chunk: a finish reason comes in a chunk without a delta, and
 * OpenAI's client library counts log-probabilities in the role's chunk twice.
 */
function needsSeparateRole(
  event: AnswerEvent | FinishedEvent,
  logprobs: ReportedChunkChoice["logprobs"],
): boolean {
  return event.type === "finished" || logprobs !== null;
}

function logprobsOf(event: AnswerEvent | FinishedEvent): ReportedChunkChoice["logprobs"] {
  return event.type === "text-delta" && event.scores !== undefined
    ? toLogprobs(event.scores)
    : null;
}

type CallBegin = Extract<GenerationEvent, { type: "tool-call-begin" }>;

type CallArguments = Extract<GenerationEvent, { type: "tool-call-arguments" }>;

/**
 * Builds the deltas of one choice's calls. The first delta of a call has its name, later ones have
 * pieces of its arguments or input.
 */
class CallDeltas {
  readonly #reporting: CallReporting;
  /** Input reader of the latest call; `undefined`: the call has arguments instead. */
  #input: CustomInputReader | undefined;

  constructor(reporting: CallReporting) {
    this.#reporting = reporting;
  }

  begin({ index, id, name }: Pick<CallBegin, "index" | "id" | "name">): ReportedDelta {
    const { field, customTools } = this.#reporting;
    this.#input = customTools.has(name) ? new CustomInputReader() : undefined;
    if (field === "function_call") return { function_call: { name, arguments: "" } };
    return this.#input === undefined
      ? { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }
      : { tool_calls: [{ index, id, type: "custom", custom: { name, input: "" } }] };
  }

  /** @returns `undefined`: the piece adds nothing to the input */
  add({ index, text }: Pick<CallArguments, "index" | "text">): ReportedDelta | undefined {
    if (this.#reporting.field === "function_call") return { function_call: { arguments: text } };
    if (this.#input === undefined) {
      return { tool_calls: [{ index, function: { arguments: text } }] };
    }
    const input = this.#input.read(text);
    return input === "" ? undefined : { tool_calls: [{ index, custom: { input } }] };
  }
}
