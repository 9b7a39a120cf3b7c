import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { u32 } from "../../../models/gguf/metadata.js";
import { readGguf } from "../../../models/gguf/reader.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { readModelContent, selectBlocks } from "../../../src/engine/loading/model-content.js";
import { writePerturbed } from "../../support/perturbed-model.js";
import { tinyModel } from "../../support/random-models.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  path = join(folder, "model.gguf");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hashOf = async (of: string) => (await readModelContent(of)).hash;

describe("the content hash of a model", () => {
  test("does not depend on the path and modification time", async () => {
    copyFileSync(tinyModel(), path);
    utimesSync(path, new Date("2020-01-01"), new Date("2020-01-01"));
    expect(await hashOf(path)).toBe(await hashOf(tinyModel()));
  });

  test("depends on the weights, even with the same size and modification time", async () => {
    writePerturbed(tinyModel(), path, 0.01);
    const { atime, mtime } = statSync(tinyModel());
    utimesSync(path, atime, mtime);
    expect(statSync(path).size).toBe(statSync(tinyModel()).size);
    expect(await hashOf(path)).not.toBe(await hashOf(tinyModel()));
  });

  test("depends on each small tensor", async () => {
    const { metadata, tensors } = readGguf(tinyModel());
    const hashes = new Set<string>();
    for (const changed of tensors) {
      writeGguf(path, {
        metadata,
        tensors: tensors.map((tensor) => {
          if (tensor !== changed) return tensor;
          return { ...tensor, rows: () => [...tensor.rows()].map((row) => row.map((x) => -x)) };
        }),
      });
      hashes.add(await hashOf(path));
    }
    expect(hashes.size).toBe(tensors.length);
    expect(hashes).not.toContain(await hashOf(tinyModel()));
  });

  test("depends on each hyperparameter", async () => {
    const { metadata, tensors } = readGguf(tinyModel());
    writeGguf(path, {
      metadata: new Map(metadata).set("llama.context_length", u32(77)),
      tensors,
    });
    expect(await hashOf(path)).not.toBe(await hashOf(tinyModel()));
  });

  test("depends on the length of the file and on its last bytes", async () => {
    const content = readFileSync(tinyModel());
    const hashes = new Set([await hashOf(tinyModel())]);
    writeFileSync(path, Buffer.concat([content, Buffer.of(0)]));
    hashes.add(await hashOf(path));
    const file = openSync(path, "r+");
    writeSync(file, Buffer.of(0xaa), 0, 1, content.length);
    closeSync(file);
    hashes.add(await hashOf(path));
    expect(hashes.size).toBe(3);
  });

  test.each([
    { bytes: 0, reads: 1 },
    { bytes: 12_288, reads: 1 },
    { bytes: 12_289, reads: 3 },
    { bytes: 2 ** 20, reads: 3 },
    { bytes: 2 ** 30, reads: 65 },
  ])(
    "of a tensor of $bytes bytes is computed from $reads blocks, including both ends",
    ({ bytes, reads }) => {
      const blocks = selectBlocks({ from: 1000, to: 1000 + bytes });
      expect(blocks).toHaveLength(reads);
      expect(blocks[0]?.from).toBe(1000);
      expect(blocks.at(-1)?.to).toBe(1000 + bytes);
      for (const { from, to } of blocks) expect(to).toBeGreaterThanOrEqual(from);
    },
  );
});
