import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";

export interface CpuMemory {
  readonly freeBytes: number;
  readonly totalCpuBytes: number;
}

interface CpuMemoryOptions {
  /** @default process.availableMemory() */
  readonly availableBytes?: number;
  /** @default process.constrainedMemory() */
  readonly limitBytes?: number;
  /** @default /sys/fs/cgroup */
  readonly cgroupFolder?: string;
}

/**
 * Reads the computer's memory. In a container, Node.js counts the page cache as used, e.g. a model
 * file that was just copied, although the kernel reclaims it (cgroup v2, `memory.stat`).
 */
export function readCpuMemory({
  availableBytes = process.availableMemory(),
  limitBytes = process.constrainedMemory(),
  cgroupFolder = "/sys/fs/cgroup",
}: CpuMemoryOptions = {}): CpuMemory {
  const isLimited = limitBytes > 0 && limitBytes < totalmem();
  if (!isLimited) return { freeBytes: availableBytes, totalCpuBytes: totalmem() };
  const freeBytes = Math.min(limitBytes, availableBytes + readCachedFileBytes(cgroupFolder));
  return { freeBytes, totalCpuBytes: limitBytes };
}

function readCachedFileBytes(cgroupFolder: string): number {
  try {
    const stat = readFileSync(join(cgroupFolder, "memory.stat"), "utf8");
    const files = [...stat.matchAll(/^(?:in)?active_file (\d+)$/gm)];
    return files.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  } catch {
    return 0;
  }
}
