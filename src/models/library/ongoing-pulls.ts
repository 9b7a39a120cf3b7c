import type { OngoingPull, PullingFile } from "../../core/model-library.js";
import type { PullEvent } from "../../core/pull-event.js";

/** Pulls that nobody waits for, with how far they are. */
export class OngoingPulls {
  readonly #pulls = new Map<string, Pull>();

  get list(): readonly OngoingPull[] {
    return [...this.#pulls.values()].map(({ view }) => view);
  }

  /** @returns `undefined`: one of this name goes on already */
  begin(name: string): Pull | undefined {
    if (this.#pulls.has(name)) return undefined;
    const pull = new Pull(name);
    this.#pulls.set(name, pull);
    return pull;
  }

  /** It is over, for whatever reason. */
  end(name: string): void {
    this.#pulls.delete(name);
  }

  /** @returns whether there was one */
  abort(name: string): boolean {
    const pull = this.#pulls.get(name);
    pull?.abort.abort(new Error(`the pull of ${name} was ended`));
    return pull !== undefined;
  }

  abortAll(): void {
    for (const name of this.#pulls.keys()) this.abort(name);
  }
}

/** One of them. */
class Pull {
  readonly name: string;
  readonly abort = new AbortController();
  readonly #files = new Map<string, PullingFile>();

  constructor(name: string) {
    this.name = name;
  }

  get view(): OngoingPull {
    return { name: this.name, files: [...this.#files.values()] };
  }

  /** @returns whether that changes how far it is */
  hear(event: PullEvent): boolean {
    switch (event.type) {
      case "resolved":
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
