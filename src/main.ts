#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { buildCli } from "./cli.js";
import type { Config } from "./config/settings/settings.js";
import { reasonOf } from "./core/reason-of.js";
import { StartupError } from "./core/startup-error.js";
import { type KeyArguments, makeKeyLine } from "./key-command.js";
import { createLogger } from "./observability/logger.js";
import type { PlanOptions } from "./plan-command.js";
import { progressBar } from "./progress-bar.js";
import { startScreen } from "./start-screen.js";
import type { TopArguments } from "./top-command.js";

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  // Process 1 of a container has no default signal handlers, so they are installed first.
  let onSignal: () => void = () => process.exit(0);
  process.on("SIGINT", () => onSignal()).on("SIGTERM", () => onSignal());
  let hasHungUp = false;
  let onHangUp = () => {
    hasHungUp = true;
  };
  process.on("SIGHUP", () => onHangUp());

  // Imported on demand, because it loads the native library: `--help` and `config` do not need it.
  const { startDaemon } = await import("./runtime.js");
  const daemon = await startDaemon({
    config,
    logger,
    onProgress: progressBar("loading the model", process.stderr),
  });
  onHangUp = () => daemon.reload();
  // It came while the models were loading.
  if (hasHungUp) daemon.reload();
  process.stdout.write(startScreen(daemon, config));
  for (const { alias, engine } of daemon.models) {
    const { device, threads, build } = engine;
    logger.info({ model: alias, device, threads, build }, "ready");
  }
  const keys = [...config.apiKey, ...config.readOnlyApiKey];
  if (!LOOPBACK.test(config.host) && keys.length === 0 && !config.apiKeyFile) {
    logger.warn(
      `listening on ${config.host} without an API key: anyone who can reach ${daemon.url} can use it`,
    );
  }

  await new Promise<void>((resolve) => {
    onSignal = resolve;
  });
  // A second signal skips the graceful drain.
  onSignal = () => process.exit(1);
  logger.info("draining: new requests are rejected, requests in flight may finish");
  await daemon.stop();
  process.exit(0);
}

async function buildNative(): Promise<void> {
  const native = await import("./engine/llama/native-build.js");
  await native.buildNative();
  process.stdout.write("ggufd will use this llama.cpp from its next start.\n");
  // The compiler inherited standard input, which would keep this process alive.
  process.exit(0);
}

async function plan(config: Config, options: PlanOptions): Promise<void> {
  const { runPlan } = await import("./plan-command.js");
  process.stdout.write(await runPlan(config, options));
}

async function top(options: TopArguments): Promise<void> {
  const { runTop } = await import("./top-command.js");
  await runTop(options);
}

async function key(options: KeyArguments): Promise<void> {
  const { line, notice } = await makeKeyLine(options, () => text(process.stdin));
  process.stderr.write(notice ?? "");
  process.stdout.write(line);
}

try {
  await buildCli({
    serve,
    plan,
    top,
    key,
    buildNative,
    print: (text) => process.stdout.write(`${text}\n`),
  }).parseAsync();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`ggufd: ${reasonOf(error)}\n`);
  process.exit(1);
}
