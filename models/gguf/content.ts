import { InputError } from "../command-line/input-error.js";
import type { Metadata } from "./metadata.js";
import { type TensorType, tensorTypes } from "./tensor-types.js";

/** One tensor of a GGUF file. */
export interface GgufTensor {
  readonly name: string;
  /** Dimensions in ggml's order: the row length first, then the number of rows; at most four. */
  readonly shape: readonly number[];
  /** The storage type in the file. */
  readonly type: TensorType;
  /** The values in chunks of one or more whole rows. Each call starts from the beginning. */
  readonly rows: () => Iterable<Float32Array>;
}

/** The content of a GGUF file. */
export interface GgufContent {
  readonly metadata: Metadata;
  readonly tensors: readonly GgufTensor[];
}

/** The number of elements of a tensor with this shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** The number of parameters of a model: of elements in all its tensors. */
export function parameterCount(tensors: readonly GgufTensor[]): number {
  return tensors.reduce((sum, { shape }) => sum + elementCount(shape), 0);
}

/** The number of elements in one row. */
export function rowLength(shape: readonly number[]): number {
  return shape[0] ?? 1;
}

/**
 * Asserts that the format can represent a tensor.
 * @throws InputError naming the tensor, what was expected and what was received.
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
