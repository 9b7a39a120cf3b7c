import type { Llama } from "node-llama-cpp";

/** A block of a tensor type: the unit in which rows are stored. */
export interface TensorBlock {
  readonly elements: number;
  readonly bytes: number;
}

/** Returns the block of a tensor type; `undefined` if llama.cpp does not know the type. */
export type BlockOfType = (typeId: number) => TensorBlock | undefined;

/** Private members of the library. */
interface LibraryInternals {
  readonly _bindings: {
    /** Both return `undefined` for types unknown to ggml. */
    getBlockSizeForGgmlType(typeId: number): number | undefined;
    getTypeSizeForGgmlType(typeId: number): number | undefined;
  };
}

/** Returns the tensor blocks of the loaded llama.cpp. */
export function createBlockLookup(llama: Llama): BlockOfType {
  const { _bindings } = llama as unknown as LibraryInternals;
  return (typeId) => {
    const elements = _bindings.getBlockSizeForGgmlType(typeId);
    const bytes = _bindings.getTypeSizeForGgmlType(typeId);
    return elements === undefined || bytes === undefined ? undefined : { elements, bytes };
  };
}
