import { basename } from "node:path";
import { type GgufFileInfo, GgufInsights, type Llama } from "node-llama-cpp";
import { formatReason } from "../../core/format-reason.js";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { StartupError } from "../../core/startup-error.js";
import type { ContextSubject } from "../memory/context-options.js";
import type { InsightsByLayout } from "../memory/model-estimates.js";
import { partialTruncationOf } from "../native/kv-cache.js";
import { processorOf } from "../native/llama-backend.js";
import { createBlockLookup } from "../native/tensor-blocks.js";
import { buildFileInfo } from "./gguf-file-info.js";
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
  /**
   * Insights for the layers for multi-token prediction, whose context has the same options as the
   * model's own.
   */
  readonly mtpInsights: InsightsByLayout;
}

/** Returns the properties that determine how the model's contexts are created. */
export function buildContextSubject(
  { insights, metadata }: InspectedModel,
  llama: Llama,
): ContextSubject {
  // With experts, a pass reads the weights of most of them, however few tokens it has. With sliding
  // windows, a pass overwrites cells that the previous pass needs if a draft is rejected.
  const isIndivisible =
    metadata.experts > 0 || partialTruncationOf(insights.split) === "unsupported";
  return {
    attention: metadata.attention,
    processor: processorOf(llama),
    batches: isIndivisible ? "whole" : "divisible",
    largestMatrix: metadata.largestMatrix,
  };
}

/**
 * Reads the header and metadata of a model file.
 * @param overrides metadata values that replace those of the file
 * @throws {StartupError} names the path and the reason
 */
export async function inspectModel(
  llama: Llama,
  source: ModelSource,
  overrides: readonly MetadataOverride[] = [],
): Promise<InspectedModel> {
  const { role, path } = source;
  const { parts, ...file } = await checkModelFile(source, createBlockLookup(llama), overrides);
  try {
    const fileInfo = buildFileInfo(parts);
    overrideFileInfo(fileInfo, overrides);
    return {
      ...source,
      ...file,
      architecture: fileInfo.metadata.general.architecture,
      metadata: readModelMetadata(fileInfo, basename(path)),
      insights: await createInsights(fileInfo, llama),
      mtpInsights: await createInsights(fileInfo, llama),
    };
  } catch (error) {
    throw new StartupError(`${role} ${path}: cannot be loaded: ${formatReason(error)}`, error);
  }
}

async function createInsights(fileInfo: GgufFileInfo, llama: Llama): Promise<InsightsByLayout> {
  return {
    split: await GgufInsights.from(fileInfo, llama),
    unified: await GgufInsights.from(fileInfo, llama),
  };
}
