/** Requests for stored objects: responses, conversations and to-do items. */
import {
  type BodyBuilder,
  filling,
  limits,
  listing,
  listOf,
  type PreparedRequest,
  posted,
  type WorstRequest,
  type WorstRequests,
} from "./stalls-body.js";

/** Maximum tokens of a short message in a prompt, which limits the messages that fit. */
const TOKENS_PER_MESSAGE = 32;
/** Share of a body that leaves space for members that a test of the limits adds. */
const ALMOST = 0.999;

const MESSAGE = '{"role":"user","content":"a"}';
const ITEMS = '{"items":[…]}';
const RESPONSE = '{"max_output_tokens":1,"input":[…]}';
const LONG_FIELD = '{"max_output_tokens":1,"input":"a","safety_identifier":"…"';
const CALL = '{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}';
const OUTPUT = '{"type":"function_call_output","call_id":"1","output":"a"}';
const longItem = (id: string) => `{"items":[{"id":"${id}","role":"user","content":"…"}]}`;

/** Conversation with one long item, whose id is known. */
const longConversation = (id: string): PreparedRequest => ({
  path: "/v1/conversations",
  body: filling("able ", longItem(id), ALMOST),
});
const mostItems: PreparedRequest = {
  path: "/v1/conversations",
  body: listing(MESSAGE, ITEMS, limits.messages),
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
    return `{"metadata":{${listOf(PAIRS, (index) => `"k${index}":"${value}"`)}}}`;
  },
  times: 101,
};
/** Response that repeats megabytes of its input. */
const longResponse: PreparedRequest = {
  path: "/v1/responses",
  body: filling("a", `${LONG_FIELD}}`, ALMOST),
};
const backgroundResponse: PreparedRequest = {
  path: "/v1/responses",
  body: filling("a", `${LONG_FIELD},"background":true,"stream":false}`, ALMOST),
};
const fewMessages: PreparedRequest = {
  path: "/v1/responses",
  body: ({ contextSize }) =>
    RESPONSE.replace(
      "…",
      listOf(contextSize / TOKENS_PER_MESSAGE, () => MESSAGE),
    ),
};

/** Builds a request for an object that is stored before. */
const stored = (
  method: WorstRequest["method"],
  path: string,
  prepared: PreparedRequest,
  body?: BodyBuilder,
): WorstRequest => ({ method, path, prepared, ...(body !== undefined && { body }) });
/** Builds a request with as many references as possible to a long item. */
const references = (path: string, template: string, id: string) =>
  stored(
    "POST",
    path,
    longConversation(id),
    listing(`{"type":"item_reference","id":"${id}"}`, template, limits.messages),
  );

const responseRequests: WorstRequests = {
  ...posted("/v1/responses", {
    "most calls": listing(CALL, RESPONSE, limits.messages),
    "most calls and results": listing(`${CALL},${OUTPUT}`, RESPONSE, limits.messages / 2),
    "streamed with a long field": filling("a", `${LONG_FIELD},"stream":true}`),
    "streamed in the background": filling("a", `${LONG_FIELD},"background":true,"stream":true}`),
  }),
  "/v1/responses: references to a long item": references("/v1/responses", RESPONSE, "msg_used"),
  "/v1/responses/input_tokens: references to a long item": references(
    "/v1/responses/input_tokens",
    RESPONSE,
    "msg_counted",
  ),
  "/v1/responses: a long conversation goes on": stored(
    "POST",
    "/v1/responses",
    longConversation("msg_gone_on"),
    filling("able ", '{"conversation":"{id}","input":"…"}', ALMOST),
  ),
  "/v1/responses: a previous response goes on": stored(
    "POST",
    "/v1/responses",
    longResponse,
    filling("able ", '{"previous_response_id":"{id}","input":"…"}', ALMOST),
  ),
  "a long response": stored("GET", "/v1/responses/{id}", longResponse),
  "the items of a response": stored("GET", "/v1/responses/{id}/input_items?limit=100", fewMessages),
  "a long response is deleted": stored("DELETE", "/v1/responses/{id}", longResponse),
  "a long response is cancelled": stored("POST", "/v1/responses/{id}/cancel", backgroundResponse),
};

const CONVERSATION = "/v1/conversations/{id}";
const conversationRequests: WorstRequests = {
  "/v1/conversations: references to a long item": references(
    "/v1/conversations",
    ITEMS,
    "msg_stored",
  ),
  "the conversations": stored(
    "GET",
    "/v1/conversations?limit=100&order=desc&after={id}",
    longMetadata,
  ),
  "the conversations, many times": {
    ...{ method: "GET", path: "/v1/conversations?limit=1&order=asc", sent: "pipelined" },
  },
  "a conversation": stored("GET", CONVERSATION, mostItems),
  "a conversation is changed": stored(
    "POST",
    CONVERSATION,
    mostItems,
    () => '{"metadata":{"a":"b"}}',
  ),
  "a conversation is deleted": stored("DELETE", CONVERSATION, mostItems),
  "the items of a conversation": stored(
    "GET",
    `${CONVERSATION}/items?limit=100`,
    longConversation("msg_listed"),
  ),
  "items are added to most items": stored(
    "POST",
    `${CONVERSATION}/items`,
    mostItems,
    mostItems.body,
  ),
  "a long item is added": stored(
    "POST",
    `${CONVERSATION}/items`,
    mostItems,
    filling("able ", longItem("msg_added"), 1 / 2),
  ),
  "a long item": stored("GET", `${CONVERSATION}/items/msg_read`, longConversation("msg_read")),
  "a long item is deleted": stored(
    "DELETE",
    `${CONVERSATION}/items/msg_deleted`,
    longConversation("msg_deleted"),
  ),
};

/** Characters of a title, from `src/api/todos/schema.ts`. */
const TITLE = 10_000;
const longTitle = () => `{"title":"${"é".repeat(TITLE)}","completed":false}`;
/** Items each of which causes a write of the file. */
const longTodos: PreparedRequest = { path: "/api/todos", body: longTitle, times: 100 };

const todoRequests: WorstRequests = Object.assign(
  {
    "/v1/todos: the items by their titles": stored(
      "GET",
      `/v1/todos?limit=100&sort=-title&title=${"%C3%A9".repeat(1_000)}x`,
      longTodos,
    ),
    "/v1/todos: an item is replaced": { method: "PUT", path: "/v1/todos/1", body: longTitle },
  },
  ...["/api/todos", "/todos", "/v1/todos"].map(
    (path): WorstRequests => ({
      ...posted(path, {
        "a long title": longTitle,
        "a body that is too long": filling("a", '{"title":"…"}', 1 / 16),
      }),
      [`${path}: all items`]: stored("GET", path, longTodos),
      [`${path}: an item is changed`]: { method: "PATCH", path: `${path}/1`, body: longTitle },
    }),
  ),
);

export const storedRequests: WorstRequests = {
  ...responseRequests,
  ...conversationRequests,
  ...todoRequests,
};
