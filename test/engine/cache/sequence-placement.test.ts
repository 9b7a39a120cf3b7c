import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureCommonPrefix } from "../../../src/engine/cache/common-prefix.js";
import {
  createEmptyIdentity,
  createTokenIdentity,
} from "../../../src/engine/cache/prompt-identity.js";
import {
  type AvailableSequence,
  computeMinCopyTokens,
  type Placement,
  type PlacementPolicy,
  placePrompt,
  type Reuse,
  type StoredState,
  savedCut,
} from "../../../src/engine/cache/sequence-placement.js";

const idle = (id: number, heldTokens: number[] = [], lastUsed = 0): AvailableSequence => ({
  id,
  contents: createTokenIdentity(heldTokens),
  lastUsed,
  keptFor: "conversation",
  status: "idle",
});
/** An idle sequence that nothing continues. */
const line = (...parameters: Parameters<typeof idle>) =>
  ({ ...idle(...parameters), keptFor: "nothing" }) as const;
/** The sequence of a suspended generation. */
const suspended = (...parameters: Parameters<typeof idle>) =>
  ({ ...idle(...parameters), keptFor: "generation" }) as const;
const busy = (id: number, heldTokens: number[] = [], prefilling?: number[]) => ({
  ...idle(id, heldTokens, 99),
  status: "busy" as const,
  ...(prefilling === undefined ? {} : { prefilling: createTokenIdentity(prefilling) }),
});
/** Places a prompt; sequences can be cut as saved states can, or at `lowestCut`. */
const place = (
  sequences: readonly (AvailableSequence & { lowestCut?: number })[],
  stored: readonly StoredState[],
  prompt: Parameters<typeof placePrompt>[2],
  policy: PlacementPolicy,
) => {
  const lowestCut = savedCut(policy.reuse);
  const placeable = sequences.map((sequence) => ({ lowestCut, ...sequence }));
  return placePrompt(placeable, stored, prompt, policy);
};
const policy = (reuse: Reuse) => ({ reuse, minCopyTokens: 16 });
const others = (length: number) => Array.from({ length }, (_, index) => 100 + index);
const text = (length: number) => Array.from({ length }, (_, index) => index);
const reuse = (to: number, sharedTokens: number): Placement => ({
  kind: "reuse",
  to,
  sharedTokens,
});
const wait = (sequence: number, sharedTokens: number): Placement => ({
  kind: "wait",
  for: sequence,
  sharedTokens,
});
const copy = (from: number, to: number, sharedTokens: number): Placement => ({
  kind: "copy",
  from,
  to,
  sharedTokens,
});

interface Case {
  readonly rule: string;
  readonly sequences: readonly (AvailableSequence & { lowestCut?: number })[];
  readonly prompt: readonly number[];
  readonly placement: Placement | undefined;
}

describe("a prompt with a preferred sequence", () => {
  const preferring = { ...policy("common-prefix"), preferred: 1 };

  test.each<Case>([
    {
      rule: "is placed there even if another sequence shares a longer prefix",
      sequences: [idle(0, text(8)), idle(1)],
      prompt: text(10),
      placement: reuse(1, 0),
    },
    {
      rule: "reuses even a short shared prefix",
      sequences: [idle(0), idle(1, [0, 1, ...others(50)])],
      prompt: text(10),
      placement: reuse(1, 2),
    },
    {
      rule: "gets a longer prefix copied from another sequence",
      sequences: [idle(0, text(80)), idle(1, [0, 1, 2])],
      prompt: text(100),
      placement: copy(0, 1, 80),
    },
    {
      rule: "waits for a longer prefix that is being evaluated",
      sequences: [busy(0, [], text(200)), idle(1)],
      prompt: text(200),
      placement: wait(0, 199),
    },
    {
      rule: "is placed in another sequence while the preferred one is busy",
      sequences: [idle(0), busy(1, others(9))],
      prompt: text(10),
      placement: reuse(0, 0),
    },
  ])("$rule", ({ sequences, prompt, placement }) => {
    expect(place(sequences, [], createTokenIdentity(prompt), preferring)).toEqual(placement);
  });

  test("gets a saved state restored into that sequence", () => {
    const stored = { prompt: createTokenIdentity(text(90)) };
    expect(
      place([idle(0, text(40)), idle(1)], [stored], createTokenIdentity(text(100)), preferring),
    ).toEqual({
      kind: "restore",
      from: stored,
      to: 1,
      sharedTokens: 90,
    });
  });
});

