import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { Config } from "../../config/settings.js";
import { StartupError } from "../../core/startup-error.js";
import { ModelError } from "../../models/model-error.js";
import { findPullableName } from "../../models/pull/pull-source.js";
import { resolveModelPlaces } from "../../models/store/model-folders.js";
import { ModelStore } from "../../models/store/model-store.js";
import { INTERRUPTED_PULL, type PullTerminal, runPull } from "../models/pull-command.js";

export interface DownloadOffer {
  readonly config: Pick<Config, "modelsDir" | "offline">;
  /** `without-asking`: the user has agreed on the command line. */
  readonly downloadConsent: "after-asking" | "without-asking";
  /** Reason to report if the model is not downloaded. @default the error of the store */
  readonly reason?: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly terminal: {
    readonly stdin: Readable & { readonly isTTY?: boolean };
    readonly stderr: Writable & PullTerminal["stderr"];
  };
  /** Aborts the download; the downloaded part is kept. */
  readonly signal: AbortSignal;
}

/**
 * Makes sure that a model is on this machine; offers to download one that is not.
 * @returns a name of the model in the store
 * @throws {StartupError} the user declines, or cannot be asked: names the command that downloads it
 * @throws {ModelError} the name is ambiguous, or the download fails
 */
export async function expectStoredModel(name: string, offer: DownloadOffer): Promise<string> {
  const { config, environment, terminal, downloadConsent } = offer;
  const store = new ModelStore(resolveModelPlaces(environment, config.modelsDir));
  const storeError = await findMissing(store, name);
  if (storeError === undefined) return name;
  const source = findPullableName(name);
  if (source === undefined) throw new StartupError(storeError.message, storeError);
  const { stdin, stderr } = terminal;
  const isAsked =
    downloadConsent === "after-asking" && stdin.isTTY === true && stderr.isTTY === true;
  const question = `${name} is not on this machine. Download ${source}?`;
  const mayPull =
    !config.offline &&
    (downloadConsent === "without-asking" || (isAsked && (await askUser(question, offer))));
  if (!mayPull) {
    const reason = offer.reason ?? storeError.message;
    throw new StartupError(
      `${reason.replace(/\.$/, "")}; to download it: ggufd pull ${source}, or --yes`,
      storeError,
    );
  }
  await pull(source, offer);
  return source;
}

/** @returns the store's error; `undefined` if it has the model */
async function findMissing(store: ModelStore, name: string): Promise<ModelError | undefined> {
  try {
    await store.find(name);
    return undefined;
  } catch (error) {
    if (error instanceof ModelError && error.code === "not_found") return error;
    throw error;
  }
}

/**
 * Downloads a model. Its progress is written to standard error, as standard output is for answers.
 */
async function pull(
  source: string,
  { config, environment, terminal: { stderr }, signal }: DownloadOffer,
): Promise<void> {
  const options = { names: [source], modelsDir: config.modelsDir, network: "allowed" } as const;
  try {
    await runPull(
      { ...options, ifStored: "keep", output: "text" },
      environment,
      { stdout: stderr, stderr },
      signal,
    );
  } catch (error) {
    throw signal.aborted ? new StartupError(INTERRUPTED_PULL, error) : error;
  }
}

/** Asks a question that Enter, y and yes affirm. */
async function askUser(
  question: string,
  { terminal: { stdin, stderr }, signal }: DownloadOffer,
): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  // Ctrl-C and Ctrl-D decline.
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("no")));
  try {
    const answer = lines.question(`${question} [Y/n] `, { signal }).catch(() => "no");
    const reply = await Promise.race([answer, closed]);
    return ["", "y", "yes"].includes(reply.trim().toLowerCase());
  } finally {
    lines.close();
  }
}
