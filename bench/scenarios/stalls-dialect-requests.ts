/**
 * The same texts, conversations and fields in every dialect; chat completions have additional ones.
 */
import {
  type BodyBuilder,
  type BodySizes,
  filled,
  listed,
  listOf,
  type Members,
  message,
  object,
  tool,
  toolCall,
} from "./stalls-body.js";
import { limits } from "./stalls-limits.js";
import { posted, type WorstRequests } from "./stalls-request.js";
import { CONTROL_TOKENS } from "./stalls-text-bodies.js";

const ANSWER_TOKENS = "8";
/** Fields that limit an answer to the same short length. */
const short: Readonly<Record<string, Members>> = {
  "/v1/completions": { max_tokens: ANSWER_TOKENS },
  "/completion": { n_predict: ANSWER_TOKENS },
  "/completions": { n_predict: ANSWER_TOKENS },
  "/infill": { n_predict: ANSWER_TOKENS },
  "/v1/messages": { max_tokens: ANSWER_TOKENS },
  "/v1/responses": { max_output_tokens: ANSWER_TOKENS },
  "/api/chat": { options: `{"num_predict":${ANSWER_TOKENS}}` },
  "/api/generate": { options: `{"num_predict":${ANSWER_TOKENS}}` },
};

const bodyFor = (path: string, members: Members) => object({ ...short[path], ...members });
const inMessage = (text: string): Members => ({ messages: `[${message(text)}]` });

/** Field that contains a text, by route; `text` stands between the quotes of a JSON string. */
const textIn: Readonly<Record<string, (text: string) => Members>> = {
  "/v1/completions": (text) => ({ prompt: `"${text}"` }),
  "/completion": (text) => ({ prompt: `"${text}"` }),
  "/completions": (text) => ({ prompt: `"${text}"` }),
  "/infill": (text) => ({ input_prefix: `"${text}"`, input_suffix: '"a"' }),
  "/tokenize": (text) => ({ content: `"${text}"` }),
  "/apply-template": inMessage,
  "/v1/messages": inMessage,
  "/v1/messages/count_tokens": inMessage,
  "/v1/responses": (text) => ({ input: `"${text}"` }),
  "/v1/responses/input_tokens": (text) => ({ input: `"${text}"` }),
  "/v1/conversations": (text) => ({ items: `[${message(text)}]` }),
  "/api/chat": inMessage,
  "/api/generate": (text) => ({ prompt: `"${text}"` }),
  "/v1/chat/completions/input_tokens": inMessage,
  "/v1/embeddings": (text) => ({ input: `"${text}"` }),
  "/embedding": (text) => ({ content: `"${text}"` }),
  "/embeddings": (text) => ({ content: `"${text}"` }),
  "/api/embed": (text) => ({ input: `"${text}"` }),
  "/api/embeddings": (text) => ({ prompt: `"${text}"` }),
  "/v1/rerank": (text) => ({ query: `"${text}"`, documents: '["a"]' }),
  "/v2/rerank": (text) => ({ query: '"a"', documents: `["${text}"]` }),
  "/rerank": (text) => ({ query: '"a"', documents: `["${text}"]` }),
  "/v1/score": (text) => ({ text_1: `"${text}"`, text_2: '"a"' }),
};

/** Field that contains a list of messages, by route. */
const messagesIn: Readonly<Record<string, string>> = {
  "/apply-template": "messages",
  "/v1/chat/completions/input_tokens": "messages",
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "messages",
  "/v1/responses": "input",
  "/v1/responses/input_tokens": "input",
  "/v1/conversations": "items",
  "/api/chat": "messages",
};

/**
 * Routes that read a fitting text without generating; reading it in every dialect takes minutes.
 */
const WITHOUT_GENERATION = [
  "/tokenize",
  "/apply-template",
  "/v1/chat/completions/input_tokens",
  "/v1/messages/count_tokens",
  "/v1/responses/input_tokens",
  "/v1/conversations",
];

