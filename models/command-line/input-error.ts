/** Invalid input from a caller or a file. The message suffices; a CLI prints no stack trace. */
export class InputError extends Error {
  override readonly name = "InputError";
}
