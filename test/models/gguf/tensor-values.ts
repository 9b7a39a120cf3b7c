import type { GgufTensor } from "../../../models/gguf/content.js";

/** All values of a tensor, row after row. */
export function valuesOf(tensor: GgufTensor): number[] {
  return Array.from(tensor.rows(), (rows) => [...rows]).flat();
}