/** Routes that read a small JSON object. */
const OTHER_OBJECTS = [
  "/v1/chat/completions",
  "/v1/models",
  "/v1/models/load",
  "/v1/models/unload",
  "/detokenize",
  "/api/show",
  "/api/pull",
  "/api/copy",
  "/api/create",
  "/v1/load_lora_adapter",
  "/v1/unload_lora_adapter",
];

/** Routes that refuse every request without reading its body. */
const WITHOUT_READING = ["/v1/responses/compact", "/api/push", "/api/blobs/sha256:0"];

const fullOfTexts = Object.entries(textIn).map(([path, membersWith]) => {
  const body = (text: string) => bodyFor(path, membersWith(text));
  return posted(path, {
    "a long text": ({ bytes }) => filled(bytes, "able ", body),
    "a long text of escapes": ({ bytes }) => filled(bytes, "\\u00e9", body),
    "a long text of control tokens": ({ bytes }) => filled(bytes, CONTROL_TOKENS, body),
    ...(WITHOUT_GENERATION.includes(path) && {
      "a text that fits": ({ fittingText }: BodySizes) => body(fittingText),
    }),
  });
});

const fullOfMessages = Object.entries(messagesIn).map(([path, field]) => {
  const body = (items: string) => bodyFor(path, { [field]: `[${items}]` });
  const most = (item: string): BodyBuilder => {
    return ({ values }) => listed({ values, items: limits.messages }, () => item, body);
  };
  return posted(path, {
    "most messages": most(message("a")),
    "most messages of the assistant": most(message("a", "assistant")),
    "all messages wrong": most(message("a", "x")),
    "most messages, filled": (sizes) => {
      const each = (sizes.bytes - body("").length) / limits.messages - 1;
      return most(filled(each, "able ", (text) => message(text)))(sizes);
    },
  });
});

const mostFields =
  (withFields: (fields: string) => string): BodyBuilder =>
  ({ values }) =>
    listed({ values, items: Number.POSITIVE_INFINITY }, (index) => `"m${index}":0`, withFields);

const fullOfFields = [...Object.keys(textIn), ...OTHER_OBJECTS].map((path) => {
  const members = bodyFor(path, textIn[path]?.("a") ?? { a: "0" });
  const withFields = (fields: string) => members.replace(/}$/, `,${fields}}`);
  return posted(path, {
    "most unknown fields, by route": mostFields(withFields),
    "a long unknown field": ({ bytes }) =>
      filled(bytes, "able ", (text) => withFields(`"m":"${text}"`)),
  });
});
const refused = WITHOUT_READING.map((path) =>
  posted(path, { "most unknown fields": mostFields((fields) => `{${fields}}`) }),
);

/** Builds a block of an Anthropic message. */
const block = (type: string, members: Members) => object({ type: `"${type}"`, ...members });
const turn = (role: string, blocks: string) =>
  object({ role: `"${role}"`, content: `[${blocks}]` });
const anthropic = (messages: string) => bodyFor("/v1/messages", { messages: `[${messages}]` });
const calling = block("tool_use", { id: '"1"', name: '"f"', input: "{}" });
const result = block("tool_result", { tool_use_id: '"1"', content: '"a"' });
const anthropicTool = (index: number) =>
  object({ name: `"f${index}"`, input_schema: `{"type":"object"}` });

