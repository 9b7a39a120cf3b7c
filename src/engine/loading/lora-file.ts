import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import { readMetadata } from "./gguf-file-info.js";
import type { GgufHeader } from "./gguf-header.js";
import { readModelContent } from "./model-content.js";
import { checkCompanionFile } from "./model-file.js";

/** A file with a LoRA adapter, before it is loaded. */
export interface LoraFile {
  readonly sizeBytes: number;
  /** Names its content, as {@link readModelContent} does. */
  readonly id: string;
  /** See {@link LoadedAdapter.invocation}; none: it applies from the beginning. */
  readonly invocationTokens: readonly number[];
  readonly header: GgufHeader;
}

export interface LoraQuestion {
  readonly path: string;
  /** Of the model that it is for. */
  readonly architecture: string;
  readonly vocabularySize: number;
  readonly blockOf: BlockOfType;
}

/**
 * Reads what an adapter's file says of itself, and that it is one for this model. llama.cpp compares the shapes.
 * @throws {StartupError} naming the file and what is wrong with it
 */
export async function readLoraFile({
  path,
  architecture,
  vocabularySize,
  blockOf,
}: LoraQuestion): Promise<LoraFile> {
  const file = await checkCompanionFile({ role: "lora", path }, blockOf);
  try {
    const metadata = readMetadata(file);
    const { type, architecture: own } = Object(metadata.general);
    const adapter = Object(metadata.adapter);
    if (type !== "adapter" || adapter.type !== "lora") {
      throw new Error(`expected a LoRA adapter, got ${type ?? "a model"}`);
    }
    if (own !== architecture) {
      throw new Error(`expected an adapter for a ${architecture} model, got one for ${own}`);
    }
    const alpha: unknown = adapter.lora?.alpha;
    if (typeof alpha === "number" && !Number.isFinite(alpha)) {
      throw new Error(`adapter.lora.alpha: expected a finite number, got ${alpha}`);
    }
    return {
      sizeBytes: file.sizeBytes,
      header: file.header,
      id: (await readModelContent(path)).hash,
      invocationTokens: tokensOf(adapter.alora?.invocation_tokens ?? [], vocabularySize),
    };
  } catch (error) {
    throw new StartupError(`lora ${path}: ${reasonOf(error)}`, error);
  }
}

function tokensOf(value: unknown, vocabularySize: number): readonly number[] {
  const isToken = (token: unknown) =>
    Number.isInteger(token) && Number(token) >= 0 && Number(token) < vocabularySize;
  if (Array.isArray(value) && value.every(isToken)) return value.map(Number);
  throw new Error(
    `adapter.alora.invocation_tokens: expected tokens below ${vocabularySize}, got ${value}`,
  );
}
