import { dirname } from "node:path";
import type { PulledFile, Retry, TransferEvent } from "../../core/pull-event.js";
import { formatSiUnits } from "../../core/si-units.js";
import { createFolder } from "../../files/durable-file.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { ModelError } from "../model-error.js";
import { hasDefiniteEnd, parseDigest, parseRange, strongTagOf } from "./answer-headers.js";
import { expectFreeSpace, type FreeBytes } from "./disk-space.js";
import { PartFile } from "./part-file.js";
import { createThrottledProgress, type ReportProgress } from "./progress.js";
import { type RetryPolicy, TransientFailure, withRetries } from "./retries.js";
import {
  type Authorization,
  discard,
  type SourceAnswer,
  type SourceClient,
  toConnectionFailure,
} from "./source-client.js";
import { toStorageError } from "./storage-failure.js";

/** File to be downloaded. */
export interface DownloadTarget extends PulledFile {
  readonly url: URL;
  /** Absolute path of the finished file. */
  readonly finalPath: string;
  readonly authorization: Authorization;
}

/** Finished file. */
export interface DownloadedFile {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** `length`: the source states no digest. */
  readonly verifiedBy: "sha256" | "length";
}

/** Caller that waits for a download. */
export interface DownloadListener {
  readonly signal: AbortSignal;
  readonly onEvent: (event: TransferEvent) => void;
}

export interface DownloadPorts {
  readonly client: SourceClient;
  readonly policy: RetryPolicy;
  readonly freeBytes: FreeBytes;
}

const MAGIC = "GGUF";

/**
 * Downloads a file, resuming an earlier attempt, and verifies it before it gets its final name. On
 * failure, the downloaded part is kept for the next attempt, unless it is wrong.
 * @throws {ModelError} `source_unavailable`, `access_denied`, `not_found`, `invalid_answer`,
 *   `wrong_content`, `disk_full`
 * @throws the signal's reason
 */
export async function downloadFile(
  ports: DownloadPorts,
  file: DownloadTarget,
  listener: DownloadListener,
): Promise<DownloadedFile> {
  const { signal, onEvent } = listener;
  const reportChecking = createThrottledProgress(onEvent, "checking", file.path);
  try {
    await createFolder(nodeFileSystem, dirname(file.finalPath));
    const part = await PartFile.open(file.finalPath, signal, (completedBytes) =>
      reportChecking(completedBytes, file.sizeBytes),
    );
    try {
      const download = new Download(ports, file, part, listener);
      const onRetry = (retry: Retry) => onEvent({ type: "retrying", path: file.path, ...retry });
      const options = { policy: ports.policy, signal, subject: file.path, onRetry };
      await withRetries(options, () => download.attempt());
      return await download.finish();
    } finally {
      await part.close();
    }
  } catch (error) {
    throw toStorageError(file.finalPath, error);
  }
}

/** Attempts to download one file. */
class Download {
  readonly #ports: DownloadPorts;
  readonly #file: DownloadTarget;
  readonly #part: PartFile;
  readonly #listener: DownloadListener;
  readonly #reportProgress: ReportProgress;
  /** Digest and size of the whole file, as stated by the source. */
  #sha256: string | undefined;
  #sizeBytes: number | undefined;
  #furthestBytes: number;

  constructor(
    ports: DownloadPorts,
    file: DownloadTarget,
    part: PartFile,
    listener: DownloadListener,
  ) {
    this.#ports = ports;
    this.#file = file;
    this.#part = part;
    this.#listener = listener;
    this.#reportProgress = createThrottledProgress(listener.onEvent, "progress", file.path);
    this.#sha256 = file.sha256;
    this.#sizeBytes = file.sizeBytes;
    this.#furthestBytes = part.sizeBytes;
  }

