import { formatBinaryUnits } from "../../../src/core/memory-use.js";
import { findShortage } from "../../../src/engine/memory/memory-fit.js";
import { type MemoryPlan, sumModelParts } from "../../../src/engine/memory/memory-plan.js";
import { type DescribedMachine, machines } from "./described-machines.js";
import type { PlannedDescribedModel } from "./plan-described.js";

/** A table in Markdown: a row for each model, a column for each machine. */
export function planTable(title: string, planned: readonly PlannedDescribedModel[]): string {
  const columns = [title, "Weights", "A token", ...machines.map(titleOf)];
  const rows = [columns, columns.map(() => "---"), ...planned.map(cellsOf)];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** `12 GB GPU, 32 GB` */
export function titleOf({ memoryGiB, gpuMemoryGiB }: DescribedMachine): string {
  return gpuMemoryGiB === undefined
    ? `no GPU, ${memoryGiB} GB`
    : `${gpuMemoryGiB} GB GPU, ${memoryGiB} GB`;
}

function cellsOf({ name, weightBytes, plans }: PlannedDescribedModel): string[] {
  const bytesPerToken = plans[0]?.plan.main.kvBytesPerToken ?? 0;
  const sizes = [formatBinaryUnits(weightBytes), `${bytesPerToken / 1024} KiB`];
  return [name, ...sizes, ...plans.map(({ plan }) => outcomeOf(plan))];
}

/** `4 × 14848`, `all: 4 × 12544`, `31 of 49: 1 × 8704`, `no: 17.2 GiB` */
function outcomeOf(plan: MemoryPlan): string {
  const { main, memory, slots, contextSize } = plan;
  if (findShortage(plan) !== undefined)
    return `no: ${formatBinaryUnits(sumModelParts(main).cpuBytes)}`;
  const size = `${slots} × ${contextSize}`;
  if (memory.gpu === "none") return size;
  const isWhole = main.gpuLayers === main.layers;
  return `${isWhole ? "all" : `${main.gpuLayers} of ${main.layers}`}: ${size}`;
}
