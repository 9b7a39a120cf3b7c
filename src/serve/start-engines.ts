import { buildModelSpecs } from "../config/configured-models.js";
import type { Config } from "../config/settings.js";
import { NUMA_VARIABLE } from "../engine/native/numa.js";
import { SpareEngines } from "../process/engine-channel.js";
import { KnownDevices } from "./known-devices.js";

/** The engine processes of a daemon that is about to start, and its knowledge about the devices. */
export interface EnginesAtStart {
  readonly devices: KnownDevices;
  readonly spareEngines: SpareEngines;
}

/**
 * Sets the environment in which this process and its children load llama.cpp, and starts the
 * process of the first engine, if the configuration has a model for it. To be called before the
 * daemon's own modules are imported: the process loads the native library meanwhile.
 * @throws {StartupError} two models have the same name
 */
export function startEngines(config: Config): EnginesAtStart {
  process.env[NUMA_VARIABLE] = config.numa;
  const devices = new KnownDevices();
  const spareEngines = new SpareEngines(() => devices.gpuOf(config.gpu));
  const isGenerating = buildModelSpecs(config).some(
    ({ kind, loadsAtStart }) => kind === "generation" && loadsAtStart,
  );
  if (config.engine === "process" && isGenerating) spareEngines.startNow();
  return { devices, spareEngines };
}
