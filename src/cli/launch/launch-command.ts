import { z } from "zod";
import { StartupError } from "../../core/startup-error.js";
import type { ProgressTerminal } from "../../serve/start-screen.js";
import type { DaemonClient } from "../daemon/daemon-client.js";
import { connectToDaemon, type DaemonChoice } from "../daemon/find-daemon.js";
import { showLoading } from "../daemon/loading-display.js";
import {
  fetchServedModel,
  fetchServedModels,
  type ServedModelEntry,
} from "../daemon/served-models.js";
import { isUnixUrl } from "../daemon/server-url.js";
import { formatTextTable } from "../text-table.js";
import { type ClientName, type CodingClient, codingClients } from "./clients.js";
import { findProgram } from "./find-program.js";
import { resolveClientFolder, writePrivately } from "./private-folder.js";
import { startClient } from "./start-client.js";

export interface LaunchArguments {
  /** Agent to start; `undefined`: list all agents. */
  readonly client: ClientName | undefined;
  /** Model name; `undefined`: the daemon's only or only loaded model. */
  readonly model: string | undefined;
  /** Arguments for the agent. */
  readonly args: readonly string[];
  readonly daemon: DaemonChoice;
}

export interface LaunchTerminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressTerminal;
}

/**
 * Starts a coding agent with a model of a running daemon, or lists the agents.
 * @returns the exit code
 * @throws {StartupError} the agent is not installed, or there is no daemon or no such model
 */
export async function runLaunch(
  { client, model, args, daemon: choice }: LaunchArguments,
  environment: NodeJS.ProcessEnv,
  terminal: LaunchTerminal,
): Promise<number> {
  if (client === undefined) {
    terminal.stdout.write(await describeClients(environment));
    return 0;
  }
  const { title, program, install, minContextSize, resumeArgs, setup, ...variables } =
    codingClients[client];
  if (isUnixUrl(choice.url)) {
    throw new StartupError(
      `${title} cannot connect to Unix sockets: expected --url http://…, got ${choice.url}`,
    );
  }
  const path = await findProgram(program, environment);
  if (path === undefined) {
    throw new StartupError(
      `${title} is not installed: ${program} was not found on PATH; ${install}`,
    );
  }
  const daemon = await connectToDaemon(choice, { terminal: terminal.stderr });
  const { id } = await chooseModel(daemon, model);
  const contextSize = await loadAndReadContext(daemon, id, terminal.stderr);
  if (contextSize < minContextSize) {
    terminal.stderr.write(
      `ggufd: ${id} has a context of ${contextSize} tokens, but ${title} needs about ${minContextSize}; raise the daemon's --context-size\n`,
    );
  }
  terminal.stderr.write(
    `ggufd: to resume the session later: ggufd launch ${client} --model ${id} -- ${resumeArgs}\n`,
  );
  const folder = resolveClientFolder(client, environment);
  const { files, ...clientSetup } = setup({ url: daemon.url, model: id, contextSize, folder });
  if (files !== undefined) await writePrivately(folder, files);
  return startClient({
    program: path,
    args: [...clientSetup.args, ...args],
    environment: {
      ...withoutVariables(variables.otherVariables, environment),
      ...clientSetup.environment,
      // Agents require a key even if the daemon has none.
      [variables.keyVariable]: choice.apiKey ?? "none",
    },
  });
}

/** Formats the agents as a table, with where each is installed. */
export async function describeClients(environment: NodeJS.ProcessEnv): Promise<string> {
  const rows = await Promise.all(
    Object.entries<CodingClient>(codingClients).map(async ([name, { title, program, install }]) => {
      const path = await findProgram(program, environment);
      return [name, title, path ?? `not installed: ${install}`];
    }),
  );
  return `${formatTextTable([["name", "program", "where"], ...rows]).join("\n")}\n`;
}

/** @throws {StartupError} there is no model, or there are several and none is named */
async function chooseModel(
  daemon: DaemonClient,
  name: string | undefined,
): Promise<ServedModelEntry> {
  if (name !== undefined) return expectGenerating(await fetchServedModel(daemon, name));
  const models = (await fetchServedModels(daemon)).filter(mayGenerate);
  const loaded = models.filter(({ status }) => status.value === "loaded");
  const [first, ...others] = loaded.length > 0 ? loaded : models;
  if (first === undefined) {
    throw new StartupError(`the daemon at ${daemon.url} has no model that generates text`);
  }
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ id }) => id).join(", ");
  throw new StartupError(`--model: expected one of ${names}, got nothing`);
}

function expectGenerating(model: ServedModelEntry): ServedModelEntry {
  if (mayGenerate(model)) return model;
  throw new StartupError(`--model: expected a model that generates text, got ${model.id}`);
}

/** Whether a model may generate text; capabilities are known only once it is loaded. */
function mayGenerate({ capabilities }: ServedModelEntry): boolean {
  return capabilities === undefined || capabilities.includes("completion");
}

const tokenizeResponse = z.object({ max_model_len: z.number() });

/** Loads a model, as its first request would, and returns its context size. Needs no admin key. */
async function loadAndReadContext(
  daemon: DaemonClient,
  model: string,
  terminal: ProgressTerminal,
): Promise<number> {
  const stopShowing = showLoading(daemon, { terminal });
  try {
    const { max_model_len } = await daemon.post(
      "/tokenize",
      { model, content: "" },
      tokenizeResponse,
    );
    return max_model_len;
  } finally {
    stopShowing();
  }
}

function withoutVariables(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}
