import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { InputError } from "../../models/command-line/input-error.js";
import type { MemoryUse } from "../../src/core/memory-use.js";
import { reasonOf } from "../../src/core/reason-of.js";
import { sum } from "../statistics.js";
import type { NamedFile, SeveralModels } from "./server.js";

const PRESETS = "models.json";
const GIB = 2 ** 30;

/** What ggufd has several models by. */
export interface GgufdPresets {
  readonly args: readonly string[];
  /** To be in its working directory, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * A presets file, and a budget that as many of its models fit into as are to.
 * @param daemon path of the compiled daemon
 * @param flags that determine what a model takes
 * @throws {InputError} when no budget does so, or the memory cannot be planned
 */
export async function ggufdPresets(
  daemon: string,
  { files, fitting }: SeveralModels,
  flags: readonly string[],
): Promise<GgufdPresets> {
  const sizes: number[] = [];
  for (const file of files) sizes.push(await plannedBytes(daemon, file, flags));
  const budget = budgetFor(sizes, fitting);
  const models = Object.fromEntries(files.map(({ name, path }) => [name, { model: path }]));
  return {
    args: ["--models-preset", PRESETS, "--memory-budget", (budget / GIB).toFixed(3)],
    files: { [PRESETS]: JSON.stringify({ models }) },
  };
}

/**
 * The bytes that any `fitting` models fit into, and no more of them.
 * @param sizes bytes of each model
 * @throws {InputError} when their sizes differ too much for that
 */
export function budgetFor(sizes: readonly number[], fitting: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  const [most, oneMore] = [sum(ascending.slice(-fitting)), sum(ascending.slice(0, fitting + 1))];
  if (most < oneMore) return (most + oneMore) / 2;
  throw new InputError(`expected models of similar sizes, of which ${fitting} fit, got ${sizes}`);
}

/** What `ggufd plan` says that a model takes of main memory. */
async function plannedBytes(
  daemon: string,
  { path }: NamedFile,
  flags: readonly string[],
): Promise<number> {
  const args = [daemon, "plan", "--json", "--model", path, ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
    throw new InputError(`ggufd plan: ${reasonOf(error)}`);
  });
  const { models } = JSON.parse(stdout) as PrintedPlan;
  const parts = models.flatMap(({ plan: { main } }) => [main.weights, main.cache, main.buffers]);
  return sum(parts.map(({ cpuBytes }) => cpuBytes));
}

/** As far as it is read. */
interface PrintedPlan {
  readonly models: readonly {
    readonly plan: { readonly main: Readonly<Record<"weights" | "cache" | "buffers", MemoryUse>> };
  }[];
}
