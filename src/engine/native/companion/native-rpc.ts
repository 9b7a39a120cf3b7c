import { constants } from "node:os";
import { StartupError } from "../../../core/startup-error.js";
import { findAddonFile } from "./addon-files.js";
import type { NativeCompanion } from "./native-companion.js";

/** The interface of the addon in `rpc/rpc.cpp`. */
export interface NativeRpc {
  /** The version of node-llama-cpp. */
  readonly builtFor: string;
  /** Hash of the sources. */
  readonly sources: string;
  /** Version of llama.cpp's RPC (`RPC_PROTO_MAJOR_VERSION`). */
  readonly protocolMajor: number;
  readonly protocolMinor: number;
  /**
   * Connects to a worker, whose devices are listed by the companion and used by models from then
   * on. Ends the process if the worker cannot be reached or has another version.
   * @param endpoint IPv4 address or host name, and port
   * @returns the number of devices
   */
  connect(endpoint: string): number;
  /**
   * Serves the client of a connected socket, once per process. Resolves when the client has
   * disconnected. Malformed requests may end the process.
   * @param descriptor becomes the addon's own
   * @param threads compute threads of a CPU
   * @param cacheFolder existing folder for the tensors that clients send; `undefined`: none
   */
  serve(
    descriptor: number,
    threads: number,
    cacheFolder: string | undefined,
    offers: readonly MemoryOffer[],
  ): Promise<void>;
  /** Returns the memory of the client's buffers on each offered device, in bytes. */
  usedBytes(): readonly number[];
}

/** A device that a worker offers. */
export interface MemoryOffer {
  /** Name as in `--device`, e.g. `CUDA0` or `CPU`. */
  readonly device: string;
  /** Maximum memory of the client's buffers; `undefined`: all free memory. */
  readonly bytes: number | undefined;
}

let loaded: NativeRpc | undefined;

/**
 * Loads the addon, once per process.
 * @param native an attached companion; every platform that has one also has this addon
 * @throws {StartupError} the addon cannot be loaded, or was built for another version
 */
export function loadRpcAddon(native: NativeCompanion): NativeRpc {
  loaded ??= openAddon(native);
  return loaded;
}

function openAddon(native: NativeCompanion): NativeRpc {
  native.shareLibraries();
  const opened = { exports: {} as NativeRpc };
  const file = findAddonFile("rpc");
  // Resolves all functions at once: a missing one would otherwise end the process when called.
  process.dlopen(opened, file, constants.dlopen.RTLD_NOW);
  const { builtFor } = opened.exports;
  if (builtFor === native.facts.builtFor) return opened.exports;
  throw new StartupError(
    `${file} was built for ${builtFor}, but ${native.facts.builtFor} is installed`,
  );
}
