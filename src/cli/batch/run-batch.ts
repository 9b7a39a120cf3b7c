import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { nameOf, parseModelReference } from "../../config/model-reference.js";
import type { Config } from "../../config/settings.js";
import { StartupError } from "../../core/startup-error.js";
import {
  isModelPath,
  type OwnDaemon,
  settingsFor,
  startBatchDaemon,
} from "../chat/private-daemon.js";
import { type DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import { type DaemonChoice, findDaemon } from "../daemon/find-daemon.js";
import { fetchServedModel } from "../daemon/served-models.js";
import type { Wait } from "../daemon/wait.js";
import type { ProgressOutput } from "../models/pull-progress.js";
import {
  type BatchEntry,
  createBatch,
  downloadFile,
  FILE_KEY,
  fetchBatches,
  RUN_KEY,
} from "./batch-client.js";
import { followBatches } from "./follow-batches.js";
import {
  type InputPart,
  type InputProblem,
  type PreparedInput,
  prepareInput,
} from "./prepare-input.js";
import {
  errorsPathOf,
  openTarget,
  type ResultTarget,
  STANDARD_STREAM,
  saveResults,
  selectOutput,
} from "./result-files.js";

export interface BatchArguments {
  /** Path of the input; `-`: standard input. */
  readonly file: string;
  /** Path of the results; `-`: standard output; `undefined`: the default. */
  readonly output: string | undefined;
  /** Model of all lines; `undefined`: each line names its own. */
  readonly model: string | undefined;
  /** `continue`: an earlier batch of the same input and output counts. */
  readonly earlierBatch: "continue" | "ignore";
  readonly daemon: DaemonChoice;
  /** Configuration for a private daemon, if none is running. */
  readonly config: Config;
}

export interface BatchTerminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: ProgressOutput;
}

export interface BatchRunOptions {
  /** Aborted with an {@link Interruption}: stops following the batches. */
  readonly signal: AbortSignal;
  /** @default waitFor */
  readonly wait?: Wait;
}

/** Reason of an abort by a signal of the operating system. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}

const ALL_DONE = 0;
const SOME_FAILED = 1;
const WRONG_INPUT = 2;

/** Maximum length of values of metadata. */
const MAX_METADATA_LENGTH = 512;

/**
 * Answers the requests of a file: creates its batches or finds those of an interrupted run, follows
 * them, and saves their results.
 * @returns the exit code
 * @throws {StartupError} there is no daemon, or it refuses the batches
 */
export async function runBatch(
  args: BatchArguments,
  terminal: BatchTerminal,
  options: BatchRunOptions,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "ggufd-batch-"));
  const run: BatchRun = { args, terminal, options, folder, name: inputNameOf(args.file) };
  try {
    return await runIn(run);
  } catch (error) {
    const reason: unknown = options.signal.reason;
    if (!(reason instanceof Interruption) || error !== reason) throw error;
    return reason.exitCode;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface BatchRun {
  readonly args: BatchArguments;
  readonly terminal: BatchTerminal;
  readonly options: BatchRunOptions;
  /** Temporary folder. */
  readonly folder: string;
  /** Name of the input in messages. */
  readonly name: string;
}

function inputNameOf(file: string): string {
  return file === STANDARD_STREAM ? "standard input" : basename(file);
}

async function runIn(run: BatchRun): Promise<number> {
  const { args, terminal, folder } = run;
  const { signal } = run.options;
  const { file, model, daemon, config } = args;
  const output = selectOutput(file, args.output);
  let target: ResultTarget;
  try {
    target = await openTarget(file, output);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    terminal.stderr.write(`ggufd: ${error.message}\n`);
    return WRONG_INPUT;
  }
  // Daemons know names only, so that this command serves a file itself.
  const isPrivate = model !== undefined && isModelPath(model) && daemon.selection === "configured";
  const running = isPrivate
    ? undefined
    : await orAbort(findDaemon(daemon, { terminal: terminal.stderr }), signal);
  const source = file === STANDARD_STREAM ? terminal.stdin : file;
  const input = await prepareInput(source, { folder, signal, model: nameInLines(model, running) });
  if ("problems" in input) return refuse(run, input.problems);
  if (running !== undefined) return runWith(run, { daemon: running, input, output, target });
  const { stderr } = terminal;
  const starting = startBatchDaemon(config, model, { terminal: stderr, apiKey: daemon.apiKey });
  const own = await orAbort(starting, signal);
  try {
    return await runWith(run, { daemon: own.client, own, input, output, target });
  } finally {
    await own.stop();
  }
}

/** Settles like a promise, or rejects with the signal's reason when it is aborted. */
function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((fulfil, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(fulfil, reject);
  });
}

/** Returns the name of the model in the lines. A private daemon names files after themselves. */
function nameInLines(
  model: string | undefined,
  running: DaemonClient | undefined,
): string | undefined {
  if (model === undefined || running !== undefined) return model;
  return settingsFor(model).model === undefined ? model : nameOf(parseModelReference(model));
}

function refuse(
  { name, terminal }: Pick<BatchRun, "name" | "terminal">,
  problems: readonly InputProblem[],
): number {
  for (const { line, message } of problems) {
    terminal.stderr.write(`ggufd: ${name}${line === null ? "" : `:${line}`}: ${message}\n`);
  }
  return WRONG_INPUT;
}

interface RunningInput {
  readonly daemon: DaemonClient;
  /** Private daemon, which ends with this command. */
  readonly own?: OwnDaemon;
  readonly input: PreparedInput;
  readonly output: string;
  readonly target: ResultTarget;
}

