#!/usr/bin/env node
import { constants } from "node:os";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import type { ManageArguments } from "./cli/batch/manage-batches.js";
import type { BatchArguments } from "./cli/batch/run-batch.js";
import type { RunArguments } from "./cli/chat/run-command.js";
import { buildCli } from "./cli/command-line.js";
import type { DevicesOptions } from "./cli/devices-command.js";
import { createInterruptSignal } from "./cli/interrupt-signal.js";
import { type KeyArguments, makeKeyLine } from "./cli/key-command.js";
import type { NewKeyArguments } from "./cli/keys/create-first-key.js";
import type { ManageKeysArguments, PrintedKey } from "./cli/keys/manage-keys.js";
import type { LaunchArguments } from "./cli/launch/launch-command.js";
import type { AddArguments, RemoveArguments } from "./cli/models/change-commands.js";
import type { ListArguments } from "./cli/models/list-command.js";
import type { LoadArguments } from "./cli/models/load-command.js";
import type { PsArguments } from "./cli/models/ps-command.js";
import type { PullArguments } from "./cli/models/pull-command.js";
import type { ShowArguments } from "./cli/models/show-command.js";
import type { PlanOptions } from "./cli/plan-command.js";
import type { TopArguments } from "./cli/top-command.js";
import type { UsageArguments } from "./cli/usage-options.js";
import type { WorkerArguments } from "./cli/worker/worker-options.js";
import { hasApiKeys } from "./config/keys/has-api-keys.js";
import { parseListenAddress } from "./config/listen-addresses.js";
import { fromLlamaServer } from "./config/llama-server/flags.js";
import type { Config } from "./config/settings.js";
import { formatReason } from "./core/format-reason.js";
import { StartupError } from "./core/startup-error.js";
import { isLocalOnly } from "./http/accepted-hosts.js";
import { ModelError } from "./models/model-error.js";
import { collectGarbageWhenIdle } from "./process/idle-garbage.js";
import { expectNamedFiles } from "./serve/configured-files.js";
import { startEngines } from "./serve/start-engines.js";
import { createProgressBar, formatStartScreen } from "./serve/start-screen.js";
import { StopSignals } from "./serve/stop-serving.js";
import { openLog } from "./telemetry/logger.js";

async function serve(config: Config, reread: () => Config): Promise<void> {
  // Compiles functions on their first call, so that the first answers compete less for the cores.
  // Set before the modules of the server are imported.
  setFlagsFromString("--always-sparkplug");
  collectGarbageWhenIdle();
  // Process 1 of a container has no default signal handlers, so they are installed first.
  let onSignal: (signal: NodeJS.Signals) => void = () => process.exit(0);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => onSignal(signal));
  let hasHungUp = false;
  let onHangUp = () => {
    hasHungUp = true;
  };
  process.on("SIGHUP", () => onHangUp());

  for (const notice of new Set(config.presets.flatMap(({ notices }) => notices))) warn(notice);
  expectNamedFiles(config);
  const log = await openLog(config.logLevel, config.logFile);
  const { logger } = log;
  const engines = startEngines(config);
  // Imported on demand: other commands do not need the server.
  const { startDaemon } = await import("./serve/runtime.js");
  const daemon = await startDaemon({
    config,
    logger,
    reread,
    ...engines,
    onProgress: createProgressBar("loading the model", process.stderr),
  });
  onHangUp = () => {
    log.reopen();
    daemon.reload();
  };
  // SIGHUP was received while the models were loading.
  if (hasHungUp) onHangUp();
  process.stdout.write(formatStartScreen(daemon, config));
  for (const { alias, engine } of daemon.models) {
    const { device, threads, build } = engine;
    logger.info({ model: alias, device, threads, build }, "ready");
  }
  const isOpen = !isLocalOnly(config.host.map(parseListenAddress));
  if (isOpen && !hasApiKeys(config) && !config.accessRules) {
    logger.warn(
      `listening on ${config.host.join()} without an API key: anyone who can reach ${daemon.url} can use it`,
    );
  }

  const force = new AbortController();
  await new Promise<void>((resolve) => {
    const signals = new StopSignals();
    onSignal = (signal) => {
      const step = signals.receive(performance.now());
      if (step === "exit") process.exit(1);
      if (step === "end") force.abort();
      if (step !== "drain") return;
      process.stderr.write(describeDraining(daemon.inFlight, signal));
      resolve();
    };
  });
  logger.info("draining: new requests are rejected, requests in flight may finish");
  await daemon.stop(force.signal);
  await log.close();
  process.exit(0);
}

/** Returns an empty string if no request is in flight. */
function describeDraining(inFlight: number, signal: NodeJS.Signals): string {
  if (inFlight === 0) return "";
  const requests = inFlight === 1 ? "1 request" : `${inFlight} requests`;
  const again = signal === "SIGINT" ? "Ctrl-C again to stop" : "a second signal ends them";
  return `ggufd: draining ${requests}, ${again}\n`;
}

async function buildNative(): Promise<void> {
  const native = await import("./engine/native/native-build.js");
  await native.buildNative();
  process.stdout.write("ggufd will use this llama.cpp from its next start.\n");
  // The compiler inherited standard input, which would keep this process alive.
  process.exit(0);
}