  /**
   * Downloads the missing part.
   * @throws {TransientFailure}
   */
  async attempt(): Promise<void> {
    await this.#dropOutdatedPart();
    if (this.#sha256 !== undefined && this.#part.sizeBytes === this.#sizeBytes) return;
    const answer = await this.#ports.client.open({
      url: this.#file.url,
      headers: this.#buildRangeHeaders(),
      authorization: this.#file.authorization,
      signal: this.#listener.signal,
      subject: this.#file.path,
    });
    try {
      if ((await this.#begin(answer)) === "all-there") return;
      await this.#receive(answer);
    } finally {
      discard(answer.body);
    }
  }

  /** Verifies the download and gives it its final name. */
  async finish(): Promise<DownloadedFile> {
    const { path, role } = this.#file;
    const [sha256, expected] = [this.#part.computeSha256(), this.#sha256];
    if (expected !== undefined && sha256 !== expected) {
      throw await this.#createContentError(`sha256 ${expected}`, sha256);
    }
    const beginning = (await this.#part.readBeginning(MAGIC.length)).toString("latin1");
    if (role !== "text" && role !== "adapter" && beginning !== MAGIC) {
      throw await this.#createContentError(
        "a GGUF file",
        `data that begins with ${JSON.stringify(beginning)}`,
      );
    }
    const { sizeBytes } = this.#part;
    await this.#part.finish();
    const verifiedBy = expected === undefined ? "length" : "sha256";
    this.#listener.onEvent({ type: "stored", path, verifiedBy });
    return { sizeBytes, sha256, verifiedBy };
  }

  /** Discards a part that belongs to another version or is too long. */
  async #dropOutdatedPart(): Promise<void> {
    const { identity, sizeBytes } = this.#part;
    if (sizeBytes === 0) return;
    const isSame =
      this.#sha256 === undefined ? identity.etag !== undefined : identity.sha256 === this.#sha256;
    if (!isSame) await this.#restart("the partial download is of another version");
    else if (sizeBytes > (this.#sizeBytes ?? sizeBytes))
      await this.#restart("the partial download is too long");
  }

  #buildRangeHeaders(): Record<string, string> {
    const { sizeBytes, identity } = this.#part;
    if (sizeBytes === 0) return {};
    const range = { range: `bytes=${sizeBytes}-` };
    return identity.etag === undefined ? range : { ...range, "if-range": identity.etag };
  }

  /** Compares the answer with the request and with the known properties of the file. */
  async #begin({ status, headers, trail }: SourceAnswer): Promise<"goes-on" | "all-there"> {
    const range = parseRange(status, headers);
    this.#sha256 ??= parseDigest(trail);
    if (status === 416) {
      if (range?.totalBytes === this.#part.sizeBytes && this.#part.sizeBytes > 0)
        return "all-there";
      await this.#restart("the source does not have the requested range");
      throw new TransientFailure("the server answered 416");
    }
    if ((headers["content-encoding"] ?? "identity") !== "identity") {
      throw this.#createAnswerError("an unencoded file", `one in ${headers["content-encoding"]}`);
    }
    if (range === undefined || !hasDefiniteEnd(headers)) {
      throw this.#createAnswerError(
        "the length of the file",
        `status ${status} without a valid one`,
      );
    }
    if (range.startBytes === 0) {
      if (this.#part.sizeBytes > 0)
        await this.#restart("the source sends the file from its beginning");
    } else if (range.startBytes !== this.#part.sizeBytes) {
      await this.#restart("the source sent another range");
      throw new TransientFailure("the server sent another range than requested");
    }
    await this.#expectSize(range.totalBytes);
    if (this.#part.sizeBytes === 0) {
      await this.#part.identify({ sha256: this.#sha256, etag: strongTagOf(headers) });
    }
    return "goes-on";
  }

  async #expectSize(totalBytes: number | undefined): Promise<void> {
    if (this.#sizeBytes === undefined && totalBytes !== undefined) {
      const neededBytes = totalBytes - this.#part.sizeBytes;
      await expectFreeSpace(dirname(this.#file.finalPath), neededBytes, this.#ports.freeBytes);
    }
    this.#sizeBytes ??= totalBytes;
    if (totalBytes === undefined || totalBytes === this.#sizeBytes) return;
    throw this.#createAnswerError(`a file of ${this.#sizeBytes} bytes`, `one of ${totalBytes}`);
  }

  async #receive({ body }: SourceAnswer): Promise<void> {
    const part = this.#part;
    const limitBytes = this.#sizeBytes ?? Number.POSITIVE_INFINITY;
    this.#reportProgress(part.sizeBytes, this.#sizeBytes);
    for await (const chunk of this.#readChunks(body)) {
      if (part.sizeBytes + chunk.length > limitBytes) {
        throw this.#createAnswerError(`a file of ${limitBytes} bytes`, "a longer one");
      }
      await part.append(chunk);
      this.#reportProgress(part.sizeBytes, this.#sizeBytes);
    }
    if (this.#sizeBytes !== undefined && part.sizeBytes < this.#sizeBytes) {
      throw this.#createInterruption("the connection ended");
    }
  }

  /**
   * Yields the chunks of a body. Errors of the connection are retried, unlike errors of the disk.
   */
  async *#readChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) yield chunk;
    } catch (error) {
      this.#listener.signal.throwIfAborted();
      const failure = toConnectionFailure(this.#file.path, error);
      throw failure instanceof ModelError
        ? failure
        : this.#createInterruption(failure.message, error);
    }
  }

  #createInterruption(reason: string, cause?: unknown): TransientFailure {
    const { sizeBytes } = this.#part;
    const hasProgressed = sizeBytes >= this.#furthestBytes + this.#ports.policy.minProgressBytes;
    this.#furthestBytes = Math.max(this.#furthestBytes, sizeBytes);
    const ofTotal = this.#sizeBytes === undefined ? "" : ` of ${formatSiUnits(this.#sizeBytes)}B`;
    return new TransientFailure(`${reason} after ${formatSiUnits(sizeBytes)}B${ofTotal}`, {
      progress: hasProgressed ? "some" : "none",
      cause,
    });
  }

  async #restart(reason: string): Promise<void> {
    await this.#part.clear();
    this.#listener.onEvent({ type: "restarting", path: this.#file.path, reason });
  }

  async #createContentError(expected: string, got: string): Promise<ModelError> {
    await this.#part.discard();
    const message = `${this.#file.path}: expected ${expected}, got ${got}; the download was deleted`;
    return new ModelError("wrong_content", message);
  }

  #createAnswerError(expected: string, got: string): ModelError {
    return new ModelError("invalid_answer", `${this.#file.path}: expected ${expected}, got ${got}`);
  }
}
