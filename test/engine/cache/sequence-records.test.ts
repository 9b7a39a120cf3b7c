import { AssertionError } from "node:assert";
import { describe, expect, test } from "vitest";
import {
  createAdapterSet,
  createEmptyIdentity,
  createTokenIdentity,
} from "../../../src/engine/cache/prompt-identity.js";
import { SequenceRecords } from "../../../src/engine/cache/sequence-records.js";

const segment = (tokens: readonly number[]) => ({ type: "tokens", tokens }) as const;
const prompt = { prompt: createTokenIdentity([1, 2, 3, 4]), checkpoints: [2], reservedTokens: 6 };

describe("a lease", () => {
  test("is moved to another sequence together with its state", () => {
    const records = new SequenceRecords(2);
    const lease = records.occupy(1, prompt);
    records.append(lease, segment([1, 2]));
    records.replace(0, createTokenIdentity([1, 2]));
    records.move(1, 0);
    expect(lease).toMatchObject({ sequenceId: 0, contents: createTokenIdentity([1, 2]) });
    expect(records.get(0)).toMatchObject({
      status: "busy",
      checkpoints: [2],
      prefilling: createTokenIdentity([1, 2, 3, 4]),
    });
    expect(records.get(1)).toMatchObject({ status: "idle", checkpoints: [] });
    records.append(lease, segment([3]));
    expect(records.get(0).contents.cells).toEqual([1, 2, 3]);
  });

  test("leaves its tokens cached when it ends", () => {
    const records = new SequenceRecords(1);
    const lease = records.occupy(0, prompt);
    records.append(lease, segment([1, 2]));
    records.release(lease);
    expect(records.get(0)).toMatchObject({
      status: "idle",
      contents: createTokenIdentity([1, 2]),
      checkpoints: [],
    });
    expect(records.get(0)).not.toHaveProperty("prefilling");
  });

  test("is more recent than all earlier leases", () => {
    const records = new SequenceRecords(2);
    const [first, second] = [records.occupy(1, prompt), records.occupy(0, prompt)];
    expect(records.get(first.sequenceId).lastUsed).toBeLessThan(
      records.get(second.sequenceId).lastUsed,
    );
  });
});

describe("SequenceRecords throws", () => {
  const records = () => {
    const created = new SequenceRecords(2);
    return { records: created, lease: created.occupy(0, prompt) };
  };

  test.each<[string, (setup: ReturnType<typeof records>) => void, string]>([
    [
      "when a busy sequence is leased again",
      ({ records }) => records.occupy(0, prompt),
      "cannot lease sequence 0: it is busy",
    ],
    [
      "when a lost sequence is leased",
      ({ records }) => {
        records.disable(1);
        records.occupy(1, prompt);
      },
      "cannot lease sequence 1: it is lost",
    ],
    [
      "when a lease is used after its end",
      ({ records, lease }) => {
        records.release(lease);
        records.append(lease, segment([1]));
      },
      "the lease on sequence 0 has ended",
    ],
    [
      "when a lease ends twice, even if the sequence has been leased again",
      ({ records, lease }) => {
        records.release(lease);
        records.occupy(0, prompt);
        records.release(lease);
      },
      "the lease on sequence 0 has ended",
    ],
    [
      "when a sequence is truncated to more tokens than it holds",
      ({ records, lease }) => {
        records.append(lease, segment([1, 2]));
        records.truncate(0, 3);
      },
      "sequence 0 of 2 tokens cannot be truncated to 3",
    ],
    [
      "when a lease continues after tokens evaluated under other adapters",
      ({ records }) => {
        const adapters = createAdapterSet([{ id: "a", scale: 1 }]);
        records.append(
          records.occupy(1, { ...prompt, prompt: createEmptyIdentity(adapters) }),
          segment([1]),
        );
        records.vacate(1);
        records.append(records.occupy(1, prompt), segment([2]));
      },
      "sequence 1 holds cells evaluated with other adapters than its lease's",
    ],
    [
      "when a sequence without a lease is moved",
      ({ records }) => records.move(1, 0),
      "cannot move sequence 1: it has no lease",
    ],
    [
      "when a lease is moved to a busy sequence",
      ({ records }) => {
        records.occupy(1, prompt);
        records.move(1, 0);
      },
      "cannot overwrite sequence 0: it is busy",
    ],
  ])("%s", (_, misuse, message) => {
    expect(() => misuse(records())).toThrow(expect.objectContaining({ message }));
    expect(() => misuse(records())).toThrow(AssertionError);
  });

  test("for a sequence that does not exist", () => {
    expect(() => new SequenceRecords(1).get(1)).toThrow(RangeError);
  });
});
