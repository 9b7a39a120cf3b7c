import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGgufHeader } from "../../src/engine/loading/gguf-header.js";
import { checkHyperparameters } from "../../src/engine/loading/hyperparameters.js";
import { eventually } from "../support/eventually.js";
import { type Mutation, mutationsOf } from "../support/mutated-gguf.js";
import { tinyModel } from "../support/random-models.js";
import { tensorBlocks } from "../support/tensor-blocks.js";
import { processesWith } from "./child-processes.js";
import { attempt, type Exit, SEVERAL_STARTS, temporaryFolder } from "./daemon.js";
import { chat } from "./engine-of.js";

const sound = readFileSync(tinyModel());

/** Whether a file passes all checks before llama.cpp reads it. */
function passesChecks(file: Buffer): boolean {
  const read = (offset: number, length: number) => file.subarray(offset, offset + length);
  try {
    checkHyperparameters(readGgufHeader({ sizeBytes: file.length, read }, tensorBlocks));
    return !file.equals(sound);
  } catch {
    return false;
  }
}

const KINDS = ["version", "count", "type", "value", "random"];
const MAX_FIELDS_PER_KIND = 3;

/** A few mutations of each kind that pass all checks. */
function sampleOf(mutations: readonly Mutation[]): Mutation[] {
  const passing = mutations.filter(({ file }) => passesChecks(file));
  return KINDS.flatMap((kind) => {
    const ofKind = passing.filter(({ name }) => name.startsWith(kind));
    const byField = new Map(ofKind.map((mutation) => [mutation.name.split(" = ")[0], mutation]));
    return [...byField.values()].slice(0, MAX_FIELDS_PER_KIND);
  });
}

const sample = sampleOf(mutationsOf(sound, 500, 37));

/**
 * Heap limit of each process: a model of 300 KiB needs less; a parser that trusts an invalid length
 * needs far more.
 */
const heap = "--max-old-space-size=64";

function expectRefusal({ code, stdout, stderr }: Exit): void {
  expect(stderr).toMatch(/^ggufd: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
}

it("the sample contains every kind of mutation that header checks do not detect", () => {
  for (const kind of KINDS) {
    expect(sample.some(({ name }) => name.startsWith(kind))).toBe(true);
  }
});

describe.runIf(platform() === "linux")(
  "a model file with an error that only llama.cpp detects",
  { timeout: SEVERAL_STARTS },
  () => {
    it.each(sample)(
      "is rejected with a one-line error, or serves requests: $name",
      async ({ file }) => {
        const folder = temporaryFolder();
        const path = join(folder, "mutated.gguf");
        writeFileSync(path, file);
        const args = ["--gpu", "off", "--threads", "1", "--model", path];
        const env = { XDG_CACHE_HOME: folder, NODE_OPTIONS: heap };

        const served = await attempt([...args, "--context-size", "256"], env);
        if ("code" in served) {
          expectRefusal(served);
        } else {
          expect(processesWith("XDG_CACHE_HOME", folder).length).toBeGreaterThan(1);
          // Its output may be useless, but its process continues.
          const { status } = await chat(served.url, { max_tokens: 4 });
          expect([200, 500]).toContain(status);
          served.process.kill("SIGTERM");
          expect(await served.exited).toMatchObject({ code: 0 });
        }
        await eventually(() => expect(processesWith("XDG_CACHE_HOME", folder)).toEqual([]));
      },
    );
  },
);
