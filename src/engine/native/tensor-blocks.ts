import type { Llama } from "node-llama-cpp";

/** A block of a tensor type: the unit in which rows are stored. */
export interface TensorBlock {
  readonly elements: number;
  readonly bytes: number;
}

/** What llama.cpp knows of a tensor type; `undefined`: nothing. */
export type BlockOfType = (typeId: number) => TensorBlock | undefined;

/** What the library keeps to itself. */
interface LibraryInternals {
  readonly _bindings: {
    /** Both are `undefined` beyond the types that ggml knows. */
    getBlockSizeForGgmlType(typeId: number): number | undefined;
    getTypeSizeForGgmlType(typeId: number): number | undefined;
  };
}

/** How this llama.cpp stores tensors. */
export function tensorBlocks(llama: Llama): BlockOfType {
  const { _bindings } = llama as unknown as LibraryInternals;
  return (typeId) => {
    const elements = _bindings.getBlockSizeForGgmlType(typeId);
    const bytes = _bindings.getTypeSizeForGgmlType(typeId);
    return elements === undefined || bytes === undefined ? undefined : { elements, bytes };
  };
}
