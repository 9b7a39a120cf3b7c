import type { Logger } from "pino";
import { readApiKeys } from "./config/keys/read-api-keys.js";
import type { Config } from "./config/settings/settings.js";
import { reasonOf } from "./core/reason-of.js";
import { StartupError } from "./core/startup-error.js";
import type { KeyRing } from "./http/keys/key-ring.js";

/** Reads the key file again, if there is one. If it has become wrong, the keys stay as they were. */
export function reloadKeys(ring: KeyRing, config: Config, logger: Logger): void {
  if (config.apiKeyFile === undefined) return;
  try {
    const keys = readApiKeys(config);
    ring.replace(keys);
    logger.info({ keys: keys.length }, "the key file was read again");
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    logger.error({ reason: reasonOf(error) }, "the key file is wrong: the keys stay as they were");
  }
}
