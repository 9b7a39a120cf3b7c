/** Flags with which Node.js runs TypeScript files as this process does, in any working folder. */
export function typescriptFlags(): string[] {
  return ["--import", import.meta.resolve("tsx")];
}
