import { readFileSync } from "node:fs";

/** Bytes that a process has written since its start. */
export interface WrittenBytes {
  /** Bytes of pages that the process dirtied and so caused to be written to disk. */
  readonly toDisk: number;
  /** Bytes passed to `write` calls, including those to sockets. */
  readonly inCalls: number;
}

/**
 * Reads the bytes that a process has written so far, from `/proc`; NaN on systems other than Linux.
 */
export function readWrittenBytes(pid: number | undefined): WrittenBytes {
  const isReadable = pid !== undefined && process.platform === "linux";
  return parseWrittenBytes(isReadable ? readFileSync(`/proc/${pid}/io`, "utf8") : "");
}

/** Parses `write_bytes: 4096` and `wchar: 5000` in `/proc/PID/io`; NaN without such a line. */
export function parseWrittenBytes(io: string): WrittenBytes {
  const countOf = (name: string) => {
    const digits = new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1];
    return digits === undefined ? Number.NaN : Number(digits);
  };
  return { toDisk: countOf("write_bytes"), inCalls: countOf("wchar") };
}
