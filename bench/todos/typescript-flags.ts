/** Node.js flags that run TypeScript files as in this process, in any working directory. */
export function typescriptFlags(): string[] {
  return ["--import", import.meta.resolve("tsx")];
}
