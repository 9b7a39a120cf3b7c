import { InputError } from "../../models/command-line/input-error.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { textOf } from "../prompts/prompt-writer.js";
import { mean } from "../statistics.js";
import { succeeded, wallSeconds } from "./reductions.js";
import type { Load, Measure, Scenario } from "./scenario.js";
import { embed, lowestCosine } from "./vectors.js";

/** Kind of request. */
interface Kind {
  /** Name in tables. */
  readonly name: string;
  /**
   * Tokens of each text; the longest text safely fits into 512, given that words take several
   * tokens.
   */
  readonly tokens: number;
  readonly textsPerRequest: number;
}

const kinds: readonly Kind[] = [
  { name: "24 tokens", tokens: 24, textsPerRequest: 1 },
  { name: "128 tokens", tokens: 128, textsPerRequest: 1 },
  { name: "500 tokens", tokens: 500, textsPerRequest: 1 },
  { name: "32 × 24 tokens", tokens: 24, textsPerRequest: 32 },
  { name: "32 × 128 tokens", tokens: 128, textsPerRequest: 32 },
  { name: "8 × 500 tokens", tokens: 500, textsPerRequest: 8 },
  { name: "512 × 24 tokens", tokens: 24, textsPerRequest: 512 },
];

/**
 * Minimum tokens of all requests of a kind, so that a run lasts for seconds; many clients send
 * more.
 */
const minTokens = { full: 12_000, quick: 100 } as const;

/** Number of tokens that the model adds at the beginning and end of a text. */
const ADDED_TOKENS = 2;

/**
 * Texts whose embeddings must match the compared server's: words, signs, scripts, numbers, and a long text.
 */
const comparedTexts = [
  "The harbour is quiet before sunrise.",
  "LOUD, punctuated; “quoted” -- and (bracketed)!",
  "naïve café Übung 日本語 Ωmega 👩‍🚀",
  "for (let i = 0; i < 1024; i++) total += values[i] * 0.5;",
  textOf("compared", 300),
];

const keyOf = ({ name }: Kind) => `rate: ${name}`;
const rateMeasure = { label: "embeddings", unit: "1/s", better: "higher" } as const;

/** Embeddings of short and long texts, one or several per request. */
export const embeddings: Scenario = {
  name: "embeddings",
  description: "embeddings of texts of three lengths, one or several per request",
  purpose: "embed",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "embed-22m+bert-bge", clients: [1, 8, 32], slots: 32, contextSize: 512 },
    quick: { model: "embed-tiny+bert-bge", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    ...Object.fromEntries(
      kinds.map((kind): [string, Measure] => [keyOf(kind), { ...rateMeasure, subject: kind.name }]),
    ),
    lowestCosine: { label: "lowest cosine to llama-server's vectors", unit: "", better: "higher" },
    incomplete: { label: "answers without all vectors", unit: "", better: "lower" },
  },
  targets: [
    ...kinds.map((kind) => ({ measure: keyOf(kind), of: "ratio", atLeast: 1 }) as const),
    { measure: "lowestCosine", of: "ours", atLeast: 0.999 },
    { measure: "incomplete", of: "ours", atMost: 0 },
  ],
  async askVectors(post) {
    const { record, content } = await embed(post, comparedTexts);
    if (content !== undefined) return content;
    throw new InputError(`/v1/embeddings: expected vectors, got ${record.error ?? "none"}`);
  },
  async run(load) {
    const values: Record<string, number> = {};
    let incomplete = 0;
    for (const kind of kinds) {
      const answers = await embedAll(load, kind);
      load.signal.throwIfAborted();
      const records = answers.map(({ record }) => record);
      values[keyOf(kind)] = embeddingRate(records, kind.textsPerRequest);
      incomplete += answers.filter(({ content }) => content === undefined).length;
      load.recordSample({
        texts: kind.name,
        "tokens of each": tokensOfEach(records, kind.textsPerRequest),
        "embeddings/s": embeddingRate(records, kind.textsPerRequest),
      });
    }
    return { ...values, lowestCosine: lowestCosine(load.vectors), incomplete };
  },
};

/** Sends all requests of a kind. All texts are written before the first request. */
function embedAll({ clients, effort, prompts, post }: Load, kind: Kind) {
  const { name, tokens, textsPerRequest } = kind;
  const count = Math.max(clients, Math.ceil(minTokens[effort] / (tokens * textsPerRequest)));
  const inputs = Array.from({ length: count }, (_, request) =>
    Array.from({ length: textsPerRequest }, (_, text) =>
      prompts.plainText(`${name} ${request} ${text}`, tokens - ADDED_TOKENS),
    ),
  );
  return inParallel(count, clients, (request) => embed(post, inputs[request] ?? []));
}

/** Embeddings per second of wall time. */
export function embeddingRate(records: readonly RequestRecord[], textsPerRequest: number): number {
  return (succeeded(records).length * textsPerRequest) / wallSeconds(records);
}

function tokensOfEach(records: readonly RequestRecord[], textsPerRequest: number): number {
  const prompts = succeeded(records).map(({ tokens }) => tokens?.prompt ?? Number.NaN);
  return mean(prompts) / textsPerRequest;
}
