import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CellLedger } from "../../../src/engine/cache/cell-ledger.js";

const SEQUENCES = 4;
const id = fc.nat(SEQUENCES - 1);
const operation = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), id, tokens: fc.nat(9) }),
  fc.record({
    kind: fc.constant("truncate" as const),
    id,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant("share" as const), from: id, to: id }),
);

/** Reference model: cells as objects shared by sequences. */
class ReferenceLedger {
  readonly cells: object[][] = Array.from({ length: SEQUENCES }, () => []);

  usedBy(parts: readonly { readonly sequenceId: number; readonly length?: number }[]): number {
    const held = parts.map(({ sequenceId, length }) => this.cells[sequenceId]?.slice(0, length));
    return new Set(held.flat()).size;
  }
}

const everything = Array.from({ length: SEQUENCES }, (_, sequenceId) => ({ sequenceId }));

describe("the cells of a unified cache", () => {
  test("equal the cells held by at least one sequence, after any appends, truncations and copies", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), fc.nat(12), (operations, length) => {
        const ledger = new CellLedger(SEQUENCES);
        const reference = new ReferenceLedger();
        const { cells } = reference;
        for (const step of operations) {
          if (step.kind === "append") {
            ledger.append(step.id, step.tokens);
            cells[step.id]?.push(...Array.from({ length: step.tokens }, () => ({})));
          } else if (step.kind === "truncate") {
            const left = Math.floor((cells[step.id]?.length ?? 0) * step.share);
            ledger.truncate(step.id, left);
            cells[step.id]?.splice(left);
          } else if (step.from !== step.to) {
            ledger.truncate(step.to, 0);
            ledger.share(step.from, step.to);
            cells[step.to] = [...(cells[step.from] ?? [])];
          }
          expect(ledger.usedCells).toBe(reference.usedBy(everything));
        }
        const parts = [{ sequenceId: 0 }, { sequenceId: 2, length }];
        expect(ledger.countCellsOf(parts)).toBe(reference.usedBy(parts));
      }),
    );
  });

  test("cannot be truncated to more, copied over held cells, or appended to an unknown sequence", () => {
    const ledger = new CellLedger(2);
    ledger.append(0, 3);
    ledger.share(0, 1);
    expect(() => ledger.truncate(0, 4)).toThrow("cannot truncate 3 cells to 4");
    expect(() => ledger.share(0, 1)).toThrow("cannot copy to sequence 1: it holds 3 cells");
    expect(() => ledger.append(2, 1)).toThrow("there is no sequence 2");
  });
});
