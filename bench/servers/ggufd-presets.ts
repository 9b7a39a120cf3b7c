import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import type { MemoryUse } from "../../src/core/memory-use.js";
import { sum } from "../statistics.js";
import type { NamedFile, SeveralModels } from "./server.js";

const PRESETS = "models.json";
const GIB = 2 ** 30;

/** ggufd's configuration of several models. */
export interface GgufdPresets {
  readonly args: readonly string[];
  /** Files of the working directory, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Builds a presets file and a memory budget that fits the required number of models.
 * @param daemon path of the compiled daemon
 * @param flags that determine the memory of a model
 * @throws {InputError} if there is no such budget, or the memory cannot be planned
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
 * Computes the bytes that any `fitting` models fit into, but no more of them.
 * @param sizes bytes of each model
 * @throws {InputError} if the sizes differ too much
 */
export function budgetFor(sizes: readonly number[], fitting: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  const [most, oneMore] = [sum(ascending.slice(-fitting)), sum(ascending.slice(0, fitting + 1))];
  if (most < oneMore) return (most + oneMore) / 2;
  throw new InputError(`expected models of similar sizes, of which ${fitting} fit, got ${sizes}`);
}

/** Main memory of a model as planned by `ggufd plan`, in bytes. */
async function plannedBytes(
  daemon: string,
  { path }: NamedFile,
  flags: readonly string[],
): Promise<number> {
  const args = [daemon, "plan", "--json", "--model", path, ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => {
    throw new InputError(`ggufd plan: ${formatReason(error)}`);
  });
  const { models } = JSON.parse(stdout) as PrintedPlan;
  const parts = models.flatMap(({ plan: { main } }) => [main.weights, main.cache, main.buffers]);
  return sum(parts.map(({ cpuBytes }) => cpuBytes));
}

/** Fields that are read from the plan. */
interface PrintedPlan {
  readonly models: readonly {
    readonly plan: { readonly main: Readonly<Record<"weights" | "cache" | "buffers", MemoryUse>> };
  }[];
}
