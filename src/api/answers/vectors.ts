/**
 * Arithmetic of embeddings and scores. A server computes it for every short text, so it loops
 * instead of calling a function per component.
 */
import assert from "node:assert/strict";
import { type Normalisation, UNIT_LENGTH } from "../../core/pooling.js";

/**
 * Converts the components to numbers, for JSON.
 * @throws {AssertionError} for components that are not finite, which JSON cannot express
 */
export function toNumbers(vector: Float32Array): number[] {
  const numbers: number[] = [];
  for (const component of vector) {
    assert(Number.isFinite(component), "the components of a vector must be finite");
    numbers.push(component);
  }
  return numbers;
}

/**
 * Divides a vector by its L2 norm. A zero vector is returned unchanged.
 * @throws {AssertionError} for components that are not finite
 */
export function toUnitLength(vector: Float32Array): Float32Array {
  const norm = computeNorm(vector);
  return norm === 0 ? vector : divideBy(vector, norm);
}

const LARGEST_MAGNITUDE = 32_760;

/**
 * Normalises a vector. A zero vector is returned unchanged.
 * @throws {AssertionError} for components that are not finite
 */
export function normaliseVector(vector: Float32Array, normalisation: Normalisation): Float32Array {
  if (normalisation === UNIT_LENGTH) return toUnitLength(vector);
  const magnitudes = vector.map(Math.abs);
  const largest = magnitudes.reduce((most, magnitude) => Math.max(most, magnitude), 0);
  assert(Number.isFinite(largest), "the components of a vector must be finite");
  if (normalisation === -1 || largest === 0) return vector;
  const norm =
    normalisation === 0
      ? largest / LARGEST_MAGNITUDE
      : largest *
        magnitudes.reduce((sum, magnitude) => sum + (magnitude / largest) ** normalisation, 0) **
          (1 / normalisation);
  return divideBy(vector, norm);
}

/**
 * Truncates a vector and normalises it, for models trained to put the most important
 * components first (Matryoshka representations).
 * @param dimensions at most the vector's length
 */
export function toShortVector(
  vector: Float32Array,
  dimensions: number,
  normalisation: Normalisation = UNIT_LENGTH,
): Float32Array {
  assert(
    dimensions >= 1 && dimensions <= vector.length,
    `expected 1 to ${vector.length} dimensions, got ${dimensions}`,
  );
  return normaliseVector(vector.subarray(0, dimensions), normalisation);
}

/** Computes the cosine of the angle between two vectors, from -1 to 1; 0 if either is zero. */
export function cosineSimilarity(one: Float32Array, other: Float32Array): number {
  assert.equal(one.length, other.length, "compared vectors must have the same length");
  const norms = computeNorm(one) * computeNorm(other);
  return norms === 0 ? 0 : Math.min(1, Math.max(-1, dotProduct(one, other) / norms));
}

/** Converts a logit to a probability. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * Encodes the components as base64 of little-endian 32-bit floats, as OpenAI's clients expect.
 * llama.cpp's platforms are little-endian, so these are the bytes in memory.
 */
export function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function computeNorm(vector: Float32Array): number {
  const norm = Math.sqrt(dotProduct(vector, vector));
  assert(Number.isFinite(norm), "the components of a vector must be finite");
  return norm;
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function divideBy(vector: Float32Array, divisor: number): Float32Array {
  const quotients = new Float32Array(vector.length);
  for (let index = 0; index < vector.length; index++) {
    quotients[index] = (vector[index] ?? 0) / divisor;
  }
  return quotients;
}
