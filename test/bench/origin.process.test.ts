import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describeOrigin } from "../../bench/origin.js";
import { kernelsAt, loadedKernels } from "../../bench/servers/loaded-kernels.js";

it("describeOrigin returns the commit and the command", () => {
  expect(describeOrigin(["decode", "--runs", "3"])).toEqual({
    commit: expect.stringMatching(/^[\da-f]{40}$/),
    isChanged: expect.any(Boolean),
    command: "npm run bench -- decode --runs 3",
  });
});

it.each([
  ["json --json /home/me/json.json --runs 1"],
  ["json --json=out.json --runs 1"],
  ["json --runs 1 --json out.json"],
])("the recorded command has no output file: %s", (line) => {
  expect(describeOrigin(line.split(" ")).command).toBe("npm run bench -- json --runs 1");
});

it("kernels are identified by their content, regardless of symbolic links", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-kernels-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "libggml-cpu-x.so");
  writeFileSync(path, "kernels");
  symlinkSync(path, join(folder, "libggml-cpu.so"));
  const sha256 = createHash("sha256").update("kernels").digest("hex");
  expect(kernelsAt(join(folder, "libggml-cpu.so"))).toEqual({ file: "libggml-cpu-x.so", sha256 });
});

it("loadedKernels returns undefined for a process that has exited", () => {
  expect(loadedKernels(2 ** 22 + 1)).toBeUndefined();
});
