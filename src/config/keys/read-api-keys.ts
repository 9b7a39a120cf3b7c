import type { ApiKey } from "../../core/api-keys.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { readRegularFile } from "../../files/regular-files.js";
import { type Config, flagOf } from "../settings.js";
import { buildApiKey, parseKeyLine, readKey } from "./key-line.js";

/** Key and the location that defines it. */
interface FoundKey {
  /** Location for messages: a flag, or a line of the file. */
  readonly location: string;
  readonly key: ApiKey;
}

/**
 * Reads the keys of the configuration and of the key file, which has one key per line; empty lines
 * and lines starting with # are ignored.
 * @throws {StartupError} the file cannot be read, has no key or an invalid line, or two keys are
 *   equal or have the same name; the message contains no key
 */
export function readApiKeys({ apiKey, apiKeyFile, readOnlyApiKey }: Config): readonly ApiKey[] {
  const found = [
    ...apiKey.map((written) => readFlagKey(flagOf("apiKey"), written, "full")),
    ...readOnlyApiKey.map((written) => readFlagKey(flagOf("readOnlyApiKey"), written, "read-only")),
    ...(apiKeyFile === undefined ? [] : readKeyFile(apiKeyFile)),
  ];
  rejectDuplicates(found, ({ key }) => key.sha256, "key");
  rejectDuplicates(found, ({ key }) => key.name, "name");
  return found.map(({ key }) => key);
}

function readFlagKey(location: string, written: string, access: ApiKey["access"]): FoundKey {
  const key = readKey(written);
  if ("problem" in key) throw new StartupError(`${location}: ${key.problem}`);
  return { location, key: buildApiKey(key.sha256, { access }) };
}

function readKeyFile(path: string): readonly FoundKey[] {
  const file = `${flagOf("apiKeyFile")} ${path}`;
  const lines = readText(path, file).split("\n");
  const found = lines.flatMap((line, index) => {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) return [];
    const location = `${file}: line ${index + 1}`;
    return [{ location, key: parseKeyLine(text, location) }];
  });
  if (found.length === 0) throw new StartupError(`${file}: contains no key`);
  return found;
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new StartupError(`${file}: cannot be read: ${formatReason(error)}`, error);
  }
}

/** @throws {StartupError} for the second of two keys that share a value or name */
function rejectDuplicates(
  found: readonly FoundKey[],
  partOf: (found: FoundKey) => string,
  property: "key" | "name",
): void {
  const locations = new Map<string, string>();
  for (const one of found) {
    const earlierLocation = locations.get(partOf(one));
    if (earlierLocation !== undefined) {
      throw new StartupError(
        `${one.location}: expected a unique ${property}, got that of ${earlierLocation}`,
      );
    }
    locations.set(partOf(one), one.location);
  }
}
