import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Llama } from "node-llama-cpp";
import { beforeAll, describe, expect, test } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { parseGbnf } from "../../../src/grammar/gbnf/parse-gbnf.js";
import { accepts, followed } from "../../support/follow-grammar.js";
import { nativeLibrary } from "../../support/native-library.js";
import { generatedRules, mutated, sampled, written } from "./generated-gbnf.js";

interface NativeGrammar {
  /** Whether the grammar accepts the whole text. */
  readonly isTextCompatible: (text: string) => boolean;
}
interface Bindings {
  readonly AddonGrammar: new (
    text: string,
    options: { readonly addonExports: Bindings; readonly rootRuleName: string },
  ) => NativeGrammar;
}

const RUNS = Number(process.env.RUNS ?? 300);
/** A fixed seed: some ambiguous grammars take llama.cpp hours and cannot be interrupted. */
const SEED = Number(process.env.SEED ?? 1);
const TEXTS = 8;
const NO_TEXT = /expected a rule that matches some text$/;
const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("node-llama-cpp"))));
const examples = join(packageFolder, "llama", "grammars");

let llama: Llama;
let bindings: Bindings;

beforeAll(async () => {
  llama = await nativeLibrary();
  bindings = (llama as unknown as { readonly _bindings: Bindings })._bindings;
});

/** llama.cpp's own grammar; `undefined` if llama.cpp rejects the text. */
function native(text: string): NativeGrammar | undefined {
  try {
    return new bindings.AddonGrammar(text, { addonExports: bindings, rootRuleName: "root" });
  } catch {
    return undefined;
  }
}

/** Whether a grammar accepts a text. Grammars that accept no text are rejected. */
function textsAllowedBy(text: string): (one: string) => boolean {
  try {
    const grammar = followed(parseGbnf(text));
    return (one) => accepts(grammar, one);
  } catch (error) {
    if (!(error instanceof UnsupportedGrammar && NO_TEXT.test(error.message))) throw error;
    return () => false;
  }
}

const draws = fc
  .infiniteStream(fc.nat())
  .map((stream) => (below: number) => stream.next().value % below);

describe("GBNF parity with llama.cpp", () => {
  test("generated grammars accept the same texts", () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(generatedRules, draws, (rules, draw) => {
        const text = written(rules, draw);
        const peer = native(text);
        // llama.cpp treats a repetition of a possibly empty element as left recursion.
        fc.pre(peer !== undefined);
        const isAllowed = textsAllowedBy(text);
        for (let count = 0; count < TEXTS; count++) {
          const sample = sampled(rules, draw);
          for (const one of [sample, mutated(sample, draw)]) {
            const isAccepted = isAllowed(one);
            expect(isAccepted, one).toBe(peer.isTextCompatible(one));
            seen[isAccepted ? "accepted" : "refused"]++;
          }
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
    expect(seen.accepted).toBeGreaterThan(RUNS);
    expect(seen.refused).toBeGreaterThan(RUNS);
  });

  const texts = [
    "",
    "(a+1)=b\n",
    "a*2-b=(1)\n",
    "1. e4 e5\n2. Nf3 O-O\n",
    "1. e4 e5\n",
    "Hello, world! It is 5.",
    "いろは\nアイウ。",
    '{"a":[1,2.5e1,true,null],"b":{"c":"x\\n\\u00e9"}}',
    '{"a":01}',
    '["a", "b"]',
    '[\n"a",\n"b"]',
    "- one\n- two\n",
    "- one\n- two",
    "int main(){return 1;}",
    "int main(int a){while(a<1){a = a+1;}return a;}// end\n",
    "float f(){/* no */}",
  ];
  const files = readdirSync(examples).filter((name) => name.endsWith(".gbnf"));

  test.each(files)("the example %s accepts the same texts", (name) => {
    const text = readFileSync(join(examples, name), "utf8");
    const grammar = followed(parseGbnf(text));
    const peer = native(text);
    expect(peer).toBeDefined();
    const accepted = texts.filter((one) => accepts(grammar, one));
    expect(accepted).toEqual(texts.filter((one) => peer?.isTextCompatible(one)));
    expect(accepted).not.toEqual([]);
  });

  test.each([
    'root ::= "a"\n  | "b"',
    'root ::= "a" |\n "b"',
    'root ::= ("a"\n"b")',
    'root ::= "a" # comment',
    '# only\n\n\nroot::="a"',
    'root ::= "a"\r\nx ::= "b"',
    'root ::=\n "a"',
    'root\n ::= "a"',
    'root ::= "a" "b" )',
    "root ::= [-a] [a-] [a\\-z] [[] [^]a]",
    'root ::= "\\q"',
    "root ::= [a",
    "root ::= [a-",
    'root ::= "a',
    'root ::= "a"{2}{3}',
    'root ::= "a"{,3}',
    'root ::= "a"{2,}',
    'root ::= "a"{ 2 , 3 }',
    'root ::= "a" *',
    'root ::= ("a" | "b"\n)\n*',
    "root ::= *",
    'root ::= "" | "a"',
    "root ::= ",
    "root ::= ()",
    "root ::= a",
    'a ::= "x"',
    "",
    'root ::= "a"\nroot ::= "b"',
    'root ::= x\nx ::= root "a" | "b"',
    'my_rule ::= "a"\nroot ::= my_rule',
    'root = "a"',
    'root ::= "\\x4" "a"',
    'root ::= a-1B\na-1B ::= "a"',
    "1 ::= [a]\nroot ::= 1",
  ])("accepts or rejects %j like llama.cpp", (text) => {
    const peer = native(text);
    let grammar: ReturnType<typeof followed> | undefined;
    try {
      grammar = followed(parseGbnf(text));
    } catch {
      grammar = undefined;
    }
    expect(grammar === undefined).toBe(peer === undefined);
    for (const one of ["", "a", "b", "ab", "aa", "aaa", "ba", "aaaaaa", "x", "-a-[a", "a--[b"]) {
      if (grammar !== undefined) expect(accepts(grammar, one)).toBe(peer?.isTextCompatible(one));
    }
  });
});
