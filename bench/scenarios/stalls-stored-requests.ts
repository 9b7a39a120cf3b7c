/** Requests for stored objects: responses, conversations and to-do items. */
import { filled, listed, listOf, message, object } from "./stalls-body.js";
import { limits } from "./stalls-limits.js";
import { type PreparedRequest, posted, type WorstRequests } from "./stalls-request.js";

/** Maximum tokens of a short message in a prompt, which limits the messages that fit. */
const TOKENS_PER_MESSAGE = 32;
/** Bytes of a body in addition to its long text. */
const FRAME_BYTES = 500;

const items = (list: string) => `{"items":[${list}]}`;
const longItem = (id: string) => (text: string) =>
  items(object({ id: `"${id}"`, role: '"user"', content: `"${text}"` }));
const response = (list: string) => `{"max_output_tokens":1,"input":[${list}]}`;
const reference = (id: string) => object({ type: '"item_reference"', id: `"${id}"` });
const call = object({
  ...{ type: '"function_call"', call_id: '"1"', name: '"f"', arguments: '"{}"' },
});
const output = object({ type: '"function_call_output"', call_id: '"1"', output: '"a"' });

/** Conversation with one long item, whose id is known. */
const longConversation = (id: string): PreparedRequest => ({
  path: "/v1/conversations",
  body: ({ bytes }) => filled(bytes - FRAME_BYTES, "able ", longItem(id)),
});
const mostItems: PreparedRequest = {
  path: "/v1/conversations",
  body: ({ values }) => listed({ values, items: limits.messages }, () => message("a"), items),
};
/**
 * Metadata pairs of a conversation and characters of a value, from `src/api/responses/schema.ts`.
 */
const PAIRS = 16;
const VALUE = 16_384;
/** More than a page of conversations with as much metadata as possible. */
const longMetadata: PreparedRequest = {
  path: "/v1/conversations",
  body: ({ bytes }) => {
    const value = "é".repeat(Math.min(VALUE, bytes / 2 / PAIRS));
    const pairs = Array.from({ length: PAIRS }, (_, index) => [`k${index}`, value]);
    return JSON.stringify({ metadata: Object.fromEntries(pairs) });
  },
  times: 101,
};
/** Response that repeats megabytes of its input. */
const longResponse: PreparedRequest = {
  path: "/v1/responses",
  body: ({ bytes }) =>
    filled(bytes - FRAME_BYTES, "a", (text) =>
      object({ max_output_tokens: "1", input: '"a"', safety_identifier: `"${text}"` }),
    ),
};
const backgroundResponse: PreparedRequest = {
  path: "/v1/responses",
  body: (sizes) => longResponse.body(sizes).replace(/}$/, ',"background":true,"stream":false}'),
};

const responseRequests: WorstRequests = {
  ...posted("/v1/responses", {
    "most calls": ({ values }) => listed({ values, items: limits.messages }, () => call, response),
    "most calls and results": ({ values }) =>
      listed({ values, items: limits.messages / 2 }, () => `${call},${output}`, response),
    "streamed with a long field": (sizes) =>
      longResponse.body(sizes).replace(/}$/, ',"stream":true}'),
    "streamed in the background with a long field": (sizes) =>
      longResponse.body(sizes).replace(/}$/, ',"background":true,"stream":true}'),
  }),
  "/v1/responses: references to a long item": {
    ...{ method: "POST", path: "/v1/responses", prepared: longConversation("msg_generated") },
    body: ({ values }) =>
      listed({ values, items: limits.messages }, () => reference("msg_generated"), response),
  },
  "/v1/responses: a long conversation goes on": {
    ...{ method: "POST", path: "/v1/responses", prepared: longConversation("msg_gone_on") },
    body: ({ bytes }) =>
      filled(bytes, "able ", (text) => `{"conversation":"{id}","input":"${text}"}`),
  },
  "/v1/responses: a previous response goes on": {
    ...{ method: "POST", path: "/v1/responses", prepared: longResponse },
    body: ({ bytes }) =>
      filled(bytes, "able ", (text) => `{"previous_response_id":"{id}","input":"${text}"}`),
  },
  "/v1/responses/input_tokens: references to a long item": {
    ...{ method: "POST", path: "/v1/responses/input_tokens" },
    prepared: longConversation("msg_counted"),
    body: ({ values }) =>
      listed({ values, items: limits.messages }, () => reference("msg_counted"), response),
  },
  "a long response": { method: "GET", path: "/v1/responses/{id}", prepared: longResponse },
  "a long response, pipelined": {
    ...{ method: "GET", path: "/v1/responses/resp_absent", sent: "pipelined" },
  },
  "the items of a response": {
    ...{ method: "GET", path: "/v1/responses/{id}/input_items?limit=100" },
    prepared: {
      path: "/v1/responses",
      body: ({ contextSize }) =>
        response(listOf(contextSize / TOKENS_PER_MESSAGE, () => message("a"))),
    },
  },
  "a long response is deleted": {
    ...{ method: "DELETE", path: "/v1/responses/{id}", prepared: longResponse },
  },
  "a long response is cancelled": {
    ...{ method: "POST", path: "/v1/responses/{id}/cancel", prepared: backgroundResponse },
  },
};