describe("a prompt is placed in", () => {
  test.each<Case>([
    {
      rule: "no sequence if none is idle",
      sequences: [busy(0)],
      prompt: [1],
      placement: undefined,
    },
    {
      rule: "the lowest id among unused sequences",
      sequences: [idle(0), idle(1)],
      prompt: [1, 2],
      placement: reuse(0, 0),
    },
    {
      rule: "the sequence with the longest shared prefix",
      sequences: [idle(0, [1, 2], 5), idle(1, [1, 2, 3], 4), idle(2)],
      prompt: [1, 2, 3, 4],
      placement: reuse(1, 3),
    },
    {
      rule: "the lowest id among equal prefixes",
      sequences: [idle(1, [1, 2], 9), idle(3, [1, 2], 1)],
      prompt: [1, 2, 3],
      placement: reuse(1, 2),
    },
    {
      rule: "the sequence that holds it, except its last token, which is evaluated again",
      sequences: [idle(0, [1, 2, 3], 1)],
      prompt: [1, 2, 3],
      placement: reuse(0, 2),
    },
    {
      rule: "a sequence that holds half of the prompt",
      sequences: [idle(0), idle(1, [1, 2, ...others(50)], 1)],
      prompt: [1, 2, 3, 4],
      placement: reuse(1, 2),
    },
    {
      rule: "a sequence that holds little besides the shared prefix",
      sequences: [idle(0), idle(1, [1, 2, 9, 9], 1)],
      prompt: [1, 2, ...others(50)],
      placement: reuse(1, 2),
    },
    {
      rule: "an empty sequence rather than a conversation with a short shared prefix",
      sequences: [idle(0, [1, 2, ...others(50)], 1), idle(1)],
      prompt: [1, 2, 3, 4, 5, 6],
      placement: reuse(1, 0),
    },
    {
      rule: "the least recently used sequence if none is empty, keeping the shared prefix",
      sequences: [idle(0, [7], 3), idle(1, [1, ...others(50)], 1), idle(2, [9], 2)],
      prompt: [1, 2, 3, 4],
      placement: reuse(1, 1),
    },
    {
      rule: "an emptied sequence rather than the least recently used",
      sequences: [idle(0, [7], 1), idle(1, [], 9)],
      prompt: [1],
      placement: reuse(1, 0),
    },
    {
      rule: "the first empty sequence, regardless of when the sequences were used",
      sequences: [idle(0, [], 9), idle(1, [], 1), idle(2, [7], 0)],
      prompt: [1],
      placement: reuse(0, 0),
    },
    {
      rule: "a sequence that nothing continues rather than an older conversation",
      sequences: [idle(0, [7], 1), line(1, [8], 5), line(2, [9], 4), suspended(3, [6], 0)],
      prompt: [1],
      placement: reuse(2, 0),
    },
    {
      rule: "a conversation rather than the sequence of a suspended generation",
      sequences: [suspended(0, [7], 1), idle(1, [8, 9], 5)],
      prompt: [1],
      placement: reuse(1, 0),
    },
    {
      rule: "the shortest sequence if each is of a suspended generation",
      sequences: [
        suspended(0, others(9), 1),
        suspended(1, others(3), 3),
        suspended(2, others(5), 2),
      ],
      prompt: [1],
      placement: reuse(1, 0),
    },
    {
      rule: "the sequence whose suspended generation it continues",
      sequences: [idle(0), suspended(1, [1, 2, 3], 1), suspended(2, [1, 2], 2)],
      prompt: [1, 2, 3, 4],
      placement: reuse(1, 3),
    },
    {
      rule: "no sequence of a suspended generation that diverges from it",
      sequences: [suspended(0, [1, 2, 3, 9], 1), idle(1)],
      prompt: [1, 2, 3, 4],
      placement: reuse(1, 0),
    },
  ])("$rule", ({ sequences, prompt, placement }) => {
    expect(place(sequences, [], createTokenIdentity(prompt), policy("common-prefix"))).toEqual(
      placement,
    );
  });
});

