import { vi } from "vitest";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import {
  buildPoolEnvironment,
  type NativeThreads,
} from "../../src/engine/native/native-threads.js";
import type { PoolingSettings } from "../../src/engine/pooling-engine.js";
import {
  type Channel,
  type ChannelListener,
  forkProcess,
} from "../../src/process/process-channel.js";
import { RemoteEngine } from "../../src/process/remote-engine.js";
import { RemotePooling } from "../../src/process/supervised-pooling.js";
import { engineSettings } from "../support/engine-settings.js";

/** The driver shows its device twice. */
export const twoDevices = { GGML_VK_VISIBLE_DEVICES: "0,0" };

/**
 * Opens an engine in a separate process, as the daemon does: a process has one native library only,
 * which is Vulkan's in the tests.
 * @param environment in addition to the tests' own
 */
export function openEngineProcess(
  settings: Pick<EngineSettings, "modelPath"> & Partial<EngineSettings>,
  environment: Readonly<Record<string, string>> = {},
): Promise<RemoteEngine> {
  return RemoteEngine.start({
    open: (listener, threads) => forkCompiled("engine-main.js", listener, threads, environment),
    settings: { ...engineSettings, ...settings },
    hooks: quiet,
    onCrash: () => undefined,
  });
}

/** The same for a pooling model. */
export function openPoolingProcess(settings: PoolingSettings): Promise<RemotePooling> {
  return RemotePooling.start({
    open: (listener, threads) => forkCompiled("pooling-main.js", listener, threads, {}),
    settings,
    hooks: quiet,
    onCrash: () => undefined,
  });
}

const quiet = { log: () => undefined, onProgress: () => undefined };

function forkCompiled<Sent, Received>(
  program: "engine-main.js" | "pooling-main.js",
  listener: ChannelListener<Received>,
  nativeThreads: NativeThreads,
  environment: Readonly<Record<string, string>>,
): Channel<Sent> {
  const compiled = new URL(`../../dist/process/${program}`, import.meta.url);
  // The environment of the tests takes precedence over a process's own.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    return forkProcess(compiled, listener, { environment: buildPoolEnvironment(nativeThreads) });
  } finally {
    vi.unstubAllEnvs();
  }
}
