import type { ModelFileFacts } from "../../core/model-library.js";

/** A file as it is now. */
export interface FileVersion {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Reads headers of files, in their order; `undefined` for one that cannot be read. Never rejects. */
export type Inspect = (
  paths: readonly string[],
) => Promise<readonly (ModelFileFacts | undefined)[]>;

interface KnownHeader {
  readonly version: string;
  /** Not settled while it is being read, so that nobody else reads it meanwhile. */
  readonly facts: Promise<ModelFileFacts | undefined>;
}

/** What the headers of files say: each version of a file is read once, and all that are asked for at once together. */
export class FileHeaders {
  readonly #inspect: Inspect;
  /** By path, of the version that was asked for last. */
  readonly #known = new Map<string, KnownHeader>();

  constructor(inspect: Inspect) {
    this.#inspect = inspect;
  }

  /** @returns in the order of the files; `undefined` for one that cannot be read */
  read(files: readonly FileVersion[]): Promise<readonly (ModelFileFacts | undefined)[]> {
    const unknown = new Map(
      files
        .filter((file) => this.#known.get(file.path)?.version !== versionOf(file))
        .map((file) => [file.path, versionOf(file)]),
    );
    if (unknown.size > 0) {
      const read = this.#inspect([...unknown.keys()]);
      for (const [index, [path, version]] of [...unknown].entries()) {
        this.#known.set(path, { version, facts: read.then((facts) => facts[index]) });
      }
    }
    return Promise.all(files.map(({ path }) => this.#known.get(path)?.facts));
  }
}

function versionOf({ sizeBytes, modifiedMs }: FileVersion): string {
  return `${sizeBytes} ${modifiedMs}`;
}
