import { Argument, Command, Option } from "commander";
import { buildConfiguredModels } from "../config/configured-models.js";
import { listLlamaServerNotices } from "../config/llama-server/variables.js";
import { describeUnknownVariables, type LoadedConfig, loadConfig } from "../config/load-config.js";
import { settings } from "../config/settings.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import { version } from "../version.js";
import { addBatchCommands, type BatchActions } from "./batch/batch-commands.js";
import type { RunArguments } from "./chat/run-command.js";
import { printConfig, printModels } from "./config-command.js";
import { firstKeyOf, loadDaemonSettings } from "./daemon-settings.js";
import type { DevicesOptions } from "./devices-command.js";
import { expectCommand } from "./expect-command.js";
import { collectKeyAttributes, withKeyAttributes } from "./key-attributes.js";
import type { KeyArguments } from "./key-command.js";
import { addKeysCommands, type KeysActions } from "./keys/keys-commands.js";
import { type ClientName, codingClients } from "./launch/clients.js";
import type { LaunchArguments } from "./launch/launch-command.js";
import type { AddArguments, RemoveArguments } from "./models/change-commands.js";
import type { ListArguments } from "./models/list-command.js";
import type { LoadArguments } from "./models/load-command.js";
import type { PsArguments } from "./models/ps-command.js";
import type { PullArguments } from "./models/pull-command.js";
import type { ShowArguments } from "./models/show-command.js";
import {
  keyOption,
  memoryOption,
  NON_NEGATIVE_NUMBER,
  numberOption,
  POSITIVE_INTEGER,
  secondsOption,
  toOption,
  withDaemonOptions,
  withSettings,
  withStoreSettings,
} from "./options.js";
import type { PlanOptions } from "./plan-command.js";
import type { TopArguments } from "./top-command.js";
import { addUsageCommand, type UsageActions } from "./usage-options.js";
import { addWorkerCommand, type WorkerArguments } from "./worker/worker-options.js";

/** Default width of a terminal. */
const HELP_COLUMNS = 80;

/** Default URL of a daemon. */
const DEFAULT_URL = "http://127.0.0.1:8080";

export interface CliActions extends BatchActions, KeysActions, UsageActions {
  /** @param reread reads the presets again, and returns the configuration with them */
  serve(config: LoadedConfig["config"], reread: () => LoadedConfig["config"]): Promise<void>;
  plan(config: LoadedConfig["config"], options: PlanOptions): Promise<void>;
  devices(config: LoadedConfig["config"], options: DevicesOptions): Promise<void>;
  top(options: TopArguments): Promise<void>;
  key(options: KeyArguments): Promise<void>;
  pull(options: PullArguments): Promise<void>;
  list(options: ListArguments): Promise<void>;
  show(options: ShowArguments): Promise<void>;
  remove(options: RemoveArguments): Promise<void>;
  add(options: AddArguments): Promise<void>;
  run(options: RunArguments): Promise<void>;
  launch(options: LaunchArguments): Promise<void>;
  ps(options: PsArguments): Promise<void>;
  load(options: LoadArguments): Promise<void>;
  unload(options: LoadArguments): Promise<void>;
  worker(options: WorkerArguments): Promise<void>;
  buildNative(): Promise<void>;
  print(text: string): void;
  warn(line: string): void;
}

/**
 * Builds the command line: `serve` (the default), `run`, `launch`, `batch`, `plan`, `devices`,
 * `config`, `pull`, `list`, `show`, `rm`, `add`, `ps`, `load`, `unload`, `usage`, `top`, `key`,
 * `keys`, `worker` and `build-native`.
 */
