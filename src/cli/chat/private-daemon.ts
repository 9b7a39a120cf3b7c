import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameOf, parseModelReference } from "../../config/model-reference.js";
import { type Config, SHIPPED_MODEL } from "../../config/settings.js";
import { startEngines } from "../../serve/start-engines.js";
import { createProgressBar, type ProgressTerminal } from "../../serve/start-screen.js";
import { createLogger } from "../../telemetry/logger.js";
import { DaemonClient } from "../daemon/daemon-client.js";

/** Daemon that runs in the process of a command and ends with it. */
export interface OwnDaemon {
  readonly client: DaemonClient;
  /** Model name for requests; `undefined`: the daemon's first model. */
  readonly model: string | undefined;
  stop(): Promise<void>;
}

const KEY_BYTES = 32;

/**
 * Starts a private daemon in this process: on a free loopback port, with a random key, and with a
 * temporary folder for its files. Its model has the same settings as in any other daemon.
 * @param model value as for `--model`, or any other name of a model on this machine; `undefined`:
 *   the configured model
 * @throws {StartupError} the model cannot be loaded
 */
export async function startOwnDaemon(
  config: Config,
  model: string | undefined,
  terminal: ProgressTerminal,
): Promise<OwnDaemon> {
  const apiKey = randomBytes(KEY_BYTES).toString("base64url");
  const forChats: Partial<Config> = {
    embeddingModel: undefined,
    embeddingAlias: undefined,
    rerankingModel: undefined,
    rerankingAlias: undefined,
    apiKey: [apiKey],
    readOnlyApiKey: [],
    apiKeyFile: undefined,
    keyStore: undefined,
    batches: "none",
    usage: "none",
  };
  return startPrivately(
    { ...config, ...modelSettings(model), ...forChats },
    { model, terminal, apiKey },
  );
}

/**
 * Starts a private daemon for batches, in the folder of other daemons. Batches belong to keys, so
 * its keys are the configured ones.
 * @param model as for {@link startOwnDaemon}; `undefined`: the configured models
 * @param apiKey key of the client
 * @throws {StartupError} the model cannot be loaded, or another process uses the configured folder
 */
export async function startBatchDaemon(
  config: Config,
  model: string | undefined,
  options: { readonly terminal: ProgressTerminal; readonly apiKey: string | undefined },
): Promise<OwnDaemon> {
  return startPrivately({ ...config, ...modelSettings(model) }, { model, ...options });
}

async function startPrivately(
  config: Config,
  {
    model,
    terminal,
    apiKey,
  }: {
    readonly model: string | undefined;
    readonly terminal: ProgressTerminal;
    readonly apiKey: string | undefined;
  },
): Promise<OwnDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-run-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Removes the folder even if `stop` is not called, since the daemon ends with this process.
  process.once("exit", removeFolder);
  const ownConfig: Config = {
    ...config,
    host: ["127.0.0.1"],
    port: 0,
    tlsCert: undefined,
    tlsKey: undefined,
    accessLog: "off",
    todos: join(folder, "todos.json"),
    conversations: "none",
  };
  const engines = startEngines(ownConfig);
  // Imported on demand: a command with a running daemon does not need the server.
  const { startDaemon } = await import("../../serve/runtime.js");
  const daemon = await startDaemon({
    config: ownConfig,
    reread: () => ownConfig,
    ...engines,
    logger: createLogger(config.logLevel),
    onProgress: createProgressBar("loading the model", terminal),
  });
  return {
    client: new DaemonClient({ url: daemon.url, apiKey }),
    model: daemon.models.length === 0 ? model : undefined,
    async stop() {
      // An aborted signal skips the drain: no client is waiting for an answer.
      await daemon.stop(AbortSignal.abort());
      process.off("exit", removeFolder);
      removeFolder();
    },
  };
}

function modelSettings(model: string | undefined): Partial<Config> {
  return model === undefined ? {} : { ...WITHOUT_MODELS, ...settingsFor(model) };
}

/** Overrides for configured models, so that only the requested model is served. */
const WITHOUT_MODELS = {
  model: undefined,
  alias: undefined,
  modelsPreset: undefined,
  presets: [],
} as const satisfies Partial<Config>;

/** Values that `--model` accepts are loaded at the start; the daemon looks up all other names. */
export function settingsFor(model: string): Partial<Config> {
  // The configuration without models serves the shipped one.
  if (isShippedModel(model)) return { noModel: false, loadOnStartup: true, storedModels: "hide" };
  const isForFlag = parseModelReference(model).kind === "name" || isModelPath(model);
  return isForFlag
    ? { model, noModel: false, loadOnStartup: true, storedModels: "hide" }
    : { noModel: true, storedModels: "serve" };
}

/** Whether a text is the name of the model that ggufd ships, in any case. */
export function isShippedModel(text: string): boolean {
  return text.toLowerCase() === nameOf(parseModelReference(SHIPPED_MODEL)).toLowerCase();
}

/** Whether a text means a file. Slashes alone do not decide, as model names contain them too. */
export function isModelPath(text: string): boolean {
  return /^(?![a-z]+:).*\.gguf$|^[./~]/is.test(text) || existsSync(text);
}
