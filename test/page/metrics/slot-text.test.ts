import { expect, it } from "vitest";
import { describeSlots } from "../../../src/page/metrics/slot-text.js";

const slot = { id: 0, n_ctx: 100, speculative: false, is_processing: true, n_prompt_tokens: 2000 };
const generated = (n_decoded: number) => ({
  next_token: [{ has_next_token: true, n_remain: 9, n_decoded } as const],
});

it.each([
  ["an idle slot", { ...slot, is_processing: false }, "idle"],
  ["a cache", { ...slot, is_processing: false, n_held: 1024 }, "1,024 tokens cached"],
  [
    "the progress of a prompt",
    { ...slot, n_held: 512, ...generated(0) },
    "prompt: 512 of 2,000 tokens",
  ],
  ["a prompt of unknown progress", slot, "prompt: 0 of 2,000 tokens"],
  ["generation", { ...slot, ...generated(87) }, "2,000 prompt tokens, 87 generated"],
])("a slot's text shows %s", (_, shown, text) => {
  expect(describeSlots(4, 1, [shown])).toEqual([
    { isBusy: shown.is_processing, text, replica: undefined },
  ]);
});

it("slots are grouped by the replicas that have them", () => {
  const known = [
    { ...slot, replica: 0 },
    { ...slot, id: 1, replica: 2 },
  ];
  expect(describeSlots(2, 2, known).map(({ replica }) => replica)).toEqual(["0", "2"]);
  const replicas = [
    { replica: "0", state: "ready", slots: 1 },
    { replica: "1", state: "not ready", slots: 1 },
    { replica: "2", state: "ready", slots: 2 },
  ] as const;
  expect(describeSlots(3, 0, [], replicas).map(({ replica }) => replica)).toEqual(["0", "2", "2"]);
});

it("slots of unknown state are described by their number", () => {
  expect(describeSlots(2, 1).map(({ text }) => text)).toEqual(["busy", "idle"]);
  expect(describeSlots(undefined, undefined)).toEqual([]);
});
