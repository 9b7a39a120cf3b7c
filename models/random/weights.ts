import { elementCount, type GgufTensor, rowLength } from "../gguf/content.js";
import type { TensorType } from "../gguf/tensor-types.js";
import { deriveSeed, RandomStream } from "./random-stream.js";

const chunkElements = 1 << 16;

/** The definition of a weight, without its values. */
export type Weight = Constant | GaussianTable;

/** A constant tensor, e.g. the factors of a normalisation. Always stored in f32. */
interface Constant {
  readonly kind: "constant";
  readonly name: string;
  /** Elements per row and, for a matrix, the number of rows. */
  readonly shape: readonly number[];
  readonly value: number;
}

/** Rows of normally distributed values around zero. */
interface GaussianTable {
  readonly kind: "gaussian";
  readonly name: string;
  /** Elements per row, the number of rows and, for a stack of matrices, of matrices. */
  readonly shape: readonly number[];
  /** The standard deviation of the values in a row; rows are counted through the whole stack. */
  readonly stdDevOf: (row: number) => number;
  /** Stored in the model's requested type, or always in f32. */
  readonly storage: "model type" | "f32";
}

/** An `outputs × inputs` matrix that multiplies the standard deviation of its input by `gain`. */
export function matrix(name: string, inputs: number, outputs: number, gain = 1): Weight {
  const stdDev = gain / Math.sqrt(inputs);
  return table(name, inputs, outputs, () => stdDev);
}

/** `count` matrices like that of {@link matrix} in one tensor, e.g. one for each expert of a layer. */
export function matrixStack(
  name: string,
  inputs: number,
  outputs: number,
  count: number,
  gain = 1,
): Weight {
  const stdDev = gain / Math.sqrt(inputs);
  const shape = [inputs, outputs, count];
  return { kind: "gaussian", name, shape, stdDevOf: () => stdDev, storage: "model type" };
}

/** A table of `rows` vectors of `length` elements, with a standard deviation per row. */
export function table(
  name: string,
  length: number,
  rows: number,
  stdDevOf: (row: number) => number,
): Weight {
  return { kind: "gaussian", name, shape: [length, rows], stdDevOf, storage: "model type" };
}

/**
 * A {@link matrix} that is always stored in f32, because llama.cpp accepts no other type (a
 * convolution) or never quantises it (a router of experts).
 */
export function f32Matrix(name: string, inputs: number, outputs: number): Weight {
  return f32Tensor(name, [inputs, outputs], 1 / Math.sqrt(inputs));
}

/** `outputs` kernels of a convolution, each with a weight for every element of `kernel`. */
export function convolution(name: string, kernel: readonly number[], outputs: number): Weight {
  return f32Tensor(name, [...kernel, outputs], 1 / Math.sqrt(elementCount(kernel)));
}

/** Values with one standard deviation that are always stored in f32. */
export function f32Tensor(name: string, shape: readonly number[], stdDev: number): Weight {
  return { kind: "gaussian", name, shape, stdDevOf: () => stdDev, storage: "f32" };
}

/** A tensor in which all elements are equal. */
export function constant(name: string, shape: readonly number[], value: number): Weight {
  return { kind: "constant", name, shape, value };
}

/** The factors of a normalisation, all 1. */
export function ones(name: string, length: number): Weight {
  return constant(name, [length], 1);
}

/** A bias, all 0. */
export function zeros(name: string, length: number): Weight {
  return constant(name, [length], 0);
}

/**
 * Generates the values of a weight. They depend only on the seed and the weight's name, so that models
 * with equal seeds have equal values in all storage types, up to rounding.
 */
export function toTensor(weight: Weight, type: TensorType, seed: number): GgufTensor {
  const { name, shape } = weight;
  if (weight.kind === "constant") {
    const values = new Float32Array(elementCount(shape)).fill(weight.value);
    return { name, shape, type: "f32", rows: () => [values] };
  }
  const storedType = weight.storage === "f32" ? "f32" : type;
  return { name, shape, type: storedType, rows: () => gaussianRows(weight, seed) };
}

function* gaussianRows(
  { name, shape, stdDevOf }: GaussianTable,
  seed: number,
): Iterable<Float32Array> {
  const length = rowLength(shape);
  const rows = elementCount(shape) / length;
  const stream = new RandomStream(deriveSeed(seed, name));
  const rowsPerChunk = Math.max(1, Math.floor(chunkElements / length));
  for (let first = 0; first < rows; first += rowsPerChunk) {
    const last = Math.min(first + rowsPerChunk, rows);
    const chunk = new Float32Array((last - first) * length);
    for (let row = first; row < last; row += 1) {
      const start = (row - first) * length;
      stream.fillGaussian(chunk.subarray(start, start + length), stdDevOf(row));
    }
    yield chunk;
  }
}
