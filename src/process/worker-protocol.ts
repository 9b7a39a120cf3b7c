import type { BackendChoice } from "../engine/native/llama-backend.js";

/** Devices and settings of a worker, the same for each client. */
export interface WorkerOffer {
  readonly gpu: BackendChoice;
  /** Names of the devices, e.g. `CUDA0` or `CPU`; at least one. */
  readonly devices: readonly string[];
  /** Compute threads of the CPU. */
  readonly threads: number;
  /** Existing folder for the tensors that clients send; `undefined`: none. */
  readonly cacheFolder: string | undefined;
}

/** Request to a process of a worker, sent once. */
export type ToWorkerProcess =
  | { readonly type: "list-devices"; readonly gpu: BackendChoice }
  | {
      readonly type: "serve";
      readonly offer: WorkerOffer;
      /** Memory limit of each offered device, in bytes; `undefined`: all free memory. */
      readonly limits: readonly (number | undefined)[];
    };

/** A device of a worker's machine. */
export interface OfferableDevice {
  readonly name: string;
  readonly description: string;
  readonly isGpu: boolean;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Report of a process of a worker. */
export type FromWorkerProcess =
  | { readonly type: "devices"; readonly devices: readonly OfferableDevice[] }
  | { readonly type: "log"; readonly level: string; readonly message: string }
  /** Memory of the client's buffers on each offered device, in bytes. */
  | { readonly type: "used"; readonly bytes: readonly number[] }
  /** The client has disconnected. */
  | { readonly type: "disconnected" }
  | { readonly type: "failed"; readonly reason: string };
