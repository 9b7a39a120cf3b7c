import { type Command, Option } from "commander";
import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";
import { loadDaemonSettings } from "../daemon-settings.js";
import { collectKeyAttributes, withKeyAttributes } from "../key-attributes.js";
import { withDaemonOptions } from "../options.js";
import type { NewKeyArguments } from "./create-first-key.js";
import type { ManageKeysArguments } from "./manage-keys.js";

export interface KeysActions {
  manageKeys(options: ManageKeysArguments): Promise<void>;
  createFirstKey(options: NewKeyArguments): Promise<void>;
}

/** Adds `keys`, the commands for the API keys of a running daemon. */
export function addKeysCommands(
  program: Command,
  { manageKeys: manage, createFirstKey }: KeysActions,
): void {
  const keys = program
    .command("keys")
    .description("manage the API keys of the running daemon")
    .copyInheritedSettings(program);
  const command = (name: string, description: string) =>
    withDaemonOptions(keys.command(name).description(description), "API key with the scope admin")
      .addOption(new Option("--json", "print JSON"))
      .allowExcessArguments(false)
      .copyInheritedSettings(program);
  const readSettings = (flags: Flags): Pick<ManageKeysArguments, "daemon" | "output"> => {
    const { url, apiKey, config, json = false } = flags;
    const { daemon } = loadDaemonSettings({ url, apiKey, config });
    return { daemon, output: json ? "json" : "text" };
  };

  command("list", "list all API keys").action(async (flags: Flags) =>
    manage({ action: "list", ...readSettings(flags) }),
  );

  const create = withKeyAttributes(command("create", "create an API key"), ["name"])
    .argument("<NAME>", "name of the key, which owns its stored data")
    .addOption(expiryOption())
    .addOption(new Option("--key-store <PATH>", "create the key in this file of a stopped daemon"))
    .action(async (name: string, { keyStore, expires, ...flags }: Flags) => {
      const attributes = collectKeyAttributes(create);
      if (keyStore === undefined) {
        return manage({ action: "create", name, attributes, expires, ...readSettings(flags) });
      }
      return createFirstKey({ path: keyStore, name, attributes, expires });
    });

  const update = withKeyAttributes(command("update", "change attributes of an API key"), ["name"])
    .argument("<NAME>", "name of the key")
    .addOption(expiryOption())
    .action(async (name: string, { expires, ...flags }: Flags) =>
      manage({
        action: "update",
        name,
        attributes: collectKeyAttributes(update),
        expires,
        ...readSettings(flags),
      }),
    );

  command("rotate", "replace the value of an API key")
    .argument("<NAME>", "name of the key")
    .addOption(
      new Option(
        "--grace <SECONDS>",
        "time for which the previous value is accepted (default: 0)",
      ).argParser(parseSeconds),
    )
    .action(async (name: string, { grace = 0, ...flags }: Flags) =>
      manage({ action: "rotate", name, graceSeconds: grace, ...readSettings(flags) }),
    );

  for (const [action, description] of [
    ["disable", "refuse an API key until it is enabled again"],
    ["enable", "accept a disabled API key again"],
    ["delete", "delete an API key"],
  ] as const) {
    command(action, description)
      .argument("<NAME>", "name of the key")
      .action(async (name: string, flags: Flags) =>
        manage({ action, name, ...readSettings(flags) }),
      );
  }

  command("audit", "list the changes of API keys, latest first").action(async (flags: Flags) =>
    manage({ action: "audit", ...readSettings(flags) }),
  );
}

interface Flags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly keyStore?: string;
  /** In seconds since 1970. */
  readonly expires?: number;
  readonly grace?: number;
}

function expiryOption(): Option {
  return new Option("--expires <TIME>", "date or time after which the key is refused").argParser(
    parseTime,
  );
}

/**
 * Parses a date, whose first moment in UTC it means, or a time with its zone.
 * @returns seconds since 1970
 * @throws {StartupError}
 */
function parseTime(text: string): number {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms / 1000;
  throw new StartupError(
    `--expires: expected a date or time such as 2027-01-31 or 2027-01-31T12:00Z, got ${preview(text)}`,
  );
}

/** @throws {StartupError} */
function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(seconds)) return seconds;
  throw new StartupError(`--grace: expected an integer of at least 0, got ${preview(text)}`);
}
