import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  createEfficiencyTest,
  listCpus,
  parseCpuList,
  readAllowedCpus,
  readSiblings,
  readText,
} from "./cpu-topology.js";

/** Physical cores of a NUMA node, each as the numbers of its logical cores. */
export type NumaNode = readonly (readonly number[])[];

interface NumaOptions {
  /** @default /sys */
  readonly sysFolder?: string;
  /** Status file of this process. @default /proc/self/status */
  readonly statusFile?: string;
}

/**
 * Reads the NUMA nodes and their cores that this process may use (its affinity and cpuset), without
 * efficiency cores, unless there are no others. A machine without NUMA is one node.
 * @returns empty where the system does not list its cores: outside Linux
 */
export function readNumaNodes({
  sysFolder = "/sys",
  statusFile,
}: NumaOptions = {}): readonly NumaNode[] {
  const allowed = readAllowedCpus(statusFile);
  if (allowed === undefined) return [];
  const online = listCpus(sysFolder);
  const usable = online.filter((cpu) => allowed.has(cpu)).toSorted((one, other) => one - other);
  const isEfficient = createEfficiencyTest(sysFolder, online);
  const fast = usable.filter((cpu) => !isEfficient(cpu));
  const cpus = fast.length === 0 ? usable : fast;
  return listNodes(sysFolder)
    .map((members) => cpus.filter((cpu) => members === undefined || members.has(cpu)))
    .filter((ofNode) => ofNode.length > 0)
    .map((ofNode) => groupByCore(sysFolder, ofNode));
}

/** Lists the logical cores of each node; `undefined`: all, because there are no nodes. */
function listNodes(sysFolder: string): readonly (ReadonlySet<number> | undefined)[] {
  const folder = join(sysFolder, "devices/system/node");
  const numbers = listNames(folder).flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []);
  if (numbers.length === 0) return [undefined];
  return numbers
    .toSorted((one, other) => Number(one) - Number(other))
    .map((number) => readText(join(folder, `node${number}`, "cpulist")) ?? "")
    .map((list) => new Set(parseCpuList(list)));
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function groupByCore(sysFolder: string, cpus: readonly number[]): NumaNode {
  const cores = new Map<string, number[]>();
  for (const cpu of cpus) {
    const siblings = readSiblings(sysFolder, cpu);
    cores.set(siblings, [...(cores.get(siblings) ?? []), cpu]);
  }
  return [...cores.values()];
}
