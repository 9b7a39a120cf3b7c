import type { GgufTensor } from "../../../models/gguf/content.js";

/** All values of a tensor, row by row. */
export function valuesOf(tensor: GgufTensor): number[] {
  return Array.from(tensor.rows(), (rows) => [...rows]).flat();
}
