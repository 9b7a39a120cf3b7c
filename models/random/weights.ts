import type { GgufTensor } from "../gguf/content.js";
import type { TensorType } from "../gguf/tensor-types.js";
import { deriveSeed, RandomStream } from "./random-stream.js";

const chunkElements = 1 << 16;

/** One weight of a model before it has values. */
export type Weight = Constant | GaussianTable;

/** One value throughout, e.g. the factors of a normalisation. Stored in f32 always. */
interface Constant {
  readonly kind: "constant";
  readonly name: string;
  /** Elements of a row; for a table also its rows. */
  readonly shape: readonly [length: number, rows?: number];
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
  /** Whether it is stored in the type that the model is asked for, or in f32 always. */
  readonly stored: "as asked" | "f32";
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
  return { kind: "gaussian", name, length, rows, deviationOf, stored: "as asked" };
}

/** A {@link matrix} that llama.cpp takes in f32 only, e.g. of a convolution. */
export function f32Matrix(name: string, inputs: number, outputs: number): Weight {
  const deviation = 1 / Math.sqrt(inputs);
  const deviationOf = () => deviation;
  return { kind: "gaussian", name, length: inputs, rows: outputs, deviationOf, stored: "f32" };
}

/** The same value everywhere. */
export function constant(name: string, shape: Constant["shape"], value: number): Weight {
  return { kind: "constant", name, shape, value };
}

/** The factors of a normalisation: all one. */
export function ones(name: string, length: number): Weight {
  return constant(name, [length], 1);
}

/** A bias: all zero. */
export function zeros(name: string, length: number): Weight {
  return constant(name, [length], 0);
}

/** The number of values of a weight. */
export function parametersOf(weight: Weight): number {
  const [length, rows = 1] =
    weight.kind === "constant" ? weight.shape : [weight.length, weight.rows];
  return length * rows;
}

/**
 * Gives a weight its values. They depend on the seed and the weight's name alone, so models of one
 * seed hold the same values in every type, up to rounding.
 */
export function toTensor(weight: Weight, type: TensorType, seed: number): GgufTensor {
  const { name } = weight;
  if (weight.kind === "constant") {
    const values = new Float32Array(parametersOf(weight)).fill(weight.value);
    const shape = weight.shape.filter((size) => size !== undefined);
    return { name, shape, type: "f32", rows: () => [values] };
  }
  const { length, rows, stored } = weight;
  return {
    name,
    shape: [length, rows],
    type: stored === "f32" ? "f32" : type,
    rows: () => gaussianRows(weight, seed),
  };
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
