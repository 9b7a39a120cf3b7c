import { basename } from "node:path";
import { GgufInsights, type Llama, readGgufFileInfo } from "node-llama-cpp";
import { reasonOf } from "../../../core/reason-of.js";
import { StartupError } from "../../../core/startup-error.js";
import { checkModelFile, type ModelSource } from "./model-file.js";
import { type ModelMetadata, readModelMetadata } from "./model-metadata.js";

/** A model file that is not loaded yet, with its size and modification time when it was read. */
export interface InspectedModel extends ModelSource {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly architecture: string;
  readonly metadata: ModelMetadata;
  /** What the library knows of its memory. */
  readonly insights: GgufInsights;
}

/**
 * Reads what a model file says of itself.
 * @throws {StartupError} naming the path and the reason
 */
export async function inspectModel(llama: Llama, source: ModelSource): Promise<InspectedModel> {
  const { role, path } = source;
  const file = await checkModelFile(source);
  try {
    const fileInfo = await readGgufFileInfo(path, { sourceType: "filesystem", logWarnings: false });
    return {
      ...source,
      ...file,
      architecture: fileInfo.metadata.general.architecture,
      metadata: readModelMetadata(fileInfo, basename(path)),
      insights: await GgufInsights.from(fileInfo, llama),
    };
  } catch (error) {
    throw new StartupError(`${role} ${path}: cannot be loaded: ${reasonOf(error)}`, error);
  }
}
