import { type ApiKey, hasBudget, type KeyGroup } from "../../core/api-keys.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { readRegularFile } from "../../files/regular-files.js";
import { type Config, flagOf } from "../settings.js";
import {
  type AttributeTexts,
  buildWrittenKey,
  GROUP_PREFIX,
  parseGroupLine,
  parseKeyLine,
  readKey,
} from "./key-line.js";

/** The location that defines a key or a group, for messages: a flag, or a line of the file. */
interface Found {
  readonly location: string;
}

interface FoundKey extends Found {
  readonly key: ApiKey;
}

interface FoundGroup extends Found {
  readonly group: KeyGroup;
}

/** Keys of the server, and the groups that they may belong to. */
export interface ConfiguredKeys {
  readonly keys: readonly ApiKey[];
  readonly groups: readonly KeyGroup[];
  /** First location of a budget; `undefined`: no key and no group has one. */
  readonly budgetAt: string | undefined;
}

/**
 * Reads the keys of the configuration and of the key file, which has one key or group per line;
 * empty lines and lines starting with # are ignored.
 * @throws {StartupError} the file cannot be read, has no key or an invalid line, two keys are equal
 *   or have the same name, or a key belongs to a group that the file does not define; the message
 *   contains no key
 */
export function readApiKeys({ apiKey, apiKeyFile, readOnlyApiKey }: Config): ConfiguredKeys {
  const file = apiKeyFile === undefined ? [] : readKeyFile(apiKeyFile);
  const groups = file.filter((one) => "group" in one);
  const found = [
    ...apiKey.map((written) => readFlagKey(flagOf("apiKey"), written, "full")),
    ...readOnlyApiKey.map((written) => readFlagKey(flagOf("readOnlyApiKey"), written, "read-only")),
    ...file.filter((one) => "key" in one),
  ];
  rejectDuplicates(found, ({ key }) => key.sha256, "key");
  rejectDuplicates(found, ({ key }) => key.name, "name");
  rejectDuplicates(groups, ({ group }) => group.name, "group");
  rejectUnknownGroups(found, groups);
  return {
    keys: found.map(({ key }) => key),
    groups: groups.map(({ group }) => group),
    budgetAt: [
      ...groups.filter(({ group }) => hasBudget(group.budgets)),
      ...found.filter(({ key }) => hasBudget(key.limits)),
    ].at(0)?.location,
  };
}

function readFlagKey(location: string, text: string, access: ApiKey["access"]): FoundKey {
  const key = readKey(text);
  if ("problem" in key) throw new StartupError(`${location}: ${key.problem}`);
  const written: AttributeTexts = access === "full" ? {} : { access };
  return { location, key: { ...buildWrittenKey(key.sha256, written, ""), location } };
}

function readKeyFile(path: string): readonly (FoundKey | FoundGroup)[] {
  const file = `${flagOf("apiKeyFile")} ${path}`;
  const lines = readText(path, file).split("\n");
  const found = lines.flatMap((line, index): (FoundKey | FoundGroup)[] => {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) return [];
    const location = `${file}: line ${index + 1}`;
    return [
      text.startsWith(GROUP_PREFIX)
        ? { location, group: parseGroupLine(text, location) }
        : { location, key: parseKeyLine(text, location) },
    ];
  });
  if (!found.some((one) => "key" in one)) throw new StartupError(`${file}: contains no key`);
  return found;
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new StartupError(`${file}: cannot be read: ${formatReason(error)}`, error);
  }
}

/** @throws {StartupError} for the second of two keys or groups that share a value or name */
function rejectDuplicates<Entry extends Found>(
  found: readonly Entry[],
  partOf: (found: Entry) => string,
  property: "key" | "name" | "group",
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

/** @throws {StartupError} for the first key whose group has no line: its budgets are unknown */
function rejectUnknownGroups(keys: readonly FoundKey[], groups: readonly FoundGroup[]): void {
  const names = new Set(groups.map(({ group }) => group.name));
  for (const { location, key } of keys) {
    if (key.group === undefined || names.has(key.group)) continue;
    const expected = `expected a group of the key file (a line ${GROUP_PREFIX}NAME with its budgets)`;
    throw new StartupError(`${location}: group: ${expected}, got ${key.group}`);
  }
}
