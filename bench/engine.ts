import { dirname, join } from "node:path";
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { Engine, KvCacheDescription } from "../src/core/engine.js";
import { createLlamaEngine } from "../src/engine/llama-engine.js";
import { version } from "./origin.js";
import { batchedBenchVersion, runBatchedBench } from "./peer/batched-bench.js";
import { peerProgram } from "./peer/build.js";
import { kernelsAt, loadedKernels } from "./servers/loaded-kernels.js";
import { median, spread } from "./statistics.js";
import type { SideResult } from "./summary/result-file.js";
import { formatTable } from "./table.js";

export interface EngineBenchOptions {
  readonly modelPath: string;
  readonly threads: number;
  /** Sequence counts to measure. */
  readonly sequences: readonly number[];
  readonly generatedTokens: number;
  readonly runs: number;
  /** KV cache layout of both sides. */
  readonly layout: KvCacheDescription["layout"];
  /** Path of llama-batched-bench; built from the bundle if absent. */
  readonly batchedBench: string | undefined;
}

export interface EngineBenchRow {
  readonly sequences: number;
  /** Decoded tokens per second over all sequences, one value per run. */
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  /** ggufd's median divided by llama.cpp's. */
  readonly ratio: number;
  /**
   * Share of the time in which ggufd's JavaScript ran, from 0 to 1, one value per run. llama.cpp
   * computes on other threads meanwhile.
   */
  readonly javaScript: readonly number[];
}

export interface EngineBenchResult {
  readonly rows: readonly EngineBenchRow[];
  /** Compared programs, ggufd first. */
  readonly sides: readonly SideResult[];
}

interface DecodeRun {
  /** Tokens per second over all sequences. */
  readonly rate: number;
  readonly javaScript: number;
}

interface FinishedStep {
  readonly endedMs: number;
  readonly utilization: EventLoopUtilization;
}

const PROMPT_TOKENS = 128;

/**
 * Measures the decode rate of the engine without HTTP, including sampling and detokenising, against
 * llama-batched-bench, which does neither. Runs alternate.
 */
export async function benchEngine(options: EngineBenchOptions): Promise<EngineBenchResult> {
  const { modelPath, threads, generatedTokens, runs, layout } = options;
  const sequenceCounts = options.sequences;
  const program = options.batchedBench ?? peerProgram("llama-batched-bench");
  const rows: EngineBenchRow[] = [];
  for (const sequences of sequenceCounts) {
    const ours: DecodeRun[] = [];
    const peer: number[] = [];
    for (let run = 0; run < runs; run++) {
      console.error(`engine: ${sequences} sequences, run ${run + 1} of ${runs}`);
      ours.push(await decode(options, sequences));
      const shape = { program, modelPath, threads, sequences, generatedTokens, layout };
      peer.push(runBatchedBench({ ...shape, promptTokens: PROMPT_TOKENS }).decodeRate);
    }
    const rates = ours.map(({ rate }) => rate);
    rows.push({
      sequences,
      ours: rates,
      peer,
      ratio: median(rates) / median(peer),
      javaScript: ours.map(({ javaScript }) => javaScript),
    });
  }
  return { rows, sides: sidesWith(program) };
}

/** Describes the engine in this process and the compared program. */
function sidesWith(program: string): readonly SideResult[] {
  const kernels = loadedKernels("self");
  return [
    { label: "ggufd", version, command: [], ...(kernels !== undefined && { kernels }) },
    {
      label: "llama-batched-bench",
      version: batchedBenchVersion(program),
      command: [],
      kernels: kernelsAt(join(dirname(program), "libggml-cpu.so")),
    },
  ];
}

/** Formats the results as a table. */
export function formatEngineRows(rows: readonly EngineBenchRow[]): string {
  return formatTable(
    [
      ...["sequences", "ggufd tok/s", "spread", "llama-batched-bench tok/s", "spread", "ratio"],
      "JavaScript",
    ],
    rows.map(({ sequences, ours, peer, ratio, javaScript }) => [
      sequences,
      median(ours).toFixed(1),
      `${(spread(ours) * 100).toFixed(0)} %`,
      median(peer).toFixed(1),
      `${(spread(peer) * 100).toFixed(0)} %`,
      ratio.toFixed(3),
      `${(median(javaScript) * 100).toFixed(1)} %`,
    ]),
  );
}

