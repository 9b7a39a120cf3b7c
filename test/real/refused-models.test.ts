import { expect, it } from "vitest";
import { loadBackend } from "../../src/engine/native/llama-backend.js";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

/** llama.cpp reports the reason only in the process's log. */
async function refusal(): Promise<string> {
  // The keys of this model are shorter than a quantisation block.
  const error = await openEngine(tinyModel(), {
    kvCacheTypes: { keys: "q8_0", values: "q8_0" },
  }).catch(String);
  return typeof error === "string" ? error : "not refused";
}

const reason = /no KV cache of 4 slots × 512 tokens in q8_0 .*: .*q8_0.*block size 32/;

it("a model rejected several times in one process is always rejected with llama.cpp's reason", async () => {
  for (let turn = 0; turn < 4; turn++) expect(await refusal(), `turn ${turn}`).toMatch(reason);
});

it("a model is rejected with llama.cpp's reason after another engine was closed", async () => {
  const other = await openEngine(tinyModel());
  await other.close();
  expect(await refusal()).toMatch(reason);
});

it("closing one engine does not unload the native library of another engine in the process", async () => {
  const log = () => undefined;
  const library = await loadBackend({ gpu: "off", log });
  const engine = await openEngine(tinyModel());
  await engine.close();
  expect(await loadBackend({ gpu: "off", log })).toBe(library);
  expect(library.disposed).toBe(false);
});
