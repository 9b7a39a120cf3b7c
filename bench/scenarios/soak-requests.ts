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

// The lengths of these lists are pairwise coprime: sixty consecutive requests are all different.
const promptTokenCounts = [8, 40, 120, 240] as const;
const maxTokenCounts = [4, 12, 24, 32, 48] as const;
const responseModes = ["streamed", "non-streamed", "cancelled"] as const;

const CONVERSATION_TOKENS = 40;
/** So many that the body is parsed in a worker thread. */
const IMAGE_BYTES = 300_000;

/** One request of mixed traffic. */
export interface MixedRequest {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Absent when it succeeded. */
  readonly error: string | undefined;
}

/** A kind of request of mixed traffic. */
type MixedKind = (load: Load, number: number) => Promise<MixedRequest>;

/** Of all lengths, streamed, not streamed and hung up, in turn. */
const generating =
  (dialect: Dialect): MixedKind =>
  ({ ask, prompts }, number) =>
    ask(dialect, requestOf(number, prompts));

/** Sampled, held to a schema. */
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

/** Not stored: the store is filled until it has reached its bounds, which takes most of an hour. */
const responded: MixedKind = ({ ask, prompts }, number) =>
  ask(responses, { ...requestOf(number, prompts), members: { store: false } });

/** What an orchestrator asks. */
const watched: MixedKind = async ({ baseUrl }) =>
  sequenceOf(await callJson("GET", new URL("/v1/models", baseUrl)), [
    await callJson("GET", new URL("/health", baseUrl)),
  ]);

/** Created, read, changed and deleted: there are never more than there are clients. */
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

/** Calls that follow each other, as one request: it fails with the first of them that does. */
function sequenceOf(first: CallRecord, rest: readonly CallRecord[]): MixedRequest {
  const last = rest.at(-1) ?? first;
  const error = rest.find((call) => call.error !== undefined)?.error;
  return { startedAtMs: first.startedAtMs, endedAtMs: last.endedAtMs, error };
}

/** A conversation that is created, continued by a response and deleted. */
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

/** An image for a model that sees none: it is read and refused. */
const refusedImage: MixedKind = ({ baseUrl, models }) => {
  const url = `data:image/png;base64,${randomBytes(IMAGE_BYTES).toString("base64")}`;
  const content = [{ type: "image_url", image_url: { url } }];
  return refused(new URL("/v1/chat/completions", baseUrl), {
    ...{ model: models[0], messages: [{ role: "user", content }] },
  });
};

/** A pull from a host that nobody has allowed. */
const refusedPull: MixedKind = ({ baseUrl }, number) =>
  refused(new URL("/api/pull", baseUrl), { model: `127.0.0.1:9/bench/model:${number}` });

async function refused(url: URL, body: object): Promise<MixedRequest> {
  const call = await callJson("POST", url, body);
  const isRefused = call.error?.startsWith("HTTP 400") ?? false;
  return { ...call, error: isRefused ? undefined : (call.error ?? "expected a refusal") };
}

/** In the order in which they are sent, again and again. Their number is coprime to those of `requestOf`. */
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

/** After so many requests each kind has been sent. */
export const MIXED_KINDS = kinds.length;

/** Sends the `number`-th request of mixed traffic, in one dialect after the other. */
export function sendMixed(load: Load, number: number): Promise<MixedRequest> {
  const kind = kinds[number % kinds.length];
  if (kind === undefined) throw new RangeError(`sendMixed: expected an integer, got ${number}`);
  return kind(load, number);
}

/** The `number`-th request, cycling through all combinations of lengths and response modes. */
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
