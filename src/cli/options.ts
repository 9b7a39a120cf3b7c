import { type Command, Option } from "commander";
import type { Setting } from "../config/setting.js";
import {
  environmentVariableOf,
  flagOf,
  olderNames,
  type SettingName,
  settingGroups,
  settings,
} from "../config/settings.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";

/** Adds the options that select a daemon: its URL, an API key, and the configuration file. */
export function withDaemonOptions(command: Command, keyHelp: string): Command {
  return command
    .addOption(
      new Option(
        "--url <URL>",
        "URL of the daemon, or unix:PATH (default: from --host and --port)",
      ),
    )
    .addOption(keyOption(keyHelp))
    .addOption(configOption());
}

/**
 * Creates the option for an API key.
 * @param help states the scope that the key needs
 */
export function keyOption(help: string): Option {
  return new Option("--api-key <KEY>", help).env(environmentVariableOf("apiKey"));
}

/** Adds the options that select the model folder. */
export function withStoreSettings(command: Command): Command {
  return command.addOption(toOption("modelsDir", settings.modelsDir)).addOption(configOption());
}

/** Creates the option for the configuration file. */
export function configOption(): Option {
  return new Option("--config <FILE>", "JSON file of settings").argParser((path: string) => path);
}

/**
 * Creates an option for memory in GiB.
 * @throws {StartupError} on parsing text that is not a number above 0
 */
export function memoryOption(flags: string, help: string): Option {
  return new Option(flags, help).argParser((text) => {
    const gibibytes = Number(text);
    if (gibibytes > 0 && Number.isFinite(gibibytes)) return gibibytes;
    throw new StartupError(
      `${flags.split(" ")[0]}: expected a number of GiB above 0, got ${preview(text)}`,
    );
  });
}

interface NumberRange {
  readonly expected: string;
  readonly has: (value: number) => boolean;
}

export const POSITIVE_INTEGER: NumberRange = {
  expected: "an integer of at least 1",
  has: (value) => Number.isSafeInteger(value) && value >= 1,
};
export const NON_NEGATIVE_NUMBER: NumberRange = {
  expected: "a number of at least 0",
  has: (value) => Number.isFinite(value) && value >= 0,
};

/**
 * Creates an option for a number in a range.
 * @throws {StartupError} on parsing text that is not a number in the range
 */
export function numberOption(flags: string, help: string, { expected, has }: NumberRange): Option {
  return new Option(flags, help).argParser((text) => {
    const value = Number(text);
    if (text.trim() !== "" && has(value)) return value;
    throw new StartupError(`${flags.split(" ")[0]}: expected ${expected}, got ${preview(text)}`);
  });
}

/**
 * Each reading costs the server some milliseconds, and a table that changes faster is unreadable.
 */
const SHORTEST_INTERVAL_SECONDS = 0.1;
const LONGEST_INTERVAL_SECONDS = 3600;

/**
 * Creates an option for the interval between two readings, in seconds.
 * @throws {StartupError} on parsing text that is out of range
 */
export function secondsOption(flags: string, help: string): Option {
  return new Option(flags, help).argParser((text) => {
    const seconds = Number(text);
    if (seconds >= SHORTEST_INTERVAL_SECONDS && seconds <= LONGEST_INTERVAL_SECONDS) return seconds;
    throw new StartupError(
      `${flags.split(" ")[0]}: expected a number of seconds from ${SHORTEST_INTERVAL_SECONDS} to ${LONGEST_INTERVAL_SECONDS}, got ${preview(text)}`,
    );
  });
}

/** Most used settings, which the help lists first. */
const FIRST_SETTINGS: readonly SettingName[] = [
  ...(["model", "alias", "contextSize", "parallel", "gpu", "gpuLayers"] as const),
  ...(["threads", "host", "port", "apiKey"] as const),
];

/** Adds a model argument and all settings to a command. */
export function withSettings(command: Command): Command {
  command.argument("[MODEL]", "GGUF model to serve, same as --model");
  for (const name of FIRST_SETTINGS) addSetting(command, name, "Most used");
  for (const [group, members] of Object.entries(settingGroups)) {
    for (const name of Object.keys(members) as SettingName[]) {
      if (!FIRST_SETTINGS.includes(name)) addSetting(command, name, group);
    }
  }
  for (const [older, name] of Object.entries(olderNames)) addOlderName(command, older, name);
  return command
    .addOption(configOption())
    .allowExcessArguments(false)
    .copyInheritedSettings(command.parent ?? command)
    .addHelpText(
      "after",
      "\nEach setting has an environment variable (--context-size: GGUFD_CONTEXT_SIZE)\n" +
        "and a key in the --config file (contextSize). Precedence: flags, environment,\n" +
        "file, defaults. llama-server's flags are accepted where ggufd has an equivalent.",
    );
}

function addSetting(command: Command, name: SettingName, group: string): void {
  command.addOption(toOption(name, settings[name]).helpGroup(`${group}:`));
}

/** Adds a hidden flag for the former name of a setting. */
function addOlderName(command: Command, older: string, name: SettingName): void {
  const setting = { ...settings[name], help: `older name of ${flagOf(name)}` };
  command.addOption(toOption(older, { ...setting, schema: setting.schema.optional() }).hideHelp());
}

/** Creates the option of a setting, under its current or a former name. */
export function toOption(name: string, { form, help, placeholder, schema }: Setting): Option {
  const flags = form === "switch" ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
  const defaultValue: unknown = schema.safeParse(undefined).data;
  const defaultText =
    typeof defaultValue === "string" || typeof defaultValue === "number"
      ? ` (default: ${defaultValue})`
      : "";
  const option = new Option(flags, `${help}${defaultText}`);
  // Commander treats `--no-model` as the negation of `--model`; in ggufd it is a separate switch.
  option.negate = false;
  if (form !== "list") return option;
  return option.argParser<string[]>((value, previous = []) => [...previous, value]);
}