async function runWith(run: BatchRun, running: RunningInput): Promise<number> {
  const { terminal, options } = run;
  const { daemon, own, output, target } = running;
  const created: BatchEntry[] = [];
  try {
    const problems = await findOrCreateBatches(run, running, created);
    if (problems.length > 0) return refuse(run, problems);
    const ended = await followBatches(daemon, created, {
      ...options,
      name: run.name,
      apiKey: run.args.daemon.apiKey,
      terminal,
    });
    const invalid = ended.filter(({ status }) => status === "failed");
    if (invalid.length > 0) return refuse(run, invalid.flatMap(problemsOf));
    const download = (ids: readonly (string | null | undefined)[]) =>
      ids.flatMap((id) => (id ? [downloadFile(daemon, id, options.signal)] : []));
    const answers = download(ended.map(({ output_file_id }) => output_file_id));
    const errors = download(ended.map(({ error_file_id }) => error_file_id));
    await saveResults(target, { answers, errors }, terminal.stdout);
    terminal.stderr.write(
      `${describeEnd(run.name, ended, target.kind === "files" ? output : undefined)}\n`,
    );
    return ended.every(isSuccess) ? ALL_DONE : SOME_FAILED;
  } catch (error) {
    if (error instanceof Interruption) {
      terminal.stderr.write(`${describeInterruption(created, own)}\n`);
    }
    throw error;
  }
}

/**
 * Finds the batches of an earlier run, and creates the missing ones.
 * @param batches receives the batches, also if creating a later one fails
 * @returns unknown models, if batches are to be created
 */
async function findOrCreateBatches(
  { args, options, name, terminal }: BatchRun,
  { daemon, input, output }: RunningInput,
  batches: BatchEntry[],
): Promise<readonly InputProblem[]> {
  const known = args.earlierBatch === "continue" ? await fetchBatches(daemon) : [];
  let areModelsKnown = false;
  for (const part of input.parts) {
    const run = runKeyOf(part, output);
    const earlier = known.find((batch) => batch.metadata?.[RUN_KEY] === run && isUsable(batch));
    if (earlier !== undefined) {
      const state =
        earlier.status === "completed" ? "has run already (--new runs it again)" : "continues";
      terminal.stderr.write(`${name}: ${earlier.id} ${state}\n`);
      batches.push(earlier);
      continue;
    }
    if (!areModelsKnown) {
      const problems = await findUnknownModels(daemon, input.models);
      if (problems.length > 0) return problems;
      areModelsKnown = true;
    }
    const metadata = { [RUN_KEY]: run, [FILE_KEY]: name.slice(0, MAX_METADATA_LENGTH) };
    const { endpoint, path } = part;
    const created = { endpoint, path, fileName: name, metadata };
    batches.push(await createBatch(daemon, created, options.signal));
  }
  return [];
}

/** Identifies a part of an input by its content and by the output, across runs. */
function runKeyOf({ endpoint, sha256 }: InputPart, output: string): string {
  const path = output === STANDARD_STREAM ? output : resolve(output);
  return createHash("sha256")
    .update(JSON.stringify([endpoint, sha256, path]))
    .digest("hex");
}

const UNUSABLE_STATUSES: readonly string[] = ["failed", "expired", "cancelling", "cancelled"];

function isUsable({ status }: BatchEntry): boolean {
  return !UNUSABLE_STATUSES.includes(status);
}

async function findUnknownModels(
  daemon: DaemonClient,
  models: PreparedInput["models"],
): Promise<readonly InputProblem[]> {
  const problems: InputProblem[] = [];
  for (const [name, line] of models) {
    try {
      await fetchServedModel(daemon, name);
    } catch (error) {
      if (!(error instanceof DaemonError) || error.code !== "model_not_found") throw error;
      const advice = "--model NAME answers all lines with another model.";
      problems.push({ line, message: `body.model: ${error.message} ${advice}` });
    }
  }
  return problems;
}

function problemsOf({ id, errors }: BatchEntry): readonly InputProblem[] {
  const problems = errors?.data ?? [];
  if (problems.length === 0) return [{ line: null, message: `the batch ${id} has failed` }];
  return problems.map(({ message, line = null }) => ({ message, line }));
}

function isSuccess({ status, request_counts: { failed } }: BatchEntry): boolean {
  return status === "completed" && failed === 0;
}

/**
 * Describes the results of batches that have ended.
 * @param output path of the results; `undefined`: they are in a stream
 */
function describeEnd(
  name: string,
  batches: readonly BatchEntry[],
  output: string | undefined,
): string {
  const sum = (field: keyof BatchEntry["request_counts"]) =>
    batches.reduce((total, { request_counts }) => total + request_counts[field], 0);
  const [total, failed] = [sum("total"), sum("failed")];
  const unfinished = batches.filter(({ status }) => status !== "completed");
  const counts = `${sum("completed")} of ${total} requests done, ${failed} failed`;
  const endings = unfinished.map(({ id, status }) => `, ${id} ${status}`).join("");
  const summary = `${name}: ${counts}${endings}`;
  if (output === undefined) return summary;
  const errors = batches.some(({ error_file_id }) => error_file_id);
  return `${summary}; results in ${output}${errors ? `, errors in ${errorsPathOf(output)}` : ""}`;
}

function describeInterruption(created: readonly BatchEntry[], own: OwnDaemon | undefined): string {
  const [first] = created;
  if (first === undefined) return "ggufd: interrupted before the batch was created";
  if (own !== undefined) {
    return "ggufd: interrupted; run the same command to continue the batch";
  }
  const ids = created.map(({ id }) => id).join(" ");
  return `ggufd: the batch continues in the daemon; run the same command to get its results, or ggufd batch cancel ${ids}`;
}
