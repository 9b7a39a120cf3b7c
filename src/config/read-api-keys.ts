import { readFileSync } from "node:fs";
import type { ApiKeys } from "../core/api-keys.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { type Config, flagOf } from "./settings.js";

/**
 * The keys of the configuration and of the key file: one key in a line, empty lines and lines that
 * begin with # are skipped.
 * @throws {StartupError} when the file cannot be read or holds no key, or a key is of both kinds.
 */
export function readApiKeys({ apiKey, apiKeyFile, readOnlyApiKey }: Config): ApiKeys {
  const full = apiKeyFile === undefined ? apiKey : [...apiKey, ...keysOfFile(apiKeyFile)];
  if (readOnlyApiKey.some((key) => full.includes(key))) {
    const others = `${flagOf("apiKey")} or ${flagOf("apiKeyFile")}`;
    throw new StartupError(
      `${flagOf("readOnlyApiKey")}: expected other keys than those of ${others}, got one of them`,
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
  if (keys.length === 0) throw new StartupError(`--api-key-file ${path}: holds no key`);
  return keys;
}
