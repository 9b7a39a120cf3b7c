import fc from "fast-check";
import { expect, test } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { parseGbnf } from "../../../src/grammar/gbnf/parse-gbnf.js";
import type { Grammar } from "../../../src/grammar/grammar.js";
import { encodeRules } from "../../../src/grammar/lark/lark-arguments.js";
import { parseLark } from "../../../src/grammar/lark/parse-lark.js";
import { accepts, followed } from "../../support/follow-grammar.js";
import { generatedRules, mutated, sampled, written } from "../gbnf/generated-gbnf.js";
import { writtenInLark } from "./generated-lark.js";

const RUNS = Number(process.env.RUNS ?? 200);
const TEXTS = 6;

/** `undefined`: no text matches. */
function satisfiable(parse: () => Grammar): Grammar | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof UnsupportedGrammar)) throw error;
    expect(error.message).toMatch(/expected a rule that matches some text$/);
    return undefined;
  }
}

test("generated grammars accept the same texts in Lark and GBNF notation, both plain and within JSON", () => {
  const draws = fc
    .infiniteStream(fc.nat())
    .map((stream) => (below: number) => stream.next().value % below);
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(generatedRules, draws, (rules, draw) => {
      const definition = writtenInLark(rules, draw);
      const lark = satisfiable(() => parseLark(definition));
      const gbnf = satisfiable(() => parseGbnf(written(rules, draw)));
      expect(lark === undefined, definition).toBe(gbnf === undefined);
      if (lark === undefined || gbnf === undefined) return;
      const plain = followed(encodeRules(lark, "a", "plain"));
      const json = followed(encodeRules(lark, "b", "in-json"));
      const peer = followed(gbnf);
      for (let count = 0; count < TEXTS; count++) {
        const sample = sampled(rules, draw);
        for (const text of [sample, mutated(sample, draw)]) {
          const isAccepted = accepts(peer, text);
          expect(accepts(plain, text), `${definition}\n${text}`).toBe(isAccepted);
          expect(accepts(json, JSON.stringify(text).slice(1, -1)), definition).toBe(isAccepted);
          seen[isAccepted ? "accepted" : "refused"]++;
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(seen.accepted).toBeGreaterThan(RUNS);
  expect(seen.refused).toBeGreaterThan(RUNS);
}, 60_000);
