import { execFileSync } from "node:child_process";
import { formatReason } from "../core/format-reason.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { NativeLog } from "../engine/native/native-errors.js";
import { formatCpuList } from "../engine/threads/cpu-topology.js";

interface BindingOptions {
  readonly log: NativeLog;
  /** Process to bind. @default this process */
  readonly pid?: number;
  /** @default taskset */
  readonly taskset?: string;
}

/**
 * Restricts all threads of a process to the cores of the engine that it is about to load; threads
 * that start later inherit them. Node.js has no call for this, so util-linux's taskset does it.
 * Where taskset is missing, the process is not restricted, and uses as many threads as it should
 * have cores.
 * @returns the settings to load
 */
export function bindToCores(
  settings: EngineSettings,
  { log, pid = process.pid, taskset = "taskset" }: BindingOptions,
): EngineSettings {
  const { cores, threads } = settings;
  if (cores === undefined) return settings;
  const list = formatCpuList(cores);
  try {
    execFileSync(taskset, ["-a", "-p", "-c", list, `${pid}`], { stdio: "ignore" });
    return settings;
  } catch (error) {
    log("warn", `the replica is not bound to the cores ${list}: ${formatReason(error)}`);
    return { ...settings, threads: threads === "auto" ? cores.length : threads };
  }
}
