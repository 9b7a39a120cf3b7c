import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import type { EngineBenchRow } from "../engine.js";
import type { Machine, Origin } from "../origin.js";
import type { Measure, Target } from "../scenarios/scenario.js";
import { median, spread } from "../statistics.js";
import { type ResultFile, resultName, type SideResult } from "../summary/result-file.js";
import { describeSettings, notesOf } from "../summary/result-table.js";
import { describeTarget, summarise } from "../summary/summarise.js";
import type { TodosFile } from "../todos/todos-result.js";
import { describeTodosOptions, summariseTodos, todosNote } from "../todos/todos-table.js";
import { workloads } from "../todos/workloads/index.js";
import { curvePlots } from "./curve-plot.js";
import type { Section } from "./section.js";

/**
 * Reads the sections of a result file of `npm run bench`.
 * @throws {InputError} if it is not such a file
 */
export function readSections(path: string): Section[] {
  const file = readJson(path);
  if (typeof file === "object" && file !== null) {
    if ("format" in file && file.format === 1) return scenarioSections(file as ResultFile);
    if ("kind" in file && file.kind === "todos") return todosSections(file as TodosFile);
    if ("rows" in file && "options" in file) return [engineSection(file as EngineFile)];
  }
  throw new InputError(`${path}: expected a file that npm run bench wrote, got other JSON`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new InputError(
      `${path}: expected a file that npm run bench wrote: ${formatReason(error)}`,
    );
  }
}

/** Builds one section per scenario of a result file. */
export function scenarioSections({ date, machine, origin, results }: ResultFile): Section[] {
  return results.map((result) => ({
    name: resultName(result),
    title: `${result.scenario} (${result.settings.model})`,
    description: result.description,
    settings: describeSettings(result),
    sides: result.sides.map(({ label }) => label),
    concurrencyLabel: "clients",
    rows: summarise(result),
    plots: curvePlots(result),
    machine,
    date,
    origin,
    effort: result.settings.effort,
    servers: result.sides,
    notes: notesOf(result),
  }));
}

/** Shorter loads are smoke tests. */
const LEAST_SECONDS = 5;

/** Builds one section per collection size. */
function todosSections(file: TodosFile): Section[] {
  const { options, sides, machine, date, origin } = file;
  const rows = summariseTodos(file, workloads);
  return options.items.map((items) => ({
    name: `todos-${items}`,
    title: `todos (${items.toLocaleString("en")} items)`,
    description: "the to-do service under load, each run on a new file",
    settings: describeTodosOptions(options),
    sides: sides.map(({ label }) => label),
    concurrencyLabel: "clients",
    rows: rows.filter((row) => row.items === items),
    plots: [],
    machine,
    date,
    origin,
    effort: options.seconds < LEAST_SECONDS ? "quick" : "full",
    servers: sides,
    notes: [todosNote(file)],
  }));
}

/** Result file of `npm run bench -- engine`. */
interface EngineFile {
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
function engineSection({ date, machine, origin, options, sides = [], rows }: EngineFile): Section {
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
