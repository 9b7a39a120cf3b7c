import { availableParallelism } from "node:os";
import type { Config } from "./config/settings.js";
import { describeDevice, loadBackend } from "./engine/llama/llama-backend.js";
import type { CacheSize } from "./engine/llama/memory/cache-size.js";
import { describePlan } from "./engine/llama/memory/describe-plan.js";
import { fittingSizes } from "./engine/llama/memory/fitting-sizes.js";
import { type MachineMemory, readMachineMemory } from "./engine/llama/memory/machine-memory.js";
import type { MemoryPlan } from "./engine/llama/memory/memory-plan.js";
import { fittingFlags, shortageOf } from "./engine/llama/memory/memory-shortage.js";
import { planModels } from "./engine/llama/model/planned-models.js";
import { engineSettingsOf } from "./engine-settings-of.js";

/** How `ggufd plan` is called, beside the settings. */
export interface PlanOptions {
  readonly output: "text" | "json";
  /** Memory of a described machine; `undefined`: this machine's. */
  readonly memoryGiB: number | undefined;
  /** Memory of a described GPU; `undefined`: this machine's, if it has one. */
  readonly gpuMemoryGiB: number | undefined;
}

/** A plan with what it means for the one who made it. Plain data. */
interface PlanReport {
  readonly model: string;
  readonly device: string;
  readonly plan: MemoryPlan;
  /** Why the plan cannot be carried out; `null`: it can. */
  readonly shortage: string | null;
  /** Flags that make it fit, each by itself. */
  readonly wouldFit: readonly string[];
  /** For each of some contexts, the most slots. */
  readonly fittingSizes: readonly CacheSize[];
}

/**
 * Plans the memory of a model without loading it.
 * @returns the text to print
 * @throws {StartupError} when the model cannot be read
 */
export async function runPlan(config: Config, options: PlanOptions): Promise<string> {
  const llama = await loadBackend({ gpu: config.gpu, log: () => undefined });
  try {
    const memory = describedMemory(await readMachineMemory(llama), options);
    const { main, question, plan } = await planModels(llama, engineSettingsOf(config), memory);
    const shortage = shortageOf(plan);
    const report: PlanReport = {
      model: main.path,
      device: await describeDevice(llama),
      plan,
      shortage: shortage ?? null,
      wouldFit: shortage === undefined ? [] : await fittingFlags(question, plan),
      fittingSizes: await fittingSizes(question, plan),
    };
    return options.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : asText(report);
  } finally {
    await llama.dispose();
  }
}

/** The memory of this machine, as far as no other one is described. */
function describedMemory(
  here: MachineMemory,
  { memoryGiB, gpuMemoryGiB }: PlanOptions,
): MachineMemory {
  const cpuBytes = memoryGiB === undefined ? here.free.cpuBytes : memoryGiB * 2 ** 30;
  const gpuBytes = gpuMemoryGiB === undefined ? here.free.gpuBytes : gpuMemoryGiB * 2 ** 30;
  return {
    free: { cpuBytes, gpuBytes },
    totalCpuBytes: memoryGiB === undefined ? here.totalCpuBytes : cpuBytes,
    gpu: gpuMemoryGiB === undefined ? here.gpu : "separate",
  };
}

function asText({ model, device, plan, shortage, wouldFit, fittingSizes }: PlanReport): string {
  const sizes = fittingSizes.map(
    ({ slots, contextSize }) => `  --parallel ${slots} --context-size ${contextSize}`,
  );
  const lines = [
    `${model} on ${device}, ${availableParallelism()} cores`,
    "",
    ...describePlan(plan).map((line) => `  ${line}`),
    "",
    ...(shortage === null
      ? []
      : [`It does not fit: ${shortage}.`, ...wouldFit.map((flag) => `  ${flag} would fit`), ""]),
    ...(sizes.length === 0 ? [] : ["What fits with these weights:", ...sizes]),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
