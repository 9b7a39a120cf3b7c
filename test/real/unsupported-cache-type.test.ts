import { expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

// In a file of its own: it needs llama.cpp's log, which a process's first backend gets for certain.
it("a model that does not support a KV cache type is refused with the reason", async () => {
  // Its keys are shorter than a quantisation block.
  await expect(openEngine(tinyModel(), { kvCacheType: "q8_0" })).rejects.toThrow(
    /no KV cache of 4 slots × 512 tokens in q8_0 .*: .*q8_0.*block size 32/,
  );
});
