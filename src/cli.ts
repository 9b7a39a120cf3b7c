import { Command, Option } from "commander";
import { attributes } from "./config/keys/attributes.js";
import { type LoadedConfig, loadConfig } from "./config/load-config.js";
import { printConfig } from "./config/print-config.js";
import type { Setting } from "./config/settings/setting.js";
import {
  environmentVariableOf,
  flagOf,
  settingNames,
  settings,
} from "./config/settings/settings.js";
import { StartupError } from "./core/startup-error.js";
import type { KeyArguments } from "./key-command.js";
import type { PlanOptions } from "./plan-command.js";
import type { TopArguments } from "./top-command.js";
import { preview } from "./validation/preview.js";
import { version } from "./version.js";

/** Where a daemon listens by default. */
const DEFAULT_URL = "http://127.0.0.1:8080";

export interface CliActions {
  serve(config: LoadedConfig["config"]): Promise<void>;
  plan(config: LoadedConfig["config"], options: PlanOptions): Promise<void>;
  top(options: TopArguments): Promise<void>;
  key(options: KeyArguments): Promise<void>;
  buildNative(): Promise<void>;
  print(text: string): void;
}

/** The command line: `serve` (the default), `plan`, `config`, `top`, `key` and `build-native`. */
export function buildCli({ serve, plan, top, key, buildNative, print }: CliActions): Command {
  const program = new Command("ggufd")
    .description("Serves GGUF language models over HTTP, with continuous batching.")
    .version(version)
    .configureOutput({ outputError: (text, write) => write(onOneLine(text)) });

  withSettings(program.command("serve", { isDefault: true }))
    .description("start the daemon (the default)")
    .action(async (flags) => serve(effective(flags).config));

  withSettings(program.command("plan"))
    .description("print what the model takes in memory here, and which slots and contexts fit")
    .addOption(new Option("--json", "print the plan as JSON"))
    .addOption(describedMemory("--assume-memory <GIB>", "plan for a machine with this much memory"))
    .addOption(describedMemory("--assume-gpu-memory <GIB>", "plan for a GPU with this much memory"))
    .action(async ({ json = false, assumeMemory, assumeGpuMemory, ...flags }) =>
      plan(effective(flags).config, {
        output: json ? "json" : "text",
        memoryGiB: assumeMemory,
        gpuMemoryGiB: assumeGpuMemory,
      }),
    );

  withSettings(program.command("config"))
    .description("print the effective settings and the source of each")
    .action((flags) => print(printConfig(effective(flags))));

  program
    .command("top")
    .description("show what a running daemon does, as a live table in the terminal")
    .argument("[URL]", "of the daemon", DEFAULT_URL)
    .addOption(secondsOption("--interval <SECONDS>", "time between two readings").default(2))
    .addOption(new Option("--once", "print the table of one interval as text, and exit"))
    .addOption(
      new Option("--api-key <KEY>", "key with the scope admin").env(
        environmentVariableOf("apiKey"),
      ),
    )
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action((url: string, { interval, once = false, apiKey }) =>
      top({
        url,
        intervalSeconds: interval,
        mode: once ? "once" : "live",
        // The environment variable has those of a server: several, with commas between them.
        apiKey: apiKey?.split(",")[0],
      }),
    );

  const keyCommand = program
    .command("key")
    .description("make an API key, and its line for --api-key-file, on standard output")
    .addOption(
      new Option("--hash", "the line of a key that exists, which is read from standard input"),
    )
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action(({ hash = false }) =>
      key({ origin: hash ? "given" : "new", attributes: keyAttributesOf(keyCommand) }),
    );
  for (const [name, { placeholder, help }] of Object.entries(attributes))
    keyCommand.addOption(new Option(`--${name} <${placeholder}>`, help));

  program
    .command("build-native")
    .description("compile llama.cpp for the CPU of this machine (takes minutes)")
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action(buildNative);

  return program;
}

/** The attributes that are given, by the names that they have in the key file. */
function keyAttributesOf(command: Command): Readonly<Record<string, string>> {
  const given = command.options.flatMap((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return typeof value === "string" ? [[option.name(), value] as const] : [];
  });
  return Object.fromEntries(given);
}

function describedMemory(flags: string, help: string): Option {
  return new Option(flags, help).argParser((text) => {
    const gibibytes = Number(text);
    if (gibibytes > 0 && Number.isFinite(gibibytes)) return gibibytes;
    throw new StartupError(
      `${flags.split(" ")[0]}: expected a number of GiB above 0, got ${preview(text)}`,
    );
  });
}

/** Readings cost the server some milliseconds each, and a table that changes faster cannot be read. */
const SHORTEST_INTERVAL_SECONDS = 0.1;
const LONGEST_INTERVAL_SECONDS = 3600;

function secondsOption(flags: string, help: string): Option {
  return new Option(flags, help).argParser((text) => {
    const seconds = Number(text);
    if (seconds >= SHORTEST_INTERVAL_SECONDS && seconds <= LONGEST_INTERVAL_SECONDS) return seconds;
    throw new StartupError(
      `${flags.split(" ")[0]}: expected a number of seconds from ${SHORTEST_INTERVAL_SECONDS} to ${LONGEST_INTERVAL_SECONDS}, got ${preview(text)}`,
    );
  });
}

function withSettings(command: Command): Command {
  for (const name of settingNames) command.addOption(toOption(name, settings[name]));
  return command
    .addOption(
      new Option(
        "--config <FILE>",
        `JSON file of settings [${environmentVariableOf("config")}]`,
      ).argParser((path: string) => path),
    )
    .allowExcessArguments(false)
    .copyInheritedSettings(command.parent ?? command)
    .addHelpText(
      "after",
      "\nEach option has an environment variable (--context-size: GGUFD_CONTEXT_SIZE) and a key in\n" +
        "the --config file (contextSize). Precedence: flags, environment, file, defaults.",
    );
}

function toOption(name: string, { form, help, placeholder, schema }: Setting): Option {
  const flags = form === "switch" ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
  const defaultValue: unknown = schema.safeParse(undefined).data;
  const defaultText =
    typeof defaultValue === "string" || typeof defaultValue === "number"
      ? ` (default: ${defaultValue})`
      : "";
  const option = new Option(flags, `${help}${defaultText} [${environmentVariableOf(name)}]`);
  if (form !== "list") return option;
  return option.argParser<string[]>((value, previous = []) => [...previous, value]);
}

/** Commander parses `--no-model` as the negation of `--model` and sets `model` to false. */
function effective(flags: Readonly<Record<string, unknown>>): LoadedConfig {
  const { model, ...others } = flags;
  const otherFlags = typeof model === "string" ? { ...others, model } : others;
  return loadConfig({
    flags: model === false ? { ...otherFlags, noModel: true } : otherFlags,
    environment: process.env,
  });
}

function onOneLine(text: string): string {
  return `ggufd: ${text
    .replace(/^error: /, "")
    .trim()
    .replaceAll("\n", " ")}\n`;
}
