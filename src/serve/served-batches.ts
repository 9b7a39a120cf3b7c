import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { messageResults } from "../api/anthropic/batches/result-format.js";
import { openAiResults } from "../api/batches/result-format.js";
import { NO_BATCHES_FOLDER, type ServedBatches } from "../api/fields/batches.js";
import { type OpenBatches, openBatches } from "../batches/open-batches.js";
import { parseListenAddress } from "../config/listen-addresses.js";
import type { Config } from "../config/settings.js";
import { type BatchActivity, NO_BATCHES } from "../core/batch-activity.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { isLocalOnly } from "../http/accepted-hosts.js";
import type { KeyRing } from "../http/keys/key-ring.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 2 ** 20;

/** Batches of a running server. */
export interface StoredBatches {
  readonly served: ServedBatches;
  readonly activity: () => BatchActivity;
  /** Stops running lines, which run again after a restart. */
  stop(): void;
  /** Settles all writes. */
  close(): Promise<void>;
}

type BatchesConfig = Pick<
  Config,
  "batches" | "batchesMaxSize" | "batchesMaxAge" | "batchLines" | "host"
>;

/**
 * Returns the folder of files and batches; `undefined`: there are none. By default, there is a
 * folder only if the server listens on this machine alone, as for conversations.
 */
export function selectBatchesFolder(
  { batches, host }: Pick<Config, "batches" | "host">,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (batches === "none") return undefined;
  if (batches !== undefined) return batches;
  if (!isLocalOnly(host.map(parseListenAddress))) return undefined;
  const dataHome = environment.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return join(dataHome, "ggufd", "batches");
}

/**
 * Opens the files and batches of the server. If the default folder cannot be used, because another
 * daemon of the user has it, there are none.
 * @param maxLineBytes largest body of the routes that answer lines
 * @throws {StartupError} if the configured folder cannot be used
 */
export async function openServedBatches(
  config: BatchesConfig,
  keys: KeyRing,
  maxLineBytes: number,
  logger: Pick<Logger, "warn">,
): Promise<StoredBatches> {
  const folder = selectBatchesFolder(config, process.env);
  if (folder === undefined) {
    const because = config.batches === "none" ? "--batches is none" : NO_BATCHES_FOLDER;
    return disable(because);
  }
  try {
    return serve(await openFolder(folder, config, keys, maxLineBytes, logger));
  } catch (error) {
    if (config.batches !== undefined || !(error instanceof StartupError)) throw error;
    const because = formatReason(error);
    logger.warn({ reason: because }, "batches are disabled: their default folder cannot be used");
    return disable(because);
  }
}

function openFolder(
  folder: string,
  { batchesMaxSize, batchesMaxAge, batchLines }: BatchesConfig,
  keys: KeyRing,
  maxLineBytes: number,
  logger: Pick<Logger, "warn">,
): Promise<OpenBatches> {
  return openBatches(folder, {
    owners: keys.owners,
    maxBytes: batchesMaxSize * MIB,
    maxAgeMs: batchesMaxAge * DAY_MS,
    linesAtOnce: batchLines,
    maxLineBytes,
    formats: { openai: openAiResults, anthropic: messageResults },
    weightOf: (owner) => keys.findByName(owner)?.key.weight ?? 1,
    onProblem: (message, details) => logger.warn({ folder, ...details }, message),
  });
}

function serve({ batches, close }: OpenBatches): StoredBatches {
  return {
    served: { are: "served", service: batches },
    activity: () => batches.activity,
    stop: () => void batches.stop(),
    close,
  };
}

function disable(because: string): StoredBatches {
  return {
    served: { are: "disabled", because },
    activity: () => NO_BATCHES,
    stop: () => undefined,
    close: async () => undefined,
  };
}
