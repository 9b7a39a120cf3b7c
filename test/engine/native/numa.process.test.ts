import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { NUMA_VARIABLE, readNumaStrategy } from "../../../src/engine/native/numa.js";
import { tinyModel } from "../../support/random-models.js";

it.each([
  [undefined, undefined],
  ["off", undefined],
  ["mirror", undefined],
  ["distribute", "distribute"],
  ["isolate", "isolate"],
  ["numactl", "numactl"],
])("the NUMA strategy of the variable %j is %j", (text, strategy) => {
  expect(readNumaStrategy({ [NUMA_VARIABLE]: text })).toBe(strategy);
});

// A process loads the library once, with the strategy of that time.
it("llama.cpp is loaded with the NUMA strategy, and loads a model", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "load.mjs");
  const module = new URL("../../../src/engine/native/llama-backend.ts", import.meta.url);
  writeFileSync(
    path,
    `const { loadBackend } = await import(${JSON.stringify(module.href)});
     const llama = await loadBackend({ gpu: "off", log: () => undefined });
     await llama.loadModel({ modelPath: ${JSON.stringify(tinyModel())} });
     console.log(llama.numa);
     process.exit();`,
  );
  const env = { ...process.env, [NUMA_VARIABLE]: "distribute" };
  const output = execFileSync(process.execPath, ["--import", "tsx", path], { env });
  expect(output.toString()).toBe("distribute\n");
});
