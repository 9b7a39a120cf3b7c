import { expect, it } from "vitest";
import { models } from "../../../docs/scripts/memory/described-models.js";
import { modelHeader } from "../../../docs/scripts/memory/model-header.js";
import type { Quantisation } from "../../../docs/scripts/memory/quantisations.js";

/** Sizes of the files on Hugging Face, in GB. */
const published: Record<string, Record<Quantisation, number>> = {
  "Llama 3.2 1B": { Q4_K_M: 0.81, Q8_0: 1.32 },
  "Llama 3.2 3B": { Q4_K_M: 2.02, Q8_0: 3.42 },
  "Llama 3.1 8B": { Q4_K_M: 4.92, Q8_0: 8.54 },
  "Qwen3 30B-A3B": { Q4_K_M: 18.56, Q8_0: 32.48 },
  "Qwen2.5 32B": { Q4_K_M: 19.85, Q8_0: 34.82 },
  "Llama 3.3 70B": { Q4_K_M: 42.52, Q8_0: 74.98 },
};

it.each(models)("$name has the size of the published files within 2 %", ({ name, shape }) => {
  for (const quantisation of ["Q4_K_M", "Q8_0"] as const) {
    const { weightBytes } = modelHeader(shape, quantisation);
    const publishedBytes = (published[name]?.[quantisation] ?? 0) * 1e9;
    expect(weightBytes / publishedBytes, quantisation).toBeGreaterThan(0.98);
    expect(weightBytes / publishedBytes, quantisation).toBeLessThan(1.02);
  }
});