const conversationRequests: WorstRequests = {
  "/v1/conversations: references to a long item": {
    ...{ method: "POST", path: "/v1/conversations", prepared: longConversation("msg_stored") },
    body: ({ values }) =>
      listed({ values, items: limits.messages }, () => reference("msg_stored"), items),
  },
  "the conversations": {
    ...{ method: "GET", path: "/v1/conversations?limit=100&order=desc&after={id}" },
    prepared: longMetadata,
  },
  "the conversations, many times": {
    ...{ method: "GET", path: "/v1/conversations?limit=1&order=asc", sent: "pipelined" },
  },
  "a conversation": { method: "GET", path: "/v1/conversations/{id}", prepared: mostItems },
  "a conversation is changed": {
    ...{ method: "POST", path: "/v1/conversations/{id}", prepared: mostItems },
    body: () => '{"metadata":{"a":"b"}}',
  },
  "a conversation is deleted": {
    ...{ method: "DELETE", path: "/v1/conversations/{id}", prepared: mostItems },
  },
  "the items of a conversation": {
    ...{ method: "GET", path: "/v1/conversations/{id}/items?limit=100" },
    prepared: longConversation("msg_listed"),
  },
  "items are added to most items": {
    ...{ method: "POST", path: "/v1/conversations/{id}/items", prepared: mostItems },
    body: mostItems.body,
  },
  "a long item is added": {
    ...{ method: "POST", path: "/v1/conversations/{id}/items", prepared: mostItems },
    body: ({ bytes }) => filled(bytes / 2, "able ", longItem("msg_added")),
  },
  "a long item": {
    ...{ method: "GET", path: "/v1/conversations/{id}/items/msg_read" },
    prepared: longConversation("msg_read"),
  },
  "a long item is deleted": {
    ...{ method: "DELETE", path: "/v1/conversations/{id}/items/msg_deleted" },
    prepared: longConversation("msg_deleted"),
  },
};

/** Characters of a title and bytes of a body, from `src/api/todos/schema.ts`. */
const TITLE = 10_000;
const TODO_BYTES = 128 * 1024;
const todo = (title: string) => `{"title":"${title}","completed":false}`;
const longTitle = () => todo("é".repeat(TITLE));
/** Items each of which causes a write of the file. */
const longTodos: PreparedRequest = { path: "/api/todos", body: longTitle, times: 100 };
const inBytes = (bytes: number) => Math.min(bytes, TODO_BYTES);

const todoRequests: WorstRequests = Object.assign(
  {},
  ...["/api/todos", "/todos", "/v1/todos"].flatMap((path): WorstRequests[] => [
    posted(path, {
      "a long title": longTitle,
      "a title that is too long": ({ bytes }) => filled(inBytes(bytes), "a", todo),
      "most unknown fields": ({ bytes, values }) =>
        listed(
          { values: Math.min(values, inBytes(bytes) / 12), items: Number.POSITIVE_INFINITY },
          (index) => `"m${index}":0`,
          (fields) => `{"title":"a",${fields}}`,
        ),
      "a body that is too long": ({ bytes }) => filled(bytes / 16, "a", todo),
    }),
    {
      [`${path}: all items`]: { method: "GET", path, prepared: longTodos },
      [`${path}: an item is changed`]: {
        ...{ method: "PATCH", path: `${path}/1`, body: longTitle },
      },
      [`${path}: an item is deleted`]: { method: "DELETE", path: `${path}/2` },
    },
  ]),
  {
    "/v1/todos: the items by their titles": {
      ...{
        method: "GET",
        path: `/v1/todos?limit=100&sort=-title&title=${"%C3%A9".repeat(1_000)}x`,
      },
      prepared: longTodos,
    },
    "/v1/todos: an item, many times": { method: "GET", path: "/v1/todos/1", sent: "pipelined" },
    "/v1/todos: an item is replaced": { method: "PUT", path: "/v1/todos/1", body: longTitle },
  },
);

export const storedRequests: WorstRequests = {
  ...responseRequests,
  ...conversationRequests,
  ...todoRequests,
};
