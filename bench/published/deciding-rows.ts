import { InputError } from "../../models/command-line/input-error.js";
import { measureName } from "../summary/format.js";
import type { PublishedResult, PublishedRow } from "./published-result.js";

/** Measures of a scenario that the documentation shows. The result's file contains all measures. */
export interface DecidingRows {
  /** Name of the published result. */
  readonly result: string;
  /** Traffic of the scenario, for readers who do not know its name. */
  readonly traffic: string;
  /**
   * Measures with their number of clients, in display order; the label selects all subjects of a
   * measure.
   */
  readonly measures: readonly (readonly [clients: number, measure: string])[];
}

/** Selects mean, median and 99th percentile together: an unfair order improves the median alone. */
function threeOf(clients: number, latency: string, subject = "") {
  return ["mean", "p50", "p99"].map(
    (statistic) => [clients, `${latency} ${statistic}${subject}`] as const,
  );
}

/**
 * Rows of the documentation's tables, chosen before they are measured: rates, waiting times and
 * pauses that users notice, at the scenarios' loads, whether or not ggufd is ahead.
 */
export const decidingRows: readonly DecidingRows[] = [
  {
    result: "startup-135m-gpt-2",
    traffic: "start of the server",
    measures: [
      [1, "time to ready"],
      [1, "time to first token"],
      [1, "memory after start"],
    ],
  },
  {
    result: "decode-135m-gpt-2",
    traffic: "distinct prompts",
    measures: [
      [1, "output"],
      [1, "ITL p99"],
      [8, "output"],
      ...threeOf(8, "TTFT"),
      [8, "ITL p99"],
      [32, "output"],
      ...threeOf(32, "TTFT"),
      [32, "time to token 10 mean"],
      [32, "longest gap"],
      [32, "ITL p99"],
    ],
  },
  {
    result: "decode-1b-gpt-2",
    traffic: "distinct prompts, a billion parameters",
    measures: [
      [1, "output"],
      [1, "TTFT mean"],
      [1, "ITL p99"],
    ],
  },
  {
    result: "prefill-135m-gpt-2",
    traffic: "long prompts, answers of one token",
    measures: [[1, "prompt"], [8, "prompt"], ...threeOf(8, "TTFT")],
  },
  {
    result: "shared-prefix-135m-gpt-2",
    traffic: "one long system prompt shared by all",
    measures: [[32, "wall time"], ...threeOf(32, "TTFT")],
  },
  {
    result: "multi-turn-135m-gpt-2",
    traffic: "more multi-turn conversations than slots",
    measures: [
      [16, "wall time"],
      [16, "prompt evaluated to ideal"],
    ],
  },
  {
    result: "mixed-135m-gpt-2",
    traffic: "short chats while long prompts arrive",
    measures: [
      [8, "ITL p99 of the chats"],
      ...threeOf(8, "TTFT", " of the long prompts"),
      [8, "wall time of the long prompts"],
    ],
  },
  {
    result: "rag-135m-gpt-2",
    traffic: "questions about a few long documents",
    measures: [[16, "wall time"], ...threeOf(16, "TTFT")],
  },
  {
    result: "goodput-135m-gpt-2",
    traffic: "random arrivals at rising rates",
    measures: [
      [60, "goodput, strict limits"],
      [60, "goodput, loose limits"],
    ],
  },
  {
    result: "connections-15m",
    traffic: "a thousand streams at once",
    measures: [
      [1000, "errors"],
      [1000, "/health p99"],
      [1000, "wall time"],
    ],
  },
  {
    result: "overload-15m-gpt-2",
    traffic: "four times the capacity",
    measures: [
      [32, "goodput to capacity"],
      [32, "accepted, p99"],
      [32, "failed otherwise"],
    ],
  },
  {
    result: "engine",
    traffic: "decoding only, without HTTP",
    measures: [
      [1, "decode"],
      [8, "decode"],
      [32, "decode"],
    ],
  },
  {
    result: "json-shipped",
    traffic: "answers constrained by schemas",
    measures: [
      [1, "constrained to free decoding, mean"],
      [16, "constrained to free decoding, mean"],
    ],
  },
  {
    result: "dialects-15m-gpt-2",
    traffic: "other dialects, relative to chat completions",
    measures: [[32, "wall time to chat's"]],
  },
  {
    result: "embeddings-embed-22m-bert-bge",
    traffic: "embeddings of texts",
    measures: [
      [1, "24 tokens: embeddings"],
      [1, "128 tokens: embeddings"],
      [1, "500 tokens: embeddings"],
      [1, "512 × 24 tokens: embeddings"],
      [8, "24 tokens: embeddings"],
      [32, "24 tokens: embeddings"],
      [32, "128 tokens: embeddings"],
      [32, "500 tokens: embeddings"],
    ],
  },
  {
    result: "rerank-rerank-22m-bert-bge",
    traffic: "reranking of documents",
    measures: [
      [1, "scored documents"],
      [8, "scored documents"],
      [32, "scored documents"],
    ],
  },
  {
    result: "batch-135m-gpt-2",
    traffic: "a batch, against parallel clients",
    measures: [
      [32, "labels: wall time"],
      [32, "summaries: wall time"],
    ],
  },
  {
    result: "batch-embeddings-embed-22m-bert-bge",
    traffic: "a batch of embeddings, against parallel clients",
    measures: [[32, "wall time"]],
  },
  {
    result: "batch-beside-chats-135m-gpt-2",
    traffic: "chats while a batch runs",
    measures: [
      [100, "TTFT p99, with a batch to without"],
      [100, "ITL p99, with a batch to without"],
      [100, "idle time used by the batch"],
    ],
  },
  {
    result: "replicas-15m-gpt-2",
    traffic: "conversations on two replicas, against one engine",
    measures: [[16, "output"], ...threeOf(16, "TTFT"), [16, "prompt tokens from the cache"]],
  },
  {
    result: "stalls-135m-gpt-2",
    traffic: "worst-case requests to every route during streams",
    measures: [
      [8, "longest /health/live"],
      [8, "longest gap to ITL p99, undisturbed"],
    ],
  },
  {
    result: "todos-10000",
    traffic: "the to-do service with 10,000 items",
    measures: [
      [32, "list of 100"],
      [32, "one item"],
      [1, "create"],
      [256, "create"],
    ],
  },
];

