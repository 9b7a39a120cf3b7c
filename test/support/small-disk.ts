import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type FileSystem, nodeFileSystem, type OpenFile } from "../../src/files/file-system.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A folder on a disk that a test can fill. */
export interface SmallDisk {
  readonly folder: string;
  readonly files: FileSystem;
  /** Fills the disk. */
  fill(): Promise<void>;
}

/** Disk of this many bytes, behind the file system port. */
export async function countingDisk(roomBytes: number): Promise<SmallDisk> {
  const folder = await temporaryFolder();
  let room = roomBytes;
  const used = async () => {
    const sizes = (await readdir(folder)).map(
      async (name) => (await stat(join(folder, name))).size,
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
  const limited = (file: OpenFile): OpenFile => ({
    chmod: (mode) => file.chmod(mode),
    truncate: (bytes) => file.truncate(bytes),
    sync: () => file.sync(),
    close: () => file.close(),
    writev: async (chunks) => {
      const bytes = Buffer.concat(chunks);
      const fitting = bytes.subarray(0, Math.max(0, room - (await used())));
      if (fitting.length > 0) return file.writev([fitting]);
      throw Object.assign(new Error("ENOSPC: counted"), { code: "ENOSPC" });
    },
  });
  const { readFile, realpath, readlink, mkdir, rename, rm } = nodeFileSystem;
  return {
    folder,
    files: {
      readFile,
      realpath,
      readlink,
      stat: nodeFileSystem.stat,
      mkdir,
      rename,
      rm,
      open: async (path, flags) => {
        const file = await nodeFileSystem.open(path, flags);
        return flags === "r" ? file : limited(file);
      },
    },
    fill: async () => {
      room = await used();
    },
  };
}

/** A file system in memory of one megabyte; undefined where this process may not mount one. */
export function mountedDisk(): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "ggufd-test", folder], {
      stdio: "pipe",
    });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  onTestFinished(() => {
    execFileSync("umount", [folder]);
    rmdirSync(folder);
  });
  return {
    folder,
    files: nodeFileSystem,
    fill: async () => {
      for (const bytes of [65_536, 4096, 1]) {
        for (
          let number = 0;
          await wrote(join(folder, `filler-${bytes}-${number}`), bytes);
          number++
        );
      }
    },
  };
}

async function wrote(path: string, bytes: number): Promise<boolean> {
  return writeFile(path, Buffer.alloc(bytes, 1)).then(
    () => true,
    () => false,
  );
}
