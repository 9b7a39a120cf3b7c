import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { access, constants, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { errorCodeOf } from "../../files/system-errors.js";

/** Standard input or output, as an argument. */
export const STANDARD_STREAM = "-";

/** Destination of the results. */
export type ResultTarget =
  /** One stream for answers and errors; `undefined`: standard output. */
  | { readonly kind: "stream"; readonly path: string | undefined }
  /** Absolute paths. */
  | { readonly kind: "files"; readonly output: string; readonly errors: string };

/** Returns the default output: next to the input, or standard output for standard input. */
export function selectOutput(file: string, output: string | undefined): string {
  if (output !== undefined) return output;
  return file === STANDARD_STREAM ? STANDARD_STREAM : `${withoutExtension(file)}.out.jsonl`;
}

/** Returns the file of errors next to a file of answers. */
export function errorsPathOf(output: string): string {
  return `${withoutExtension(output)}.errors.jsonl`;
}

function withoutExtension(path: string): string {
  return path.replace(/\.jsonl$/i, "");
}

/**
 * Checks that results can be written.
 * @throws {StartupError}
 */
export async function openTarget(file: string, output: string): Promise<ResultTarget> {
  if (output === STANDARD_STREAM) return { kind: "stream", path: undefined };
  const path = await realpath(output).catch(() => resolve(output));
  if (path === (await realpath(file).catch(() => resolve(file)))) {
    throw new StartupError(`--output: expected a file other than the input, got ${output}`);
  }
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) {
    throw new StartupError(`--output: expected a file, got the folder ${output}`);
  }
  const isDevice = status !== undefined && !status.isFile();
  try {
    await access(isDevice ? path : dirname(path), constants.W_OK);
  } catch (error) {
    const reason = errorCodeOf(error) === "ENOENT" ? "no such folder" : formatReason(error);
    throw new StartupError(`--output: ${output}: ${reason}`);
  }
  if (isDevice) return { kind: "stream", path };
  return { kind: "files", output: path, errors: errorsPathOf(path) };
}

/** Contents of the result files of all batches. */
export interface Results {
  readonly answers: readonly AsyncIterable<Uint8Array>[];
  readonly errors: readonly AsyncIterable<Uint8Array>[];
}

/**
 * Writes results. Files are replaced when they are complete; a file of errors that an earlier run
 * has left is removed if there are none.
 */
export async function saveResults(
  target: ResultTarget,
  { answers, errors }: Results,
  stdout: NodeJS.WritableStream,
): Promise<void> {
  if (target.kind === "stream") {
    const all = [...answers, ...errors];
    if (target.path === undefined) await writeTo(stdout, all);
    else await pipeline(concatenate(all), createWriteStream(target.path));
    return;
  }
  await replaceFile(target.output, answers);
  if (errors.length > 0) await replaceFile(target.errors, errors);
  else await rm(target.errors, { force: true });
}

async function writeTo(
  stdout: NodeJS.WritableStream,
  contents: readonly AsyncIterable<Uint8Array>[],
): Promise<void> {
  for await (const chunk of concatenate(contents)) {
    if (!stdout.write(chunk)) await once(stdout, "drain");
  }
}

async function replaceFile(
  path: string,
  contents: readonly AsyncIterable<Uint8Array>[],
): Promise<void> {
  const partial = resolve(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    await pipeline(concatenate(contents), createWriteStream(partial));
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

async function* concatenate(
  contents: readonly AsyncIterable<Uint8Array>[],
): AsyncGenerator<Uint8Array, void> {
  for (const content of contents) yield* content;
}
