import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Manifest, readManifest, writeManifest } from "../../../src/models/store/manifest.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const manifest: Manifest = {
  version: 1,
  name: "u/r:Q4_0",
  aliases: ["u/r"],
  sources: ["hf:u/r"],
  pulledAt: "2026-11-26T12:00:00.000Z",
  origin: { kind: "hugging-face", repo: "u/r", revision: "0".repeat(40), file: "m-Q4_0.gguf" },
  files: [{ path: "hf/u/r/m-Q4_0.gguf", sizeBytes: 4, sha256: "a".repeat(64) }],
  adapters: [],
};

test("a manifest is read back unchanged, and leaves no temporary files", async () => {
  const folder = await temporaryFolder();
  const path = await writeManifest(folder, "hf/u/r/m", manifest);
  expect(path).toBe(join(folder, "manifests/hf/u/r/m.json"));
  expect(await readManifest(path)).toEqual(manifest);
  expect(await readdir(join(folder, "manifests/hf/u/r"))).toEqual(["m.json"]);
});

const fileAt = (path: string) => ({ ...manifest, files: [{ path, sizeBytes: 4 }] });

test.each<[string, unknown, string]>([
  ["invalid JSON", "{", "not JSON"],
  ["an unsupported version", { ...manifest, version: 2 }, "version: "],
  ["no files", { ...manifest, files: [] }, "files"],
  [
    "a path outside the models folder",
    fileAt("../secret"),
    "files.0.path: expected a path below the models folder",
  ],
  [
    "an absolute path",
    fileAt("/etc/passwd"),
    "files.0.path: expected a path below the models folder",
  ],
  ["a negative size", { ...manifest, files: [{ path: "a", sizeBytes: -1 }] }, "files.0.sizeBytes"],
  ["an unknown origin", { ...manifest, origin: { kind: "ftp" } }, "origin"],
])("a manifest with %s is refused with the file name and the field", async (_, content, reason) => {
  const path = join(await temporaryFolder(), "m.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  await expect(readManifest(path)).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining(`manifest ${path}: ${reason}`),
  });
});