/**
 * Measures the period in which all sequences decode: from the last sequence's first token to the end
 * of the first sequence that finishes.
 */
async function decode(
  { modelPath, threads, generatedTokens, layout }: EngineBenchOptions,
  sequences: number,
): Promise<DecodeRun> {
  const finished: FinishedStep[] = [];
  const engine = await createLlamaEngine(
    {
      modelPath,
      gpu: "off",
      gpuLayers: "auto",
      threads,
      threadsBatch: "auto",
      slots: sequences,
      contextSize: 4 * PROMPT_TOKENS + generatedTokens,
      placement: {},
      metadataOverrides: [],
      rope: {},
      defaults: { sampling: {} },
      kvCacheTypes: { keys: "f16", values: "f16" },
      kvCacheLayout: layout,
      batchSize: 512,
      itlTargetMs: 100,
      speculation: "off",
      draftModelPath: undefined,
      mtp: "auto",
      toolFormat: "auto",
      deviceSampling: "auto",
      cacheRamMiB: 0,
      cacheDir: undefined,
      cacheDiskMiB: 1,
      slotSavePath: undefined,
      adapters: [],
      failingAdapters: "end-the-start",
      seed: 1,
      version: "bench",
    },
    {
      log: () => undefined,
      onProgress: () => undefined,
      onStepEnd: () => {
        const utilization = performance.eventLoopUtilization();
        finished.push({ endedMs: performance.now(), utilization });
      },
    },
  );
  const tokenTimes = await Promise.all(
    Array.from({ length: sequences }, (_, index) => generate(engine, index, generatedTokens)),
  );
  await engine.close();
  const beginMs = Math.max(...tokenTimes.map((timesMs) => timesMs[0] ?? 0));
  const endMs = Math.min(...tokenTimes.map((timesMs) => timesMs.at(-1) ?? 0));
  const tokens = tokenTimes.flat().filter((time) => time > beginMs && time <= endMs).length;
  const steps = finished.filter(({ endedMs }) => endedMs > beginMs && endedMs <= endMs);
  const { utilization } = performance.eventLoopUtilization(
    steps.at(-1)?.utilization,
    steps[0]?.utilization,
  );
  return { rate: (tokens / (endMs - beginMs)) * 1000, javaScript: utilization };
}

/** Generates one answer and returns the arrival time of each token, in milliseconds. */
async function generate(engine: Engine, index: number, maxTokens: number): Promise<number[]> {
  const content = `${index} ${"some words to read ".repeat(PROMPT_TOKENS / 4)}`;
  const requestId = String(index);
  const text = await engine.ask({
    type: "tokenize",
    text: content,
    beginning: "model",
    controlTokens: "literal",
    pieces: "unwanted",
  });
  if (text.type !== "tokens") throw new Error("expected tokens");
  await engine.prepare({
    id: requestId,
    prompt: { type: "tokens", tokens: [...text.tokens.subarray(0, PROMPT_TOKENS)] },
    sampling: { temperature: 0 },
    stopping: { maxTokens, minTokens: 0, stop: [], ignoreEos: true },
  });
  const timesMs: number[] = [];
  let recordedTokens = 0;
  return new Promise((resolve, reject) => {
    engine.start({ id: requestId, requestId, seed: index }, (event) => {
      if (event.type === "failed") return reject(event.error);
      if (event.type === "cancelled") return reject(new Error("cancelled"));
      // Tokens without text arrive with the next event.
      for (; recordedTokens < event.usage.completionTokens; recordedTokens++) {
        timesMs.push(performance.now());
      }
      if (event.type !== "finished") return;
      engine.release(requestId);
      resolve(timesMs);
    });
  });
}
