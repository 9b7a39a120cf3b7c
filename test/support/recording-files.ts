import { basename } from "node:path";
import { type FileSystem, nodeFileSystem, type OpenFlags } from "../../src/files/file-system.js";

/** The real file system. Records its steps and injects errors into them. */
export class RecordingFiles implements FileSystem {
  /** Steps that change the disk, in order: `rename todos.json.tmp todos.json`. */
  readonly steps: string[] = [];
  /** Error codes to inject, by step. */
  readonly faults = new Map<string, string>();
  /** Maximum number of bytes per write call. */
  maxWriteBytes = Number.POSITIVE_INFINITY;

  readonly readFile = nodeFileSystem.readFile;
  readonly realpath = nodeFileSystem.realpath;
  readonly readlink = nodeFileSystem.readlink;
  readonly stat = nodeFileSystem.stat;
  readonly mkdir = nodeFileSystem.mkdir;
  readonly rm = nodeFileSystem.rm;

  async rename(from: string, to: string): Promise<void> {
    this.#step(`rename ${basename(from)} ${basename(to)}`);
    await nodeFileSystem.rename(from, to);
  }

  async open(path: string, flags: OpenFlags) {
    const name = basename(path);
    this.#step(`open ${name} ${flags}`);
    const file = await nodeFileSystem.open(path, flags);
    return {
      chmod: (mode: number) => file.chmod(mode),
      truncate: async (bytes: number) => {
        this.#step(`truncate ${name}`);
        await file.truncate(bytes);
      },
      writev: async (chunks: readonly Uint8Array[]) => {
        const bytes = Buffer.concat(chunks).subarray(0, this.maxWriteBytes);
        const written = await file.writev([bytes]);
        this.#step(`write ${name}`);
        return written;
      },
      sync: async () => {
        this.#step(`sync ${name}`);
        await file.sync();
      },
      close: () => file.close(),
    };
  }

  #step(name: string): void {
    this.steps.push(name);
    const code = this.faults.get(name);
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected`), { code });
  }
}
