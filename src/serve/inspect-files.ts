import type { ModelFileFacts } from "../core/model-library.js";
import { inspectModel } from "../engine/loading/inspected-model.js";
import { kindOf } from "../engine/loading/model-metadata.js";
import { loadBackend } from "../engine/native/llama-backend.js";

/** What is printed of a file beside. */
export interface InspectedFile extends ModelFileFacts {
  readonly name: string;
  readonly hasChatTemplate: boolean;
}

/**
 * What the header of a model file says.
 * @throws {StartupError} it is not sound
 */
export async function inspectFile(path: string): Promise<InspectedFile> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const { metadata, architecture, insights } = await inspectModel(llama, { role: "model", path });
  return {
    name: metadata.name,
    kind: kindOf(metadata),
    architecture,
    parameters: metadata.parameters,
    quantization: metadata.quantization,
    trainContextSize: insights.split.trainContextSize,
    hasChatTemplate: metadata.chatTemplate !== undefined,
  };
}

/** The same of several, one after the other; `undefined` for one that is not sound. */
export async function inspectFiles(
  paths: readonly string[],
): Promise<readonly (ModelFileFacts | undefined)[]> {
  const facts: (ModelFileFacts | undefined)[] = [];
  for (const path of paths) facts.push(await inspectFile(path).catch(() => undefined));
  return facts;
}
