import { z } from "zod";
import type { LibraryModel, PullRequest } from "../../core/model-library.js";
import type { PullEvent, PulledFile } from "../../core/pull-event.js";

/** Progress line of a pull, or of the creation of a model. */
export const progressLine = z
  .object({
    status: z.string().meta({ description: "Current step. The last one is `success`." }),
    digest: z.string().optional().meta({
      description: "Digest of the file, if its source has one.",
      example: "sha256:da58c38a9978",
    }),
    total: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: "Size of the file in bytes, if known." }),
    completed: z.int().nonnegative().optional().meta({ description: "Bytes received." }),
  })
  .meta({ id: "OllamaProgress" });

export type ProgressLine = z.infer<typeof progressLine>;

export const SUCCESS: ProgressLine = { status: "success" };

/**
 * Runs a pull and reports its progress. The first line follows the response of the source, so that
 * an unknown model is an error before any line. The last line is sent when the model can be used.
 * @param signal aborts the pull and ends the lines
 * @throws the error of a failed pull
 */
export async function* toPullLines(
  pull: (request: PullRequest) => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<ProgressLine, void> {
  const lines = new NewestLines();
  const pullResult = pull({ signal, onEvent: (event) => lines.push(event) });
  void pullResult.then(
    () => lines.end(),
    () => lines.end(),
  );
  const first = await lines.next();
  if (first === undefined) await awaitPull(pullResult, signal);
  if (signal.aborted) return;
  yield { status: "pulling manifest" };
  for (let line = first; line !== undefined; line = await lines.next()) yield line;
  await awaitPull(pullResult, signal);
  if (signal.aborted) return;
  yield { status: "verifying sha256 digest" };
  yield { status: "writing manifest" };
  yield SUCCESS;
}

/** Awaits the pull. Its failure after an abort is ignored. */
async function awaitPull(pullPromise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await pullPromise;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Unread progress of a pull: only the newest line of each file, so that a slow client costs no
 * memory and reads the current progress.
 */
class NewestLines {
  readonly #files = new Map<string, PulledFile>();
  /** Lines by path of the file. A line about no file has an empty path. */
  readonly #lines = new Map<string, ProgressLine>();
  #isEnded = false;
  /** Wakes the reader that waits for the next line. */
  #wake: () => void = () => undefined;

  push(event: PullEvent): void {
    switch (event.type) {
      case "resolving":
        return;
      case "resolved":
        for (const file of event.files) {
          this.#files.set(file.path, file);
          this.#put(file.path, 0);
        }
        break;
      case "restarting":
        this.#put(event.path, 0);
        break;
      case "checking":
      case "progress":
        this.#put(event.path, event.completedBytes, event.totalBytes);
        break;
      case "present":
      case "stored":
        this.#put(event.path, this.#files.get(event.path)?.sizeBytes);
        break;
      // The reasons concern the server's network and disk, and are not reported.
      case "retrying":
        this.#lines.set("", { status: `trying again in ${Math.ceil(event.delayMs / 1000)} s` });
        break;
      case "waiting":
        this.#lines.set("", { status: "waiting for another pull of the same file" });
        break;
    }
    this.#wake();
  }

  /** Marks the end of the pull, after its last event. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** @returns `undefined`: there are no more lines */
  async next(): Promise<ProgressLine | undefined> {
    while (this.#lines.size === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const [oldest] = this.#lines;
    if (oldest === undefined) return undefined;
    const [path, line] = oldest;
    this.#lines.delete(path);
    return line;
  }

  #put(path: string, completed: number | undefined, reportedTotal?: number): void {
    const { sha256, sizeBytes } = this.#files.get(path) ?? {};
    const total = reportedTotal ?? sizeBytes;
    this.#lines.set(path, {
      status: `pulling ${sha256?.slice(0, SHOWN_DIGITS) ?? path.split("/").at(-1)}`,
      ...(sha256 !== undefined && { digest: `sha256:${sha256}` }),
      ...(total !== undefined && { total }),
      ...(completed !== undefined && { completed }),
    });
  }
}

/** Number of digits of a digest that are displayed. */
const SHOWN_DIGITS = 12;

/**
 * Yields the progress lines of a created model.
 * @throws the error of a failed creation, before any line
 */
export async function* toCreateLines(
  pendingModel: Promise<LibraryModel>,
): AsyncGenerator<ProgressLine, void> {
  const { stored } = await pendingModel;
  if (stored?.sha256 !== undefined) {
    yield { status: `using existing layer sha256:${stored.sha256}` };
  }
  yield { status: "writing manifest" };
  yield SUCCESS;
}
