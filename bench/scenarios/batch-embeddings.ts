import { runBatch } from "../client/batches.js";
import { inParallel } from "../client/in-parallel.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { type BatchWay, batchFlags } from "./batch-measures.js";
import { wallMeasure } from "./common-measures.js";
import { wallSeconds } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";
import { embed, vectorsIn } from "./vectors.js";

const sizes = { full: { texts: 2000 }, quick: { texts: 100 } } as const;

/** Lengths of the texts, excluding the tokens that the model adds. */
const MIN_TOKENS = 16;
const MAX_TOKENS = 256;

const model = "embed-22m+bert-bge";

/** Embeddings of texts of different lengths, as a batch and one by one. */
export const batchEmbeddings: Scenario = {
  name: "batch-embeddings",
  description: "embeddings of 2,000 texts of 16 to 256 tokens: as a batch, and by parallel clients",
  purpose: "embed",
  comparison: { kind: "peer", flags: batchFlags },
  defaults: {
    full: { model, clients: [32], slots: 32, contextSize: 512 },
    quick: { model: "embed-tiny+bert-bge", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: {
    batchWall: wallMeasure,
    interactiveWall: { ...wallMeasure, label: `${wallMeasure.label}, interactive route` },
    failed: { label: "answers without a vector", unit: "", better: "lower" },
  },
  targets: [
    { measure: "batchWall", model, of: "ratio", atMost: 1 },
    { measure: "failed", of: "ours", atMost: 0 },
  ],
  async run(load) {
    const batch = await embedAll(load, "batch");
    // A server without batches has answered on the interactive route already.
    const interactive = load.server === "ggufd" ? await embedAll(load, "interactive") : batch;
    return {
      batchWall: batch.wall,
      interactiveWall: interactive.wall,
      failed: batch.failed + interactive.failed,
    };
  },
};

/**
 * Requests all embeddings. A server without batches gets the requests of the batch from parallel
 * clients, in the order of the file.
 */
async function embedAll(load: Load, way: BatchWay) {
  const texts = textsOf(sizes[load.effort].texts, way, load.prompts);
  if (way === "batch" && load.server === "ggufd") {
    const lines = texts.map((input) => ({ model: load.models[0], input }));
    const result = await runBatch(load, "/v1/embeddings", lines);
    return {
      wall: (result.endedAtMs - result.startedAtMs) / 1000,
      failed: result.bodies.filter((body) => vectorsIn(body, 1) === undefined).length,
    };
  }
  const answers = await inParallel(texts.length, load.clients, (number) =>
    embed(load.post, [texts[number] ?? ""]),
  );
  const records = answers.map(({ record }) => record);
  return {
    wall: wallSeconds(records),
    failed: answers.filter(({ content }) => content === undefined).length,
  };
}

/** Returns texts of random lengths. */
export function textsOf(count: number, way: BatchWay, prompts: PromptWriter): readonly string[] {
  const lengths = prompts.random(`${way} lengths`);
  return Array.from({ length: count }, (_, number) =>
    prompts.plainText(`${way} ${number}`, lengths.int(MIN_TOKENS, MAX_TOKENS)),
  );
}
