/** Memory of the computer and of its GPUs, in bytes. */
export interface MemoryUse {
  readonly cpuBytes: number;
  /** 0 without a GPU. */
  readonly gpuBytes: number;
}

/** Adds up what several parts take. */
export function sumOf(parts: readonly MemoryUse[]): MemoryUse {
  return {
    cpuBytes: parts.reduce((sum, { cpuBytes }) => sum + cpuBytes, 0),
    gpuBytes: parts.reduce((sum, { gpuBytes }) => sum + gpuBytes, 0),
  };
}

/** `12.3 GiB`, `85 MiB`. */
export function inBinaryUnits(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1000 ? `${Math.round(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
