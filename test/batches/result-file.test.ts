import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ResultFile, readResults } from "../../src/batches/result-file.js";
import { type FileSystem, nodeFileSystem, type OpenFile } from "../../src/files/file-system.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A file system whose writes write half of the bytes and then fail, while `isFull`. */
function fillableDisk() {
  const disk = { isFull: false, syncs: 0 };
  const files: FileSystem = {
    ...nodeFileSystem,
    async open(path, flags) {
      const file: OpenFile = await nodeFileSystem.open(path, flags);
      return {
        chmod: (mode) => file.chmod(mode),
        truncate: (bytes) => file.truncate(bytes),
        close: () => file.close(),
        sync: () => {
          disk.syncs++;
          return file.sync();
        },
        async writev(chunks) {
          if (!disk.isFull) return file.writev(chunks);
          const [first = new Uint8Array()] = chunks;
          await file.writev([first.subarray(0, first.length / 2)]);
          throw Object.assign(new Error("full"), { code: "ENOSPC" });
        },
      };
    },
  };
  return { disk, files };
}

const readValues = async (path: string) => {
  const values: unknown[] = [];
  const bytes = await readResults(path, (value) => {
    values.push(value);
    return true;
  });
  return { values, bytes };
};

describe("a file of results", () => {
  it("writes lines that arrive together with one sync", async () => {
    const { disk, files } = fillableDisk();
    const path = join(await temporaryFolder(), "results");
    const file = new ResultFile(path, 0, files);
    await Promise.all(["1", "2", "3", "4"].map((text) => file.append(text)));
    await file.close();
    expect(await readFile(path, "utf8")).toBe("1\n2\n3\n4\n");
    expect(disk.syncs).toBeLessThanOrEqual(2);
  });

  it("cuts off a failed write before the next one", async () => {
    const { disk, files } = fillableDisk();
    const path = join(await temporaryFolder(), "results");
    const file = new ResultFile(path, 0, files);
    await file.append('{"line":1}');
    disk.isFull = true;
    await expect(file.append('{"line":2}')).rejects.toThrow("full");
    disk.isFull = false;
    await file.append('{"line":3}');
    await file.close();
    expect(await readFile(path, "utf8")).toBe('{"line":1}\n{"line":3}\n');
    expect(file.bytes).toBe(22);
  });

  it.each([
    ["an incomplete last line", '{"line":2'],
    ["a complete line without a line break", '{"line":2}'],
    ["a damaged line and a complete one", '{"li\0\0\0\n{"line":3}\n'],
  ])("continues after %s was cut off", async (_, tail) => {
    const path = join(await temporaryFolder(), "results");
    await writeFile(path, '{"line":1}\n');
    await appendFile(path, tail);
    const { values, bytes } = await readValues(path);
    expect(values).toEqual([{ line: 1 }]);
    const file = new ResultFile(path, bytes, nodeFileSystem);
    await file.append('{"line":4}');
    await file.close();
    expect(await readFile(path, "utf8")).toBe('{"line":1}\n{"line":4}\n');
  });

  it("is empty if it does not exist", async () => {
    const path = join(await temporaryFolder(), "missing");
    expect(await readValues(path)).toEqual({ values: [], bytes: 0 });
  });
});