const anthropicRequests = posted("/v1/messages", {
  "thoughts of messages in a row": ({ bytes, values }) => {
    const thought = filled(bytes / (values / 6) - 1, "able ", (text) =>
      turn("assistant", block("thinking", { thinking: `"${text}"` })),
    );
    return listed({ values, items: limits.messages }, () => thought, anthropic);
  },
  "calls of messages in a row": ({ values }) =>
    listed({ values, items: limits.messages }, () => turn("assistant", calling), anthropic),
  "most calls and results": ({ values }) =>
    listed(
      { values, items: limits.messages },
      () => `${turn("assistant", calling)},${turn("user", result)}`,
      anthropic,
    ),
  "most blocks": ({ values }) => {
    const text = block("text", { text: '"a"' });
    const full = turn(
      "user",
      listOf(limits.parts, () => text),
    );
    return listed({ values, items: limits.messages }, () => full, anthropic);
  },
  "most tools": ({ values }) =>
    listed({ values, items: limits.tools }, anthropicTool, (tools) =>
      bodyFor("/v1/messages", { ...inMessage("a"), tools: `[${tools}]` }),
    ),
});

const ollama = (messages: string) => bodyFor("/api/chat", { messages: `[${messages}]` });
/** Long ids that differ at their end. */
const longId = (index: number) => `"${"x".repeat(250)}${String(index).padStart(5, "0")}"`;
const namedCall = (index: number) => object({ id: longId(index), function: '{"name":"f"}' });

const ollamaRequests = posted("/api/chat", {
  "results of no calls": ({ bytes, values }) => {
    const calls = Math.min(limits.toolCalls, Math.floor(values / 40));
    const made = `${object({ role: '"assistant"', tool_calls: `[${listOf(calls, namedCall)}]` })}`;
    const results = Math.max(1, Math.floor(Math.min(values / 5, bytes / 320)) - calls);
    const answering = (index: number) =>
      object({ role: '"tool"', content: '"a"', tool_call_id: longId(calls + index) });
    return ollama(`${made},${listOf(results, answering)}`);
  },
  "most tools": ({ values }) =>
    listed(
      { values, items: limits.tools },
      (index) => tool(`f${index}`),
      (tools) => bodyFor("/api/chat", { ...inMessage("a"), tools: `[${tools}]` }),
    ),
});

/** Maximum number of licences of a created model, from `src/api/ollama/model-requests.ts`. */
const MAX_LICENSES = 100;
const MAX_NAMED_FILES = 1_000;

const creation = (members: Members) => object({ model: '"a"', from: '"a"', ...members });

/** Creation of a model from one that does not exist. */
const creationRequests = posted("/api/create", {
  "most options": ({ values }) =>
    listed(
      { values, items: Number.POSITIVE_INFINITY },
      (index) => `"m${index}":0`,
      (options) => creation({ parameters: `{${options}}` }),
    ),
  "most licences, filled": ({ bytes }) => {
    const text = filled(bytes / MAX_LICENSES - 20, "able ", (filling) => `"${filling}"`);
    return creation({ license: `[${listOf(MAX_LICENSES, () => text)}]` });
  },
  "most files": ({ values }) =>
    listed(
      { values, items: MAX_NAMED_FILES },
      (index) => `"m${index}":"a"`,
      (files) => creation({ files: `{${files}}` }),
    ),
});

/** Adapters of a model that has none. */
const adapterRequests = posted("/lora-adapters", {
  "most adapters": ({ values }) =>
    listed(
      { values, items: Number.POSITIVE_INFINITY },
      (index) => `{"id":${index},"scale":1}`,
      (choices) => `[${choices}]`,
    ),
});

const templateRequests = posted("/apply-template", {
  "most tool calls": ({ values }) => {
    const calls = listOf(limits.toolCalls, () => toolCall("{}"));
    const messages = `${object({ role: '"assistant"', tool_calls: `[${calls}]` })},${message("a")}`;
    return listed(
      { values, items: limits.messages },
      () => messages,
      (all) => bodyFor("/apply-template", { messages: `[${all}]` }),
    );
  },
});

export const dialectRequests: WorstRequests = Object.assign(
  {},
  ...fullOfTexts,
  ...fullOfMessages,
  ...fullOfFields,
  ...refused,
  anthropicRequests,
  ollamaRequests,
  creationRequests,
  adapterRequests,
  templateRequests,
);
