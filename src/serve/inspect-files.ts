import type { ModelFileFacts } from "../core/model-library.js";
import { inspectModel } from "../engine/loading/inspected-model.js";
import { kindOf } from "../engine/loading/model-metadata.js";
import { loadBackend } from "../engine/native/llama-backend.js";

/** Facts about a model file, including facts that are only printed. */
export interface InspectedFile extends ModelFileFacts {
  readonly name: string;
  readonly hasChatTemplate: boolean;
}

/**
 * Reads the header of a model file.
 * @throws {StartupError} if the file is invalid
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

/**
 * Reads the headers of several model files, one after the other; `undefined` for an invalid file.
 */
export async function inspectFiles(
  paths: readonly string[],
): Promise<readonly (ModelFileFacts | undefined)[]> {
  const facts: (ModelFileFacts | undefined)[] = [];
  for (const path of paths) facts.push(await inspectFile(path).catch(() => undefined));
  return facts;
}
