import { constants } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileStats, FileSystem, OpenFile, OpenFlags } from "../../src/files/file-system.js";

/** The content of a file. */
export interface Content {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** A change to a file that is not synced yet. */
export type FileChange =
  | { readonly kind: "truncate"; readonly to: number }
  | { readonly kind: "chmod"; readonly mode: number }
  | { readonly kind: "write"; readonly at: number; readonly bytes: Buffer };

/** A change to a folder's entries that is not synced yet. */
export type FolderChange =
  | { readonly kind: "put"; readonly name: string; readonly node: DiskNode }
  | {
      readonly kind: "move";
      readonly from: string;
      readonly to: string;
      readonly node: DiskNode;
    }
  | { readonly kind: "drop"; readonly name: string };

export type DiskNode = SimulatedFile | SimulatedFolder;
export type Entries = ReadonlyMap<string, DiskNode>;

const NEW_FILE: Content = { bytes: Buffer.alloc(0), mode: 0o644 };

/** The mtime of all files. */
export const MODIFIED_AT = "2026-01-01T00:00:00.000Z";

let lastInode = 0;

/** A file: the content that certainly survives a power failure, and the changes since. */
export class SimulatedFile {
  readonly inode = ++lastInode;
  synced: Content;
  changes: readonly FileChange[];
  /**
   * A sync failed. As on Linux, the unwritten pages are then marked clean: the next sync succeeds
   * without doing anything, until the file is rewritten.
   */
  isLost = false;

  constructor(synced = NEW_FILE, changes: readonly FileChange[] = []) {
    this.synced = synced;
    this.changes = changes;
  }

  /** The content that readers see while the power is on. */
  get content(): Content {
    return this.changes.reduce(contentAfter, this.synced);
  }

  /** Data retained of a file whose sync failed stays unwritten. */
  truncate(to: number): void {
    this.changes = [...this.changes, { kind: "truncate", to }];
    if (to === 0) this.isLost = false;
  }

  sync(): void {
    if (this.isLost) return;
    this.synced = this.content;
    this.changes = [];
  }
}

/** A folder: the entries that certainly survive a power failure, and the changes since. */
export class SimulatedFolder {
  readonly inode = ++lastInode;
  synced: Entries;
  changes: readonly FolderChange[];

  constructor(synced: Entries = new Map(), changes: readonly FolderChange[] = []) {
    this.synced = synced;
    this.changes = changes;
  }

  get entries(): Entries {
    return this.changes.reduce(entriesAfter, this.synced);
  }

  add(change: FolderChange): void {
    this.changes = [...this.changes, change];
  }

  sync(): void {
    this.synced = this.entries;
    this.changes = [];
  }
}

export function contentAfter({ bytes, mode }: Content, change: FileChange): Content {
  switch (change.kind) {
    case "truncate":
      return { bytes: bytes.subarray(0, change.to), mode };
    case "chmod":
      return { bytes, mode: change.mode };
    case "write": {
      const { at, bytes: written } = change;
      const result = Buffer.alloc(Math.max(bytes.length, at + written.length));
      bytes.copy(result);
      written.copy(result, at);
      return { bytes: result, mode };
    }
  }
}

export function entriesAfter(entries: Entries, change: FolderChange): Entries {
  const result = new Map(entries);
  switch (change.kind) {
    case "put":
      return result.set(change.name, change.node);
    case "move":
      result.delete(change.from);
      return result.set(change.to, change.node);
    case "drop":
      result.delete(change.name);
      return result;
  }
}

/** A step of a process: one file system operation. */
export interface Step {
  readonly operation: keyof FileSystem | "chmod" | "writev" | "truncate" | "sync" | "close";
  readonly path: string;
}

/** The outcome of a step. */
export type StepOutcome =
  | { readonly kind: "done" }
  /** Fails with an error after nothing, half (of a write) or all of it was done. */
  | { readonly kind: "failed"; readonly code: string; readonly done: "nothing" | "half" | "all" }
  /** The process is killed before the step. */
  | { readonly kind: "killed" };

export interface ProcessOptions {
  readonly root: SimulatedFolder;
  /** Called before each step. @default every step is done */
  readonly outcomeOfStep?: (step: Step) => StepOutcome;
  /** Maximum number of bytes per write; longer ones are short writes. @default all */
  readonly maxWriteBytes?: number;
}

/**
 * A disk as one process sees it, behind the store's file system port. Written bytes are volatile
 * until the file is synced; created, renamed and removed entries until the folder is.
 */
export class SimulatedProcess implements FileSystem {
  readonly #root: SimulatedFolder;
  readonly #outcomeOfStep: (step: Step) => StepOutcome;
  readonly #maxWriteBytes: number;
  #isKilled = false;

  constructor({
    root,
    outcomeOfStep = () => ({ kind: "done" }),
    maxWriteBytes = Number.POSITIVE_INFINITY,
  }: ProcessOptions) {
    this.#root = root;
    this.#outcomeOfStep = outcomeOfStep;
    this.#maxWriteBytes = maxWriteBytes;
  }

