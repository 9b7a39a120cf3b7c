import { spawnSync } from "node:child_process";
import type { KvCacheDescription } from "../../src/core/engine.js";

export interface BatchedBenchOptions {
  readonly program: string;
  readonly modelPath: string;
  readonly threads: number;
  readonly sequences: number;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly layout: KvCacheDescription["layout"];
}

/** Results of llama-batched-bench, in tokens per second over all sequences. */
export interface BatchedBenchResult {
  readonly prefillRate: number;
  readonly decodeRate: number;
}

/**
 * Runs llama-batched-bench once. It decodes without sampling, detokenising or HTTP, and so shows
 * the upper limit of llama.cpp itself.
 * @throws {Error} with the end of the program's stderr if it fails
 */
export function runBatchedBench(options: BatchedBenchOptions): BatchedBenchResult {
  const { program, modelPath, threads, sequences, promptTokens, generatedTokens } = options;
  const layout = options.layout === "unified" ? ["-kvu"] : [];
  const { stdout, stderr, status } = spawnSync(
    program,
    [
      ...["-m", modelPath, "-t", String(threads), "-tb", String(threads)],
      ...["-c", String((promptTokens + generatedTokens) * sequences), "-b", "512", "-ub", "512"],
      ...["-npp", String(promptTokens), "-ntg", String(generatedTokens)],
      ...["-npl", String(sequences), "--output-format", "jsonl"],
      ...layout,
    ],
    { encoding: "utf8" },
  );
  const line = stdout.split("\n").find((text) => text.startsWith("{"));
  if (status !== 0 || line === undefined) {
    throw new Error(`llama-batched-bench failed with status ${status}: ${stderr.slice(-400)}`);
  }
  const { speed_pp, speed_tg } = JSON.parse(line) as { speed_pp: number; speed_tg: number };
  return { prefillRate: speed_pp, decodeRate: speed_tg };
}

/** Build number and commit of llama.cpp, as printed by the program: `1 (de3ff81)`. */
export function batchedBenchVersion(program: string): string {
  const { stdout, stderr } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return /^version: (.*)$/m.exec(`${stdout}\n${stderr}`)?.[1] ?? "unknown";
}
