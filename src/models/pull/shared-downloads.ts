import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { TransferEvent } from "../../core/pull-event.js";
import { fileAt } from "../store/walk-folder.js";
import {
  type DownloadedFile,
  type DownloadListener,
  type DownloadPorts,
  downloadFile,
  type WantedFile,
} from "./download-file.js";
import { toStorageError } from "./storage-failure.js";
import { waitForLock } from "./wait-for-lock.js";

/** Running download and its listeners. */
interface Running {
  readonly listeners: Set<(event: TransferEvent) => void>;
  readonly controller: AbortController;
  readonly done: Promise<DownloadedFile>;
}

/**
 * Downloads with at most one transfer per file. Within this process the transfer is shared, and is
 * aborted when its last listener leaves; across processes, a lock makes others wait for the first.
 */
export class SharedDownloads {
  readonly #ports: DownloadPorts;
  readonly #running = new Map<string, Running>();

  constructor(ports: DownloadPorts) {
    this.#ports = ports;
  }

  /**
   * Downloads a file, or joins its running download.
   * @throws the errors of {@link downloadFile}
   */
  async get(file: WantedFile, { signal, onEvent }: DownloadListener): Promise<DownloadedFile> {
    signal.throwIfAborted();
    const key = `${file.place}\n${file.sha256}`;
    const running = this.#running.get(key) ?? this.#start(key, file);
    const listener = (event: TransferEvent) => onEvent(event);
    running.listeners.add(listener);
    try {
      return await untilAborted(running.done, signal);
    } finally {
      running.listeners.delete(listener);
      if (running.listeners.size === 0) {
        if (this.#running.get(key) === running) this.#running.delete(key);
        running.controller.abort(signal.reason);
        // Once `done` settles, the partial file is closed, and the next download can resume it.
        await running.done.catch(() => undefined);
      }
    }
  }

  #start(key: string, file: WantedFile): Running {
    const controller = new AbortController();
    const listeners = new Set<(event: TransferEvent) => void>();
    const onEvent = (event: TransferEvent) => {
      for (const listener of listeners) listener(event);
    };
    const done = this.#download(file, { signal: controller.signal, onEvent });
    const running = { listeners, controller, done };
    this.#running.set(key, running);
    return running;
  }

  async #download(file: WantedFile, listener: DownloadListener): Promise<DownloadedFile> {
    const { signal, onEvent } = listener;
    const onWait = (reason: string) => onEvent({ type: "waiting", path: file.path, reason });
    const { lock, waited } = await waitForLock(`${file.place}.lock`, signal, onWait).catch(
      (error: unknown) => {
        throw toStorageError(file.place, error);
      },
    );
    try {
      const theirs = waited ? await matchingFile(file, signal) : undefined;
      return theirs ?? (await downloadFile(this.#ports, file, listener));
    } finally {
      await lock.release();
    }
  }
}

/**
 * Returns the file that is already in place, if it has the expected content.
 * @returns `undefined` if it is missing or different
 */
export async function matchingFile(
  { place, sizeBytes, sha256 }: Pick<WantedFile, "place" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<DownloadedFile | undefined> {
  const file = await fileAt(place);
  if (file === undefined || file.sizeBytes !== (sizeBytes ?? file.sizeBytes)) return undefined;
  const found = await sha256OfFile(place, signal);
  if (found !== (sha256 ?? found)) return undefined;
  const verifiedBy = sha256 === undefined ? "length" : "sha256";
  return { sizeBytes: file.sizeBytes, sha256: found, verifiedBy };
}

async function sha256OfFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 * 1024 })) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}

function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
