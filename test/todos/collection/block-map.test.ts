import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_IDS, BlockMap } from "../../../src/todos/collection/block-map.js";

interface Entry {
  readonly id: number;
  readonly text: string;
}

const idOf = ({ id }: Entry) => id;
const entries = (map: BlockMap<Entry>) => map.blocks().flat();
const byId = (known: ReadonlyMap<number, Entry>) => [...known.values()].sort((a, b) => a.id - b.id);

/** Near each other, on the borders of blocks, and beyond 32 bits. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 3 * BLOCK_IDS }),
  fc.integer({ min: 2 ** 40, max: 2 ** 40 + BLOCK_IDS }),
);
const entry = fc.record({ id, text: fc.string({ maxLength: 2 }) });

describe("BlockMap", () => {
  test("holds what a map would, in order of the ids, and copies do not notice changes", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), entry }),
      fc.record({ kind: fc.constant("delete" as const), id }),
    );
    fc.assert(
      fc.property(fc.array(entry), fc.array(change), (first, changes) => {
        const known = new Map(first.map((one) => [one.id, one]));
        const original = BlockMap.of(idOf, first);
        const before = byId(known);
        const map = original.clone();
        for (const one of changes) {
          if (one.kind === "set") {
            map.set(one.entry);
            known.set(one.entry.id, one.entry);
          } else {
            map.delete(one.id);
            known.delete(one.id);
          }
          expect(map.get(one.kind === "set" ? one.entry.id : one.id)).toBe(
            known.get(one.kind === "set" ? one.entry.id : one.id),
          );
        }
        expect(entries(map)).toEqual(byId(known));
        expect(map.first()).toBe(byId(known).at(0));
        expect(map.last()).toBe(byId(known).at(-1));
        expect(map.blocks().every((block) => block.length > 0)).toBe(true);
        expect(entries(original)).toEqual(before);
      }),
    );
  });

  test("a change replaces one block, and leaves the others the same objects", () => {
    const ids = Array.from({ length: 4 * BLOCK_IDS }, (_, n) => n + 1);
    const map = BlockMap.of(
      idOf,
      ids.map((id) => ({ id, text: "" })),
    );
    const before = map.blocks();
    const copy = map.clone();
    copy.set({ id: 2 * BLOCK_IDS, text: "changed" });
    expect(copy.blocks().filter((block) => !before.includes(block))).toHaveLength(1);
    expect(map.blocks()).toEqual(before);
  });
});
