import type { GgufTensor } from "../gguf/content.js";
import type { TensorType } from "../gguf/tensor-types.js";
import { deriveSeed, RandomStream } from "./random-stream.js";

const chunkElements = 1 << 16;

/** One weight of a model before it has values. */
export type Weight = ConstantVector | GaussianTable;

/** A vector of one value, e.g. the factors of a normalisation. Stored in f32 always. */
interface ConstantVector {
  readonly kind: "constant";
  readonly name: string;
  /** Elements. */
  readonly length: number;
  readonly value: number;
}

/** Rows of normally distributed values around zero. */
interface GaussianTable {
  readonly kind: "gaussian";
  readonly name: string;
  /** Elements of a row. */
  readonly length: number;
  readonly rows: number;
  /** The standard deviation of the values of a row. */
  readonly deviationOf: (row: number) => number;
}

/** A matrix `outputs × inputs` that multiplies the deviation of its input by `gain`. */
export function matrix(name: string, inputs: number, outputs: number, gain = 1): Weight {
  const deviation = gain / Math.sqrt(inputs);
  return table(name, inputs, outputs, () => deviation);
}

/** A table of `rows` vectors of `length` elements, each row with a deviation of its own. */
export function table(
  name: string,
  length: number,
  rows: number,
  deviationOf: (row: number) => number,
): Weight {
  return { kind: "gaussian", name, length, rows, deviationOf };
}

/** The factors of a normalisation: all one. */
export function ones(name: string, length: number): Weight {
  return { kind: "constant", name, length, value: 1 };
}

/** A bias: all zero. */
export function zeros(name: string, length: number): Weight {
  return { kind: "constant", name, length, value: 0 };
}

/** The number of values of a weight. */
export function parametersOf(weight: Weight): number {
  return weight.kind === "constant" ? weight.length : weight.length * weight.rows;
}

/**
 * Gives a weight its values. They depend on the seed and the weight's name alone, so models of one
 * seed hold the same values in every type, up to rounding.
 */
export function toTensor(weight: Weight, type: TensorType, seed: number): GgufTensor {
  const { name, length } = weight;
  if (weight.kind === "constant") {
    const values = new Float32Array(length).fill(weight.value);
    return { name, shape: [length], type: "f32", rows: () => [values] };
  }
  return { name, shape: [length, weight.rows], type, rows: () => gaussianRows(weight, seed) };
}

function* gaussianRows(
  { name, length, rows, deviationOf }: GaussianTable,
  seed: number,
): Iterable<Float32Array> {
  const stream = new RandomStream(deriveSeed(seed, name));
  const rowsPerChunk = Math.max(1, Math.floor(chunkElements / length));
  for (let first = 0; first < rows; first += rowsPerChunk) {
    const last = Math.min(first + rowsPerChunk, rows);
    const chunk = new Float32Array((last - first) * length);
    for (let row = first; row < last; row += 1) {
      const start = (row - first) * length;
      stream.fillGaussian(chunk.subarray(start, start + length), deviationOf(row));
    }
    yield chunk;
  }
}
