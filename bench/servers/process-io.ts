import { readFileSync } from "node:fs";

/** Bytes that a process has written since its start. */
export interface WrittenBytes {
  /** Pages that it made dirty, and so caused to be written to a disk. */
  readonly toDisk: number;
  /** Given to `write` calls, whatever they wrote to: sockets count too. */
  readonly inCalls: number;
}

/** What a process has written so far, as Linux tells it; NaN elsewhere. */
export function writtenBy(pid: number | undefined): WrittenBytes {
  const known = pid !== undefined && process.platform === "linux";
  return writtenBytes(known ? readFileSync(`/proc/${pid}/io`, "utf8") : "");
}

/** `write_bytes: 4096` and `wchar: 5000` in a `/proc/PID/io`; NaN without such a line. */
export function writtenBytes(io: string): WrittenBytes {
  const countOf = (name: string) => {
    const digits = new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1];
    return digits === undefined ? Number.NaN : Number(digits);
  };
  return { toDisk: countOf("write_bytes"), inCalls: countOf("wchar") };
}
