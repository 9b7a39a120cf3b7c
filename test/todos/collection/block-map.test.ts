import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BlockMap, IDS_PER_BLOCK } from "../../../src/todos/collection/block-map.js";

interface Entry {
  readonly id: number;
  readonly text: string;
}

const idOf = ({ id }: Entry) => id;
const entries = (map: BlockMap<Entry>) => map.blocks().flat();
const byId = (expected: ReadonlyMap<number, Entry>) =>
  [...expected.values()].sort((a, b) => a.id - b.id);

/** Ids that are close together, at block boundaries, and beyond 32 bits. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 3 * IDS_PER_BLOCK }),
  fc.integer({ min: 2 ** 40, max: 2 ** 40 + IDS_PER_BLOCK }),
);
const entry = fc.record({ id, text: fc.string({ maxLength: 2 }) });

describe("BlockMap", () => {
  test("behaves like a map ordered by id, with independent clones", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), entry }),
      fc.record({ kind: fc.constant("delete" as const), id }),
    );
    fc.assert(
      fc.property(fc.array(entry), fc.array(change), (first, changes) => {
        const expected = new Map(first.map((one) => [one.id, one]));
        const original = BlockMap.of(idOf, first);
        const before = byId(expected);
        const map = original.clone();
        for (const one of changes) {
          if (one.kind === "set") {
            map.set(one.entry);
            expected.set(one.entry.id, one.entry);
          } else {
            map.delete(one.id);
            expected.delete(one.id);
          }
          expect(map.get(one.kind === "set" ? one.entry.id : one.id)).toBe(
            expected.get(one.kind === "set" ? one.entry.id : one.id),
          );
        }
        expect(entries(map)).toEqual(byId(expected));
        expect(map.first()).toBe(byId(expected).at(0));
        expect(map.last()).toBe(byId(expected).at(-1));
        expect(map.blocks().every((block) => block.length > 0)).toBe(true);
        expect(entries(original)).toEqual(before);
      }),
    );
  });

  test("replaces only the block of a change, and keeps the other block objects", () => {
    const ids = Array.from({ length: 4 * IDS_PER_BLOCK }, (_, n) => n + 1);
    const map = BlockMap.of(
      idOf,
      ids.map((id) => ({ id, text: "" })),
    );
    const before = map.blocks();
    const copy = map.clone();
    copy.set({ id: 2 * IDS_PER_BLOCK, text: "changed" });
    expect(copy.blocks().filter((block) => !before.includes(block))).toHaveLength(1);
    expect(map.blocks()).toEqual(before);
  });
});