/** Row of the documentation's tables, with its origin. */
export interface DecidingRow extends PublishedRow {
  readonly result: PublishedResult;
  readonly traffic: string;
  /** Name of the compared program, if there is one. */
  readonly peer: string | undefined;
  /**
   * How much better ggufd is: above 1 ahead, below 1 behind, for either direction of the measure.
   * NaN without a compared program, or if both values are 0.
   */
  readonly advantage: number;
}

/** Names of the selected results that have not been published yet. */
export function missingResults(results: ReadonlyMap<string, PublishedResult>): readonly string[] {
  return decidingRows.map(({ result }) => result).filter((name) => !results.has(name));
}

/**
 * Selects the rows of all published results, in display order.
 * @throws {InputError} if a published result lacks a selected row
 */
export function decidingRowsOf(
  results: ReadonlyMap<string, PublishedResult>,
  selections: readonly DecidingRows[] = decidingRows,
): readonly DecidingRow[] {
  return selections.flatMap(({ result: name, traffic, measures }) => {
    const result = results.get(name);
    if (result === undefined) return [];
    const peer = result.servers[1]?.label;
    return measures.flatMap(([clients, measure]) => {
      const found = result.rows.filter(
        (row) =>
          row.clients === clients &&
          [measureName(row.measure), row.measure.label].includes(measure),
      );
      if (found.length === 0) {
        throw new InputError(`${name}: expected ${measure} at ${clients} clients, got no such row`);
      }
      return found.map((row) => ({ ...row, result, traffic, peer, advantage: advantageOf(row) }));
    });
  });
}

function advantageOf({ measure, sides }: PublishedRow): number {
  const [ours = Number.NaN, other = Number.NaN] = sides.map(({ median }) => median);
  return measure.better === "higher" ? ours / other : other / ours;
}
