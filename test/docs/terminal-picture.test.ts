import { expect, it } from "vitest";
import { drawTerminal } from "../../docs/scripts/terminal-picture.js";

it("a picture of a terminal has prompts before typed text, and escapes output", () => {
  const svg = drawTerminal("a & b", [
    { kind: "typed", text: "cat x" },
    { kind: "printed", text: "a < b && c" },
  ]);
  expect(svg).toContain('<title id="title">a &amp; b</title>');
  expect(svg).toContain('<tspan class="prompt">$ </tspan>cat x</text>');
  expect(svg).toContain("a &lt; b &amp;&amp; c</text>");
});

it("a picture of a terminal is as wide as its longest line", () => {
  const widthOf = (text: string) =>
    Number(/viewBox="0 0 (\d+)/.exec(drawTerminal("", [{ kind: "printed", text }]))?.[1]);
  expect(widthOf("x".repeat(100)) - widthOf("x".repeat(50))).toBeCloseTo(50 * 0.602 * 13, -1);
});
