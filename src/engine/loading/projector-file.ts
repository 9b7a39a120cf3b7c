import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import { readMetadata } from "./gguf-file-info.js";
import { readModelContent } from "./model-content.js";
import { checkCompanionFile } from "./model-file.js";

/** Settings for image and audio input. Plain data. */
export interface ProjectorSettings {
  readonly path: string;
  /** Whether the projector computes on a GPU, if there is one. */
  readonly placement: "gpu" | "cpu";
  /** Maximum number of pixels in an image, as stated in its file. */
  readonly maxPixels: number;
  /** Maximum duration of audio, in seconds. */
  readonly maxSeconds: number;
  /** Maximum CPU time for decoding a file, in seconds. */
  readonly decodeSeconds: number;
  /** Maximum size of embeddings cached after their requests have ended, in MiB. */
  readonly cacheMiB: number;
}

/** A checked projector file that is not loaded yet. */
export interface ProjectorFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Content id, as computed by {@link readModelContent}. */
  readonly id: string;
  /** Whether the cells of an image attend to each other and must be evaluated in one pass. */
  readonly areCellsWhole: boolean;
}

/**
 * Projector types whose cells attend to each other, as in libmtmd (`mtmd_decode_use_non_causal`).
 */
const NON_CAUSAL_TYPES: readonly unknown[] = ["gemma3", "gemma4v", "gemma4uv", "deepseek4v"];

/** Architecture name of projector files. */
const ARCHITECTURE = "clip";

/**
 * Reads the metadata of a projector's file. llama.cpp compares it with the model.
 * @throws {StartupError} names the file and the error
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
      areCellsWhole: types.some((type) => NON_CAUSAL_TYPES.includes(type)),
    };
  } catch (error) {
    throw new StartupError(`mmproj ${path}: ${formatReason(error)}`, error);
  }
}