async function plan(config: Config, options: PlanOptions): Promise<void> {
  const { printPlan } = await import("./cli/plan-command.js");
  const { locateModels } = await import("./serve/locate-models.js");
  const { planInProcess } = await import("./serve/plan-process.js");
  const { output, ...machine } = options;
  const { report } = await planInProcess(await locateModels(config), machine);
  process.stdout.write(printPlan(report, output));
}

async function devices(config: Config, options: DevicesOptions): Promise<void> {
  const { locateModels } = await import("./serve/locate-models.js");
  const { runDevices } = await import("./cli/devices-command.js");
  process.stdout.write(await runDevices(await locateModels(config), options));
}

async function top(options: TopArguments): Promise<void> {
  const { runTop } = await import("./cli/top-command.js");
  await runTop(options);
}

async function usage(options: UsageArguments): Promise<void> {
  const { runUsage } = await import("./cli/usage-command.js");
  process.stdout.write(await runUsage(options));
}

async function key(options: KeyArguments): Promise<void> {
  const { line, notice } = await makeKeyLine(options, () => text(process.stdin));
  process.stderr.write(notice ?? "");
  process.stdout.write(line);
}

async function manageKeys(options: ManageKeysArguments): Promise<void> {
  const { runManageKeys } = await import("./cli/keys/manage-keys.js");
  printKey(await runManageKeys(options));
}

async function createFirstKey(options: NewKeyArguments): Promise<void> {
  const { createFirstKey: create } = await import("./cli/keys/create-first-key.js");
  printKey(await create(options));
}

function printKey({ text, notice = "" }: PrintedKey): void {
  process.stderr.write(notice);
  process.stdout.write(text);
}

async function pull(options: PullArguments): Promise<void> {
  const { INTERRUPTED_PULL, runPull } = await import("./cli/models/pull-command.js");
  const signal = createInterruptSignal(() => new StartupError(INTERRUPTED_PULL));
  await runPull(options, process.env, process, signal);
}

async function list(options: ListArguments): Promise<void> {
  const { runList } = await import("./cli/models/list-command.js");
  process.stdout.write(await runList(options, process.env));
}

async function show(options: ShowArguments): Promise<void> {
  const { runShow } = await import("./cli/models/show-command.js");
  process.stdout.write(await runShow(options, process.env));
}

async function remove(options: RemoveArguments): Promise<void> {
  const { runRemove } = await import("./cli/models/change-commands.js");
  await runRemove(options, process.env, (line) => process.stdout.write(`${line}\n`));
}

async function add(options: AddArguments): Promise<void> {
  const { runAdd } = await import("./cli/models/change-commands.js");
  process.stdout.write(await runAdd(options, process.env));
}

async function run(options: RunArguments): Promise<void> {
  const { CtrlC, runRun } = await import("./cli/chat/run-command.js");
  const ctrlC = new CtrlC();
  process.on("SIGINT", ctrlC.press);
  // The exit handler removes the folder of a daemon that this command has started.
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
  }
  // The reader of the pipe has closed it, as `head` does.
  process.stdout.on("error", () => process.exit(0));
  process.exit(await runRun(options, process, ctrlC));
}

async function launch(options: LaunchArguments): Promise<void> {
  const { runLaunch } = await import("./cli/launch/launch-command.js");
  process.exit(await runLaunch(options, process.env, process));
}

async function batch(options: BatchArguments): Promise<void> {
  const { Interruption, runBatch } = await import("./cli/batch/run-batch.js");
  const signal = createInterruptSignal((exitCode) => new Interruption(exitCode));
  // The reader of the pipe has closed it, as `head` does.
  process.stdout.on("error", () => process.exit(0));
  process.exit(await runBatch(options, process, { signal }));
}

async function manageBatches(options: ManageArguments): Promise<void> {
  const { runManageBatches } = await import("./cli/batch/manage-batches.js");
  process.stdout.write(await runManageBatches(options));
}

async function ps(options: PsArguments): Promise<void> {
  const { runPs } = await import("./cli/models/ps-command.js");
  process.stdout.write(await runPs(options));
}

async function load(options: LoadArguments): Promise<void> {
  const { runLoad } = await import("./cli/models/load-command.js");
  process.stdout.write(await runLoad(options, { terminal: process.stderr }));
}

async function unload(options: LoadArguments): Promise<void> {
  const { runUnload } = await import("./cli/models/load-command.js");
  process.stdout.write(await runUnload(options, { terminal: process.stderr }));
}

async function worker(options: WorkerArguments): Promise<void> {
  const { runWorker } = await import("./cli/worker/run-worker.js");
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => controller.abort());
  }
  await runWorker(options, process, controller.signal);
  process.exit(0);
}

const warn = (line: string) => process.stderr.write(`ggufd: ${line}\n`);

try {
  const { args, notices, variables } = fromLlamaServer(process.argv.slice(2), process.env);
  Object.assign(process.env, variables);
  for (const notice of notices) warn(notice);
  await buildCli({
    serve,
    plan,
    devices,
    usage,
    top,
    key,
    manageKeys,
    createFirstKey,
    pull,
    list,
    show,
    remove,
    add,
    run,
    launch,
    batch,
    manageBatches,
    ps,
    load,
    unload,
    worker,
    buildNative,
    print: (text) => process.stdout.write(`${text}\n`),
    warn,
  }).parseAsync(args, { from: "user" });
} catch (error) {
  if (!(error instanceof StartupError || error instanceof ModelError)) throw error;
  process.stderr.write(`ggufd: ${formatReason(error)}\n`);
  process.exit(1);
}
