import { statSync } from "node:fs";
import { type Config, flagOf, type SettingName } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { expectAppendable, expectRegularFile } from "../files/regular-files.js";

const FILE_SETTINGS = [
  ...([
    "todos",
    "conversations",
    "apiKeyFile",
    "keyStore",
    "accessRules",
    "accessLog",
    "logFile",
    "logContent",
  ] as const),
  ...(["tlsCert", "tlsKey"] as const),
] satisfies SettingName[];

/**
 * Rejects FIFOs, sockets, devices and folders in place of files, before any slow import. The code
 * that opens a file checks it again.
 * @throws {StartupError} naming the option and the path
 */
export function expectNamedFiles(config: Pick<Config, (typeof FILE_SETTINGS)[number]>): void {
  for (const setting of FILE_SETTINGS) {
    const path = config[setting];
    // `none` is not a path: it keeps conversations in memory.
    const stats = path === undefined || path === "none" ? undefined : statIfPresent(path);
    if (stats === undefined) continue;
    try {
      if (setting === "accessLog" || setting === "logFile") expectAppendable(stats);
      else expectRegularFile(stats);
    } catch (error) {
      throw new StartupError(`${flagOf(setting)} ${path}: ${formatReason(error)}`, error);
    }
  }
}

/** Returns `undefined` if the path does not exist or is inaccessible, which opening it reports. */
function statIfPresent(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
