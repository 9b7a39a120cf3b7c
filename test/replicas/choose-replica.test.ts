import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseForSuspect,
  chooseReplica,
  type ReplicaLoad,
} from "../../src/replicas/choose-replica.js";

/** A replica with four slots that evaluates a token in a millisecond and answers in a second. */
function replica(given: Partial<ReplicaLoad> = {}): ReplicaLoad {
  return {
    index: 0,
    availability: "open",
    suitability: "suited",
    slots: 4,
    generations: 0,
    pendingTokens: 0,
    cachedTokens: 0,
    msPerPromptToken: 1,
    serviceMs: 1000,
    lastUsed: 0,
    ...given,
  };
}

const numbered = (replicas: readonly ReplicaLoad[]) =>
  replicas.map((one, index) => ({ ...one, index }));

describe("the choice of a replica for a prompt of 1,000 tokens", () => {
  it.each<[title: string, replicas: readonly Partial<ReplicaLoad>[], expected: number | undefined]>(
    [
      ["none if there is none", [], undefined],
      ["none if none is running", [{ availability: "down" }], undefined],
      ["the running one", [{ availability: "down", cachedTokens: 900 }, {}], 1],
      ["the emptiest if nothing is cached", [{ generations: 2 }, { generations: 1 }], 1],
      ["the least recently used of equal ones", [{ lastUsed: 7 }, { lastUsed: 3 }], 1],
      ["the first of ones that were never used", [{}, {}], 0],
      ["where most is cached", [{ cachedTokens: 300 }, { cachedTokens: 800 }], 1],
      [
        "where the conversation is, if others are emptier",
        [{}, { cachedTokens: 900, generations: 3 }],
        1,
      ],
      [
        "a full one if it has more cached than the wait takes",
        [{}, { cachedTokens: 900, generations: 4 }],
        1,
      ],
      ["an empty one if the wait takes longer", [{}, { cachedTokens: 300, generations: 4 }], 0],
      [
        "an empty one if the queue of a full one is long",
        [{}, { cachedTokens: 999, generations: 6, serviceMs: 100 }],
        0,
      ],
      [
        "where a shared prefix is cached and a slot is free",
        [{}, { cachedTokens: 400, generations: 2 }],
        1,
      ],
      [
        "another one if prompts wait for evaluation",
        [{}, { cachedTokens: 900, pendingTokens: 2000 }],
        0,
      ],
      [
        "the faster device",
        [{ msPerPromptToken: 1 }, { msPerPromptToken: 0.1, generations: 1 }],
        1,
      ],
      ["the cheapest of full ones", [{ generations: 5 }, { generations: 9 }], 0],
      [
        "a full one rather than one that a suspect has alone",
        [{ availability: "isolated" }, { generations: 4 }],
        1,
      ],
      [
        "one that a suspect has alone if no other is running",
        [{ availability: "down" }, { availability: "isolated" }],
        1,
      ],
      ["one that suits the request", [{ suitability: "unsuited" }, { generations: 4 }], 1],
      ["any if none suits the request", [{ suitability: "unsuited" }], 0],
      [
        "where it is cached before any measurement",
        [
          { msPerPromptToken: undefined, serviceMs: undefined },
          { cachedTokens: 900, msPerPromptToken: undefined, serviceMs: undefined },
        ],
        1,
      ],
      [
        "one that has no measurement, with the speed of the others",
        [
          { cachedTokens: 500 },
          { cachedTokens: 600, msPerPromptToken: undefined, serviceMs: undefined },
        ],
        1,
      ],
    ],
  )("is %s", (_, replicas, expected) => {
    expect(chooseReplica(1000, numbered(replicas.map(replica)))).toBe(expected);
  });

  const loads = fc.record({
    index: fc.constant(0),
    availability: fc.constantFrom("open", "isolated", "down"),
    suitability: fc.constantFrom("suited", "unsuited"),
    slots: fc.integer({ min: 1, max: 8 }),
    generations: fc.nat(12),
    pendingTokens: fc.nat(5000),
    cachedTokens: fc.nat(1000),
    msPerPromptToken: fc.option(fc.double({ min: 0.01, max: 10, noNaN: true }), { nil: undefined }),
    serviceMs: fc.option(fc.integer({ min: 10, max: 60_000 }), { nil: undefined }),
    lastUsed: fc.nat(100),
  }) satisfies fc.Arbitrary<ReplicaLoad>;
  const replicas = fc.array(loads, { minLength: 1, maxLength: 6 }).map(numbered);

  it("is never one that is down if one is running", () => {
    fc.assert(
      fc.property(replicas, (all) => {
        const index = chooseReplica(1000, all);
        const isAnyRunning = all.some(({ availability }) => availability !== "down");
        expect(index !== undefined).toBe(isAnyRunning);
        if (index !== undefined) expect(all[index]?.availability).not.toBe("down");
      }),
    );
  });

  it("is never a full one if an empty one has as much cached and is as fast", () => {
    fc.assert(
      fc.property(replicas, fc.nat(5), (all, at) => {
        const full = all[at % all.length];
        fc.pre(full !== undefined && full.generations >= full.slots);
        const empty = { ...full, index: all.length, generations: 0, pendingTokens: 0 };
        fc.pre(full.availability === "open" && (full.serviceMs ?? 1000) > 100);
        expect(chooseReplica(1000, [...all, empty])).not.toBe(full.index);
      }),
    );
  });

  it("leaves at most half as many waiting as there are slots while another one has a free slot", () => {
    fc.assert(
      fc.property(replicas, (all) => {
        const index = chooseReplica(1000, all);
        const chosen = index === undefined ? undefined : all[index];
        fc.pre(chosen?.availability === "open");
        const hasRoom = all.some(
          (one) =>
            one.availability === "open" &&
            one.suitability === chosen.suitability &&
            one.generations < one.slots,
        );
        const limit = chosen.slots + Math.ceil(chosen.slots / 2);
        if (hasRoom) expect(chosen.generations).toBeLessThan(limit);
      }),
    );
  });

  it("does not depend on the order of the replicas if their costs differ", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 2, maxLength: 6 }), (cached) => {
        const distinct = [...new Set(cached)].map((tens) => replica({ cachedTokens: tens * 40 }));
        const all = numbered(distinct);
        expect(chooseReplica(1000, all.toReversed())).toBe(chooseReplica(1000, all));
      }),
    );
  });
});

describe("the choice of a replica for a suspect", () => {
  it.each<[string, readonly Partial<ReplicaLoad>[], number | undefined]>([
    ["none if only one is running", [{ availability: "down" }, {}], undefined],
    [
      "the one with the fewest generations",
      [{ generations: 2 }, { generations: 1 }, { generations: 3 }],
      1,
    ],
    [
      "never one that is down",
      [{ generations: 2 }, { availability: "down" }, { generations: 3 }],
      0,
    ],
  ])("is %s", (_, replicas, expected) => {
    expect(chooseForSuspect(numbered(replicas.map(replica)))).toBe(expected);
  });
});
