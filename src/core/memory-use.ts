/** Memory of the computer and of its GPUs, in bytes. */
export interface MemoryUse {
  readonly cpuBytes: number;
  /** GPU memory of all GPUs together; 0 without a GPU. */
  readonly gpuBytes: number;
}

export const NO_MEMORY: MemoryUse = { cpuBytes: 0, gpuBytes: 0 };

/**
 * Maximum share of the free memory that models may use. The rest is left for other programs, for
 * allocations that llama.cpp does not estimate, and for the server.
 */
export const MAX_CPU_SHARE = 0.8;
export const MAX_GPU_SHARE = 0.9;

/** Returns the sum of several amounts of memory. */
export function addMemory(parts: readonly MemoryUse[]): MemoryUse {
  return {
    cpuBytes: parts.reduce((sum, { cpuBytes }) => sum + cpuBytes, 0),
    gpuBytes: parts.reduce((sum, { gpuBytes }) => sum + gpuBytes, 0),
  };
}

/** Subtracts a part from an amount; no result is below 0. */
export function subtractMemory(amount: MemoryUse, part: MemoryUse): MemoryUse {
  return {
    cpuBytes: Math.max(0, amount.cpuBytes - part.cpuBytes),
    gpuBytes: Math.max(0, amount.gpuBytes - part.gpuBytes),
  };
}

/** Whether a part fits into an amount, in each kind of memory. */
export function fitsIn(part: MemoryUse, amount: MemoryUse): boolean {
  return part.cpuBytes <= amount.cpuBytes && part.gpuBytes <= amount.gpuBytes;
}

/**
 * Share of the weights that the KV cache and the compute buffers add at common context sizes, and
 * the least that they add. A plan of the file is exact; this is for models whose file is not read.
 */
const ESTIMATED_CACHE_SHARE = 0.15;
const MIN_ESTIMATED_CACHE_BYTES = 256 * 2 ** 20;

/** Estimates the memory of a model by the size of its files, in bytes. */
export function estimateModelMemory(fileBytes: number): number {
  return Math.round(
    fileBytes + Math.max(fileBytes * ESTIMATED_CACHE_SHARE, MIN_ESTIMATED_CACHE_BYTES),
  );
}

/** Formats a size in bytes, such as `12.3 GiB` or `85 MiB`. */
export function formatBinaryUnits(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1000 ? `${Math.round(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
