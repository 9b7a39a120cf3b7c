import { runBatch } from "../client/batches.js";
import { type ChatRequest, toBody } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import {
  type BatchWay,
  batchFlags,
  failures,
  type GroupedRecords,
  keyOf,
  recordsOf,
  sharedPromptMeasures,
  sharedPromptValues,
} from "./batch-measures.js";
import type { Effort, Load, Scenario } from "./scenario.js";

/** Requests with common beginnings. */
export interface Workload {
  /** Name in tables. */
  readonly name: string;
  readonly beginnings: number;
  readonly beginningTokens: number;
  readonly requests: number;
  readonly questionTokens: number;
  readonly maxTokens: number;
}

const LABELS = "labels";
const SUMMARIES = "summaries";

const workloads = {
  full: [
    {
      ...{ name: LABELS, beginnings: 20, beginningTokens: 300 },
      ...{ requests: 1000, questionTokens: 24, maxTokens: 16 },
    },
    {
      ...{ name: SUMMARIES, beginnings: 50, beginningTokens: 600 },
      ...{ requests: 500, questionTokens: 12, maxTokens: 64 },
    },
  ],
  quick: [
    {
      ...{ name: LABELS, beginnings: 5, beginningTokens: 100 },
      ...{ requests: 100, questionTokens: 12, maxTokens: 4 },
    },
    {
      ...{ name: SUMMARIES, beginnings: 5, beginningTokens: 200 },
      ...{ requests: 50, questionTokens: 8, maxTokens: 8 },
    },
  ],
} as const satisfies Record<Effort, readonly Workload[]>;

const model = "135m+gpt-2";

/** Requests with shared headers and about shared documents, as a batch and one by one. */
export const batch: Scenario = {
  name: "batch",
  description:
    "1,000 requests over 20 shared headers and 500 summaries of 50 documents, in random order: as a batch, and by parallel clients",
  comparison: { kind: "peer", flags: batchFlags },
  defaults: {
    full: { model, clients: [32], slots: 32, contextSize: 1024 },
    quick: { model: "tiny", clients: [8], slots: 8, contextSize: 512 },
  },
  measures: {
    ...sharedPromptMeasures(LABELS),
    ...sharedPromptMeasures(SUMMARIES),
    failed: { label: "failed lines", unit: "", better: "lower" },
  },
  targets: [
    { measure: keyOf(LABELS, "batch", "wall"), model, of: "ratio", atMost: 0.5 },
    { measure: keyOf(SUMMARIES, "batch", "wall"), model, of: "ratio", atMost: 0.6 },
    { measure: "failed", of: "ours", atMost: 0 },
  ],
  async run(load) {
    let values: Readonly<Record<string, number>> = {};
    let failed = 0;
    for (const workload of workloads[load.effort]) {
      const answered = await send(load, workload, "batch");
      // A server without batches has answered on the interactive route already.
      const interactive =
        load.server === "ggufd" ? await send(load, workload, "interactive") : answered;
      failed += failures([...answered.records, ...interactive.records]);
      values = {
        ...values,
        ...sharedPromptValues(workload.name, "batch", answered),
        ...sharedPromptValues(workload.name, "interactive", interactive),
      };
    }
    return { ...values, failed };
  },
};

/**
 * Sends the requests of a workload. A server without batches gets the requests of the batch from
 * parallel clients, in the order of the file. The other requests have other texts, so that they
 * do not hit what the batch has left in the cache.
 */
async function send(load: Load, workload: Workload, way: BatchWay): Promise<GroupedRecords> {
  const { clients, server, models, complete } = load;
  const requests = requestsOf(workload, way, load.prompts);
  const groups = requests.map(({ group }) => group);
  if (way === "batch" && server === "ggufd") {
    const bodies = requests.map(({ request }) => toBody(request, models[0] ?? ""));
    return { groups, records: recordsOf(await runBatch(load, "/v1/chat/completions", bodies)) };
  }
  const records = await inParallel(requests.length, clients, (number) =>
    complete((requests[number] as GroupedRequest).request),
  );
  return { groups, records };
}

/** Request with a beginning that other requests have in common. */
interface GroupedRequest {
  /** Number of the common beginning. */
  readonly group: number;
  readonly request: ChatRequest;
}

/** Returns the requests of a workload, in random order. */
export function requestsOf(
  { name, beginnings, beginningTokens, requests, questionTokens, maxTokens }: Workload,
  way: BatchWay,
  prompts: PromptWriter,
): readonly GroupedRequest[] {
  const texts = Array.from({ length: beginnings }, (_, group) =>
    prompts.text(`${way} ${name} ${group}`, beginningTokens),
  );
  const grouped = Array.from({ length: requests }, (_, number): GroupedRequest => {
    const group = number % beginnings;
    const question = prompts.text(`${way} ${name} question ${number}`, questionTokens);
    return {
      group,
      request: {
        messages: [
          { role: "system", content: texts[group] ?? "" },
          { role: "user", content: question },
        ],
        maxTokens,
        mode: { kind: "non-streamed" },
      },
    };
  });
  return prompts.random(`${way} ${name}`).sample(grouped, requests);
}
