import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** The cores that this process may use. `performanceCores` ≤ `physicalCores` ≤ `logicalCores`. */
export interface CpuTopology {
  /** Threads that can run at the same time, including hyperthreads, within a container's limit. */
  readonly logicalCores: number;
  /** Cores, each counted once regardless of its hyperthreads. */
  readonly physicalCores: number;
  /** Physical cores without efficiency cores. */
  readonly performanceCores: number;
}

/** A core with less than this share of the fastest core's capacity is an efficiency core. */
const MIN_PERFORMANCE_SHARE = 0.8;

interface CpuOptions {
  /** @default os.availableParallelism() */
  readonly logicalCores?: number;
  /** @default /sys */
  readonly sysFolder?: string;
  /** Status file of this process. @default /proc/self/status */
  readonly statusFile?: string;
}

/**
 * Reads the topology of the cores that this process may use from Linux's sysfs. Without that information, as in some virtual machines and
 * on other systems, every logical core counts as a performance core.
 */
export function readCpuTopology({
  logicalCores = availableParallelism(),
  sysFolder = "/sys",
  statusFile,
}: CpuOptions = {}): CpuTopology {
  const allowed = readAllowedCpus(statusFile);
  const cpus = listCpus(sysFolder).filter((cpu) => allowed === undefined || allowed.has(cpu));
  const cores = new Map(cpus.map((cpu) => [readSiblings(sysFolder, cpu), cpu]));
  if (cores.size === 0) {
    return { logicalCores, physicalCores: logicalCores, performanceCores: logicalCores };
  }
  const physicalCores = Math.min(cores.size, logicalCores);
  const isEfficient = createEfficiencyTest(sysFolder, cpus);
  const fastCores = [...cores.values()].filter((cpu) => !isEfficient(cpu)).length;
  const performanceCores = fastCores === 0 ? physicalCores : Math.min(fastCores, physicalCores);
  return { logicalCores, physicalCores, performanceCores };
}

/**
 * Reads the logical cores that this process may use: its affinity and cpuset.
 * @returns `undefined` outside Linux
 */
export function readAllowedCpus(statusFile = "/proc/self/status"): ReadonlySet<number> | undefined {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readText(statusFile) ?? "") ?? [];
  return list === undefined ? undefined : new Set(parseCpuList(list));
}

/** Lists the logical cores that are online; empty without sysfs. */
export function listCpus(sysFolder: string): number[] {
  try {
    return readdirSync(join(sysFolder, "devices/system/cpu"))
      .map((name) => /^cpu(\d+)$/.exec(name)?.[1])
      .filter((number) => number !== undefined)
      .map(Number)
      .filter((cpu) => readText(buildCpuPath(sysFolder, cpu, "online")) !== "0");
  } catch {
    return [];
  }
}

/** Identifies a physical core by the list of its hyperthreads, `0,8` or `0-1`. */
export function readSiblings(sysFolder: string, cpu: number): string {
  const siblings = readText(buildCpuPath(sysFolder, cpu, "topology/thread_siblings_list"));
  return siblings ?? String(cpu);
}

/**
 * Returns a test for efficiency cores. Intel's hybrid processors list them (`cpu_atom`); Arm's have
 * a capacity for each core (`cpu_capacity`, kernel documentation, "sysfs-devices-system-cpu").
 */
export function createEfficiencyTest(
  sysFolder: string,
  cpus: readonly number[],
): (cpu: number) => boolean {
  const atoms = readText(join(sysFolder, "devices/cpu_atom/cpus"));
  if (atoms !== undefined) {
    const efficientCpus = new Set(parseCpuList(atoms));
    return (cpu) => efficientCpus.has(cpu);
  }
  const capacities = new Map(
    cpus.map((cpu) => [
      cpu,
      Number(readText(buildCpuPath(sysFolder, cpu, "cpu_capacity")) ?? Number.NaN),
    ]),
  );
  const maxCapacity = Math.max(...capacities.values());
  return (cpu) => (capacities.get(cpu) ?? Number.NaN) < maxCapacity * MIN_PERFORMANCE_SHARE;
}

/** Parses the kernel's lists of CPUs, such as `0-3,8,10-11`. Malformed parts are ignored. */
export function parseCpuList(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) return [];
    const length = Math.max(0, Number(last) - Number(first) + 1);
    return Array.from({ length }, (_, index) => Number(first) + index);
  });
}

/** Formats numbers of CPUs as the kernel does: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const sorted = cpus.toSorted((one, other) => one - other);
  const isStart = (cpu: number, index: number) => cpu !== (sorted[index - 1] ?? Number.NaN) + 1;
  const isEnd = (cpu: number, index: number) => cpu !== (sorted[index + 1] ?? Number.NaN) - 1;
  const lasts = sorted.filter(isEnd);
  return sorted
    .filter(isStart)
    .map((first, range) => (first === lasts[range] ? `${first}` : `${first}-${lasts[range]}`))
    .join(",");
}

function buildCpuPath(sysFolder: string, cpu: number, name: string): string {
  return join(sysFolder, `devices/system/cpu/cpu${cpu}`, name);
}

/** Reads a file of the kernel; `undefined` if there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
