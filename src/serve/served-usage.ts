import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { NO_USAGE_ACTIVITY, type ServedUsage, type UsageActivity } from "../core/usage.js";
import { openUsage } from "../usage/open-usage.js";
import type { UsageStore } from "../usage/usage-store.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Usage of a running server. */
export interface StoredUsage {
  readonly served: ServedUsage<UsageStore>;
  readonly activity: () => UsageActivity;
  /** Writes the usage in memory. */
  close(): Promise<void>;
}

type UsageConfig = Pick<Config, "usage" | "usageRetention">;

/** Returns the folder of usage; `undefined`: none is kept. */
export function selectUsageFolder(
  { usage }: Pick<Config, "usage">,
  { XDG_DATA_HOME: dataHome = "" }: NodeJS.ProcessEnv,
): string | undefined {
  if (usage === "none") return undefined;
  return usage ?? join(dataHome || join(homedir(), ".local", "share"), "ggufd", "usage");
}

/**
 * Opens the usage of the server. If the default folder cannot be used, because another daemon of
 * the user has it, none is kept.
 * @throws {StartupError} if the configured folder cannot be used
 */
export async function openServedUsage(
  config: UsageConfig,
  logger: Pick<Logger, "warn" | "error">,
): Promise<StoredUsage> {
  const folder = selectUsageFolder(config, process.env);
  if (folder === undefined) return disable("--usage is none");
  try {
    const { store, close } = await openUsage(folder, {
      retentionMs: config.usageRetention * DAY_MS,
      onFailed: (error, requests) =>
        logger.error(
          { reason: formatReason(error), folder, requests },
          "usage cannot be written; it is kept in memory and written later",
        ),
    });
    return { served: { is: "kept", usage: store }, activity: () => store.activity, close };
  } catch (error) {
    if (config.usage !== undefined || !(error instanceof StartupError)) throw error;
    const because = formatReason(error);
    logger.warn({ reason: because }, "usage is not kept: its default folder cannot be used");
    return disable(because);
  }
}

function disable(because: string): StoredUsage {
  return {
    served: { is: "disabled", because },
    activity: () => NO_USAGE_ACTIVITY,
    close: async () => undefined,
  };
}