describe("a prefix that another sequence holds", () => {
  test("is copied from a suspended generation that diverges", () => {
    const sequences = [suspended(0, [...text(40), 7], 1), idle(1)];
    const prompt = createTokenIdentity([...text(40), 8]);
    expect(place(sequences, [], prompt, policy("common-prefix"))).toEqual(copy(0, 1, 40));
  });

  test.each<Case>([
    {
      rule: "is copied to an empty sequence, even from a busy one",
      sequences: [busy(0, [...text(40), 7, 7]), idle(1)],
      prompt: [...text(40), 8, 8],
      placement: copy(0, 1, 40),
    },
    {
      rule: "is copied to the least recently used sequence if none is empty",
      sequences: [busy(0, text(40)), idle(1, [9], 5), idle(2, [9], 3)],
      prompt: [...text(40), 8],
      placement: copy(0, 2, 40),
    },
    {
      rule: "is copied from an idle conversation that diverges, which is kept",
      sequences: [idle(0, [...text(40), ...others(60)], 1), idle(1)],
      prompt: [...text(40), ...text(80)],
      placement: copy(0, 1, 40),
    },
    {
      rule: "is not copied when it is short",
      sequences: [busy(0, [...text(15), 7]), idle(1)],
      prompt: [...text(15), 8],
      placement: reuse(1, 0),
    },
    {
      rule: "is not copied if an idle sequence holds nearly as long a prefix",
      sequences: [busy(0, text(40)), idle(1, text(30), 1)],
      prompt: [...text(40), 8],
      placement: reuse(1, 30),
    },
    {
      rule: "is waited for while it is being evaluated",
      sequences: [busy(0, text(5), [...text(100), 7]), idle(1)],
      prompt: [...text(100), 8],
      placement: wait(0, 100),
    },
    {
      rule: "is copied once little of it remains to be evaluated",
      sequences: [busy(0, text(50), [...text(100), 7]), idle(1)],
      prompt: [...text(100), 8],
      placement: copy(0, 1, 50),
    },
    {
      rule: "is not waited for when it is short",
      sequences: [busy(0, [], [...text(63), 7]), idle(1)],
      prompt: [...text(63), 8],
      placement: reuse(1, 0),
    },
  ])("$rule", ({ sequences, prompt, placement }) => {
    expect(place(sequences, [], createTokenIdentity(prompt), policy("common-prefix"))).toEqual(
      placement,
    );
  });
});

describe("a saved state", () => {
  const state = (length: number, ...ending: number[]): StoredState => ({
    prompt: createTokenIdentity([...text(length), ...ending]),
  });
  const restore = (from: StoredState, to: number, sharedTokens: number): Placement => ({
    kind: "restore",
    from,
    to,
    sharedTokens,
  });
  const [short, long] = [state(40, 7), state(90, 8)];

  test.each<Case & { readonly stored: readonly StoredState[] }>([
    {
      rule: "with the longest shared prefix is restored",
      stored: [short, long],
      sequences: [idle(0, [9], 1), idle(1)],
      prompt: text(200),
      placement: restore(long, 1, 90),
    },
    {
      rule: "is restored into the sequence that holds part of the conversation",
      stored: [long],
      sequences: [idle(0), idle(1, text(30), 1)],
      prompt: text(200),
      placement: restore(long, 1, 90),
    },
    {
      rule: "is not restored if a sequence holds nearly as long a prefix",
      stored: [long],
      sequences: [idle(0), idle(1, text(60), 1)],
      prompt: text(200),
      placement: reuse(1, 60),
    },
    {
      rule: "is not restored when a much longer prefix is being evaluated",
      stored: [short],
      sequences: [busy(0, [], text(200)), idle(1)],
      prompt: [...text(200), 5],
      placement: wait(0, 200),
    },
  ])("$rule", ({ stored, sequences, prompt, placement }) => {
    expect(place(sequences, stored, createTokenIdentity(prompt), policy("common-prefix"))).toEqual(
      placement,
    );
  });

  test("is restored completely or not at all without partial truncation", () => {
    const stored = [state(40, 7), state(50)];
    const placement = place(
      [idle(0)],
      stored,
      createTokenIdentity(text(60)),
      policy("checkpoints"),
    );
    expect(placement).toEqual(restore(stored[1] ?? short, 0, 50));
  });
});

describe("a model without partial truncation", () => {
  test.each<Case>([
    {
      rule: "continues a sequence that holds only a prefix of the prompt",
      sequences: [idle(0, text(30), 1), idle(1)],
      prompt: text(40),
      placement: reuse(0, 30),
    },
    {
      rule: "discards the state of a sequence that diverges",
      sequences: [idle(0, [...text(30), 7], 1)],
      prompt: text(40),
      placement: reuse(0, 0),
    },
    {
      rule: "reuses a shared prefix that the sequence can be cut to",
      sequences: [{ ...idle(0, [...text(30), 7], 1), lowestCut: 30 }],
      prompt: text(40),
      placement: reuse(0, 30),
    },
    {
      rule: "does not reuse a shared prefix below the lowest cut",
      sequences: [{ ...idle(0, [...text(30), 7], 1), lowestCut: 31 }],
      prompt: text(40),
      placement: reuse(0, 0),
    },
    {
      rule: "copies a state that can be cut to the shared prefix",
      sequences: [{ ...busy(0, [...text(30), 7]), lowestCut: 30 }, idle(1)],
      prompt: text(40),
      placement: copy(0, 1, 30),
    },
    {
      rule: "copies only whole states",
      sequences: [busy(0, text(30)), busy(1, [...text(35), 7]), idle(2)],
      prompt: text(40),
      placement: copy(0, 2, 30),
    },
    {
      rule: "waits for a checkpoint at the last whole block of the shared prefix",
      sequences: [busy(0, [], [...text(100), 7]), idle(1)],
      prompt: [...text(100), 8],
      placement: wait(0, 96),
    },
    {
      rule: "does not wait for a checkpoint that has been passed",
      sequences: [busy(0, [...text(100), 7], [...text(100), 7, 7]), idle(1)],
      prompt: [...text(100), 8],
      placement: reuse(1, 0),
    },
  ])("$rule", ({ sequences, prompt, placement }) => {
    expect(place(sequences, [], createTokenIdentity(prompt), policy("checkpoints"))).toEqual(
      placement,
    );
  });

  test("does not wait if no checkpoints are saved", () => {
    const sequences = [busy(0, [], [...text(100), 7]), idle(1)];
    expect(place(sequences, [], createTokenIdentity([...text(100), 8]), policy("none"))).toEqual(
      reuse(1, 0),
    );
  });
});

