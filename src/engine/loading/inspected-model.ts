import { basename } from "node:path";
import { type GgufFileInfo, GgufInsights, type Llama } from "node-llama-cpp";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { ContextSubject } from "../memory/context-options.js";
import type { InsightsByLayout } from "../memory/model-estimates.js";
import { partialTruncationOf } from "../native/kv-cache.js";
import { processorOf } from "../native/llama-backend.js";
import { tensorBlocks } from "../native/tensor-blocks.js";
import { fileInfoOf } from "./gguf-file-info.js";
import { overrideFileInfo } from "./metadata-overrides.js";
import { checkModelFile, type ModelSource } from "./model-file.js";
import { type ModelMetadata, readModelMetadata } from "./model-metadata.js";

/** A model file that is not loaded yet, with its size and modification time when it was read. */
export interface InspectedModel extends ModelSource {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly architecture: string;
  readonly metadata: ModelMetadata;
  readonly insights: InsightsByLayout;
  /** Of its layers for multi-token prediction, whose context has the same options as the model's own. */
  readonly mtpInsights: InsightsByLayout;
}

/** What determines how the model's contexts are created. */
export function contextSubject(
  { insights, metadata }: InspectedModel,
  llama: Llama,
): ContextSubject {
  // A pass reads the weights of most experts, however few tokens it has. Of sliding windows a pass
  // overwrites what the pass before it still needs, should a draft be taken back.
  const isWhole = metadata.experts > 0 || partialTruncationOf(insights.split) === "unsupported";
  return {
    attention: metadata.attention,
    processor: processorOf(llama),
    batches: isWhole ? "whole" : "divisible",
    largestMatrix: metadata.largestMatrix,
  };
}

/**
 * Reads what a model file says of itself.
 * @param overrides values of its metadata that are replaced
 * @throws {StartupError} naming the path and the reason
 */
export async function inspectModel(
  llama: Llama,
  source: ModelSource,
  overrides: readonly MetadataOverride[] = [],
): Promise<InspectedModel> {
  const { role, path } = source;
  const { parts, ...file } = await checkModelFile(source, tensorBlocks(llama), overrides);
  try {
    const fileInfo = fileInfoOf(parts);
    overrideFileInfo(fileInfo, overrides);
    return {
      ...source,
      ...file,
      architecture: fileInfo.metadata.general.architecture,
      metadata: readModelMetadata(fileInfo, basename(path)),
      insights: await insightsOf(fileInfo, llama),
      mtpInsights: await insightsOf(fileInfo, llama),
    };
  } catch (error) {
    throw new StartupError(`${role} ${path}: cannot be loaded: ${reasonOf(error)}`, error);
  }
}

async function insightsOf(fileInfo: GgufFileInfo, llama: Llama): Promise<InsightsByLayout> {
  return {
    split: await GgufInsights.from(fileInfo, llama),
    unified: await GgufInsights.from(fileInfo, llama),
  };
}
