import { InputError } from "../command-line/input-error.js";
import type { Metadata } from "./metadata.js";
import { type TensorType, tensorTypes } from "./tensor-types.js";

/** One tensor of a GGUF file: what it is called, how it lies there, and where its values come from. */
export interface GgufTensor {
  readonly name: string;
  /** Lengths in ggml's order: the elements of a row first, then the rows, at most four in all. */
  readonly shape: readonly number[];
  /** How the values are stored in the file. */
  readonly type: TensorType;
  /** The values, row after row, in chunks of one or more whole rows. Each call starts again. */
  readonly rows: () => Iterable<Float32Array>;
}

/** What a GGUF file holds. */
export interface GgufContent {
  readonly metadata: Metadata;
  readonly tensors: readonly GgufTensor[];
}

/** The number of elements of a tensor with these lengths. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** The number of elements in one row. */
export function rowLength(shape: readonly number[]): number {
  return shape[0] ?? 1;
}

/**
 * Refuses a tensor that the format cannot hold.
 * @throws InputError naming the tensor, what was expected and what came.
 */
export function assertStorable({ name, shape, type }: GgufTensor): void {
  if (shape.length < 1 || shape.length > 4) {
    throw new InputError(`tensor ${name}: expected 1 to 4 lengths, got ${shape.length}`);
  }
  for (const length of shape) {
    if (!Number.isSafeInteger(length) || length < 1) {
      throw new InputError(`tensor ${name}: expected positive lengths, got [${shape.join(", ")}]`);
    }
  }
  const { blockElements } = tensorTypes[type];
  if (rowLength(shape) % blockElements !== 0) {
    throw new InputError(
      `tensor ${name}: expected rows of a multiple of ${blockElements} elements for ${type}, ` +
        `got ${rowLength(shape)}`,
    );
  }
}
