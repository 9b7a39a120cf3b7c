import type { OngoingPull, PullingFile } from "../../core/model-library.js";
import type { PullEvent } from "../../core/pull-event.js";

/** Pulls that nobody waits for, with how far they are. */
export class OngoingPulls {
  readonly #pulls = new Map<string, Pull>();

  get list(): readonly OngoingPull[] {
    return [...this.#pulls.values()].map(({ view }) => view);
  }

  /** Begins one, unless one of this name goes on already. @param fetch never rejects */
  begin(name: string, fetch: (pull: Pull) => Promise<void>): void {
    if (this.#pulls.has(name)) return;
    const pull = new Pull(name);
    this.#pulls.set(name, pull);
    pull.ended = fetch(pull).finally(() => this.#pulls.delete(name));
  }

  /** One by the name that it was asked for by. */
  named(name: string): Pull | undefined {
    return this.#pulls.get(name);
  }

  /** One by the name of the model that it fetches. */
  ofModel(name: string): Pull | undefined {
    return [...this.#pulls.values()].find(({ model }) => model === name);
  }

  abortAll(): void {
    for (const pull of this.#pulls.values()) void pull.abort();
  }
}

/** One of them. */
class Pull {
  readonly name: string;
  /** Settled when nothing of it goes on any more. */
  ended: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();
  #model: string | undefined;
  readonly #files = new Map<string, PullingFile>();

  constructor(name: string) {
    this.name = name;
  }

  /** Of the model that it fetches; `undefined`: its source has not said yet. */
  get model(): string | undefined {
    return this.#model;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when it has ended. */
  abort(): Promise<void> {
    this.#controller.abort(new Error(`the pull of ${this.name} was ended`));
    return this.ended;
  }

  get view(): OngoingPull {
    return { name: this.name, files: [...this.#files.values()] };
  }

  /** @returns whether that changes how far it is */
  hear(event: PullEvent): boolean {
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
