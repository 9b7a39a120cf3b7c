import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { TransferEvent } from "../../core/pull-event.js";
import { statFile } from "../store/walk-folder.js";
import {
  type DownloadedFile,
  type DownloadListener,
  type DownloadPorts,
  type DownloadTarget,
  downloadFile,
} from "./download-file.js";
import { toStorageError } from "./storage-failure.js";
import { waitForLock } from "./wait-for-lock.js";

/** Running download and its listeners. */
interface RunningDownload {
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
  readonly #runningDownloads = new Map<string, RunningDownload>();

  constructor(ports: DownloadPorts) {
    this.#ports = ports;
  }

  /**
   * Downloads a file, or joins its running download.
   * @throws the errors of {@link downloadFile}
   */
  async get(file: DownloadTarget, { signal, onEvent }: DownloadListener): Promise<DownloadedFile> {
    signal.throwIfAborted();
    const key = `${file.finalPath}\n${file.sha256}`;
    const running = this.#runningDownloads.get(key) ?? this.#start(key, file);
    const listener = (event: TransferEvent) => onEvent(event);
    running.listeners.add(listener);
    try {
      return await rejectOnAbort(running.done, signal);
    } finally {
      running.listeners.delete(listener);
      if (running.listeners.size === 0) {
        if (this.#runningDownloads.get(key) === running) this.#runningDownloads.delete(key);
        running.controller.abort(signal.reason);
        // Once `done` settles, the partial file is closed, and the next download can resume it.
        await running.done.catch(() => undefined);
      }
    }
  }

  #start(key: string, file: DownloadTarget): RunningDownload {
    const controller = new AbortController();
    const listeners = new Set<(event: TransferEvent) => void>();
    const onEvent = (event: TransferEvent) => {
      for (const listener of listeners) listener(event);
    };
    const done = this.#download(file, { signal: controller.signal, onEvent });
    const running = { listeners, controller, done };
    this.#runningDownloads.set(key, running);
    return running;
  }

  async #download(file: DownloadTarget, listener: DownloadListener): Promise<DownloadedFile> {
    const { signal, onEvent } = listener;
    const onWait = (reason: string) => onEvent({ type: "waiting", path: file.path, reason });
    const { lock, waited } = await waitForLock(`${file.finalPath}.lock`, signal, onWait).catch(
      (error: unknown) => {
        throw toStorageError(file.finalPath, error);
      },
    );
    try {
      const existingFile = waited ? await findMatchingFile(file, signal) : undefined;
      return existingFile ?? (await downloadFile(this.#ports, file, listener));
    } finally {
      await lock.release();
    }
  }
}

/**
 * Returns the file that is already in place, if it has the expected content.
 * @returns `undefined` if it is missing or different
 */
export async function findMatchingFile(
  { finalPath, sizeBytes, sha256 }: Pick<DownloadTarget, "finalPath" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<DownloadedFile | undefined> {
  const file = await statFile(finalPath);
  if (file === undefined || file.sizeBytes !== (sizeBytes ?? file.sizeBytes)) return undefined;
  const actualSha256 = await hashFile(finalPath, signal);
  if (actualSha256 !== (sha256 ?? actualSha256)) return undefined;
  const verifiedBy = sha256 === undefined ? "length" : "sha256";
  return { sizeBytes: file.sizeBytes, sha256: actualSha256, verifiedBy };
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 * 1024 })) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}

function rejectOnAbort<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
