import type { ChatRequest } from "../client/chat-request.js";
import { chatCompletions } from "../client/dialects/chat-completions.js";
import type { Dialect } from "../client/dialects/dialect.js";
import { messages } from "../client/dialects/messages.js";
import { ollamaChat, ollamaGenerate } from "../client/dialects/ollama.js";
import { responses } from "../client/dialects/responses.js";
import { textCompletions } from "../client/dialects/text-completions.js";
import { callJson } from "../client/json-call.js";
import type { Load } from "./scenario.js";
import { requestOf } from "./soak.js";

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

const models: MixedKind = ({ baseUrl }) => callJson("GET", new URL("/v1/models", baseUrl));

const scrapedHealth: MixedKind = ({ baseUrl }) => callJson("GET", new URL("/health", baseUrl));

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
  const last = calls.at(-1) ?? created;
  const error = calls.find((call) => call.error !== undefined)?.error;
  return { startedAtMs: created.startedAtMs, endedAtMs: last.endedAtMs, error };
};

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
  models,
  scrapedHealth,
  todo,
];

/** After so many requests each kind has been sent. */
export const MIXED_KINDS = kinds.length;

/** Sends the `number`-th request of mixed traffic, in one dialect after the other. */
export function sendMixed(load: Load, number: number): Promise<MixedRequest> {
  const kind = kinds[number % kinds.length];
  if (kind === undefined) throw new RangeError(`sendMixed: expected an integer, got ${number}`);
  return kind(load, number);
}
