import { readFileSync } from "node:fs";
import type { ApiKeys } from "../core/api-keys.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { type Config, flagOf } from "./settings.js";

/**
 * Combines the keys of the configuration and of the key file: one key per line; empty lines and
 * lines starting with # are ignored.
 * @throws {StartupError} when the file cannot be read or contains no key, or a full key is also
 *   read-only
 */
export function readApiKeys({ apiKey, apiKeyFile, readOnlyApiKey }: Config): ApiKeys {
  const full = apiKeyFile === undefined ? apiKey : [...apiKey, ...keysOfFile(apiKeyFile)];
  if (readOnlyApiKey.some((key) => full.includes(key))) {
    const flags = `${flagOf("apiKey")} or ${flagOf("apiKeyFile")}`;
    throw new StartupError(
      `${flagOf("readOnlyApiKey")}: expected other keys than those of ${flags}, got one of them`,
    );
  }
  return { full, readOnly: readOnlyApiKey };
}

function keysOfFile(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(`--api-key-file ${path}: cannot be read: ${reasonOf(error)}`, error);
  }
  const keys = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0) throw new StartupError(`--api-key-file ${path}: contains no key`);
  return keys;
}
