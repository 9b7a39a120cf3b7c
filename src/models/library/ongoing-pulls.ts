import type { OngoingPull, PullingFile } from "../../core/model-library.js";
import type { PullEvent } from "../../core/pull-event.js";

/** Background pulls and their progress. */
export class OngoingPulls {
  readonly #pulls = new Map<string, Pull>();

  get list(): readonly OngoingPull[] {
    return [...this.#pulls.values()].map(({ view }) => view);
  }

  /**
   * Starts a pull, unless one with this name is already running.
   * @param fetch never rejects
   */
  begin(name: string, fetch: (pull: Pull) => Promise<void>): void {
    if (this.#pulls.has(name)) return;
    const pull = new Pull(name);
    this.#pulls.set(name, pull);
    pull.ended = fetch(pull).finally(() => this.#pulls.delete(name));
  }

  /** Returns the pull that was requested by a name. */
  findRequested(name: string): Pull | undefined {
    return this.#pulls.get(name);
  }

  /** Returns the pull that fetches the model of a name. */
  findByModel(name: string): Pull | undefined {
    return [...this.#pulls.values()].find(({ model }) => model === name);
  }

  abortAll(): void {
    for (const pull of this.#pulls.values()) void pull.abort();
  }
}

/** Background pull. */
class Pull {
  readonly name: string;
  /** Settles when the pull has ended completely. */
  ended: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();
  #model: string | undefined;
  readonly #files = new Map<string, PullingFile>();

  constructor(name: string) {
    this.name = name;
  }

  /** Name of the model; `undefined` until the source has been resolved. */
  get model(): string | undefined {
    return this.#model;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the pull; resolves when it has ended. */
  abort(): Promise<void> {
    this.#controller.abort(new Error(`the pull of ${this.name} was cancelled`));
    return this.ended;
  }

  get view(): OngoingPull {
    return { name: this.name, files: [...this.#files.values()] };
  }

  /** @returns whether the event changes the progress */
  applyEvent(event: PullEvent): boolean {
    switch (event.type) {
      case "resolved":
        this.#model = event.name;
        for (const { path, sizeBytes } of event.files) {
          this.#files.set(path, { path, completedBytes: 0, totalBytes: sizeBytes });
        }
        return true;
      case "progress":
      case "checking": {
        const { path, completedBytes, totalBytes } = event;
        this.#files.set(path, { path, completedBytes, totalBytes });
        return true;
      }
      case "present":
      case "stored":
        this.#complete(event.path);
        return true;
      case "resolving":
      case "waiting":
      case "retrying":
      case "restarting":
        return false;
    }
  }

  #complete(path: string): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    const bytes = file.totalBytes ?? file.completedBytes;
    this.#files.set(path, { path, completedBytes: bytes, totalBytes: bytes });
  }
}
