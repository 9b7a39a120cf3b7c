import { text } from "node:stream/consumers";
import type { Config } from "../../config/settings.js";
import { StartupError } from "../../core/startup-error.js";
import { type DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import { type DaemonChoice, findDaemon } from "../daemon/find-daemon.js";
import { showLoading } from "../daemon/loading-display.js";
import { fetchServedModel } from "../daemon/served-models.js";
import { type AnswerOutput, AnswerPrinter } from "./answer-printer.js";
import { chat } from "./chat.js";
import { Conversation } from "./conversation.js";
import { type DownloadOffer, expectStoredModel } from "./offer-download.js";
import { isModelPath, isShippedModel, startOwnDaemon } from "./private-daemon.js";
import {
  type Answer,
  type AnswerOptions,
  type AnswerPiece,
  streamAnswer,
} from "./stream-answer.js";
import type { TypingTerminal } from "./typed-messages.js";

export interface RunArguments extends AnswerOptions {
  /** Words of the prompt on the command line. */
  readonly words: readonly string[];
  readonly system: string | undefined;
  readonly output: "text" | "json";
  readonly daemon: DaemonChoice;
  readonly downloadConsent: DownloadOffer["downloadConsent"];
  /** Configuration for a private daemon, if none is running. */
  readonly config: Config;
}

export interface RunTerminal {
  readonly stdin: TypingTerminal["input"] & { readonly isTTY?: boolean };
  readonly stdout: TypingTerminal["output"] & AnswerOutput;
  readonly stderr: AnswerOutput & DownloadOffer["terminal"]["stderr"];
}

/** Exit code after Ctrl-C, as in shells. */
const INTERRUPTED = 130;

/** Handles SIGINT outside of a conversation: ends the process, or only the current work. */
export class CtrlC {
  #handle = (): void => process.exit(INTERRUPTED);

  readonly press = (): void => this.#handle();

  /** Runs a task during which Ctrl-C only aborts the task's signal. */
  async runInterruptibly<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const previousHandler = this.#handle;
    const controller = new AbortController();
    this.#handle = () => controller.abort();
    try {
      return await work(controller.signal);
    } finally {
      this.#handle = previousHandler;
    }
  }
}

/**
 * Answers one prompt, made of the words of the command line and of standard input if it is not a
 * terminal; without a prompt, starts a chat.
 * @returns the exit code
 * @throws {StartupError} there is no prompt, no daemon or no such model
 * @throws {ModelError} the model cannot be downloaded
 */
export async function runRun(
  options: RunArguments,
  terminal: RunTerminal,
  ctrlC: CtrlC,
): Promise<number> {
  const prompt = await readPrompt(options, terminal);
  const daemonClient = await findRunningDaemon(options, terminal);
  const model = await ensureDownloaded(daemonClient, options, { terminal, ctrlC });
  const resolvedOptions = { ...options, model };
  if (daemonClient !== undefined)
    return converse(daemonClient, resolvedOptions, { prompt, terminal, ctrlC });
  const ownDaemon = await startOwnDaemon(options.config, model, terminal.stderr);
  try {
    const { client, model } = ownDaemon;
    return await converse(client, { ...options, model }, { prompt, terminal, ctrlC });
  } finally {
    await ownDaemon.stop();
  }
}

/** @returns `undefined` if the user is to type messages at a terminal */
async function readPrompt(
  { words, output }: RunArguments,
  { stdin }: RunTerminal,
): Promise<string | undefined> {
  const input = stdin.isTTY ? "" : await text(stdin);
  const prompt = [words.join(" "), input.trimEnd()].filter((part) => part !== "").join("\n\n");
  if (prompt !== "") return prompt;
  if (stdin.isTTY && output === "text") return undefined;
  const place = stdin.isTTY ? "--json: expected a prompt" : "expected a prompt";
  throw new StartupError(`${place}, as arguments after the model or on standard input`);
}

/**
 * Finds the running daemon.
 * @returns `undefined` if none is running, or if this command must serve the model itself: a model
 *   file, because daemons know names only, or the shipped model if the daemon does not have it
 */
async function findRunningDaemon(
  { model, daemon }: RunArguments,
  { stderr }: RunTerminal,
): Promise<DaemonClient | undefined> {
  const isFile = model !== undefined && isModelPath(model);
  if (isFile && daemon.selection === "configured") return undefined;
  const found = await findDaemon(daemon, { terminal: stderr });
  if (found === undefined || daemon.selection === "named") return found;
  if (model === undefined || !isShippedModel(model)) return found;
  return (await fetchRefusal(found, model)) === undefined ? found : undefined;
}

/**
 * Makes sure that the model is on this machine, if that is where it is served; offers to download
 * it otherwise.
 * @returns the name to use from now on
 */
async function ensureDownloaded(
  running: DaemonClient | undefined,
  { model, daemon, config, downloadConsent }: RunArguments,
  { terminal, ctrlC }: Omit<ConverseOptions, "prompt">,
): Promise<string | undefined> {
  if (model === undefined || isModelPath(model) || isShippedModel(model)) return model;
  if (daemon.selection === "named") return model;
  const refusal = running && (await fetchRefusal(running, model));
  if (running !== undefined && refusal === undefined) return model;
  return ctrlC.runInterruptibly((signal) =>
    expectStoredModel(model, {
      ...{ config, downloadConsent, terminal, signal },
      environment: process.env,
      ...(refusal !== undefined && { reason: refusal.message }),
    }),
  );
}

/** @returns the daemon's error if it has no model of this name */
async function fetchRefusal(daemon: DaemonClient, model: string): Promise<DaemonError | undefined> {
  try {
    await fetchServedModel(daemon, model);
  } catch (error) {
    // Other errors, such as an invalid key, recur with the first prompt and are reported then.
    if (error instanceof DaemonError && error.code === "model_not_found") return error;
  }
  return undefined;
}

interface ConverseOptions {
  readonly prompt: string | undefined;
  readonly terminal: RunTerminal;
  readonly ctrlC: CtrlC;
}

async function converse(
  daemon: DaemonClient,
  options: RunArguments,
  { prompt, terminal, ctrlC }: ConverseOptions,
): Promise<number> {
  const conversation = new Conversation(options.system);
  if (prompt === undefined) {
    await chat({ daemon, options, conversation, terminal });
    return 0;
  }
  const printer = new AnswerPrinter(terminal.stdout);
  const stopShowing = showLoading(daemon, { terminal: terminal.stderr });
  const onPiece = (piece: AnswerPiece) => {
    stopShowing();
    if (options.output === "text") printer.add(piece);
  };
  try {
    const answer = await ctrlC.runInterruptibly((signal) =>
      streamAnswer(daemon, conversation.with(prompt), options, { signal, onPiece }),
    );
    if (options.output === "json") terminal.stdout.write(`${printAnswer(answer)}\n`);
    return answer.finishReason === undefined ? INTERRUPTED : 0;
  } finally {
    stopShowing();
    printer.end();
  }
}

function printAnswer({ model, text, reasoning, finishReason, usage }: Answer): string {
  const finish_reason = finishReason ?? null;
  return JSON.stringify({ model, text, reasoning, finish_reason, usage: usage ?? null });
}
