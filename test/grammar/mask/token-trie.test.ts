import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTokenTrie, type TokenTrie } from "../../../src/grammar/mask/token-trie.js";

const vocabulary = fc
  .array(fc.string({ unit: fc.constantFrom("a", "b", "é", "\0"), maxLength: 4 }), { maxLength: 20 })
  .map((texts) => texts.map((text, id) => ({ id, bytes: Buffer.from(text) })));

/** The tokens at the end of a path from the root. */
function tokensAt(trie: TokenTrie, bytes: Uint8Array): readonly number[] {
  let node = 0;
  for (const byte of bytes) {
    let child = node + 1;
    while (child < (trie.end[node] ?? 0) && trie.byte[child] !== byte) child = trie.end[child] ?? 0;
    if (child >= (trie.end[node] ?? 0)) return [];
    node = child;
  }
  return [...trie.tokens.slice(trie.firstToken[node], trie.firstToken[node + 1])];
}

describe("buildTokenTrie", () => {
  it("contains each token at the end of its bytes", () => {
    fc.assert(
      fc.property(vocabulary, (tokens) => {
        const trie = buildTokenTrie(tokens, tokens.length);
        for (const { id, bytes } of tokens) {
          if (bytes.length > 0) expect(tokensAt(trie, bytes)).toContain(id);
        }
        expect(trie.tokens.length).toBe(tokens.filter(({ bytes }) => bytes.length > 0).length);
      }),
    );
  });

  it("stores the depth and the height of each node", () => {
    fc.assert(
      fc.property(vocabulary, (tokens) => {
        const trie = buildTokenTrie(tokens, tokens.length);
        for (let node = 0; node < trie.nodes; node++) {
          const depth = trie.depth[node] ?? 0;
          let deepest = depth;
          for (let below = node + 1; below < (trie.end[node] ?? 0); below++) {
            expect(trie.depth[below]).toBeGreaterThan(depth);
            deepest = Math.max(deepest, trie.depth[below] ?? 0);
          }
          expect(trie.height[node]).toBe(deepest - depth);
        }
      }),
    );
  });

  it("may be empty", () => {
    const trie = buildTokenTrie([{ id: 0, bytes: new Uint8Array() }], 1);
    expect(trie.nodes).toBe(1);
    expect(trie.tokens.length).toBe(0);
  });
});
