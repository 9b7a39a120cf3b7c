/**
 * The supported tensor types: their id in the file, and the elements and bytes of one block. Ids and
 * layouts are those of ggml.
 */
export const tensorTypes = {
  f32: { id: 0, blockElements: 1, blockBytes: 4 },
  f16: { id: 1, blockElements: 1, blockBytes: 2 },
  q8_0: { id: 8, blockElements: 32, blockBytes: 34 },
} as const;

/** The name of a tensor type, e.g. `"q8_0"`. */
export type TensorType = keyof typeof tensorTypes;

/** The size of `elements` values in bytes; `elements` is a whole number of blocks. */
export function bytesOf(type: TensorType, elements: number): number {
  const { blockElements, blockBytes } = tensorTypes[type];
  return (elements / blockElements) * blockBytes;
}
