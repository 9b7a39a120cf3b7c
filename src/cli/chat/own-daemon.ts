import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { referenceOf } from "../../config/model-reference.js";
import type { Config } from "../../config/settings.js";
import { type ProgressTerminal, progressBar } from "../../serve/start-screen.js";
import { createLogger } from "../../telemetry/logger.js";
import { DaemonClient } from "../daemon/daemon-client.js";

/** A daemon that ends with the command that has started it. */
export interface OwnDaemon {
  readonly client: DaemonClient;
  /** The name to ask for; `undefined`: its first model. */
  readonly model: string | undefined;
  stop(): Promise<void>;
}

const KEY_BYTES = 32;

/**
 * Starts a daemon in this process, for nobody else: on a free loopback port, with a key that nobody knows, and with no
 * file but a temporary one. Its model has the settings that it would have in any daemon.
 * @param model as with `--model`, or any other name that a model on this machine has; `undefined`: what the settings say
 * @throws {StartupError} it cannot be loaded
 */
export async function startOwnDaemon(
  config: Config,
  model: string | undefined,
  terminal: ProgressTerminal,
): Promise<OwnDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-run-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // However this process ends: its daemon ends with it.
  process.once("exit", removeFolder);
  const apiKey = randomBytes(KEY_BYTES).toString("base64url");
  // Loads the native library, which a conversation with a running daemon does without.
  const { startDaemon } = await import("../../serve/runtime.js");
  const daemon = await startDaemon({
    config: {
      ...config,
      ...(model !== undefined && { ...WITHOUT_MODELS, ...settingsFor(model) }),
      embeddingModel: undefined,
      embeddingAlias: undefined,
      rerankingModel: undefined,
      rerankingAlias: undefined,
      host: ["127.0.0.1"],
      port: 0,
      tlsCert: undefined,
      tlsKey: undefined,
      apiKey: [apiKey],
      readOnlyApiKey: [],
      apiKeyFile: undefined,
      accessLog: "off",
      todos: join(folder, "todos.json"),
      conversations: "none",
    },
    logger: createLogger(config.logLevel),
    onProgress: progressBar("loading the model", terminal),
  });
  return {
    client: new DaemonClient({ url: daemon.url, apiKey }),
    model: daemon.models.length === 0 ? model : undefined,
    async stop() {
      // Nobody waits for an answer any more.
      await daemon.stop(AbortSignal.abort());
      process.off("exit", removeFolder);
      removeFolder();
    },
  };
}

/** What was asked for is served, whatever else is configured. */
const WITHOUT_MODELS = {
  model: undefined,
  alias: undefined,
  modelsPreset: undefined,
  presets: [],
} as const satisfies Partial<Config>;

/** What `--model` takes is loaded at the start, and any other name is looked for by the daemon. */
function settingsFor(model: string): Partial<Config> {
  const isForFlag = referenceOf(model).kind === "name" || isModelPath(model);
  return isForFlag
    ? { model, noModel: false, loadOnStartup: true, storedModels: "hide" }
    : { noModel: true, storedModels: "serve" };
}

/** Whether a text means a file: names of models have slashes, too. */
export function isModelPath(text: string): boolean {
  return /^(?![a-z]+:).*\.gguf$|^[./~]/is.test(text) || existsSync(text);
}
