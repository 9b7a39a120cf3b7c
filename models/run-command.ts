import { InputError } from "./input-error.js";

/**
 * Runs the body of a command-line script. Wrong input and failing file operations end it with one
 * line on stderr and exit status 1; other errors are defects and keep their stack trace.
 *
 * @param usageText what the script expects, without `usage:`
 */
export function runCommand(
  usageText: string,
  body: (args: readonly string[], usage: () => InputError) => void,
): void {
  try {
    body(process.argv.slice(2), () => new InputError(`usage: ${usageText}`));
  } catch (error) {
    if (!(error instanceof InputError || isSystemError(error))) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}
