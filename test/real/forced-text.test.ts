import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { generate, openEngine } from "../support/generate.js";
import { modelWithTokenizer } from "../support/random-models.js";

/** Everything but two digits is forced. */
const pattern = '\\{"identifier": [0-9], "temperature": [0-9], "completed": true\\}';

describe.each(["gpt-2", "llama-spm", "phi-3"])("forced text with the vocabulary %s", (name) => {
  const engines: Engine[] = [];
  beforeAll(async () => {
    const path = modelWithTokenizer(name);
    for (const speculation of ["auto", "off"] as const) {
      engines.push(await openEngine(path, { slots: 2, contextSize: 256, speculation }));
    }
  });
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  const ask = (engine: Engine, seed: number) =>
    generate(engine, "x", {
      constraint: { type: "regex", pattern },
      sampling: { temperature: 1, seed },
      stopping: { maxTokens: 60, ignoreEos: false },
    });

  it("is evaluated in advance without changing the answer", async () => {
    const forced: (number | undefined)[] = [];
    for (const seed of [1, 2, 3, 4]) {
      const [ahead, drawn] = await Promise.all(engines.map((engine) => ask(engine, seed)));
      expect(ahead?.text).toMatch(new RegExp(`^${pattern}$`, "u"));
      expect(ahead?.text).toBe(drawn?.text);
      forced.push(ahead?.timings?.forcedTokens);
      expect(drawn?.timings?.forcedTokens).toBe(0);
    }
    // The engine tries unmeasured options; later decisions depend on the machine.
    expect(forced[0]).toBeGreaterThan(0);
  });
});
