import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import { readMetadata } from "./gguf-file-info.js";
import { readModelContent } from "./model-content.js";
import { checkCompanionFile } from "./model-file.js";

/** What gives a model images and audio, and how. Plain data. */
export interface ProjectorSettings {
  readonly path: string;
  /** Whether it computes on a GPU, if there is one. */
  readonly placement: "gpu" | "cpu";
  /** Of an image, as its file says. */
  readonly maxPixels: number;
  /** Of audio, in seconds. */
  readonly maxSeconds: number;
  /** Computing time for decoding a file, in seconds. */
  readonly decodeSeconds: number;
  /** Of embeddings that are kept beyond their requests, in MiB. */
  readonly cacheMiB: number;
}

/** A file with a projector, before it is loaded. */
export interface ProjectorFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Names its content, as {@link readModelContent} does. */
  readonly id: string;
  /** Whether the cells of an image see each other: they are evaluated in one pass then. */
  readonly areCellsWhole: boolean;
}

/** Types whose cells see each other, as libmtmd has them (`mtmd_decode_use_non_causal`). */
const WHOLE_TYPES: readonly unknown[] = ["gemma3", "gemma4v", "gemma4uv", "deepseek4v"];

/** What the architecture of a projector's file is called. */
const ARCHITECTURE = "clip";

/**
 * Reads what a projector's file says of itself. llama.cpp compares it with the model.
 * @throws {StartupError} naming the file and what is wrong with it
 */
export async function readProjectorFile(
  path: string,
  blockOf: BlockOfType,
): Promise<ProjectorFile> {
  const file = await checkCompanionFile({ role: "mmproj", path }, blockOf);
  try {
    const metadata = readMetadata(file);
    const { architecture } = Object(metadata.general);
    if (architecture !== ARCHITECTURE) {
      throw new Error(`expected a projector (mmproj), got a model (${architecture})`);
    }
    const clip = Object(Object(metadata)[ARCHITECTURE]);
    const types = [clip.projector_type, clip.vision?.projector_type];
    return {
      path,
      sizeBytes: file.sizeBytes,
      modifiedMs: file.modifiedMs,
      id: (await readModelContent(path)).hash,
      areCellsWhole: types.some((type) => WHOLE_TYPES.includes(type)),
    };
  } catch (error) {
    throw new StartupError(`mmproj ${path}: ${reasonOf(error)}`, error);
  }
}