test("every placement is possible and reports the shared tokens, for any sequences", () => {
  const tokens = fc.array(fc.constantFrom(1, 1, 1, 2), { maxLength: 90 });
  const sequences = fc
    .array(
      fc.record({
        contents: tokens.map(createTokenIdentity),
        lastUsed: fc.nat(20),
        keptFor: fc.constantFrom(
          "conversation" as const,
          "generation" as const,
          "nothing" as const,
        ),
        status: fc.constantFrom("idle" as const, "busy" as const),
        prefilling: tokens.map(createTokenIdentity),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((list) =>
      list.map(({ prefilling, ...sequence }, id) => ({
        ...sequence,
        id,
        ...(sequence.status === "busy" ? { prefilling } : {}),
      })),
    );
  const reuses = fc.constantFrom<Reuse>("common-prefix", "checkpoints", "none");
  fc.assert(
    fc.property(
      sequences,
      fc.array(fc.constantFrom(1, 2), { minLength: 1 }),
      reuses,
      (all, prompt, reuseRule) => {
        const placement = place(all, [], createTokenIdentity(prompt), policy(reuseRule));
        if (placement === undefined) {
          expect(all.every(({ status }) => status === "busy")).toBe(true);
        } else if (placement.kind === "wait") {
          const { contents, prefilling } = all[placement.for] ?? {
            contents: createEmptyIdentity(),
          };
          expect(measureCommonPrefix(prefilling?.cells ?? [], prompt)).toBeGreaterThanOrEqual(
            placement.sharedTokens,
          );
          if (reuseRule === "checkpoints")
            expect(contents.cells.length).toBeLessThan(placement.sharedTokens);
        } else {
          expect(all[placement.to]?.status).toBe("idle");
          const source = all[placement.kind === "copy" ? placement.from : placement.to];
          const shared = measureCommonPrefix(source?.contents.cells ?? [], prompt.slice(0, -1));
          const whole = shared === source?.contents.cells.length;
          expect(placement.sharedTokens).toBe(reuseRule === "common-prefix" || whole ? shared : 0);
        }
      },
    ),
  );
});

describe("a copy, which moves a whole stream regardless of its content,", () => {
  test.each([
    { copyMs: 0, msPerPrefillToken: 1, tokens: 16 },
    { copyMs: 17, msPerPrefillToken: undefined, tokens: 16 },
    { copyMs: 17, msPerPrefillToken: 0, tokens: 16 },
    { copyMs: 17, msPerPrefillToken: 1.4, tokens: 16 },
    { copyMs: 17, msPerPrefillToken: 0.1, tokens: 170 },
    { copyMs: 51.2, msPerPrefillToken: 0.05, tokens: 1024 },
  ])(
    "of $copyMs ms must save $tokens tokens of $msPerPrefillToken ms",
    ({ copyMs, msPerPrefillToken, tokens }) => {
      expect(computeMinCopyTokens(copyMs, msPerPrefillToken)).toBe(tokens);
    },
  );

  const expensive = { reuse: "common-prefix", minCopyTokens: 500 } as const;

  test("is not made if it saves fewer tokens", () => {
    const sequences = [busy(0, text(600)), idle(1)];
    expect(place(sequences, [], createTokenIdentity([...text(499), 8, 9]), expensive)).toEqual(
      reuse(1, 0),
    );
    expect(place(sequences, [], createTokenIdentity([...text(500), 8, 9]), expensive)).toEqual(
      copy(0, 1, 500),
    );
  });

  test("is not awaited if it saves fewer tokens", () => {
    const sequences = [busy(0, [], text(600)), idle(1)];
    expect(place(sequences, [], createTokenIdentity([...text(499), 8, 9]), expensive)).toEqual(
      reuse(1, 0),
    );
    expect(place(sequences, [], createTokenIdentity([...text(500), 8, 9]), expensive)).toEqual(
      wait(0, 500),
    );
  });
});
