/** Wrong input from a caller or a file; its message stands alone, so a CLI prints no stack trace. */
export class InputError extends Error {
  override readonly name = "InputError";
}
