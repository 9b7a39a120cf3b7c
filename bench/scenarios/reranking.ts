import { InputError } from "../../models/command-line/input-error.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { succeeded, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";
import { largestDifference, rerank } from "./vectors.js";

const DOCUMENTS_PER_REQUEST = 16;

const sizes = {
  full: { minRequests: 8, queryTokens: 16, documentTokens: 96 },
  quick: { minRequests: 2, queryTokens: 8, documentTokens: 16 },
} as const;

const comparedQuery = "Where do boats lie at night?";

/** Documents whose scores must match the compared server's. */
const comparedDocuments = [
  "Boats lie in the harbour at night.",
  "Bread is baked before sunrise.",
  "naïve café Übung 日本語",
  "NIGHT; night (and night)!",
];

/** Documents that are scored for a query. */
export const reranking: Scenario = {
  name: "rerank",
  description: "16 documents of some 96 tokens scored for a query",
  purpose: "rerank",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "rerank-22m+bert-bge", clients: [1, 8, 32], slots: 32, contextSize: 512 },
    quick: { model: "rerank-tiny+bert-bge", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    rate: { label: "scored documents", unit: "1/s", better: "higher" },
    latencyP50: { label: "time to the answer p50", unit: "ms", better: "lower" },
    largestDifference: {
      label: "largest difference to llama-server's scores",
      unit: "",
      better: "lower",
    },
    incomplete: { label: "answers without all scores", unit: "", better: "lower" },
  },
  targets: [
    { measure: "rate", of: "ratio", atLeast: 1 },
    { measure: "largestDifference", of: "ours", atMost: 0.02 },
    { measure: "incomplete", of: "ours", atMost: 0 },
  ],
  async askVectors(post) {
    const { record, content } = await rerank(post, comparedQuery, comparedDocuments);
    if (content !== undefined) return [content];
    throw new InputError(`/v1/rerank: expected scores, got ${record.error ?? "none"}`);
  },
  async run({ clients, effort, prompts, post, vectors }) {
    const { minRequests, queryTokens, documentTokens } = sizes[effort];
    const requests = Array.from({ length: Math.max(clients, minRequests) }, (_, request) => ({
      query: prompts.plainText(`query ${request}`, queryTokens),
      documents: Array.from({ length: DOCUMENTS_PER_REQUEST }, (_, document) =>
        prompts.plainText(`document ${request} ${document}`, documentTokens),
      ),
    }));
    const answers = await inParallel(requests.length, clients, (request) => {
      const { query = "", documents = [] } = requests[request] ?? {};
      return rerank(post, query, documents);
    });
    return {
      ...rerankMeasures(answers.map(({ record }) => record)),
      largestDifference: largestDifference(vectors),
      incomplete: answers.filter(({ content }) => content === undefined).length,
    };
  },
};

/** Speed of one run. */
export function rerankMeasures(records: readonly RequestRecord[]) {
  const successes = succeeded(records);
  const latencies = successes.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs);
  return {
    rate: (successes.length * DOCUMENTS_PER_REQUEST) / wallSeconds(records),
    latencyP50: percentile(latencies, 50),
  };
}
