import { describe, expect, it } from "vitest";
import {
  createShortcuts,
  isCharacter,
  keyOf,
  printKey,
} from "../../../src/page/shortcuts/shortcuts.js";

const keys = createShortcuts(() => undefined).flatMap((shortcut) => shortcut.keys);

describe("keyboard shortcuts", () => {
  it("have one action per key", () => {
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are single keys that can be turned off, or keys that browsers do not use", () => {
    expect(keys.filter((key) => !isCharacter(key))).toEqual(["Control+/", "Escape"]);
    // Firefox finds text with these keys.
    expect(keys.filter((key) => ["/", "'"].includes(key))).toEqual([]);
  });

  it.each([
    [{ key: "N", ctrlKey: false }, "n"],
    [{ key: "?", ctrlKey: false }, "?"],
    [{ key: "/", ctrlKey: true }, "Control+/"],
    [{ key: "Escape", ctrlKey: false }, "Escape"],
  ])("are recognised: %j", (event, key) => {
    expect(keyOf(event)).toBe(key);
  });

  it.each([
    ["n", "N"],
    ["?", "?"],
    ["Control+/", "Ctrl + /"],
    ["Escape", "Esc"],
  ])("are shown: %s as %s", (key, text) => {
    expect(printKey(key)).toBe(text);
  });
});
