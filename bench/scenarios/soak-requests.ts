import { randomBytes } from "node:crypto";
import type { ChatRequest } from "../client/chat-request.js";
import { chatCompletions } from "../client/dialects/chat-completions.js";
import type { Dialect } from "../client/dialects/dialect.js";
import { messages } from "../client/dialects/messages.js";
import { ollamaChat, ollamaGenerate } from "../client/dialects/ollama.js";
import { responses } from "../client/dialects/responses.js";
import { textCompletions } from "../client/dialects/text-completions.js";
import { type CallRecord, callJson } from "../client/json-call.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { Load } from "./scenario.js";

// The lengths of these lists are pairwise coprime, so that sixty consecutive requests all differ.
const promptTokenCounts = [8, 40, 120, 240] as const;
const maxTokenCounts = [4, 12, 24, 32, 48] as const;
const responseModes = ["streamed", "non-streamed", "cancelled"] as const;

const CONVERSATION_TOKENS = 40;
/** Size from which a body is parsed in a worker thread. */
const IMAGE_BYTES = 300_000;

/** Result of one request of mixed traffic. */
export interface MixedRequest {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Absent if the request succeeded. */
  readonly error: string | undefined;
}

/** Kind of request of mixed traffic. */
type MixedKind = (load: Load, number: number) => Promise<MixedRequest>;

/** Answers of all lengths: streamed, not streamed and closed early, in turn. */
const generating =
  (dialect: Dialect): MixedKind =>
  ({ ask, prompts }, number) =>
    ask(dialect, requestOf(number, prompts));

/** Sampled answers that a schema constrains. */
const constrained: MixedKind = ({ ask, prompts }, number) => {
  const request: ChatRequest = {
    ...requestOf(number, prompts),
    sampling: { temperature: 1, seed: number },
    members: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "array", items: { type: "integer" } } },
      },
    },
  };
  return ask(chatCompletions, request);
};

const tokenized: MixedKind = ({ baseUrl, prompts }, number) =>
  callJson("POST", new URL("/tokenize", baseUrl), { content: prompts.text(`${number}`, 100) });

/** Responses that are not stored, because the store takes most of an hour to reach its bounds. */
const responded: MixedKind = ({ ask, prompts }, number) =>
  ask(responses, { ...requestOf(number, prompts), members: { store: false } });

/** Requests of an orchestrator. */
const watched: MixedKind = async ({ baseUrl }) =>
  sequenceOf(await callJson("GET", new URL("/v1/models", baseUrl)), [
    await callJson("GET", new URL("/health", baseUrl)),
  ]);

/**
 * To-do items that are created, read, changed and deleted; there are never more items than clients.
 */
const todo: MixedKind = async ({ baseUrl }, number) => {
  const items = new URL("/api/todos", baseUrl);
  const created = await callJson("POST", items, { title: `item ${number}` });
  if (created.error !== undefined) return created;
  const { id } = created.body as { readonly id: number };
  const item = new URL(`/api/todos/${id}`, baseUrl);
  const calls = [
    await callJson("PATCH", item, { completed: true }),
    await callJson("GET", items),
    await callJson("DELETE", item),
  ];
  return sequenceOf(created, calls);
};

/** Combines consecutive calls to one request, which fails with the first failed call. */
function sequenceOf(first: CallRecord, rest: readonly CallRecord[]): MixedRequest {
  const last = rest.at(-1) ?? first;
  const error = rest.find((call) => call.error !== undefined)?.error;
  return { startedAtMs: first.startedAtMs, endedAtMs: last.endedAtMs, error };
}

/** Conversation that is created, continued by a response and deleted. */
const conversation: MixedKind = async ({ baseUrl, models, prompts }, number) => {
  const conversations = new URL("/v1/conversations", baseUrl);
  const created = await callJson("POST", conversations, { items: [] });
  if (created.error !== undefined) return created;
  const { id } = created.body as { readonly id: string };
  const calls = [
    await callJson("POST", new URL("/v1/responses", baseUrl), {
      ...{ model: models[0], conversation: id, max_output_tokens: 16, store: false },
      input: prompts.text(`conversation ${number}`, CONVERSATION_TOKENS),
    }),
    await callJson("GET", new URL(`${conversations.pathname}/${id}/items`, baseUrl)),
    await callJson("DELETE", new URL(`${conversations.pathname}/${id}`, baseUrl)),
  ];
  return sequenceOf(created, calls);
};

/** Image for a model without a projector: it is read and refused. */
const refusedImage: MixedKind = ({ baseUrl, models }) => {
  const url = `data:image/png;base64,${randomBytes(IMAGE_BYTES).toString("base64")}`;
  const content = [{ type: "image_url", image_url: { url } }];
  return refused(new URL("/v1/chat/completions", baseUrl), {
    ...{ model: models[0], messages: [{ role: "user", content }] },
  });
};

/** Pull from a host that is not on the allow list. */
const refusedPull: MixedKind = ({ baseUrl }, number) =>
  refused(new URL("/api/pull", baseUrl), { model: `127.0.0.1:9/bench/model:${number}` });

async function refused(url: URL, body: object): Promise<MixedRequest> {
  const call = await callJson("POST", url, body);
  const isRefused = call.error?.startsWith("HTTP 400") ?? false;
  return { ...call, error: isRefused ? undefined : (call.error ?? "expected a refusal") };
}

/**
 * Kinds in the order in which they are sent, cyclically. Their number is coprime to the lengths of
 * the lists that `requestOf` cycles through, so that all combinations are sent.
 */
const kinds: readonly MixedKind[] = [
  generating(chatCompletions),
  generating(textCompletions),
  responded,
  generating(messages),
  generating(ollamaChat),
  generating(ollamaGenerate),
  constrained,
  tokenized,
  watched,
  todo,
  conversation,
  refusedImage,
  refusedPull,
];

/** Number of requests after which each kind has been sent. */
export const MIXED_KINDS = kinds.length;

/** Sends the `number`-th request of mixed traffic, cycling through the dialects. */
export function sendMixed(load: Load, number: number): Promise<MixedRequest> {
  const kind = kinds[number % kinds.length];
  if (kind === undefined) throw new RangeError(`sendMixed: expected an integer, got ${number}`);
  return kind(load, number);
}

/**
 * Returns the `number`-th request, cycling through all combinations of lengths and response modes.
 */
export function requestOf(number: number, prompts: PromptWriter): ChatRequest {
  const content = prompts.text(String(number), cyclicAt(promptTokenCounts, number));
  const maxTokens = cyclicAt(maxTokenCounts, number);
  const kind = cyclicAt(responseModes, number);
  return {
    messages: [{ role: "user", content }],
    maxTokens,
    mode: kind === "cancelled" ? { kind, afterChunks: maxTokens / 4 } : { kind },
  };
}

function cyclicAt<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}
