import { homedir } from "node:os";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { settings } from "../../config/settings.js";
import {
  parseWorkerListenAddress,
  WORKER_PORT,
  type WorkerListenAddress,
} from "../../config/worker-address.js";
import { StartupError } from "../../core/startup-error.js";
import type { GpuChoice } from "../../engine/native/llama-backend.js";
import { isLocalOnly } from "../../http/accepted-hosts.js";
import { preview } from "../../validation/preview.js";
import { memoryOption, numberOption, POSITIVE_INTEGER } from "../options.js";

/** Options of `ggufd worker`. */
export interface WorkerArguments {
  /** `ADDRESS[:PORT]`. */
  readonly listen: string;
  readonly gpu: GpuChoice;
  /** Names of the offered devices; empty: the GPUs, or the CPU if there is none. */
  readonly devices: readonly string[];
  /** Memory to offer on each device, in GiB; `undefined`: what is free. */
  readonly memoryGiB: number | undefined;
  /** Compute threads of the CPU; `undefined`: one for each performance core. */
  readonly threads: number | undefined;
  /** Folder for the weights that engines send; `none`: nothing is stored. */
  readonly cacheDir: string;
  /** Which addresses may be listened on. */
  readonly network: "loopback-only" | "any";
}

const DEFAULT_LISTEN = `127.0.0.1:${WORKER_PORT}`;

/** Adds `worker`, which serves this machine's devices to other machines. */
export function addWorkerCommand(
  program: Command,
  worker: (options: WorkerArguments) => Promise<void>,
): void {
  program
    .command("worker")
    .description("serve this machine's memory and devices to models of other machines")
    .addOption(
      new Option("--listen <ADDRESS:PORT>", "address to listen on").default(DEFAULT_LISTEN),
    )
    .addOption(
      new Option("--gpu <BACKEND>", "compute backend")
        .choices(settings.gpu.schema.unwrap().options)
        .default("auto"),
    )
    .addOption(
      new Option(
        "--device <NAME>",
        "device to offer; repeatable (default: all GPUs, or the CPU)",
      ).argParser<string[]>((text, previous = []) => [...previous, ...text.split(",")]),
    )
    .addOption(
      memoryOption("--memory <GIB>", "memory to offer on each device (default: what is free)"),
    )
    .addOption(
      numberOption("--threads <N>", "CPU threads (default: all fast cores)", POSITIVE_INTEGER),
    )
    .addOption(
      new Option("--cache-dir <DIR|none>", "folder for received weights").default(
        findWorkerCache(),
      ),
    )
    .addOption(new Option("--insecure-network", "allow addresses that other machines can reach"))
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .action(({ listen, gpu, device = [], memory, threads, cacheDir, insecureNetwork = false }) =>
      worker({
        ...{ listen, gpu, threads, cacheDir },
        devices: device,
        memoryGiB: memory,
        network: insecureNetwork ? "any" : "loopback-only",
      }),
    );
}

/**
 * Parses an address to listen on.
 * @throws {StartupError} the address is invalid, or other machines can reach it although they may
 *   not
 */
export function parseListen(
  text: string,
  network: WorkerArguments["network"],
): WorkerListenAddress {
  const address = parseWorkerListenAddress(text);
  if (address === undefined) {
    throw new StartupError(
      `--listen: expected ADDRESS[:PORT] with an IP address, e.g. ${DEFAULT_LISTEN}, got ${preview(text)}`,
    );
  }
  if (network === "any" || isLocalOnly([{ kind: "tcp", host: address.host }])) return address;
  throw new StartupError(
    `--listen ${text}: expected a loopback address such as ${DEFAULT_LISTEN}, because llama.cpp's RPC has neither authentication nor encryption; ` +
      "add --insecure-network if only trusted machines can reach the address (docs/cluster.md has safer ways)",
  );
}

/** Returns the default folder of the weights that engines send. */
function findWorkerCache(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "ggufd", "rpc");
}
