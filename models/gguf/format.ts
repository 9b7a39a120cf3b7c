/** The first four bytes of a GGUF file. */
export const magic = "GGUF";

/** The only version of the format written and read here. */
export const version = 3;

/** Tensor data starts at multiples of this many bytes, the default of the specification. */
export const defaultAlignment = 32;

/** The metadata key of another alignment. */
export const alignmentKey = "general.alignment";

/** The next multiple of `alignment` at or after `offset`, both in bytes. */
export function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
