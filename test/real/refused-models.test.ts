import { expect, it } from "vitest";
import { loadBackend } from "../../src/engine/native/llama-backend.js";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

/** llama.cpp reports the reason only in the process's log. */
async function refusal(): Promise<string> {
  // Its keys are shorter than a quantisation block.
  const error = await openEngine(tinyModel(), {
    kvCacheTypes: { keys: "q8_0", values: "q8_0" },
  }).catch(String);
  return typeof error === "string" ? error : "not refused";
}

const reason = /no KV cache of 4 slots × 512 tokens in q8_0 .*: .*q8_0.*block size 32/;

it("every model that a process refuses is refused with llama.cpp's reason", async () => {
  for (let turn = 0; turn < 4; turn++) expect(await refusal(), `turn ${turn}`).toMatch(reason);
});

it("a model is refused with the reason when another engine has been opened and closed", async () => {
  const other = await openEngine(tinyModel());
  await other.close();
  expect(await refusal()).toMatch(reason);
});

it("engines of one process share the native library, which closing one does not free", async () => {
  const log = () => undefined;
  const library = await loadBackend({ gpu: "off", log });
  const engine = await openEngine(tinyModel());
  await engine.close();
  expect(await loadBackend({ gpu: "off", log })).toBe(library);
  expect(library.disposed).toBe(false);
});
