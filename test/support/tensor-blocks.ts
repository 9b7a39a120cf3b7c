import { tensorTypes } from "../../models/gguf/tensor-types.js";
import type { BlockOfType } from "../../src/engine/native/tensor-blocks.js";

/** How the tensor types that our own writer knows are stored, without llama.cpp. */
export const tensorBlocks: BlockOfType = (typeId) => {
  const type = Object.values(tensorTypes).find(({ id }) => id === typeId);
  return type && { elements: type.blockElements, bytes: type.blockBytes };
};