  readFile(path: string): Promise<Buffer> {
    return this.#step({ operation: "readFile", path }, () => {
      const node = this.#find(path);
      if (node instanceof SimulatedFolder) throw systemError("EISDIR", path);
      return Buffer.from(node.content.bytes);
    });
  }

  realpath(path: string): Promise<string> {
    return this.#step({ operation: "realpath", path }, () => {
      this.#find(path);
      return path;
    });
  }

  /** There are no links. */
  readlink(path: string): Promise<string> {
    return this.#step({ operation: "readlink", path }, () => {
      this.#find(path);
      throw systemError("EINVAL", path);
    });
  }

  stat(path: string): Promise<FileStats> {
    return this.#step({ operation: "stat", path }, () => {
      const node = this.#find(path);
      const isFile = node instanceof SimulatedFile;
      const { bytes, mode } = isFile ? node.content : NEW_FILE;
      const type = isFile ? constants.S_IFREG : constants.S_IFDIR;
      const mtimeMs = Date.parse(MODIFIED_AT);
      return { dev: 1, ino: node.inode, mode: type | mode, size: bytes.length, mtimeMs };
    });
  }

  mkdir(path: string): Promise<string | undefined> {
    return this.#step({ operation: "mkdir", path }, () => this.#createFolder(path));
  }

  open(path: string, flags: OpenFlags): Promise<OpenFile> {
    return this.#step({ operation: "open", path }, () => {
      const node = flags === "r" ? this.#find(path) : this.#fileAt(path);
      if (node instanceof SimulatedFolder) return this.#openFolder(path, node);
      if (flags === "w") node.truncate(0);
      return this.#openFile(path, node);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#step({ operation: "rename", path: from }, () => {
      if (dirname(from) !== dirname(to)) throw systemError("EXDEV", from);
      const node = this.#find(from);
      this.#folder(dirname(from)).add({
        kind: "move",
        from: basename(from),
        to: basename(to),
        node,
      });
    });
  }

  rm(path: string): Promise<void> {
    return this.#step({ operation: "rm", path }, () => {
      const folder = this.#folder(dirname(path));
      const name = basename(path);
      if (folder.entries.has(name)) folder.add({ kind: "drop", name });
    });
  }

  #openFile(path: string, file: SimulatedFile): OpenFile {
    let end = file.content.bytes.length;
    const write = (bytes: Buffer) => {
      file.changes = [...file.changes, { kind: "write", at: end, bytes }];
      end += bytes.length;
      return { bytesWritten: bytes.length };
    };
    return {
      ...this.#openNode(path, file),
      chmod: (mode) =>
        this.#step({ operation: "chmod", path }, () => {
          file.changes = [...file.changes, { kind: "chmod", mode }];
        }),
      truncate: (bytes) =>
        this.#step({ operation: "truncate", path }, () => {
          file.truncate(bytes);
          end = bytes;
        }),
      writev: (chunks) => {
        const bytes = Buffer.concat(chunks);
        return this.#step(
          { operation: "writev", path },
          () => write(bytes.subarray(0, this.#maxWriteBytes)),
          () => write(bytes.subarray(0, bytes.length / 2)),
        );
      },
    };
  }

  #openFolder(path: string, folder: SimulatedFolder): OpenFile {
    const refuse = () => Promise.reject(systemError("EISDIR", path));
    return {
      ...this.#openNode(path, folder),
      ...{ chmod: refuse, writev: refuse, truncate: refuse },
    };
  }

  #openNode(path: string, node: DiskNode): Pick<OpenFile, "sync" | "close"> {
    return {
      sync: () =>
        this.#step(
          { operation: "sync", path },
          () => node.sync(),
          () => {
            if (node instanceof SimulatedFile) node.isLost = true;
          },
        ),
      close: () => this.#step({ operation: "close", path }, () => undefined),
    };
  }

  /** @param doHalf the effect of a step that fails halfway */
  async #step<Result>(step: Step, doAll: () => Result, doHalf?: () => unknown): Promise<Result> {
    // The continuations of earlier steps run first.
    await nextTurn();
    const outcome: StepOutcome = this.#isKilled ? { kind: "killed" } : this.#outcomeOfStep(step);
    switch (outcome.kind) {
      case "done":
        return doAll();
      case "failed":
        if (outcome.done === "all") doAll();
        if (outcome.done === "half" || (outcome.done === "nothing" && step.operation === "sync")) {
          doHalf?.();
        }
        throw systemError(outcome.code, step.path);
      case "killed":
        this.#isKilled = true;
        return new Promise(() => undefined);
    }
  }

  #find(path: string): DiskNode {
    let node: DiskNode = this.#root;
    for (const name of namesOf(path)) {
      if (!(node instanceof SimulatedFolder)) throw systemError("ENOTDIR", path);
      const next = node.entries.get(name);
      if (next === undefined) throw systemError("ENOENT", path);
      node = next;
    }
    return node;
  }

  #folder(path: string): SimulatedFolder {
    const node = this.#find(path);
    if (node instanceof SimulatedFile) throw systemError("ENOTDIR", path);
    return node;
  }

  #createFolder(path: string): string | undefined {
    let firstCreated: string | undefined;
    let parent = this.#root;
    let parentPath = "";
    for (const name of namesOf(path)) {
      parentPath += `/${name}`;
      let node = parent.entries.get(name);
      if (node === undefined) {
        node = new SimulatedFolder();
        parent.add({ kind: "put", name, node });
        firstCreated ??= parentPath;
      }
      if (node instanceof SimulatedFile) throw systemError("EEXIST", path);
      parent = node;
    }
    return firstCreated;
  }

  /** Creates it where it is missing. */
  #fileAt(path: string): SimulatedFile {
    const folder = this.#folder(dirname(path));
    const found = folder.entries.get(basename(path));
    if (found instanceof SimulatedFolder) throw systemError("EISDIR", path);
    if (found !== undefined) return found;
    const node = new SimulatedFile();
    folder.add({ kind: "put", name: basename(path), node });
    return node;
  }
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
