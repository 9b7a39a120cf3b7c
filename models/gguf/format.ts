/** The first four bytes of a GGUF file. */
export const magic = "GGUF";

/** The only supported version of the format. */
export const version = 3;

/** The specification's default alignment of tensor data, in bytes. */
export const defaultAlignment = 32;

/** The metadata key that overrides the default alignment. */
export const alignmentKey = "general.alignment";

/** The smallest multiple of `alignment` that is not less than `offset`, both in bytes. */
export function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
