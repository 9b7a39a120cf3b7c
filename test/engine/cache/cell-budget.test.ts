import { describe, expect, it } from "vitest";
import { CellBudget } from "../../../src/engine/cache/cell-budget.js";
import { createTokenIdentity } from "../../../src/engine/cache/prompt-identity.js";
import { SequenceRecords } from "../../../src/engine/cache/sequence-records.js";

const segment = (tokens: readonly number[]) => ({ type: "tokens", tokens }) as const;

/**
 * Budget of 100 cells: sequence 0 is busy and holds 10 of the 30 tokens it may hold; sequence 1 is
 * idle and holds 20.
 */
function budget() {
  const records = new SequenceRecords(3);
  const occupation = { prompt: createTokenIdentity([]), checkpoints: [] };
  const idle = records.occupy(1, { ...occupation, reservedTokens: 20 });
  records.append(idle, segment(new Array(20).fill(1)));
  records.release(idle);
  const busy = records.occupy(0, { ...occupation, reservedTokens: 30 });
  records.append(busy, segment(new Array(10).fill(1)));
  return { records, budget: new CellBudget({ kind: "unified", cells: 100 }, records) };
}

describe("the free cells of a unified cache", () => {
  it("are the cells neither held nor reserved", () => {
    expect(budget().budget.spareCells).toBe(50);
  });

  it("include cells of idle sequences, except those to keep", () => {
    const { budget: room } = budget();
    expect(room.hasRoom(70)).toBe(true);
    expect(room.hasRoom(71)).toBe(false);
    expect(room.hasRoom(55, [{ sequenceId: 1, length: 15 }])).toBe(true);
    expect(room.hasRoom(56, [{ sequenceId: 1, length: 15 }])).toBe(false);
  });

  it("account once for cells shared by a busy and a kept sequence", () => {
    const { records, budget: room } = budget();
    records.copy(0, 2);
    expect(room.hasRoom(70, [{ sequenceId: 2 }])).toBe(true);
    expect(room.hasRoom(71, [{ sequenceId: 2 }])).toBe(false);
  });

  it("can be extended by evicting the least recently used idle sequence that holds cells", () => {
    const { records, budget: room } = budget();
    expect(room.evictionCandidate?.id).toBe(1);
    records.replace(1, createTokenIdentity([]));
    expect(room.evictionCandidate).toBeUndefined();
  });

  it("are scarce if less than an even share is left", () => {
    const { records, budget: room } = budget();
    expect(room.isTight).toBe(false);
    records.replace(1, createTokenIdentity(new Array(40).fill(1)));
    expect(room.isTight).toBe(true);
  });

  it("are unlimited in the split layout", () => {
    const room = new CellBudget({ kind: "split" }, budget().records);
    expect([room.spareCells, room.hasRoom(1e9), room.isTight]).toEqual([
      Number.POSITIVE_INFINITY,
      true,
      false,
    ]);
  });
});
