import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type BodySizes,
  filled,
  limits,
  listing,
  listOf,
  posted,
  type WorstRequest,
  type WorstRequests,
} from "./stalls-body.js";
import { awkwardTexts, chatRequests } from "./stalls-chat-requests.js";
import { derivedRequests } from "./stalls-derived-requests.js";
import { mediaRequests } from "./stalls-media-requests.js";
import { storedRequests } from "./stalls-stored-requests.js";

/** Output folder of the page's build. */
const BUILT = fileURLToPath(new URL("../../dist/page/built/", import.meta.url));

/**
 * Path of the page's largest script, whose name depends on its content; a path that does not exist
 * if nothing has been built.
 */
function largestPageFile(): string {
  const names = existsSync(BUILT) ? readdirSync(BUILT).filter((name) => name.endsWith(".js")) : [];
  const sizeOf = (name: string) => statSync(`${BUILT}${name}`).size;
  const [largest = "absent.js"] = names.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return `/page/${largest}`;
}

/** Characters of a query; the request target may have 8 KiB. */
const QUERY = 8_000;

const pipelined = (path: string, headers: Readonly<Record<string, string>> = {}): WorstRequest => ({
  method: "GET",
  path,
  headers,
  sent: "pipelined",
});

const pageRequests: WorstRequests = {
  "/, in a browser": pipelined("/", { accept: `${"text/plain,".repeat(500)}text/html` }),
  "/page, its largest file": pipelined(largestPageFile()),
  "/openapi.json, not modified": pipelined("/openapi.json", {
    "if-none-match": `"${'a", "'.repeat(2_000)}"`,
  }),
  "/props of a long name": pipelined(`/props?model=${"m".repeat(QUERY)}`),
  "/v1/models/sse, which would not end, of another version": pipelined("/v1/models/sse", {
    "api-version": "v9",
  }),
};

/** Characters of a tokenised text per byte of a body: 2^20 of 4 MiB. */
const CHARACTERS_PER_BYTE = 1 / 4;
/** Builds a text to tokenise from units of one or more characters. */
const tokenized =
  (unit: string, members = "", most = Infinity) =>
  ({ bytes }: BodySizes) => {
    const characters = Math.min(most, bytes * CHARACTERS_PER_BYTE);
    const length = (JSON.parse(`"${unit}"`) as string).length;
    return `{${members}"content":"${unit.repeat(Math.floor(characters / length))}"}`;
  };
const PIECES = '"with_pieces":true,';

const PROMPTS = 1_000;
const LOGPROBS = '"logprobs":20';
/** Tokens of an answer that is short enough not to delay other clients' streams for long. */
const fewTokens = ({ contextSize }: BodySizes) => Math.floor(contextSize / 64);

const textRequests: WorstRequests = {
  ...posted("/tokenize", {
    ...Object.fromEntries(
      Object.entries(awkwardTexts).map(([name, unit]) => [name, tokenized(unit)]),
    ),
    "200,000 accented letters with pieces": tokenized("é", PIECES, 200_000),
    "most accented letters with pieces": tokenized("é", PIECES),
    "most emoji with pieces and texts": tokenized("🙂", `${PIECES}"return_token_strs":true,`),
    "a text that fits": ({ fittingText }) => `{"content":"${fittingText}"}`,
  }),
  ...posted("/detokenize", {
    "most tokens, the last one unknown": listing("5", `{"tokens":[…,${2 ** 31}]}`),
  }),
  ...posted("/v1/completions", {
    "most prompts, most choices": () =>
      `{"prompt":[${listOf(PROMPTS, () => '"a"')}],"n":16,"best_of":16,"max_tokens":1}`,
    "log-probabilities of a prompt": ({ fittingText }) =>
      `{"prompt":"${fittingText}","echo":true,${LOGPROBS},"max_tokens":0}`,
    "most log-probabilities": (sizes) =>
      `{"prompt":"a",${LOGPROBS},"max_tokens":${fewTokens(sizes)},"ignore_eos":true,"n":4}`,
  }),
  ...posted("/completion", {
    "most texts and token ids": listing('"a",5', '{"n_predict":1,"prompt":[…]}'),
    "most probabilities": (sizes) =>
      `{"prompt":"a","n_probs":20,"n_predict":${fewTokens(sizes)},"ignore_eos":true,"n":4}`,
  }),
};

/** Long ids that differ at their end. */
const longId = (index: number) => `"${"x".repeat(250)}${String(index).padStart(5, "0")}"`;

const dialectRequests: WorstRequests = {
  ...posted("/v1/messages", {
    "most calls and results": listing(
      '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a"}]}',
      '{"max_tokens":8,"messages":[…]}',
      limits.messages / 2,
    ),
    "most blocks": listing(
      `{"role":"user","content":[${listOf(limits.parts, () => '{"type":"text","text":"a"}')}]}`,
      '{"max_tokens":8,"messages":[…]}',
      limits.messages,
    ),
    "thoughts in a row": ({ bytes, values }) => {
      const thought = filled(
        bytes / (values / 6) - 1,
        "able ",
        (text) => `{"role":"assistant","content":[{"type":"thinking","thinking":"${text}"}]}`,
      );
      return `{"max_tokens":8,"messages":[${listOf(Math.min(limits.messages, values / 8), () => thought)}]}`;
    },
  }),
  ...posted("/api/chat", {
    "results of no calls": ({ bytes, values }) => {
      const calls = Math.min(limits.toolCalls, Math.floor(values / 40));
      const called = listOf(calls, (index) => `{"id":${longId(index)},"function":{"name":"f"}}`);
      const count = Math.max(1, Math.floor(Math.min(values / 5, bytes / 320)) - calls);
      const results = listOf(
        count,
        (index) => `{"role":"tool","content":"a","tool_call_id":${longId(calls + index)}}`,
      );
      return `{"options":{"num_predict":8},"messages":[{"role":"assistant","tool_calls":[${called}]},${results}]}`;
    },
  }),
  ...posted("/api/create", {
    "most options": listing('"m{i}":0', '{"model":"a","from":"a","parameters":{…}}'),
  }),
};

/**
 * Requests that cost a server far more than their client, at least one for each route, in sending
 * order.
 */
export const worstRequests: ReadonlyMap<string, WorstRequest> = new Map(
  Object.entries({
    ...derivedRequests,
    ...pageRequests,
    ...textRequests,
    ...dialectRequests,
    ...storedRequests,
    ...mediaRequests,
    ...chatRequests,
  }),
);
