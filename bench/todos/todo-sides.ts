import { fileURLToPath } from "node:url";
import { startChildServer } from "../servers/child-server.js";
import { daemonProgram, versionOf } from "../servers/ggufd.js";
import type { RunningServer } from "../servers/server.js";
import { typescriptFlags } from "./typescript-flags.js";

/** To-do service that the benchmark can start on a file. */
export interface TodoSide {
  readonly label: string;
  start(path: string, signal: AbortSignal): Promise<RunningServer>;
}

const plainServer = fileURLToPath(new URL("plain-server.ts", import.meta.url));

/** Sides, ggufd first, then the baselines; ratios are to the second side. */
export const todoSides: readonly [TodoSide, ...TodoSide[]] = [
  {
    label: "ggufd",
    async start(path, signal) {
      const args = [daemonProgram(), "serve", "--no-model", "--todos", path];
      return start({ label: "ggufd", args }, signal);
    },
  },
  plainSide("lowdb", "unsynced"),
  plainSide("lowdb + fsync", "synced"),
];

function plainSide(label: string, durability: "unsynced" | "synced"): TodoSide {
  return {
    label,
    async start(path, signal) {
      const args = [...typescriptFlags(), plainServer, path, durability];
      return start({ label, args }, signal);
    },
  };
}

interface NodeProgram {
  readonly label: string;
  /** Arguments without the port. */
  readonly args: readonly string[];
}

function start({ label, args }: NodeProgram, signal: AbortSignal): Promise<RunningServer> {
  const options = {
    label,
    program: process.execPath,
    argsFor: (port: number) => [...args, "--port", String(port)],
    environmentPrefix: "GGUFD_",
    versionOf,
  };
  return startChildServer(options, signal);
}
