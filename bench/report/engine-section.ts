import { basename } from "node:path";
import type { EngineBenchRow } from "../engine.js";
import type { Machine } from "../machine.js";
import type { Origin } from "../origin.js";
import type { Measure, Target } from "../scenarios/scenario.js";
import { median, spread } from "../statistics.js";
import type { SideResult } from "../summary/result-file.js";
import { describeTarget } from "../summary/summarise.js";
import type { Section } from "./section.js";

/** Result file of `npm run bench -- engine`. */
export interface EngineFile {
  readonly date: string;
  readonly machine: Machine;
  readonly options: {
    readonly modelPath: string;
    readonly threads: number;
    readonly generatedTokens: number;
    readonly runs: number;
  };
  /** Absent in files written before origins were recorded. */
  readonly origin?: Origin;
  readonly sides?: readonly SideResult[];
  readonly rows: readonly EngineBenchRow[];
}

const measure: Measure = { label: "decode", unit: "tok/s", better: "higher" };
const target: Target = { measure: "decode", of: "ratio", atLeast: 0.97 };
/** Tokens per sequence below which the period of common decoding is too short to be measured. */
const LEAST_TOKENS = 64;
/** Number of sequences from which there is a target. */
const MIN_SEQUENCES_WITH_TARGET = 8;

/** Report section on the engine without HTTP. */
export function engineSection({
  date,
  machine,
  origin,
  options,
  sides = [],
  rows,
}: EngineFile): Section {
  const { modelPath, threads, generatedTokens, runs } = options;
  return {
    name: "engine",
    title: "engine",
    description: "all sequences decode together, without HTTP",
    settings: `model ${basename(modelPath)}, ${generatedTokens} tokens each, ${threads} threads, ${runs} runs`,
    sides: ["ggufd", "llama-batched-bench"],
    concurrencyLabel: "sequences",
    rows: rows.map(({ sequences, ours, peer, ratio }) => ({
      clients: sequences,
      measure,
      sides: [ours, peer].map((rates) => ({ median: median(rates), spread: spread(rates) })),
      ratio,
      target: sequences >= MIN_SEQUENCES_WITH_TARGET ? describeTarget(target, ratio) : undefined,
    })),
    plots: [],
    machine,
    date,
    origin,
    effort: generatedTokens < LEAST_TOKENS ? "quick" : "full",
    servers: sides,
    notes: [],
  };
}
