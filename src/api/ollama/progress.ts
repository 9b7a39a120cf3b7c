import { z } from "zod";
import type { LibraryModel, PullRequest } from "../../core/model-library.js";
import type { PullEvent, PulledFile } from "../../core/pull-event.js";

/** A line about a pull, or about the making of a model. */
export const progressLine = z
  .object({
    status: z.string().meta({ description: "`success` is the last one." }),
    digest: z
      .string()
      .optional()
      .meta({ description: "Of the file, if its source has one.", example: "sha256:da58c38a9978" }),
    total: z.int().nonnegative().optional().meta({ description: "Bytes, if they are known." }),
    completed: z.int().nonnegative().optional().meta({ description: "Bytes that have come." }),
  })
  .meta({ id: "OllamaProgress" });

export type ProgressLine = z.infer<typeof progressLine>;

export const SUCCESS: ProgressLine = { status: "success" };

/**
 * Runs a pull and tells of it. The first line comes when the source has answered, so that a model that it does not have
 * is an error before any line; the last one when the model can be asked for.
 * @param signal ends the pull, and the lines without another one
 * @throws what the pull fails with
 */
export async function* toPullLines(
  pull: (request: PullRequest) => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<ProgressLine, void> {
  const lines = new NewestLines();
  const pulled = pull({ signal, onEvent: (event) => lines.tell(event) });
  void pulled.then(
    () => lines.end(),
    () => lines.end(),
  );
  const first = await lines.next();
  if (first === undefined) await untilAborted(pulled, signal);
  if (signal.aborted) return;
  yield { status: "pulling manifest" };
  for (let line = first; line !== undefined; line = await lines.next()) yield line;
  await untilAborted(pulled, signal);
  if (signal.aborted) return;
  yield { status: "verifying sha256 digest" };
  yield { status: "writing manifest" };
  yield SUCCESS;
}

/** Waits for what an aborted signal ends, which is no failure then. */
async function untilAborted(pulled: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await pulled;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * What is to be told of a pull: of each file the newest, so that a client that reads slowly costs no memory and is told
 * how far the pull is, not how far it was.
 */
class NewestLines {
  readonly #files = new Map<string, PulledFile>();
  /** By the file's path; what is of no file is under an empty one. */
  readonly #lines = new Map<string, ProgressLine>();
  #isEnded = false;
  /** Of who waits for the next line. */
  #wake: () => void = () => undefined;

  tell(event: PullEvent): void {
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
      // Their reasons are of the server's own network and disk.
      case "retrying":
        this.#lines.set("", { status: `trying again in ${Math.ceil(event.delayMs / 1000)} s` });
        break;
      case "waiting":
        this.#lines.set("", { status: "waiting for another pull of the same file" });
        break;
    }
    this.#wake();
  }

  /** There is nothing more to tell. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** @returns `undefined`: everything has been told */
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

  #put(path: string, completed: number | undefined, told?: number): void {
    const { sha256, sizeBytes } = this.#files.get(path) ?? {};
    const total = told ?? sizeBytes;
    this.#lines.set(path, {
      status: `pulling ${sha256?.slice(0, SHOWN_DIGITS) ?? path.split("/").at(-1)}`,
      ...(sha256 !== undefined && { digest: `sha256:${sha256}` }),
      ...(total !== undefined && { total }),
      ...(completed !== undefined && { completed }),
    });
  }
}

/** Digits of a digest, in what people read. */
const SHOWN_DIGITS = 12;

/**
 * The lines about a model that is made.
 * @throws what that fails with, before any line
 */
export async function* toCreateLines(
  made: Promise<LibraryModel>,
): AsyncGenerator<ProgressLine, void> {
  const { stored } = await made;
  if (stored?.sha256 !== undefined) {
    yield { status: `using existing layer sha256:${stored.sha256}` };
  }
  yield { status: "writing manifest" };
  yield SUCCESS;
}
