import type { ModelFileFacts } from "../core/model-library.js";
import { inspectModel } from "../engine/loading/inspected-model.js";
import { kindOf } from "../engine/loading/model-metadata.js";
import { loadBackend } from "../engine/native/llama-backend.js";

/** What the headers of model files say; `undefined` for one that is not sound. */
export async function inspectFiles(
  paths: readonly string[],
): Promise<readonly (ModelFileFacts | undefined)[]> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const facts: (ModelFileFacts | undefined)[] = [];
  for (const path of paths) {
    try {
      const { metadata, architecture, insights } = await inspectModel(llama, {
        role: "model",
        path,
      });
      facts.push({
        kind: kindOf(metadata),
        architecture,
        parameters: metadata.parameters,
        quantization: metadata.quantization,
        trainContextSize: insights.split.trainContextSize,
      });
    } catch {
      facts.push(undefined);
    }
  }
  return facts;
}
