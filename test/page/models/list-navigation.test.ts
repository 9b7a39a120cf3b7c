import { expect, test } from "vitest";
import { findByTyping, moveActive } from "../../../src/page/models/list-navigation.js";

test.each([
  ["ArrowDown", 0, 3, 1],
  ["ArrowDown", 2, 3, 2],
  ["ArrowDown", -1, 3, 0],
  ["ArrowDown", -1, 0, -1],
  ["ArrowUp", 1, 3, 0],
  ["ArrowUp", 0, 3, 0],
  ["ArrowUp", -1, 3, 2],
  ["PageDown", 1, 20, 9],
  ["PageDown", 15, 20, 19],
  ["PageUp", 9, 20, 1],
  ["PageUp", 3, 20, 0],
  ["Home", 2, 3, 0],
  ["Home", -1, 0, -1],
  ["End", 0, 3, 2],
  ["x", 0, 3, undefined],
])("%s moves from option %i of %i + 1 options to %s", (key, active, count, expected) => {
  expect(moveActive(key, active, count)).toBe(expected);
});

const names = ["gemma", "llama", "Qwen3-4B", "qwen3-8b"];

test.each([
  ["q", 0, 2],
  ["q", 2, 3],
  ["qq", 3, 2],
  ["qwen3-8", 2, 3],
  ["qw", 2, 2],
  ["G", 3, 0],
  ["x", 1, -1],
])('typing "%s" at option %i selects option %i', (typed, active, expected) => {
  expect(findByTyping(names, typed, active)).toBe(expected);
});
