import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import { readMetadata } from "./gguf-file-info.js";
import type { GgufHeader } from "./gguf-header.js";
import { readModelContent } from "./model-content.js";
import { checkCompanionFile } from "./model-file.js";

/** A checked LoRA adapter file that is not loaded yet. */
export interface LoraFile {
  readonly sizeBytes: number;
  /** Content id, as computed by {@link readModelContent}. */
  readonly id: string;
  /** See {@link LoadedAdapter.invocation}. If empty, the adapter applies from the beginning. */
  readonly invocationTokens: readonly number[];
  readonly header: GgufHeader;
}

export interface LoraFileOptions {
  readonly path: string;
  /** Architecture of the base model. */
  readonly architecture: string;
  readonly vocabularySize: number;
  readonly blockOf: BlockOfType;
}

/**
 * Reads an adapter's file and checks that it is for this model. llama.cpp compares the shapes.
 * @throws {StartupError} names the file and the error
 */
export async function readLoraFile({
  path,
  architecture,
  vocabularySize,
  blockOf,
}: LoraFileOptions): Promise<LoraFile> {
  const file = await checkCompanionFile({ role: "lora", path }, blockOf);
  try {
    const metadata = readMetadata(file);
    const { type, architecture: adapterArchitecture } = Object(metadata.general);
    const adapter = Object(metadata.adapter);
    if (type !== "adapter" || adapter.type !== "lora") {
      throw new Error(`expected a LoRA adapter, got ${type ?? "a model"}`);
    }
    if (adapterArchitecture !== architecture) {
      throw new Error(
        `expected an adapter for a ${architecture} model, got one for ${adapterArchitecture}`,
      );
    }
    const alpha: unknown = adapter.lora?.alpha;
    if (typeof alpha === "number" && !Number.isFinite(alpha)) {
      throw new Error(`adapter.lora.alpha: expected a finite number, got ${alpha}`);
    }
    return {
      sizeBytes: file.sizeBytes,
      header: file.header,
      id: (await readModelContent(path)).hash,
      invocationTokens: parseTokens(adapter.alora?.invocation_tokens ?? [], vocabularySize),
    };
  } catch (error) {
    throw new StartupError(`lora ${path}: ${formatReason(error)}`, error);
  }
}

function parseTokens(value: unknown, vocabularySize: number): readonly number[] {
  const isToken = (token: unknown) =>
    Number.isInteger(token) && Number(token) >= 0 && Number(token) < vocabularySize;
  if (Array.isArray(value) && value.every(isToken)) return value.map(Number);
  throw new Error(
    `adapter.alora.invocation_tokens: expected tokens below ${vocabularySize}, got ${value}`,
  );
}
