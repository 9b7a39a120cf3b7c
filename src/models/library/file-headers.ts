import type { ModelFileFacts } from "../../core/model-library.js";

/** File at a point in time. */
export interface FileVersion {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/**
 * Reads the headers of files, in their order; `undefined` for a file that cannot be read. Never
 * rejects.
 */
export type Inspect = (
  paths: readonly string[],
) => Promise<readonly (ModelFileFacts | undefined)[]>;

interface KnownHeader {
  readonly version: string;
  /** Pending while the header is being read, so that it is read only once. */
  readonly facts: Promise<ModelFileFacts | undefined>;
}

/**
 * Caches the headers of files. Each version of a file is read once, and the files of one call are
 * read together.
 */
export class FileHeaders {
  readonly #inspect: Inspect;
  /** Header of the last requested version of each file, by path. */
  readonly #headersByPath = new Map<string, KnownHeader>();

  constructor(inspect: Inspect) {
    this.#inspect = inspect;
  }

  /** @returns headers in the order of the files; `undefined` for a file that cannot be read */
  read(files: readonly FileVersion[]): Promise<readonly (ModelFileFacts | undefined)[]> {
    const unreadVersions = new Map(
      files
        .filter((file) => this.#headersByPath.get(file.path)?.version !== versionOf(file))
        .map((file) => [file.path, versionOf(file)]),
    );
    if (unreadVersions.size > 0) {
      const pendingFacts = this.#inspect([...unreadVersions.keys()]);
      for (const [index, [path, version]] of [...unreadVersions].entries()) {
        this.#headersByPath.set(path, {
          version,
          facts: pendingFacts.then((facts) => facts[index]),
        });
      }
    }
    return Promise.all(files.map(({ path }) => this.#headersByPath.get(path)?.facts));
  }
}

function versionOf({ sizeBytes, modifiedMs }: FileVersion): string {
  return `${sizeBytes} ${modifiedMs}`;
}
