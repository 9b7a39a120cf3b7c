import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListenerEvent } from "../../src/process/event-frames.js";
import { fromFrames, toFrames } from "../../src/process/event-frames.js";

/** Events as received by the other process. */
function across(events: readonly ListenerEvent[]): readonly ListenerEvent[] {
  const told: ListenerEvent[] = [];
  fromFrames(structuredClone(toFrames(events)), (event) => told.push(event));
  return told;
}

const usage = { promptTokens: 5, cachedTokens: 4, completionTokens: 3, reasoningTokens: 2 };
const piece = (text: string, tokens: unknown = [7], more: object = {}): ListenerEvent => [
  1,
  { type: "text-delta", text, usage, ...more },
  tokens,
];

const count = fc.nat(2 ** 32 - 1);
const usages = fc.record({
  promptTokens: count,
  cachedTokens: count,
  completionTokens: count,
  reasoningTokens: count,
});
const pieces = fc.tuple(
  count,
  fc.record({
    type: fc.constantFrom("text-delta" as const, "reasoning-delta" as const),
    text: fc.string({ unit: "binary" }),
    usage: usages,
  }),
  fc.array(count, { maxLength: 5 }),
);
const others = fc.tuple(count, fc.constantFrom({ type: "cancelled" }, { type: "text" }, "a", null));

describe("generation events", () => {
  it("cross the process boundary unchanged and in order", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, others), { maxLength: 20 }), (events) => {
        expect(across(events)).toEqual(events);
      }),
    );
  });

  it("with plain text deltas are encoded as binary frames", () => {
    const { frames, others } = toFrames([piece("a"), piece("né"), [2, { type: "cancelled" }]]);
    expect(others).toEqual([[2, { type: "cancelled" }]]);
    expect(frames.byteLength).toBe(2 * (29 + 4) + 1 + 3 + 1);
  });

  it.each<readonly [string, ListenerEvent]>([
    ["a lone surrogate", piece("a\ud83d")],
    ["log-probabilities", piece("a", [7], { scores: [] })],
    ["timings", piece("a", [7], { timings: { prefillMs: 1 } })],
    [
      "a prediction",
      [1, { type: "text-delta", text: "a", usage: { ...usage, prediction: {} } }, []],
    ],
    ["a delta without tokens", [1, { type: "text-delta", text: "a", usage }]],
  ])("are sent as objects if they contain %s", (_, event) => {
    expect(toFrames([event]).others).toHaveLength(1);
    expect(across([piece("before"), event, piece("after")])).toEqual([
      piece("before"),
      event,
      piece("after"),
    ]);
  });

  it("are rejected if frames and objects do not match", () => {
    const { frames } = toFrames([[1, { type: "cancelled" }]]);
    expect(() => fromFrames({ frames, others: [] }, () => undefined)).toThrow("got fewer");
    const unknown = { frames: Uint8Array.of(9), others: [] };
    expect(() => fromFrames(unknown, () => undefined)).toThrow(
      "expected a known frame kind, got 9",
    );
  });
});
