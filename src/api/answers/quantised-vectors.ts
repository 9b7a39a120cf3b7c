import { toBase64, toNumbers } from "./vectors.js";

/** Number formats of embeddings, as Cohere, Jina and Voyage name them. */
export const VECTOR_TYPES = ["float", "base64", "int8", "uint8", "binary", "ubinary"] as const;

export type VectorType = (typeof VECTOR_TYPES)[number];

/** Largest magnitude of an 8-bit component. */
const MAX_INT8 = 127;
/** Difference between the signed and the unsigned form of a byte. */
const UNSIGNED_OFFSET = 128;
const BITS_PER_BYTE = 8;

/**
 * Converts a vector to a number format.
 *
 * 8-bit components are scaled for each vector, so that the largest magnitude becomes 127: cosines
 * are kept, dot products are not. A bit states whether a component is positive; eight of them,
 * the first one in the highest place, are a byte.
 * @throws {AssertionError} for components that are not finite
 */
export function convertVector(vector: Float32Array, type: VectorType): number[] | string {
  switch (type) {
    case "float":
      return toNumbers(vector);
    case "base64":
      return toBase64(vector);
    case "int8":
      return toInt8(vector);
    case "uint8":
      return toInt8(vector).map((component) => component + UNSIGNED_OFFSET);
    case "ubinary":
      return packSigns(vector);
    case "binary":
      return packSigns(vector).map((byte) => byte - UNSIGNED_OFFSET);
  }
}

function toInt8(vector: Float32Array): number[] {
  const components = toNumbers(vector);
  const largest = components.reduce((most, component) => Math.max(most, Math.abs(component)), 0);
  if (largest === 0) return components;
  // Adding 0 turns -0 into 0.
  return components.map((component) => Math.round((component / largest) * MAX_INT8) + 0);
}

function packSigns(vector: Float32Array): number[] {
  const components = toNumbers(vector);
  return Array.from({ length: Math.ceil(components.length / BITS_PER_BYTE) }, (_, byte) =>
    components
      .slice(byte * BITS_PER_BYTE, (byte + 1) * BITS_PER_BYTE)
      .reduce((bits, component, bit) => bits | (component > 0 ? 0x80 >> bit : 0), 0),
  );
}
