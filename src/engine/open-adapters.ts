import { StartupError } from "../core/startup-error.js";
import { AdapterLibrary } from "./adapter-library.js";
import type { EngineHooks, EngineSettings } from "./engine-settings.js";
import type { LoadedModels } from "./loading/loaded-models.js";
import { splitAdapterMemory } from "./memory/adapters-memory.js";
import { readMachineMemory } from "./memory/machine-memory.js";
import type { Backend } from "./native/llama-backend.js";
import type { NativeContext } from "./native/native-context.js";
import { createBlockLookup } from "./native/tensor-blocks.js";
import type { StepLoop } from "./step/step-loop.js";
import type { Vocabulary } from "./text/vocabulary/vocabulary.js";

export interface AdapterParts {
  readonly llama: Backend;
  readonly models: LoadedModels;
  readonly context: NativeContext;
  readonly vocabulary: Vocabulary;
  readonly loop: StepLoop;
  readonly log: EngineHooks["log"];
}

/**
 * Loads the configured adapters.
 * @throws {StartupError} names the adapter's file and the reason, unless failing adapters are
 *   skipped
 */
export async function openAdapters(
  { adapters, failingAdapters, placement }: EngineSettings,
  { llama, models, context, vocabulary, loop, log }: AdapterParts,
): Promise<AdapterLibrary> {
  const library = new AdapterLibrary({
    memory: {
      estimateUse: (bytes) => splitAdapterMemory(bytes, models.plan.main),
      readFree: async () => (await readMachineMemory(llama, placement)).free,
      load: (id, path) => loop.runBetweenBatches(() => context.adapters.load(id, path)),
      unload: (id) =>
        loop.runBetweenBatches(async () => {
          context.useAdapters([]);
          await context.adapters.unload(id);
        }),
    },
    architecture: models.file.architecture,
    vocabularySize: vocabulary.size,
    blockOf: createBlockLookup(models.model.llama),
    textOf: (tokens) => Buffer.concat(tokens.map((token) => vocabulary.bytesOf(token))).toString(),
  });
  for (const adapter of adapters) {
    await library.load(adapter).catch((error: unknown) => {
      if (failingAdapters === "end-the-start" || !(error instanceof StartupError)) throw error;
      log("error", `the adapter ${adapter.name} is skipped: ${error.message}`);
    });
  }
  return library;
}