export function buildCli(actions: CliActions): Command {
  const { serve, plan, devices, top, key, buildNative, print, warn } = actions;
  const program = new Command("ggufd")
    .description("Serves GGUF language models over HTTP, with continuous batching.")
    .version(version)
    // The longest flags leave fewer columns than Commander's default minimum for wrapping.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      outputError: (text, write) => write(toOneLine(text)),
      getOutHelpWidth: () => HELP_COLUMNS,
    })
    .hook("preSubcommand", ({ args: [first], commands }) => {
      const names = [...commands.flatMap((one) => [one.name(), ...one.aliases()]), "help"];
      const isArgument = first !== undefined && !first.startsWith("-");
      if (isArgument && !names.includes(first)) expectCommand(first, names);
    });

  const warnAboutVariables = () => {
    const { env } = process;
    for (const line of [...describeUnknownVariables(env), ...listLlamaServerNotices(env)])
      warn(line);
  };

  withSettings(program.command("serve", { isDefault: true }))
    .description("start the daemon (the default)")
    .hook("preAction", warnAboutVariables)
    .action(async (model, flags) => {
      const read = () => loadEffectiveConfig(model, flags).config;
      const config = read();
      // Other settings cannot change while the daemon runs.
      await serve(config, () => ({ ...config, presets: read().presets }));
    });

  addRunCommand(program, actions);
  addLaunchCommand(program, actions);
  addBatchCommands(program, actions);

  withSettings(program.command("plan"))
    .description("print the memory plan: slots, context size and memory use")
    .addOption(new Option("--json", "print the plan as JSON"))
    .addOption(memoryOption("--assume-memory <GIB>", "plan for a machine with this much memory"))
    .addOption(memoryOption("--assume-gpu-memory <GIB>", "plan for a GPU with this much memory"))
    .action(async (model, { json = false, assumeMemory, assumeGpuMemory, ...flags }) =>
      plan(loadEffectiveConfig(model, flags).config, {
        output: json ? "json" : "text",
        memoryGiB: assumeMemory,
        gpuMemoryGiB: assumeGpuMemory,
      }),
    );

  withSettings(program.command("devices"))
    .description("list compute devices, and the one that --gpu auto would use")
    .addOption(new Option("--json", "print the list as JSON"))
    .action(async (model, { json = false, ...flags }) =>
      devices(loadEffectiveConfig(model, flags).config, { output: json ? "json" : "text" }),
    );

  withSettings(program.command("config"))
    .description("print the effective settings, and where each comes from")
    .hook("preAction", warnAboutVariables)
    .action((model, flags) => {
      const loaded = loadEffectiveConfig(model, flags);
      const models = printModels(buildConfiguredModels(loaded));
      print([printConfig(loaded), ...models].join("\n\n"));
    });

  addModelCommands(program, actions);
  addDaemonCommands(program, actions);
  addUsageCommand(program, actions);

  program
    .command("top")
    .description("show live metrics of a running daemon")
    .argument("[URL]", "URL of the daemon, or unix:PATH", DEFAULT_URL)
    .addOption(secondsOption("--interval <SECONDS>", "seconds between two readings").default(2))
    .addOption(new Option("--once", "print one reading as text, then exit"))
    .addOption(keyOption("API key with the scope admin"))
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action((url: string, { interval, once = false, apiKey }) =>
      top({
        url,
        intervalSeconds: interval,
        mode: once ? "once" : "live",
        apiKey: firstKeyOf(apiKey),
      }),
    );

  const keyCommand = program
    .command("key")
    .description("create an API key and its line for --api-key-file")
    .addOption(new Option("--hash", "read an existing key from standard input"))
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action(({ hash = false }) =>
      key({ origin: hash ? "given" : "new", attributes: collectKeyAttributes(keyCommand) }),
    );
  withKeyAttributes(keyCommand);
  addKeysCommands(program, actions);

  addWorkerCommand(program, actions.worker);

  program
    .command("build-native")
    .description("compile llama.cpp for this CPU (takes minutes)")
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action(buildNative);

  return program;
}

/** Adds `run`, which chats with a model. */
function addRunCommand(program: Command, { run }: CliActions): void {
  const command = program
    .command("run")
    .description("chat in the terminal, using the running daemon if there is one")
    .argument("[MODEL]", "model name or GGUF file (default: the daemon's first model)")
    .argument("[PROMPT...]", "prompt to answer once; standard input is appended")
    .addOption(new Option("--system <TEXT>", "system message"))
    .addOption(numberOption("--max-tokens <N>", "longest answer, in tokens", POSITIVE_INTEGER))
    .addOption(numberOption("--temperature <N>", "sampling temperature", NON_NEGATIVE_NUMBER))
    .addOption(new Option("--json", "print the answer as one line of JSON"))
    .addOption(new Option("-y, --yes", "download a missing model without asking"))
    .action(async (model, words, { json = false, yes = false, ...others }) => {
      const { system, maxTokens, temperature, ...flags } = others;
      const { daemon, config } = loadDaemonSettings(flags);
      return run({
        model,
        words,
        system,
        maxTokens,
        temperature,
        daemon,
        config,
        downloadConsent: yes ? "without-asking" : "after-asking",
        output: json ? "json" : "text",
      });
    });
  withDaemonOptions(command, "API key with the scope inference").copyInheritedSettings(program);
}

