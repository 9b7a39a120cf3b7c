import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Llama } from "node-llama-cpp";
import { buildMainModelSpec } from "../../../src/config/configured-models.js";
import { loadConfig } from "../../../src/config/load-config.js";
import { planModels } from "../../../src/engine/loading/planned-models.js";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";
import {
  type MemoryPlan,
  type PlanInput,
  planMemory,
} from "../../../src/engine/memory/memory-plan.js";
import { loadBackend } from "../../../src/engine/native/llama-backend.js";
import { buildEngineSettings } from "../../../src/serve/build-engine-settings.js";
import { type DescribedMachine, machines, memoryOf } from "./described-machines.js";
import { models } from "./described-models.js";
import { modelHeader } from "./model-header.js";
import { type Quantisation, quantisations } from "./quantisations.js";

/** More than lies between a header and its tensors. */
const PADDING_BYTES = 64;

/** Plan of ggufd for a machine, with the default settings. */
export interface PlanOnMachine {
  readonly machine: DescribedMachine;
  readonly plan: MemoryPlan;
}

/** A quantised model, and its plans on all described machines. */
export interface PlannedDescribedModel {
  readonly name: string;
  readonly quantisation: Quantisation;
  readonly weightBytes: number;
  readonly plans: readonly PlanOnMachine[];
}

/** Plans every described model, in every quantisation, for every described machine. Takes seconds. */
export async function planDescribed(): Promise<readonly PlannedDescribedModel[]> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const folder = await mkdtemp(join(tmpdir(), "ggufd-memory-"));
  try {
    const planned: PlannedDescribedModel[] = [];
    for (const quantisation of quantisations) {
      for (const { name, shape } of models) {
        const { bytes, weightBytes } = modelHeader(shape, quantisation);
        const path = join(folder, "model.gguf");
        await writeFile(path, bytes);
        // Weights that take no room on the disk: a file without them is not taken for a model.
        await truncate(path, bytes.length + PADDING_BYTES + weightBytes);
        const plans = await plansOf(llama, path);
        planned.push({ name, quantisation, weightBytes, plans });
      }
    }
    return planned;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The machines with a GPU share their estimates of the model, and so do those without. */
async function plansOf(llama: Llama, path: string): Promise<readonly PlanOnMachine[]> {
  const { config } = loadConfig({ flags: { model: path }, environment: {} });
  const settings = buildEngineSettings(buildMainModelSpec(config));
  const questions = new Map<MachineMemory["gpu"], PlanInput>();
  const plans: PlanOnMachine[] = [];
  for (const machine of machines) {
    const memory = memoryOf(machine);
    const known = questions.get(memory.gpu);
    if (known === undefined) {
      const { planInput, plan } = await planModels(llama, settings, memory);
      questions.set(memory.gpu, planInput);
      plans.push({ machine, plan });
    } else {
      plans.push({ machine, plan: await planMemory({ ...known, memory }) });
    }
  }
  return plans;
}
