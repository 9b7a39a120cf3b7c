import { describe, expect, it } from "vitest";
import {
  compareLines,
  fingerprintPrompt,
  type LineFacts,
  promptTextOf,
} from "../../src/batches/line-order.js";

interface Line extends LineFacts {
  readonly name: string;
}

function line(name: string, prompt: string, { model = "m", adapter = "" } = {}): Line {
  return { name, model, adapter, prefixes: fingerprintPrompt(prompt), length: prompt.length };
}

const namesInOrder = (lines: readonly Line[]) =>
  lines.toSorted(compareLines).map(({ name }) => name);

/** Number of times that neighbours differ in a property. */
function countChanges(names: readonly string[], of: (name: string) => string): number {
  return names.filter((name, index) => index > 0 && of(name) !== of(names[index - 1] ?? "")).length;
}

const [headerA, headerB] = ["A".repeat(500), "B".repeat(500)];

describe("the order of lines", () => {
  it.each([
    ["by model", [line("b", "x", { model: "b" }), line("a", "y", { model: "a" })], ["a", "b"]],
    [
      "by adapter within a model",
      [line("2", "x", { adapter: "z" }), line("1", "y"), line("0", "z", { model: "a" })],
      ["0", "1", "2"],
    ],
    [
      "by length among prompts with the same beginning",
      [line("long", `${headerA}${"q".repeat(9)}`), line("short", `${headerA}q`)],
      ["short", "long"],
    ],
  ])("is %s", (_, lines, expected) => {
    expect(namesInOrder(lines)).toEqual(expected);
  });

  it("puts prompts with a shared header next to each other", () => {
    const lines = Array.from({ length: 40 }, (_, index) => {
      const header = index % 2 === 0 ? headerA : headerB;
      return line(`${header.charAt(0)}${index}`, `${header}${index}`);
    });
    expect(countChanges(namesInOrder(lines), (name) => name.charAt(0))).toBe(1);
  });

  it.each([
    [200, 300],
    [300, 800],
    [3000, 5000],
    [20_000, 30_000],
    [150_000, 220_000],
  ])("puts headers together that differ after %d of %d characters", (common, length) => {
    const headers = ["A", "B", "C"].map(
      (name) => "i".repeat(common) + name.repeat(length - common),
    );
    const names = namesInOrder(
      Array.from({ length: 60 }, (_, index) => {
        const header = headers[index % headers.length] ?? "";
        return line(`${header.slice(-1)}${index}`, `${header} ${index}`);
      }),
    );
    expect(countChanges(names, (name) => name.charAt(0))).toBe(2);
  });

  it("puts prompts with a longer common beginning closer together", () => {
    const documents = ["one", "two", "three"].map((text) => headerA + text.repeat(600));
    const lines = documents.flatMap((document, index) =>
      ["summarise", "translate", "rate"].map((task) => line(`${index}${task}`, document + task)),
    );
    const mixed = lines.toSorted((a, b) => (a.name.slice(1) < b.name.slice(1) ? -1 : 1));
    expect(countChanges(namesInOrder(mixed), (name) => name.charAt(0))).toBe(2);
  });

  it("puts identical prompts next to each other", () => {
    const lines = Array.from({ length: 30 }, (_, index) =>
      line(`${index % 3}`, `${headerA}${index % 3}`),
    );
    expect(countChanges(namesInOrder(lines), (name) => name)).toBe(2);
  });
});

describe("the prompt text of a body", () => {
  it.each([
    [{ messages: [{ role: "user", content: "Hi" }], tools: [1] }, "[1]", "Hi"],
    [{ instructions: "Be brief.", input: "Hi" }, "Be brief.", "Hi"],
    [{ input: ["Hi", "there"] }, "Hi", "there"],
    [{ query: "Hi", documents: ["a", "b"] }, "Hi", '["a","b"]'],
    [{ system: "Be brief.", messages: ["Hi"] }, "Be brief.", "Hi"],
  ])("of %j has %j before %j", (body, first, second) => {
    const text = promptTextOf(body);
    expect(text.indexOf(first)).toBeGreaterThanOrEqual(0);
    expect(text.indexOf(second)).toBeGreaterThan(text.indexOf(first));
  });

  it("is empty for a body without a prompt", () => {
    expect(promptTextOf({ model: "m" }).trim()).toBe("");
  });
});
