import { describe, expect, it } from "vitest";
import { choice, sequence, text, words } from "../../src/grammar/grammar.js";
import { GrammarLibrary, type PreparedGrammar } from "../../src/grammar/grammar-library.js";
import { accepts, BYTES } from "../support/follow-grammar.js";

const grammarOf = (...texts: string[]): PreparedGrammar => ({
  key: texts.join(),
  json: JSON.stringify({ root: words(texts), rules: {} }),
});

describe("a model's cached grammars", () => {
  it("are compiled when opened", () => {
    const library = new GrammarLibrary(BYTES);
    expect(accepts(library.open(grammarOf("yes", "no")), "yes")).toBe(true);
    expect(accepts(library.open(grammarOf("a")), "yes")).toBe(false);
  });

  it("are reused for requests with the same key", () => {
    const library = new GrammarLibrary(BYTES);
    const opened = library.open(grammarOf("a"));
    expect(library.open(structuredClone(grammarOf("a")))).toBe(opened);
    expect(library.open(grammarOf("b"))).not.toBe(opened);
  });

  it("are evicted least recently used first", () => {
    const library = new GrammarLibrary(BYTES);
    const [used, unused] = [library.open(grammarOf("used")), library.open(grammarOf("unused"))];
    for (let index = 0; index < 63; index++) {
      library.open(grammarOf(`other ${index}`));
      expect(library.open(grammarOf("used"))).toBe(used);
    }
    expect(library.open(grammarOf("unused"))).not.toBe(unused);
  });

  it("are dropped if they are too large, but remain usable while in use", () => {
    const library = new GrammarLibrary(BYTES);
    const inUse = library.open(grammarOf("yes"));
    const large = (round: number): PreparedGrammar => ({
      key: `${round}`,
      json: JSON.stringify({
        root: choice(
          ...Array.from({ length: 10_000 }, (_, index) =>
            sequence(text(`${round} ${index}`), words(["a", "b"])),
          ),
        ),
        rules: {},
      }),
    });
    let rounds = 0;
    while (library.open(grammarOf("yes")) === inUse) {
      if (++rounds > 20) throw new Error("nothing is ever dropped");
      library.open(large(rounds));
    }
    expect(accepts(inUse, "yes")).toBe(true);
    expect(accepts(library.open(grammarOf("yes")), "yes")).toBe(true);
  });

  it("are dropped if their source takes too much memory", () => {
    const library = new GrammarLibrary(BYTES);
    const inUse = library.open(grammarOf("yes"));
    const long = (round: number): PreparedGrammar => grammarOf(`${round}`, "x".repeat(4_000_000));
    let rounds = 0;
    while (library.open(grammarOf("yes")) === inUse) {
      if (++rounds > 20) throw new Error("nothing is ever dropped");
      library.open(long(rounds));
    }
    expect(rounds).toBeGreaterThan(1);
  });
});
