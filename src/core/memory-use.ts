/** Memory of the computer and of its GPUs, in bytes. */
export interface MemoryUse {
  readonly cpuBytes: number;
  /** Of all of them together; 0 without a GPU. */
  readonly gpuBytes: number;
}

export const NO_MEMORY: MemoryUse = { cpuBytes: 0, gpuBytes: 0 };

/**
 * The part of what is free that models may take. The rest is for other programs, for what llama.cpp does not estimate,
 * and for the server.
 */
export const MAX_CPU_SHARE = 0.8;
export const MAX_GPU_SHARE = 0.9;

/** Adds up what several parts take. */
export function sumOf(parts: readonly MemoryUse[]): MemoryUse {
  return {
    cpuBytes: parts.reduce((sum, { cpuBytes }) => sum + cpuBytes, 0),
    gpuBytes: parts.reduce((sum, { gpuBytes }) => sum + gpuBytes, 0),
  };
}

/** What is left of an amount when a part of it is taken. */
export function without(amount: MemoryUse, part: MemoryUse): MemoryUse {
  return {
    cpuBytes: Math.max(0, amount.cpuBytes - part.cpuBytes),
    gpuBytes: Math.max(0, amount.gpuBytes - part.gpuBytes),
  };
}

/** Whether there is enough of each kind of memory. */
export function fitsIn(part: MemoryUse, amount: MemoryUse): boolean {
  return part.cpuBytes <= amount.cpuBytes && part.gpuBytes <= amount.gpuBytes;
}

/** `12.3 GiB`, `85 MiB`. */
export function inBinaryUnits(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1000 ? `${Math.round(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