/** Adds `launch`, which starts a coding agent. */
function addLaunchCommand(program: Command, { launch }: CliActions): void {
  const command = program
    .command("launch")
    .description("start a coding agent with a model of the running daemon")
    .addArgument(
      new Argument("[CLIENT]", "agent to start (default: list the known ones)").choices(
        Object.keys(codingClients),
      ),
    )
    .argument("[ARGS...]", "arguments for the agent, after --")
    .addOption(
      new Option("--model <NAME>", "model of the daemon (default: the only or the loaded one)"),
    )
    .action(async (client: ClientName | undefined, args, { model, ...flags }) =>
      launch({ client, model, args, daemon: loadDaemonSettings(flags).daemon }),
    );
  withDaemonOptions(command, "API key with the scope inference").copyInheritedSettings(program);
}

/** Adds the commands for the models of a running daemon. */
function addDaemonCommands(program: Command, { ps, load, unload }: CliActions): void {
  const command = (name: string, description: string, keyHelp: string) =>
    withDaemonOptions(program.command(name).description(description), keyHelp)
      .allowExcessArguments(false)
      .copyInheritedSettings(program);

  command("ps", "list the models of the running daemon and their state", "any API key")
    .addOption(new Option("--json", "print JSON"))
    .action(async ({ json = false, ...flags }) =>
      ps({ daemon: loadDaemonSettings(flags).daemon, output: json ? "json" : "text" }),
    );
  for (const [name, action, description] of [
    ["load", load, "load a model in the running daemon"],
    ["unload", unload, "unload a model of the running daemon once it is idle"],
  ] as const) {
    command(name, description, "API key with the scope admin")
      .argument("<MODEL>", "model name")
      .action(async (model: string, flags) =>
        action({ model, daemon: loadDaemonSettings(flags).daemon }),
      );
  }
}

/** Adds the commands for the models on this machine. */
function addModelCommands(program: Command, { pull, list, show, remove, add }: CliActions): void {
  const json = () => new Option("--json", "print JSON");
  const command = (name: string, description: string) =>
    withStoreSettings(
      program
        .command(name)
        .description(description)
        .allowExcessArguments(false)
        .copyInheritedSettings(program),
    );

  command("pull", "download models: hf:user/repo[:QUANT], ollama:name[:tag] or a GGUF URL")
    .argument("<NAME...>", "model names with their sources")
    .addOption(toOption("offline", settings.offline))
    .addOption(new Option("--refresh", "check the source for newer versions of stored models"))
    .addOption(new Option("--json", "print each event as a line of JSON"))
    .action(async (names: string[], { json: asJson = false, refresh = false, ...flags }) => {
      const { modelsDir, offline } = loadStoreSettings(flags);
      return pull({
        names,
        modelsDir,
        network: offline ? "never" : "allowed",
        ifStored: refresh ? "check" : "keep",
        output: asJson ? "json" : "text",
      });
    });

  command("list", "list the models on this machine, including those of other programs")
    .alias("ls")
    .addOption(json())
    .action(async ({ json: asJson = false, ...flags }) =>
      list({ modelsDir: loadStoreSettings(flags).modelsDir, output: asJson ? "json" : "text" }),
    );

  command("show", "show details of a model on this machine")
    .argument("<NAME>", "model name")
    .addOption(json())
    .action(async (name: string, { json: asJson = false, ...flags }) =>
      show({
        name,
        modelsDir: loadStoreSettings(flags).modelsDir,
        output: asJson ? "json" : "text",
      }),
    );

  command("rm", "delete pulled models, or forget added ones")
    .argument("<NAME...>", "model names")
    .action(async (names: string[], flags) =>
      remove({ names, modelsDir: loadStoreSettings(flags).modelsDir }),
    );

  command("add", "register a GGUF file, or a folder of them, in place")
    .argument("<PATH>", "file or folder")
    .action(async (path: string, flags) =>
      add({ path, modelsDir: loadStoreSettings(flags).modelsDir }),
    );
}

/** Loads the settings of the model folder from flags, environment and configuration file. */
function loadStoreSettings(flags: Readonly<Record<string, unknown>>): LoadedConfig["config"] {
  return loadConfig({ flags, environment: process.env }).config;
}

function loadEffectiveConfig(
  argument: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): LoadedConfig {
  const { model = argument, ...others } = flags;
  if (argument !== undefined) {
    expectCommand(argument, []);
    if (flags.model !== undefined) {
      const conflict = "the model is given twice, as an argument and with --model";
      throw new StartupError(`${preview(argument)}: ${conflict}`);
    }
  }
  return loadConfig({
    flags: model === undefined ? others : { ...others, model },
    environment: process.env,
  });
}

function toOneLine(text: string): string {
  return `ggufd: ${text
    .replace(/^error: /, "")
    .trim()
    .replaceAll("\n", " ")}\n`;
}
